//go:build unix

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/cluster"
)

// TestScriptsOnACluster runs some of the scripts, one for each command, against
// three servers behind a balancer. `make cluster-test` runs all of them there.
func TestScriptsOnACluster(t *testing.T) {
	if cluster.Wanted() {
		t.Skip("TestScripts runs all of them there")
	}
	c := cluster.ForTest(t, cluster.Config{})
	runScripts(t, &stage{service: &c.Service}, testscript.Params{Files: []string{
		"testdata/script/pull_basic.txtar",
		"testdata/script/generate.txtar",
		"testdata/script/export.txtar",
		"testdata/script/status.txtar",
		"testdata/script/list.txtar",
		"testdata/script/rollback.txtar",
	}})
}
