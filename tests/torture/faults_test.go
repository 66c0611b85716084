//go:build unix

package torture

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/tests/torture/checker"
)

// fault is something that goes wrong, for a while.
type fault struct {
	name string
	// expected are the failures that clients may see.
	expected []string
	// begin breaks something; what it returns mends it.
	begin func(t *testing.T, r *testbed, random *rand.Rand) (mend func())
	// holds is for how long it does, where once is enough. 0: faultTime.
	holds time.Duration
	// shows is the line of a metric by which a process tells of it. Empty: none does.
	shows string
	// long says that it comes in long campaigns only, and disk that it needs disks that
	// can be filled.
	long, disk bool
}

// TestFaults breaks one thing after the other under a service of three
// processes, while a checker works on it. Nothing that was promised may be lost,
// nothing that is gone may come back, and what fails fails as the contract says.
// Promise: bundle-survives-faults, store-without-room, log-without-room
func TestFaults(t *testing.T) {
	needs.Long(t, "every fault of a cluster, one after the other")
	t.Logf("seed %d, %d rounds", *seed, *rounds)
	random := rand.New(rand.NewPCG(*seed, 5))
	r := newTestbed(t)
	chosen := slices.DeleteFunc(slices.Clone(faults), func(f fault) bool {
		return f.long && *rounds == 1 || !regexp.MustCompile(*only).MatchString(f.name)
	})
	if len(chosen) == 0 {
		t.Fatalf("no fault has %q in its name", *only)
	}
	needsDisk := func(f fault) bool { return f.disk }
	if slices.ContainsFunc(chosen, needsDisk) && !t.Run("disks that can be filled", func(t *testing.T) { needs.Check(t, r.noDisks) }) {
		return
	}
	if r.noDisks != nil { // skipped above: the others are held all the same
		chosen = slices.DeleteFunc(chosen, needsDisk)
	}
	r.begin(t)
	for round := range *rounds {
		if *rounds > 1 { // in any order, and for any time
			random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
		}
		for _, f := range chosen {
			lasts := cmp.Or(f.holds, faultTime)
			if *rounds > 1 {
				lasts = faultTime/2 + time.Duration(random.Int64N(int64(4*faultTime)))
			}
			pause(t, calmTime)
			t.Logf("round %d: %s for %s", round+1, f.name, lasts)
			r.checker.Phase(f.name, f.expected...)
			mend := f.begin(t, r, random)
			pause(t, lasts)
			r.shown(t, f.shows)
			r.checker.Phase(f.name+", mended", f.expected...)
			mend()
			r.mended(t)
			pause(t, calmTime/2) // what was begun before is over
			r.checker.Phase("calm after " + f.name)
			if len(r.checker.Problems()) > 0 {
				r.end(t)
				return
			}
		}
	}
	pause(t, calmTime)
	r.end(t)
}

const (
	// faultTime is how long a fault holds at least: longer than a lease.
	faultTime = 11 * time.Second
	calmTime  = 2 * time.Second
)

