//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
	"github.com/bundle-delivery/svc/tests/viewer"
)

// TestPromisesAcrossProcesses holds three processes to what one promises: they
// are asked at the same time, each for itself, and must answer as one.
// Promise: cluster-limits, cluster-revocation, cluster-story, cluster-cleanup, cluster-roles
// Promise: cluster-handback, cluster-signing, rolling-replacement
func TestPromisesAcrossProcesses(t *testing.T) {
	needs.Long(t, "the promises of three processes as one")
	c := cluster.ForTest(t, cluster.Config{Flags: []string{
		"--engine", "exec", "--engine-command", buildEngine(t), "--cleanup-interval", "1s",
	}})
	var number atomic.Int64

	t.Run("the rolling limits admit exactly as many", func(t *testing.T) {
		who := newTenant(t, c, &number, "developer")
		made := who.importFiles(t, c)
		downloads := everywhere(t, c, 30, "GET", "/bundles/"+made.BundleID+"/download", who.key, "")
		if got := count(downloads); got[200] != 10 || got[429] != 20 {
			t.Errorf("downloads: %v", got)
		}
		repackages := everywhere(t, c, 12, "POST", "/projects/"+made.ProjectID+"/bundles/repackage", who.key, "")
		if got := count(repackages); got[200] != 3 || got[429] != 9 {
			t.Errorf("repackages: %v", got)
		}
		for _, a := range append(downloads, repackages...) {
			if a.status != http.StatusTooManyRequests {
				continue
			}
			if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
				t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
			}
		}
	})

	t.Run("an idempotency key makes one bundle", func(t *testing.T) {
		who := newTenant(t, c, &number, "developer")
		made := who.importFiles(t, c)
		answers := everywhere(t, c, 9, "POST", "/projects/"+made.ProjectID+"/bundles/repackage", who.key, "", "Idempotency-Key: once")
		fresh := 0
		for _, a := range answers {
			if a.status != http.StatusOK || !bytes.Equal(a.body, answers[0].body) {
				t.Errorf("got %d %s, another got %s", a.status, a.body, answers[0].body)
			}
			if a.header.Get("Idempotency-Replayed") == "" {
				fresh++
			}
		}
		if fresh != 1 {
			t.Errorf("%d answers are no replays, want 1", fresh)
		}
		list := want(t, &c.Service, 200, "", "GET", "/bundles?projectId="+made.ProjectID, who.key, "")
		if n := strings.Count(string(list.body), `"bundleId"`); n != 2 {
			t.Errorf("there are %d bundles, want the imported one and one more: %s", n, list.body)
		}
	})

	t.Run("a Hobby account has three runs", func(t *testing.T) {
		who := newTenant(t, c, &number, "hobby")
		answers := everywhere(t, c, 12, "POST", "/generations", who.key, task(1, 1))
		if got := count(answers); got[202] != 3 || got[429] != 9 {
			t.Errorf("generations: %v", got)
		}
		for _, a := range answers {
			if a.status == http.StatusTooManyRequests && a.field(t, "code") != "PLAN_LIMIT_REACHED" {
				t.Errorf("refused with %s", a.body)
			}
		}
	})

	t.Run("an acknowledgement holds everywhere", func(t *testing.T) {
		who := newTenant(t, c, &number, "developer")
		bundle := "/bundles/" + who.importFiles(t, c).BundleID
		answers := everywhere(t, c, 9, "POST", bundle+"/ack", who.key, "")
		for _, a := range answers {
			if a.status != http.StatusOK || !bytes.Equal(a.body, answers[0].body) {
				t.Errorf("got %d %s, another got %s", a.status, a.body, answers[0].body)
			}
		}
		for _, s := range c.Servers {
			want(t, &s.Service, 410, "BUNDLE_DOWNLOADED", "GET", bundle, who.key, "")
			want(t, &s.Service, 410, "BUNDLE_DOWNLOADED", "GET", bundle+"/download", who.key, "")
		}
	})

	t.Run("every process tells the same story", func(t *testing.T) { sameStory(t, c, newTenant(t, c, &number, "developer")) })

	t.Run("a revoked key is refused everywhere and its streams end", func(t *testing.T) {
		revocation(t, c, newTenant(t, c, &number, "developer"))
	})

	t.Run("the clean-up runs once", func(t *testing.T) { cleanUpRunsOnce(t, c) })

	t.Run("every role may have a process of its own", func(t *testing.T) { rolesApart(t, c) })

	t.Run("all sign with one key", func(t *testing.T) { oneSigningKey(t, c, &number) })

	t.Run("a run of a process that ends is handed back", func(t *testing.T) { handBack(t, c) })

	t.Run("a rolling restart loses nothing", func(t *testing.T) { rollingRestart(t, c, newTenant(t, c, &number, "developer")) })
}

