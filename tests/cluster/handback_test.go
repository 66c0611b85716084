//go:build unix

package main

import (
	"sync/atomic"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// handBack ends the very process that works on a run, as a deploy does, in a service of
// its own on the same engines. The process hands the run back, so that another takes it
// up without waiting for the end of a lease: nothing counts as lost, and whoever watches
// is told of one further attempt.
func handBack(t *testing.T, beside *cluster.Cluster) {
	t.Helper()
	c := cluster.ForTest(t, cluster.Config{
		Engines: beside.Engines, Program: beside.Program,
		Flags: []string{"--engine", "exec", "--engine-command", buildEngine(t)},
	})
	who := newTenant(t, c, new(atomic.Int64), "developer")
	run := want(t, &c.Service, 202, "", "POST", "/generations", who.key, task(2, 500)).field(t, "generationId")
	holder, others := workerOf(t, c)
	if err := holder.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Err(); err != nil {
		t.Error(err)
	}
	story, err := follow(t, run, who.key, others...)
	if err != nil || story.Ready == nil {
		t.Fatalf("the run ended with %+v (%v)", story.Error, err)
	}
	if story.Attempt != 2 {
		t.Errorf("it took %d attempts, want the one that was handed back and one more", story.Attempt)
	}
	want(t, others[0], 200, "", "GET", "/bundles/"+story.Ready.BundleID+"/download", who.key, "")

	store, err := postgres.Open(t.Context(), c.Tenant.DatabaseURL())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }() // it was read
	record, err := store.Runs().Get(t.Context(), who.id, run)
	if err != nil {
		t.Fatal(err)
	}
	if record.Status != svc.RunSucceeded || record.Epoch != 2 || record.Losses != 0 {
		t.Errorf("the run is %s after %d attempts, of which %d were lost", record.Status, record.Epoch, record.Losses)
	}
}

// workerOf waits until a process works on the only run that there is.
func workerOf(t *testing.T, c *cluster.Cluster) (worker *harness.Server, others []*harness.Service) {
	t.Helper()
	for {
		others = nil
		for _, s := range c.Servers {
			if metric(t, s, "svcd_generation_wait_seconds_count") > 0 {
				worker = s
			} else {
				others = append(others, &s.Service)
			}
		}
		if worker != nil {
			return worker, others
		}
		if err := pause(t); err != nil {
			t.Fatal(err)
		}
	}
}
