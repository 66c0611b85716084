//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/cluster"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/pgmeter"
	"github.com/bundle-delivery/svc/internal/postgres"
)

const (
	// tripIdle is how long an idle worker is watched.
	tripIdle = 10 * time.Second
	// tripDue is how many bundles fall due between two clean-ups.
	tripDue = 100
)

// generation counts what starting a run costs, what watching one costs, and what
// a whole run costs the worker.
func (r *roundTrips) generation(ctx context.Context, tree string) error {
	t, err := r.cluster.Service.Tenant(ctx, "runs@example.com", tree)
	if err != nil {
		return err
	}
	var id string
	// One after the other: the queue of an account is short. Only the start is
	// counted, so each run is watched to its end before the next begins.
	err = r.count("`POST /generations`", "", r.meters[0], func(int) (err error) {
		if id != "" {
			if _, err := follow(ctx, r.cluster, t.Key, id); err != nil {
				return err
			}
		}
		before := r.meters[0].Trips()
		if id, err = startRun(ctx, r.cluster, t.Key); err != nil {
			return err
		}
		r.alone = r.meters[0].Trips() - before
		return nil
	})
	if err != nil {
		return err
	}
	if _, err := follow(ctx, r.cluster, t.Key, id); err != nil {
		return err
	}
	if err := r.count("`GET /generations/:id/stream`, of a run that is over", "", r.meters[0], func(int) error {
		_, err := follow(ctx, r.cluster, t.Key, id)
		return err
	}); err != nil {
		return err
	}
	return r.wholeRun(ctx, t)
}

// wholeRun counts what one run costs the worker beyond what it asks while it
// waits.
func (r *roundTrips) wholeRun(ctx context.Context, t harness.Tenant) error {
	worker := r.meters[1]
	before, began := worker.Trips(), time.Now()
	if err := sleep(ctx, tripIdle); err != nil {
		return err
	}
	perSecond := float64(worker.Trips()-before) / time.Since(began).Seconds()
	r.section.add("a worker that waits, a second", fmt.Sprintf("%.1f", perSecond), "")
	before, began = worker.Trips(), time.Now()
	id, err := startRun(ctx, r.cluster, t.Key)
	if err != nil {
		return err
	}
	events, err := follow(ctx, r.cluster, t.Key, id)
	if err != nil {
		return err
	}
	run := float64(worker.Trips()-before) - perSecond*time.Since(began).Seconds()
	r.section.add(fmt.Sprintf("a whole run of the template engine, %d events, at the worker", events), fmt.Sprintf("%.0f", run), "")
	r.section.add("an event", "0: events go to NATS, several in one message", "")
	return nil
}

// startRun queues a run and gives its id.
func startRun(ctx context.Context, c *cluster.Cluster, key string) (string, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Base+"/generations", strings.NewReader(`{"prompt":"a todo list API in Go"}`))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.Client.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusAccepted {
		return "", fmt.Errorf("starting a run answered %d", resp.StatusCode)
	}
	var started struct {
		GenerationID string `json:"generationId"`
	}
	err = json.NewDecoder(resp.Body).Decode(&started)
	return started.GenerationID, err
}

// follow watches a run to its end and says how many events it had.
func follow(ctx context.Context, c *cluster.Cluster, key, id string) (int, error) {
	var said bytes.Buffer
	status, err := c.Do(ctx, key, http.MethodGet, "/generations/"+id+"/stream", &said)
	if err != nil {
		return 0, err
	}
	if status != http.StatusOK || !bytes.Contains(said.Bytes(), []byte("event: bundle_ready")) {
		return 0, fmt.Errorf("the stream of a run answered %d:\n%s", status, said.Bytes())
	}
	return bytes.Count(said.Bytes(), []byte("\nevent: ")), nil
}

// cleanUp counts what the clean-up costs where nothing is due, and where much is.
func (r *roundTrips) cleanUp(ctx context.Context, l *lab) (err error) {
	// Room of its own, where nobody else cleans up.
	room, err := r.cluster.Engines.Tenant(ctx)
	if err != nil {
		return err
	}
	m, err := pgmeter.Start(ctx, "tcp", r.cluster.Engines.PostgreSQL.Address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	store, err := postgres.Open(ctx, strings.Replace(room.DatabaseURL(), r.cluster.Engines.PostgreSQL.Address, m.Address(), 1))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	aside, err := postgres.Open(ctx, room.DatabaseURL())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, aside.Close()) }()
	blobs, err := fsblob.Open(filepath.Join(l.dir, "roundtrips", "blobs"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blobs.Close()) }()
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Nanosecond}
	clean := func(want int) error {
		done, _, err := cleaner.CleanUp(ctx)
		if err == nil && done.Expired != want {
			err = fmt.Errorf("%d bundles expired, not %d", done.Expired, want)
		}
		return err
	}
	if err := r.count("a clean-up with nothing to do", "", m, func(int) error { return clean(0) }); err != nil {
		return err
	}
	due, err := newOverdue(ctx, aside)
	if err != nil {
		return err
	}
	return r.count(fmt.Sprintf("a clean-up of %d bundles", tripDue), "", m, func(int) error {
		if err := due.insert(ctx, tripDue); err != nil {
			return err
		}
		return clean(tripDue)
	})
}

// overdue makes bundles whose time is over.
type overdue struct {
	store   svc.Store
	project svc.Project
}

func newOverdue(ctx context.Context, store svc.Store) (*overdue, error) {
	now := time.Now()
	account := svc.Account{ID: svc.NewAccountID(), Email: "overdue@example.com", Plan: svc.PlanDeveloper, CreatedAt: now}
	o := &overdue{store: store, project: svc.Project{ID: svc.NewProjectID(), AccountID: account.ID, Name: "overdue", CreatedAt: now, UpdatedAt: now}}
	return o, errors.Join(store.Accounts().Insert(ctx, account), store.Projects().Insert(ctx, o.project))
}

func (o *overdue) insert(ctx context.Context, n int) error {
	made := time.Now().Add(-48 * time.Hour)
	for range n {
		id := svc.NewBundleID(made)
		if err := o.store.Bundles().Insert(ctx, svc.Bundle{
			ID: id, AccountID: o.project.AccountID, ProjectID: o.project.ID, Status: svc.BundlePending,
			FileCount: 1, Size: 1, Blob: "bundles/" + id, CreatedAt: made, ExpiresAt: made.Add(24 * time.Hour),
		}); err != nil {
			return err
		}
	}
	return nil
}
