//go:build unix

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

func TestRecordsThatAreSharedAloneAreWarnedOf(t *testing.T) {
	t.Parallel()
	const warning = "start no second process"
	if i := startOne(t, filepath.Join(t.TempDir(), "data")); strings.Contains(i.log.String(), warning) {
		t.Errorf("everything is in one folder:\n%s", i.log)
	}
	records := pgtest.Start(t)
	i := startOne(t, filepath.Join(t.TempDir(), "data"), "--database-url", records.Address(records.Database(t)))
	for line := range strings.Lines(i.log.String()) {
		if strings.Contains(line, warning) {
			if !strings.Contains(line, "WARN") || !strings.Contains(line, "--blob-url") || !strings.Contains(line, "--nats-url") {
				t.Errorf("it says: %s", line)
			}
			return
		}
	}
	t.Errorf("no warning in:\n%s", i.log)
}
