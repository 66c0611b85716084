//go:build unix

package main

import (
	"context"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// rolesApart has two processes with the API, one that generates and one that
// assembles, beside another service on the same engines.
func rolesApart(t *testing.T, beside *cluster.Cluster) {
	t.Helper()
	c := cluster.ForTest(t, cluster.Config{
		Engines: beside.Engines, Program: beside.Program,
		Flags: []string{"--engine", "exec", "--engine-command", buildEngine(t)},
		Servers: [][]string{
			{"--roles", "api"}, {"--roles", "api"}, {"--roles", "worker"}, {"--roles", "assembler"},
		},
	})
	one, two, worker, assembler := c.Servers[0], c.Servers[1], c.Servers[2], c.Servers[3]
	who := newTenant(t, c, new(atomic.Int64), "developer")

	queued := want(t, &one.Service, 202, "", "POST", "/generations", who.key, task(2, 5))
	story, err := follow(t, queued.field(t, "generationId"), who.key, &two.Service)
	if err != nil || story.Ready == nil {
		t.Fatalf("the run ended with %+v (%v)", story.Error, err)
	}
	repackage := "/projects/" + queued.field(t, "projectId") + "/bundles/repackage"
	fresh := assembled(t, &two.Service, repackage, who.key, 200)
	want(t, &one.Service, 200, "", "GET", "/bundles/"+fresh.field(t, "bundleId")+"/download", who.key, "")

	// Without its assembler the service says so, and finds the next one.
	if err := assembler.Kill(); err != nil {
		t.Fatal(err)
	}
	refused := assembled(t, &one.Service, repackage, who.key, 502)
	if refused.header.Get("Retry-After") == "" {
		t.Error("the 502 has no Retry-After")
	}
	want(t, &one.Service, 200, "", "GET", "/bundles/"+story.Ready.BundleID+"/download", who.key, "")
	if err := assembler.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	assembled(t, &one.Service, repackage, who.key, 200)

	// Without its worker it takes runs, and the next one finds them.
	if err := worker.Kill(); err != nil {
		t.Fatal(err)
	}
	queued = want(t, &one.Service, 202, "", "POST", "/generations", who.key, task(1, 2))
	run := queued.field(t, "generationId")
	if got := want(t, &two.Service, 200, "", "GET", "/generations/"+run, who.key, "").field(t, "status"); got != "queued" {
		t.Errorf("without a worker the run is %s", got)
	}
	if err := worker.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if story, err := follow(t, run, who.key, &one.Service); err != nil || story.Ready == nil {
		t.Fatalf("the run ended with %+v (%v)", story.Error, err)
	}
}

// assembled asks for a bundle until the answer is the one that is wanted. A
// process serves a moment before the others know it for an assembler, and a few
// questions a minute are allowed: until then the answer says when to ask again.
func assembled(t *testing.T, at *harness.Service, path, key string, status int) answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for {
		got, err := ask(t, at, "POST", path, key, "")
		if err != nil {
			t.Fatal(err)
		}
		if got.status == status {
			return got
		}
		after, err := strconv.Atoi(got.header.Get("Retry-After"))
		if code := got.field(t, "code"); err != nil || code != "ASSEMBLY_UNAVAILABLE" && code != "TOO_MANY_REQUESTS" {
			t.Fatalf("%s: got %d %s", path, got.status, got.body)
		}
		select {
		case <-time.After(time.Duration(after) * time.Second):
		case <-ctx.Done():
			t.Fatalf("%s: still %d %s", path, got.status, got.body)
		}
	}
}
