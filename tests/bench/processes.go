//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bundle-delivery/svc/internal/cluster"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/tests/viewer"
)

const (
	// mostProcesses is up to how many svcd are measured.
	mostProcesses = 3
	// processRuns is how many generations go on at a time, processTurns how many
	// times each in one round.
	processRuns, processTurns = 8, 3
)

// benchProcesses measures the service on PostgreSQL, S3 and three servers of NATS
// with one, two and three svcd behind a balancer. All of it shares this machine,
// so that what is added by a process is what was left; the processor time of a
// request and of an event is what counts for a machine of its own.
func benchProcesses(ctx context.Context, l *lab) (s section, err error) {
	dir := filepath.Join(l.dir, "processes")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return s, err
	}
	program, err := harness.Build(ctx, dir)
	if err != nil {
		return s, err
	}
	engines, err := cluster.StartEngines(ctx, dir)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, engines.Stop()) }()
	tree := filepath.Join(l.dir, "processes-tree")
	if err := writeTree(tree, 5, 5000); err != nil {
		return s, err
	}
	for n := 1; n <= mostProcesses; n++ {
		if err := s.processes(ctx, l, cluster.Config{
			Dir: filepath.Join(dir, strconv.Itoa(n)), Program: program, Engines: engines, Servers: make([][]string, n),
			Flags: []string{"--workers", strconv.Itoa(processRuns)},
		}, tree); err != nil {
			return s, fmt.Errorf("%d processes: %w", n, err)
		}
	}
	s.note("Client, balancer, svcd, PostgreSQL, S3 and three servers of NATS share the cores of this machine. Requests are `GET /bundles/:id` by wrk with one thread and 32 connections, %d s a round; events are those of %d generations at a time by the template engine, told to a viewer each, from the request to `bundle_ready`. Processor time is user and system time of the svcd processes together, and of PostgreSQL.", loadSeconds, processRuns)
	return s, nil
}

// processes measures one number of processes and adds it to the report.
func (s *section) processes(ctx context.Context, l *lab, config cluster.Config, tree string) (err error) {
	if err := os.Mkdir(config.Dir, 0o700); err != nil {
		return err
	}
	c, err := cluster.Start(ctx, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Stop()) }()
	t, err := c.Service.Tenant(ctx, "bench@example.com", tree)
	if err != nil {
		return err
	}
	var requests, events, requestTime, recordTime, eventTime sample
	for round := range l.rounds + 1 {
		var at [3]times
		if at[0], err = timesOf(c); err != nil {
			return err
		}
		rate, err := requestsPerSecond(ctx, c.Base+"/bundles/"+t.BundleID, t.Key)
		if err != nil {
			return err
		}
		if at[1], err = timesOf(c); err != nil {
			return err
		}
		told, took, err := tellEvents(ctx, c, t.Key)
		if err != nil {
			return err
		}
		if at[2], err = timesOf(c); err != nil {
			return err
		}
		if round == 0 {
			continue // statements are prepared, caches filled
		}
		served := rate * loadSeconds
		requests, events = append(requests, rate), append(events, float64(told)/took.Seconds())
		requestTime = append(requestTime, (at[1].servers-at[0].servers)/served*1e6)
		recordTime = append(recordTime, (at[1].records-at[0].records)/served*1e6)
		eventTime = append(eventTime, (at[2].servers-at[1].servers)/float64(told)*1e6)
	}
	name := "1 process: "
	if n := len(c.Servers); n > 1 {
		name = fmt.Sprintf("%d processes: ", n)
	}
	s.add(name+"requests a second", requests.show("%.0f"), "")
	s.add(name+"processor time of a request, svcd", requestTime.show("%.0f µs"), "")
	s.add(name+"processor time of a request, PostgreSQL", recordTime.show("%.0f µs"), "")
	s.add(name+"events a second", events.show("%.0f"), "")
	s.add(name+"processor time of an event with its run, svcd", eventTime.show("%.0f µs"), "")
	return nil
}

// tellEvents runs generations side by side, watches each, and says how many
// events were told in which time.
func tellEvents(ctx context.Context, c *cluster.Cluster, key string) (int64, time.Duration, error) {
	var told atomic.Int64
	failures := make([]error, processRuns)
	began := time.Now()
	var runs sync.WaitGroup
	for i := range processRuns {
		runs.Go(func() {
			for range processTurns {
				n, err := tellRun(ctx, c, key)
				told.Add(int64(n))
				if err != nil {
					failures[i] = err
					return
				}
			}
		})
	}
	runs.Wait()
	return told.Load(), time.Since(began), errors.Join(failures...)
}

// tellRun starts a run, with its stream as the answer, and counts its events.
func tellRun(ctx context.Context, c *cluster.Cluster, key string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.Base+"/generations", strings.NewReader(`{"prompt":"a todo list API in Go"}`))
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := c.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	n, ready := 0, false
	err = viewer.ReadEvents(resp.Body, func(e viewer.Event) error {
		n++
		ready = ready || e.Name == "bundle_ready"
		return nil
	})
	if err == nil && !ready {
		err = fmt.Errorf("a run ended without its bundle, after %d events (status %d)", n, resp.StatusCode)
	}
	return n, err
}

// times is the processor time that was used, in seconds.
type times struct{ servers, records float64 }

func timesOf(c *cluster.Cluster) (t times, err error) {
	for _, s := range c.Servers {
		used, err := processorTime(s.PID())
		if err != nil {
			return t, err
		}
		t.servers += used.Seconds()
	}
	used, err := processorTime(c.Engines.PostgreSQL.PID())
	t.records = used.Seconds()
	return t, err
}
