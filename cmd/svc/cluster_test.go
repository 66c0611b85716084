//go:build unix

package main

import (
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/cluster"
	"github.com/bundle-delivery/svc/internal/needs"
)

// TestScriptsOnACluster runs some of the scripts, one for each command, against
// three servers behind a balancer. `make test-long` runs all of them there.
func TestScriptsOnACluster(t *testing.T) {
	needs.Long(t, "the client against a cluster")
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
