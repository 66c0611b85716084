//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/sleep"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/pgmeter"
)

const (
	// tripRepeat is how often each operation is done; the median counts. The first
	// times a connection prepares its statements, and now and then the clean-up
	// comes between.
	tripRepeat = 11
	// tripIdle is how long an idle worker is watched: a sweep comes every minute.
	tripIdle = time.Minute
	// tripDue is how many bundles fall due between two clean-ups.
	tripDue = 100
)

// benchRoundTrips counts what each operation asks of the database. It times
// nothing: a count is the same on every machine.
func benchRoundTrips(ctx context.Context, e *env) (s section) {
	r := &roundTrips{env: e, section: &s}
	r.cluster = must(cluster.Start(ctx, cluster.Config{
		Dir: e.folder("roundtrips"), Servers: [][]string{{"--roles", "api,assembler"}, {"--roles", "worker"}},
		Route: func(_ int, own cluster.Addresses) (cluster.Addresses, error) {
			m := r.meter(ctx, own.PostgreSQL)
			r.meters = append(r.meters, m)
			own.PostgreSQL = m.Address()
			return own, nil
		},
	}))
	e.later(r.cluster.Stop)
	tree := e.tree("trips-tree", 20, 100_000)
	r.requests(ctx, tree)
	r.generation(ctx, tree)
	r.cleanUp(ctx)
	s.note("Counted on the wire between svcd and PostgreSQL: how often the server said that it is ready for the next question. Each is the median of %d, except those of one run. A transaction begins with its first statement, in the same round trip, and ends with one of its own. A waiting worker is watched for a minute of a busy machine. Where two of its questions meet, the second takes a connection of its own, which has to be tried and to learn the statement: up to two more. By a made clock, on which none meet, it is at most one a second over ten minutes (`internal/store/postgres:TestAnIdleWorkerProcessAsksOnceASecond`).", tripRepeat)
	return s
}

// roundTrips is a cluster whose processes reach the database through meters.
type roundTrips struct {
	*env
	section *section
	cluster *cluster.Cluster
	meters  []*pgmeter.Meter // of the api, and of the worker
}

func (r *roundTrips) meter(ctx context.Context, target string) *pgmeter.Meter {
	m := must(pgmeter.Start(ctx, "tcp", target))
	r.later(m.Close)
	return m
}

// count does something repeatedly and reports what it cost at a meter. What has
// to be done before each time is not counted.
func (r *roundTrips) count(what, asked string, m *pgmeter.Meter, before, do func(int)) {
	costs := make([]int64, 0, tripRepeat)
	for i := range tripRepeat {
		if before != nil {
			before(i)
		}
		already := m.Trips()
		do(i)
		costs = append(costs, m.Trips()-already)
	}
	slices.Sort(costs)
	r.section.add(what, fmt.Sprint(costs[len(costs)/2]), asked)
}

// requests counts what requests cost. Limits are per account, so those that are
// limited come from a new account each.
func (r *roundTrips) requests(ctx context.Context, tree string) {
	tenants := make([]harness.Tenant, tripRepeat)
	for i := range tenants {
		tenants[i] = tenant(ctx, &r.cluster.Service, fmt.Sprint("trips", i), tree)
	}
	for _, step := range []struct {
		what, asked, method string
		path                func(harness.Tenant) string
		header              []string
	}{
		{"`GET /bundles/:id`, key check included", "2", http.MethodGet, func(t harness.Tenant) string { return "/bundles/" + t.BundleID }, nil},
		{"`GET /bundles/latest`", "", http.MethodGet, func(harness.Tenant) string { return "/bundles/latest" }, nil},
		{"`GET /bundles`, a page of 20", "", http.MethodGet, func(harness.Tenant) string { return "/bundles?limit=20" }, nil},
		{"`GET /bundles/:id/download`", "4", http.MethodGet, func(t harness.Tenant) string { return "/bundles/" + t.BundleID + "/download" }, nil},
		{"`POST /projects/:id/bundles/repackage`", "9", http.MethodPost, repackagePath, nil},
		{"the same with an `Idempotency-Key`", "12", http.MethodPost, repackagePath, []string{"Idempotency-Key", "bench"}},
		{"and replayed", "", http.MethodPost, repackagePath, []string{"Idempotency-Key", "bench"}},
		{"`POST /bundles/:id/ack`", "4", http.MethodPost, func(t harness.Tenant) string { return "/bundles/" + t.BundleID + "/ack" }, nil},
		{"the same again", "", http.MethodPost, func(t harness.Tenant) string { return "/bundles/" + t.BundleID + "/ack" }, nil},
	} {
		r.count(step.what, step.asked, r.meters[0], nil, func(i int) {
			path := step.path(tenants[i])
			if status := must(r.cluster.Do(ctx, tenants[i].Key, step.method, path, io.Discard, step.header...)); status != http.StatusOK {
				check(fmt.Errorf("%s %s answered %d", step.method, path, status))
			}
		})
	}
}

