//go:build unix

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

const (
	// mostProcesses is up to how many svcd are measured.
	mostProcesses = 3
	// processRuns is how many generations go on at a time, processTurns how many
	// times each in one round.
	processRuns, processTurns = 8, 3
	// fewConnections is what each of three processes gets of the usual.
	fewConnections = "-c11"
)

// benchProcesses measures the service on PostgreSQL, S3 and three servers of NATS
// with one, two and three svcd behind a balancer. All of it shares this machine,
// so that what is added by a process is what was left; the processor time of a
// request and of an event is what counts for a machine of its own.
func benchProcesses(ctx context.Context, e *env) (s section) {
	dir := e.folder("processes")
	program := must(harness.Build(ctx, dir))
	engines := must(cluster.StartEngines(ctx, dir))
	e.later(engines.Stop)
	tree := e.tree("processes-tree", 5, 5000)
	for n := 1; n <= mostProcesses; n++ {
		s.processes(ctx, e, cluster.Config{
			Dir: e.folder(filepath.Join("processes", strconv.Itoa(n))), Program: program, Engines: engines, Servers: make([][]string, n),
			Flags: []string{"--workers", strconv.Itoa(processRuns)},
		}, tree)
	}
	s.note("Client, balancer, svcd, PostgreSQL, S3 and three servers of NATS share the cores of this machine. Requests are `GET /bundles/:id` by wrk with one thread and 32 connections, %d s a round; events are those of %d generations at a time by the template engine, told to a viewer each, from the request to `bundle_ready`. Processor time is user and system time of the svcd processes together, and of PostgreSQL; a switch is a thread that gave up its core, or lost it.", loadSeconds, processRuns)
	return s
}

// processes measures one number of processes and adds it to the report.
func (s *section) processes(ctx context.Context, e *env, config cluster.Config, tree string) {
	c := must(cluster.Start(ctx, config))
	defer func() { check(c.Stop()) }()
	t := tenant(ctx, &c.Service, "bench", tree)
	servers := func() (seconds float64) {
		for _, s := range c.Servers {
			seconds += processorTime(s.PID())
		}
		return seconds
	}
	switches := func() (n float64) {
		for _, s := range c.Servers {
			n += contextSwitches(s.PID())
		}
		return n
	}
	var requests, events, requestTime, requestSwitches, recordTime, eventTime, fewTime, fewSwitches sample
	e.inRounds(func(_ int, keep func(*sample, float64)) {
		before, switchesBefore, recordsBefore := servers(), switches(), processorTime(c.Engines.PostgreSQL.PID())
		rate := must(requestsPerSecond(ctx, c.Base+"/bundles/"+t.BundleID, t.Key))
		between, served := servers(), rate*loadSeconds
		keep(&requests, rate)
		keep(&requestTime, (between-before)/served*1e6)
		keep(&requestSwitches, (switches()-switchesBefore)/served)
		keep(&recordTime, (processorTime(c.Engines.PostgreSQL.PID())-recordsBefore)/served*1e6)
		if len(c.Servers) == 1 {
			switchesBefore = switches()
			served = must(requestsPerSecond(ctx, c.Base+"/bundles/"+t.BundleID, t.Key, fewConnections)) * loadSeconds
			keep(&fewTime, (servers()-between)/served*1e6)
			keep(&fewSwitches, (switches()-switchesBefore)/served)
			between = servers()
		}
		began := time.Now()
		told := tellEvents(ctx, c, t.Key)
		keep(&events, told/time.Since(began).Seconds())
		keep(&eventTime, (servers()-between)/told*1e6)
	})
	name := "1 process: "
	if n := len(c.Servers); n > 1 {
		name = fmt.Sprintf("%d processes: ", n)
	}
	s.add(name+"requests a second", requests.show("%.0f"), "")
	s.add(name+"processor time of a request, svcd", requestTime.show("%.0f µs"), "")
	s.add(name+"switches of a request, svcd", requestSwitches.show("%.1f"), "")
	if len(c.Servers) == 1 {
		s.add(name+"processor time of a request, svcd, with a third of the connections", fewTime.show("%.0f µs"), "")
		s.add(name+"switches of a request, svcd, with a third of the connections", fewSwitches.show("%.1f"), "")
	}
	s.add(name+"processor time of a request, PostgreSQL", recordTime.show("%.0f µs"), "")
	s.add(name+"events a second", events.show("%.0f"), "")
	s.add(name+"processor time of an event with its run, svcd", eventTime.show("%.0f µs"), "")
}

// tellEvents runs generations side by side, watches each, and says how many
// events were told.
func tellEvents(ctx context.Context, c *cluster.Cluster, key string) float64 {
	var told atomic.Int64
	var runs errgroup.Group
	user := clientOf(&c.Service, key)
	for range processRuns {
		runs.Go(func() error {
			for range processTurns {
				run, err := user.Generate(ctx, "", samplePrompt, nil, "")
				if err != nil {
					return err
				}
				n, err := follow(ctx, user, run.ID)
				told.Add(int64(n))
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	check(runs.Wait())
	return float64(told.Load())
}

const samplePrompt = "a todo list API in Go"

// follow watches a run to its bundle and says how many events it had.
func follow(ctx context.Context, user *client.Client, id string) (events int, err error) {
	ready := false
	for e, err := range user.Watch(ctx, id, 0) {
		if err != nil {
			return events, err
		}
		events++
		ready = ready || e.Name == svc.EventBundleReady
	}
	if !ready {
		err = fmt.Errorf("run %s ended without its bundle, after %d events", id, events)
	}
	return events, err
}
