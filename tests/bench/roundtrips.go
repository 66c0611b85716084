//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"

	"github.com/bundle-delivery/svc/internal/cluster"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/pgmeter"
)

// tripRepeat is how often each operation is done; the median counts. The first
// times a connection prepares its statements, and now and then the clean-up
// comes between.
const tripRepeat = 11

// benchRoundTrips counts what each operation asks of the database. It times
// nothing: a count is the same on every machine.
func benchRoundTrips(ctx context.Context, l *lab) (s section, err error) {
	r := &roundTrips{section: &s}
	dir := filepath.Join(l.dir, "roundtrips")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return s, err
	}
	c, err := cluster.Start(ctx, cluster.Config{
		Dir: dir, Servers: [][]string{{"--roles", "api,assembler"}, {"--roles", "worker"}},
		Route: r.route,
	})
	if err != nil {
		return s, errors.Join(err, r.close())
	}
	defer func() { err = errors.Join(err, c.Stop(), r.close()) }()
	r.cluster = c
	tree := filepath.Join(l.dir, "trips-tree")
	if err := writeTree(tree, 20, 100_000); err != nil {
		return s, err
	}
	if err := r.requests(ctx, tree); err != nil {
		return s, err
	}
	if err := r.generation(ctx, tree); err != nil {
		return s, err
	}
	if err := r.cleanUp(ctx, l); err != nil {
		return s, err
	}
	s.note("Counted on the wire between svcd and PostgreSQL: how often the server said that it is ready for the next question. Each is the median of %d, except those of one run. A transaction begins and ends with a round trip of its own.", tripRepeat)
	return s, nil
}

// roundTrips is a cluster whose processes reach the database through meters.
type roundTrips struct {
	section *section
	cluster *cluster.Cluster
	meters  []*pgmeter.Meter // of the api, and of the worker
	// alone is what a step has cost that does more than what is counted; -1: all.
	alone int64
}

func (r *roundTrips) route(_ int, own cluster.Addresses) (cluster.Addresses, error) {
	m, err := pgmeter.Start(context.Background(), "tcp", own.PostgreSQL)
	if err != nil {
		return own, err
	}
	r.meters = append(r.meters, m)
	own.PostgreSQL = m.Address()
	return own, nil
}

func (r *roundTrips) close() error {
	var err error
	for _, m := range r.meters {
		err = errors.Join(err, m.Close())
	}
	return err
}

// count does something repeatedly and reports what it cost at a meter.
func (r *roundTrips) count(what, asked string, m *pgmeter.Meter, do func(int) error) error {
	costs := make([]int64, 0, tripRepeat)
	for i := range tripRepeat {
		before := m.Trips()
		r.alone = -1
		if err := do(i); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if r.alone < 0 {
			r.alone = m.Trips() - before
		}
		costs = append(costs, r.alone)
	}
	slices.Sort(costs)
	r.section.add(what, fmt.Sprint(costs[len(costs)/2]), asked)
	return nil
}

// requests counts what requests cost. Limits are per account, so those that are
// limited come from a new account each.
func (r *roundTrips) requests(ctx context.Context, tree string) error {
	tenants := make([]harness.Tenant, tripRepeat)
	for i := range tenants {
		var err error
		if tenants[i], err = r.cluster.Service.Tenant(ctx, fmt.Sprintf("trips%d@example.com", i), tree); err != nil {
			return err
		}
	}
	one := tenants[0]
	send := func(t harness.Tenant, method, path string, header ...string) error {
		status, err := r.cluster.Do(ctx, t.Key, method, path, io.Discard, header...)
		if err == nil && status != http.StatusOK {
			err = fmt.Errorf("%s %s answered %d", method, path, status)
		}
		return err
	}
	steps := []struct {
		what, asked string
		do          func(int) error
	}{
		{"`GET /bundles/:id`, key check included", "2", func(int) error { return send(one, http.MethodGet, "/bundles/"+one.BundleID) }},
		{"`GET /bundles/latest`", "", func(int) error { return send(one, http.MethodGet, "/bundles/latest") }},
		{"`GET /bundles`, a page of 20", "", func(int) error { return send(one, http.MethodGet, "/bundles?limit=20") }},
		{"`GET /bundles/:id/download`", "", func(i int) error {
			t := tenants[i%len(tenants)]
			return send(t, http.MethodGet, "/bundles/"+t.BundleID+"/download")
		}},
		{"`POST /projects/:id/bundles/repackage`", "", func(i int) error {
			return send(tenants[i], http.MethodPost, "/projects/"+tenants[i].ProjectID+"/bundles/repackage")
		}},
		{"the same with an `Idempotency-Key`", "", func(i int) error {
			return send(tenants[i], http.MethodPost, "/projects/"+tenants[i].ProjectID+"/bundles/repackage", "Idempotency-Key", "bench")
		}},
		{"and replayed", "", func(i int) error {
			return send(tenants[i], http.MethodPost, "/projects/"+tenants[i].ProjectID+"/bundles/repackage", "Idempotency-Key", "bench")
		}},
		{"`POST /bundles/:id/ack`", "", func(i int) error { return send(tenants[i], http.MethodPost, "/bundles/"+tenants[i].BundleID+"/ack") }},
		{"the same again", "", func(i int) error { return send(tenants[i], http.MethodPost, "/bundles/"+tenants[i].BundleID+"/ack") }},
	}
	for _, step := range steps {
		if err := r.count(step.what, step.asked, r.meters[0], step.do); err != nil {
			return err
		}
	}
	return nil
}
