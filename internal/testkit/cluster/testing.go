//go:build unix

package cluster

import (
	"context"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/internal/testkit/smalldisk"
)

// ForTest starts a cluster that ends with the test. The folder need not be
// named.
func ForTest(t testing.TB, cfg Config) *Cluster {
	t.Helper()
	if cfg.Dir == "" {
		cfg.Dir = t.TempDir()
	}
	// The test's own context is done before its cleanup runs.
	c, err := Start(context.WithoutCancel(t.Context()), cfg)
	needs.Check(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			for _, s := range c.Servers {
				t.Log(s.Name, s.Tail())
			}
		}
	})
	return c
}

// forTest is a cluster as a service, if one is wanted.
func forTest(t testing.TB, program string, flags []string) (*harness.Service, bool) {
	t.Helper()
	if !Wanted() {
		return nil, false
	}
	return &ForTest(t, Config{Program: program, Flags: flags}).Service, true
}

// NATSForTest starts the servers of NATS alone, on disks of their own if given.
func NATSForTest(t testing.TB, disks *smalldisk.Set) *Engines {
	t.Helper()
	e, err := startNATS(context.WithoutCancel(t.Context()), t.TempDir(), disks)
	needs.Check(t, err)
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}