// sameStory has viewers of one run at every process.
func sameStory(t *testing.T, c *cluster.Cluster, who tenant) {
	t.Helper()
	run := want(t, &c.Service, 202, "", "POST", "/generations", who.key, task(3, 20)).field(t, "generationId")
	stories, failures := make([]*viewer.Viewer, len(c.Servers)), make([]error, len(c.Servers))
	var listening sync.WaitGroup
	for i, s := range c.Servers {
		listening.Go(func() { stories[i], failures[i] = follow(t, run, who.key, &s.Service) })
	}
	listening.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	for i, s := range stories {
		if s.Ready == nil || s.Digest() != stories[0].Digest() {
			t.Errorf("process %d told %d events and ended with %+v", i+1, s.Last, s.Error)
		}
	}
	want(t, &c.Servers[1].Service, 200, "", "GET", "/bundles/"+stories[0].Ready.BundleID+"/download", who.key, "")
}

// revocation has a stream open at every process when the key is revoked.
func revocation(t *testing.T, c *cluster.Cluster, who tenant) {
	t.Helper()
	run := want(t, &c.Service, 202, "", "POST", "/generations", who.key, task(4, 5000)).field(t, "generationId")
	ended := make(chan time.Time, len(c.Servers))
	for _, s := range c.Servers {
		resp, err := open(t, &s.Service, "GET", "/generations/"+run+"/stream", who.key, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = resp.Body.Close() })
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("the stream answers %s", resp.Status)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 100)); err != nil {
			t.Fatal(err)
		}
		go func() {
			text, _ := io.ReadAll(resp.Body) // to its end, or broken off
			if bytes.Contains(text, []byte("event: bundle_ready")) || bytes.Contains(text, []byte("event: error")) {
				t.Error("the run ended; the stream should only have closed")
			}
			ended <- time.Now()
		}()
	}
	if _, err := c.Admin(t.Context(), "key", "revoke", strings.Split(who.key, "_")[1]); err != nil {
		t.Fatal(err)
	}
	revoked := time.Now()
	for _, s := range c.Servers {
		want(t, &s.Service, 401, "INVALID_API_KEY", "GET", "/projects", who.key, "")
	}
	for range c.Servers {
		select {
		case at := <-ended:
			t.Logf("a stream was closed %s after the revocation", at.Sub(revoked).Round(time.Millisecond))
		case <-t.Context().Done():
			t.Fatal("a stream stays open")
		}
	}
	key, err := c.Admin(t.Context(), "key", "create", "--account", who.email, "--name", "second")
	if err != nil {
		t.Fatal(err)
	}
	want(t, &c.Service, 200, "", "POST", "/generations/"+run+"/cancel", key, "")
}

// cleanUpRunsOnce counts the rounds of all processes together: there may be one
// for each interval, and not one for each process. The sweep, which each process
// does by itself, is counted apart.
func cleanUpRunsOnce(t *testing.T, c *cluster.Cluster) {
	t.Helper()
	began, before := time.Now(), cleanUps(t, c)
	for cleanUps(t, c) < before+5 {
		if err := pause(t); err != nil {
			t.Fatal(err)
		}
	}
	rounds, passed := cleanUps(t, c)-before, time.Since(began)
	// One may have been due at the beginning, and one at the end.
	if most := int(passed/time.Second) + 2; rounds > most {
		t.Errorf("%d rounds in %s, with one due each second", rounds, passed)
	}
}

func cleanUps(t *testing.T, c *cluster.Cluster) (rounds int) {
	t.Helper()
	for _, s := range c.Servers {
		rounds += metric(t, s, `svcd_cleanup_runs_total{kind="job"}`)
	}
	return rounds
}

// metric reads a number of a process.
func metric(t *testing.T, s *harness.Server, name string) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.Metrics+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "\n"+name+" ")
	line, _, _ := strings.Cut(rest, "\n")
	n, err := strconv.Atoi(line)
	if !found || err != nil {
		t.Fatalf("%s says nothing about %s: %v", s.Name, name, err)
	}
	return n
}

// rollingRestart replaces one process after the other, as a deploy does, while
// runs go on and somebody watches them through the balancer.
func rollingRestart(t *testing.T, c *cluster.Cluster, who tenant) {
	t.Helper()
	const runs = 3
	stories, failures := make([]*viewer.Viewer, runs), make([]error, runs)
	var listening sync.WaitGroup
	for i := range runs {
		run := want(t, &c.Service, 202, "", "POST", "/generations", who.key, task(2, 150)).field(t, "generationId")
		listening.Go(func() { stories[i], failures[i] = follow(t, run, who.key, &c.Service) })
	}
	for _, s := range c.Servers {
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
		if err := s.Err(); err != nil {
			t.Errorf("%s: %v", s.Name, err)
		}
		if err := s.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	listening.Wait()
	if err := errors.Join(failures...); err != nil {
		t.Fatal(err)
	}
	for _, s := range stories {
		if s.Ready == nil {
			t.Errorf("a run ended with %+v", s.Error)
			continue
		}
		want(t, &c.Service, 200, "", "GET", "/bundles/"+s.Ready.BundleID+"/download", who.key, "")
	}
}