func repackagePath(t harness.Tenant) string { return "/projects/" + t.ProjectID + "/bundles/repackage" }

// generation counts what starting a run costs, what watching one costs, and what
// a whole run costs the worker, beyond what it asks while it waits.
func (r *roundTrips) generation(ctx context.Context, tree string) {
	user := clientOf(&r.cluster.Service, tenant(ctx, &r.cluster.Service, "runs", tree).Key)
	var id string
	start := func(int) { id = must(user.Generate(ctx, "", samplePrompt, nil, "")).ID }
	watch := func(int) { must(follow(ctx, user, id)) }
	// One after the other: the queue of an account is short.
	start(0)
	r.count("`POST /generations`", "6", r.meters[0], watch, start)
	watch(0)
	r.count("`GET /generations/:id/stream`, of a run that is over", "", r.meters[0], nil, watch)

	worker := r.meters[1]
	before, began := worker.Trips(), time.Now()
	check(sleep.For(ctx, tripIdle))
	perSecond := float64(worker.Trips()-before) / time.Since(began).Seconds()
	r.section.add("a worker that waits, a second", fmt.Sprintf("%.1f", perSecond), "1")
	before, began = worker.Trips(), time.Now()
	start(0)
	events := must(follow(ctx, user, id))
	run := float64(worker.Trips()-before) - perSecond*time.Since(began).Seconds()
	r.section.add(fmt.Sprintf("a whole run of the template engine, %d events, at the worker", events), fmt.Sprintf("%.0f", run), "")
	r.section.add("an event", "0: events go to NATS, several in one message", "")
}

// cleanUp counts what the clean-up costs where nothing is due, and where much is.
func (r *roundTrips) cleanUp(ctx context.Context) {
	// Room of its own, where nobody else cleans up.
	room, database := must(r.cluster.Engines.Tenant(ctx)), r.cluster.Engines.PostgreSQL.Address
	m := r.meter(ctx, database)
	store := must(postgres.Open(ctx, strings.Replace(room.DatabaseURL(), database, m.Address(), 1)))
	r.later(store.Close)
	aside := must(postgres.Open(ctx, room.DatabaseURL()))
	r.later(aside.Close)
	blobs := must(fsblob.Open(filepath.Join(r.folder("roundtrips"), "blobs")))
	r.later(blobs.Close)
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Nanosecond}
	clean := func(want int) {
		done, _, err := cleaner.CleanUp(ctx)
		check(err)
		if done.Expired != want {
			check(fmt.Errorf("%d bundles expired, not %d", done.Expired, want))
		}
	}
	r.count("a clean-up with nothing to do", "", m, nil, func(int) { clean(0) })
	now := time.Now()
	account := svc.Account{ID: svc.NewAccountID(), Email: "overdue@example.com", Plan: svc.PlanDeveloper, CreatedAt: now}
	project := svc.Project{ID: svc.NewProjectID(), AccountID: account.ID, Name: "overdue", CreatedAt: now, UpdatedAt: now}
	check(aside.Accounts().Insert(ctx, account))
	check(aside.Projects().Insert(ctx, project))
	r.count(fmt.Sprintf("a clean-up of %d bundles", tripDue), "10", m, func(int) {
		made := time.Now().Add(-48 * time.Hour)
		for range tripDue {
			id := svc.NewBundleID(made)
			check(aside.Bundles().Insert(ctx, svc.Bundle{
				ID: id, AccountID: account.ID, ProjectID: project.ID, Status: svc.BundlePending,
				FileCount: 1, Size: 1, Blob: "bundles/" + id, CreatedAt: made, ExpiresAt: made.Add(24 * time.Hour),
			}))
		}
	}, func(int) { clean(tripDue) })
}