var faults = []fault{
	{
		name: "a svcd killed", expected: []string{checker.Broken, checker.Anew},
		begin: func(t *testing.T, r *testbed, random *rand.Rand) func() {
			s := r.Servers[random.IntN(len(r.Servers))]
			must.Do(t, s.Kill())
			return func() { must.Do(t, s.Launch()) }
		},
	},
	{
		name: "a NATS server lost",
		begin: func(t *testing.T, r *testbed, random *rand.Rand) func() {
			n := r.Engines.NATS[random.IntN(len(r.Engines.NATS))]
			must.Do(t, n.Kill())
			return func() { must.Do(t, n.Launch()) }
		},
	},
	{
		// The time at which runs once failed: appends were given up after 20 seconds.
		name: "two NATS servers lost", expected: []string{checker.Unavailable, checker.Assembly}, holds: 25 * time.Second,
		begin: func(t *testing.T, r *testbed, random *rand.Rand) func() {
			stays := random.IntN(len(r.Engines.NATS))
			return each(len(r.Engines.NATS), func(i int) func() {
				n := r.Engines.NATS[i]
				if i == stays {
					return func() {}
				}
				must.Do(t, n.Kill())
				return func() { must.Do(t, n.Launch()) }
			})
		},
	},
	{
		name: "PostgreSQL restarted", expected: []string{checker.Unavailable},
		begin: func(t *testing.T, r *testbed, _ *rand.Rand) func() {
			must.Do(t, r.Engines.PostgreSQL.Kill())
			must.Do(t, r.Engines.PostgreSQL.Launch())
			return func() {}
		},
	},
	{
		name: "PostgreSQL down", expected: []string{checker.Unavailable},
		begin: func(t *testing.T, r *testbed, _ *rand.Rand) func() {
			must.Do(t, r.Engines.PostgreSQL.Kill())
			return func() { must.Do(t, r.Engines.PostgreSQL.Launch()) }
		},
	},
	{
		name: "S3 unreachable", expected: []string{checker.Unavailable, checker.Assembly, checker.Broken},
		begin: s3Fault(faultproxy.Fault{Refuse: true}),
	},
	{
		name: "S3 refusing", expected: []string{checker.Unavailable, checker.Assembly, checker.Broken},
		begin: s3Fault(faultproxy.Fault{Answer: []byte(slowDown)}),
	},
	{
		name:  "S3 slow",
		begin: s3Fault(faultproxy.Fault{Delay: 150 * time.Millisecond}),
	},
	{
		name: "S3 cut in mid-transfer", expected: []string{checker.Unavailable, checker.Assembly, checker.Broken},
		begin: s3Fault(faultproxy.Fault{CutAfter: 10_000}),
	},
	{
		name: "a svcd cut off from PostgreSQL", expected: []string{checker.Unavailable, checker.Late, checker.Anew},
		begin: func(_ *testing.T, r *testbed, random *rand.Rand) func() {
			return cut(r.ways[random.IntN(len(r.ways))].postgres)
		},
	},
	{
		name: "a svcd cut off from S3", expected: []string{checker.Unavailable, checker.Assembly, checker.Late, checker.Broken},
		begin: func(_ *testing.T, r *testbed, random *rand.Rand) func() {
			return cut(r.ways[random.IntN(len(r.ways))].s3)
		},
	},
	{
		name: "a svcd cut off from NATS", expected: []string{checker.Unavailable, checker.Assembly, checker.Late},
		begin: func(_ *testing.T, r *testbed, random *rand.Rand) func() {
			return cut(r.ways[random.IntN(len(r.ways))].nats...)
		},
	},
	{
		name: "the disk of PostgreSQL full", disk: true, expected: []string{checker.Unavailable}, shows: `svcd_part_up{part="records"} 0`,
		begin: func(t *testing.T, r *testbed, _ *rand.Rand) func() {
			return r.fill(t, func() {
				if !r.Engines.PostgreSQL.Running() { // its log could not be written, and it gave up
					must.Do(t, r.Engines.PostgreSQL.Launch())
				}
			}, "postgresql")
		},
	},
	{
		name: "the disk of S3 full", disk: true, expected: []string{checker.Unavailable, checker.Assembly, checker.Broken}, shows: `svcd_part_up{part="bytes"} 0`,
		begin: func(t *testing.T, r *testbed, _ *rand.Rand) func() { return r.fill(t, func() {}, "s3") },
	},
	{
		name: "the disk of a NATS server full", disk: true, shows: "svcd_event_log_replicas_missing 1",
		begin: func(t *testing.T, r *testbed, random *rand.Rand) func() {
			n := r.Engines.NATS[random.IntN(len(r.Engines.NATS))]
			return r.fill(t, func() { restart(t, n) }, n.Name)
		},
	},
	{
		name: "the disks of all NATS servers full", disk: true, expected: []string{checker.Unavailable, checker.Assembly}, shows: `svcd_part_up{part="events"} 0`,
		begin: func(t *testing.T, r *testbed, _ *rand.Rand) func() {
			return r.fill(t, func() { restart(t, r.Engines.NATS...) }, "nats1", "nats2", "nats3")
		},
	},
	{
		name: "a svcd stalled", long: true, expected: []string{checker.Broken, checker.Late, checker.Assembly, checker.Unavailable, checker.Anew},
		begin: func(t *testing.T, r *testbed, random *rand.Rand) func() {
			s := r.Servers[random.IntN(len(r.Servers))]
			must.Do(t, s.Signal(syscall.SIGSTOP))
			return func() { must.Do(t, s.Signal(syscall.SIGCONT)) }
		},
	},
	{
		name: "a svcd refused by every engine", long: true,
		expected: []string{checker.Unavailable, checker.Assembly, checker.Broken, checker.Anew},
		begin: func(_ *testing.T, r *testbed, random *rand.Rand) func() {
			ways := r.ways[random.IntN(len(r.ways))].all()
			return each(len(ways), func(i int) func() {
				ways[i].Set(faultproxy.Fault{Refuse: true})
				return func() { ways[i].Set(faultproxy.Fault{}) }
			})
		},
	},
}

// slowDown is how S3 says that it is asked too much.
const slowDown = "HTTP/1.1 503 Slow Down\r\nContent-Type: application/xml\r\nConnection: close\r\nContent-Length: 99\r\n\r\n" +
	`<?xml version="1.0"?><Error><Code>SlowDown</Code><Message>Please reduce your rate</Message></Error>`

// s3Fault puts a fault on the way of every process to S3.
func s3Fault(f faultproxy.Fault) func(*testing.T, *testbed, *rand.Rand) func() {
	return func(_ *testing.T, r *testbed, _ *rand.Rand) func() {
		return each(len(r.ways), func(i int) func() {
			r.ways[i].s3.Set(f)
			return func() { r.ways[i].s3.Set(faultproxy.Fault{}) }
		})
	}
}

// cut lets nothing pass on some ways.
func cut(ways ...*faultproxy.Proxy) func() {
	return each(len(ways), func(i int) func() {
		ways[i].Set(faultproxy.Fault{Silent: true})
		return func() { ways[i].Set(faultproxy.Fault{}) }
	})
}

// fill takes all room on some disks, and what becomes free, until it is mended: then
// there is room again, and what needs it is restarted.
func (r *testbed) fill(t *testing.T, restart func(), names ...string) (mend func()) {
	t.Helper()
	stop := make(chan struct{})
	var filling sync.WaitGroup
	filling.Go(func() {
		for {
			for _, name := range names {
				if err := r.disks.Of(name).Fill(); err != nil {
					t.Error(err)
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(100 * time.Millisecond):
			}
		}
	})
	return func() {
		close(stop)
		filling.Wait()
		for _, name := range names {
			must.Do(t, r.disks.Of(name).Clear())
		}
		restart()
	}
}

// restart ends servers and starts them again: a NATS server whose disk was full keeps
// nothing until then.
func restart(t *testing.T, all ...*harness.Process) {
	t.Helper()
	for _, p := range all {
		must.Do(t, p.Stop())
		must.Do(t, p.Launch())
	}
}

// each breaks several things, and mends them together.
func each(n int, breaks func(i int) (mend func())) func() {
	mends := make([]func(), n)
	for i := range mends {
		mends[i] = breaks(i)
	}
	return func() {
		for _, mend := range mends {
			mend()
		}
	}
}
