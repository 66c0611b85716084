package delivery_test

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// changes makes an archive of changes, checked.
func changes(t *testing.T, files map[string]string) *bundlezip.Changes {
	t.Helper()
	var state []bundlezip.StateFile
	for path, content := range files {
		mode := bundlezip.Plain
		if strings.HasSuffix(path, ".sh") {
			mode = bundlezip.Executable
		}
		state = append(state, bundlezip.StateFile{Path: path, Mode: mode, Content: bundlezip.Bytes([]byte(content))})
	}
	var archive bytes.Buffer
	must.Do(t, bundlezip.WriteChanges(&archive, []byte("{}"), state))
	c, err := bundlezip.CheckChanges(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	must.Do(t, err)
	return c
}

// pusher is somebody who pushes, and what they were told last.
type pusher struct {
	t    *testing.T
	s    *delivery.Service
	a    svc.Account
	made svc.Push
	err  *svc.Error // of an answer that is kept
}

func (p *pusher) push(projectID, base, key string, files map[string]string, deleted ...string) (delivery.Answered, error) {
	p.t.Helper()
	return p.s.Push(p.t.Context(), delivery.Push{
		AccountID: p.a.ID, ProjectID: projectID, Key: key, Base: base, Changes: changes(p.t, files), Deleted: deleted,
		Encode: func(made svc.Push, err error) (svc.Answer, error) {
			p.made, p.err = made, nil
			if err != nil {
				p.err = refusal(p.t, err, svc.CodeOf(err))
			}
			return svc.Answer{Status: 200, Body: fmt.Appendf(nil, "%s %s %d", made.State, svc.CodeOf(err), answers.Add(1))}, nil
		},
	})
}

// outcome wants a kept answer with a code, or success.
func (p *pusher) outcome(code svc.Code) func(delivery.Answered, error) {
	return func(_ delivery.Answered, err error) {
		p.t.Helper()
		must.Do(p.t, err)
		got := svc.Code("")
		if p.err != nil {
			got = p.err.Code
		}
		if got != code {
			p.t.Fatalf("%v %+v, want %q", p.err, p.made, code)
		}
	}
}

func filesOf(t *testing.T, w *deliverytest.World, p svc.Project) map[string]string {
	t.Helper()
	source, err := w.Packager.Open(t.Context(), p)
	must.Do(t, err)
	defer source.Close()
	out := map[string]string{}
	for _, f := range source.Manifest().Files {
		out[f.Path] = fmt.Sprintf("%s %s %s %d %.8s", f.DestinationType, f.MergeStrategy, f.Mode, f.Size, f.SHA256)
	}
	return out
}

// Promise: push-makes-state
func TestPushMakesTheNextState(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	content := deliverytest.Files(map[string]string{"same.txt": "same", "gone.txt": "gone", "dir/also.txt": "gone"})
	for _, f := range []bundlezip.StateFile{
		{Path: "run", MergeStrategy: bundlezip.Overwrite, Mode: bundlezip.Executable, Content: bundlezip.Bytes([]byte("old"))},
		{Path: "port.txt", Content: bundlezip.Bytes([]byte("p=3000\nq=3001\n"))},
		{Path: "main.go", Content: bundlezip.Bytes([]byte("listen 3000"))},
	} {
		content.State.Put(f)
	}
	content.State.Ports = []bundlezip.Port{
		{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: "port.txt", Template: "p={port}"}, {Path: "main.go", Template: "listen {port}"}}},
		{Name: "debug", Port: 3001, Uses: []bundlezip.PortUse{{Path: "port.txt", Template: "q={port}"}}},
	}
	content.State.Architecture, content.Memory, content.MemoryRevision = map[string]string{"language": "go"}, "remember", 3
	before, bundle := w.Project(a, content)
	w.Clock.Advance(time.Minute)

	u := pusher{t: t, s: w.Delivery, a: a}
	u.outcome("")(u.push(before.ID, before.Pack.State(), "", map[string]string{
		"run": "new", "same.txt": "same", "new/a.sh": "#!/bin/sh", ".env": "A=1", "port.txt": "p=3000\nq=99\n",
	}, "dir/also.txt", "gone.txt", "never.txt"))

	after, err := w.Delivery.Project(t.Context(), a.ID, before.ID)
	must.Do(t, err)
	if after.Revision != before.Revision+1 || after.Memory != "remember" || after.MemoryRevision != 3 || after.State["language"] != "go" ||
		after.Name != before.Name || !after.UpdatedAt.Equal(w.Clock.Now()) || after.Pack.State() != u.made.State || u.made.State == u.made.Base {
		t.Errorf("%+v of %+v, told %+v", after, before, u.made)
	}
	got := filesOf(t, w, after)
	want := filesOf(t, w, before)
	delete(want, "gone.txt")
	delete(want, "dir/also.txt")
	for path, placed := range map[string]string{
		"run": "project overwrite 0755 3", "new/a.sh": "project three_way 0755 9", ".env": "global_config env_merge 0644 3", "port.txt": "project three_way 0644 12",
	} {
		want[path] = placed
		got[path] = strings.Join(strings.Fields(got[path])[:4], " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	source, err := w.Packager.Open(t.Context(), after)
	must.Do(t, err)
	ports := source.Manifest().Ports
	must.Do(t, source.Close())
	if len(ports) != 1 || len(ports[0].Uses) != 2 || ports[0].Name != "web" {
		t.Errorf("ports %+v", ports)
	}
	files := []svc.PushedFile{
		{Path: ".env", Change: svc.FileAdded, After: 3},
		{Path: "new/a.sh", Change: svc.FileAdded, After: 9},
		{Path: "port.txt", Change: svc.FileChanged, Before: 14, After: 12},
		{Path: "run", Change: svc.FileChanged, Before: 3, After: 3},
		{Path: "dir/also.txt", Change: svc.FileDeleted, Before: 4},
		{Path: "gone.txt", Change: svc.FileDeleted, Before: 4},
	}
	if last := after.LastPush(); last == nil || !last.At.Equal(w.Clock.Now()) || cmp.Diff(files, last.Files) != "" {
		t.Errorf("the project says it comes from %+v", after.Push)
	}
	if n := bundlesOf(t, w, a); n != 1 {
		t.Errorf("%d bundles, and there was one, %s", n, bundle.ID)
	}
	// A fresh bundle is of the new state; a run's state is none of a push.
	_, err = repackage(t, w.Delivery, a, after, "")
	must.Do(t, err)
	if made, err := w.Delivery.Latest(t.Context(), a.ID, after.ID); err != nil || made.SHA256 != after.Pack.SHA256 {
		t.Errorf("%+v, %v", made, err)
	}
	if run, _ := w.Advance(after, deliverytest.Files(demo)); run.Push != nil {
		t.Errorf("the state of a run comes from %+v", run.Push)
	}
}

// Promise: push-repeated
func TestAPushThatWasMadeIsAnsweredLikeTheFirstTime(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	u := pusher{t: t, s: w.Delivery, a: a}
	ask := map[string]string{"a": "1"}
	u.outcome("")(u.push(p.ID, p.Pack.State(), "k", ask, "README.md"))
	first := u.made
	w.Clock.Advance(time.Hour)
	u.outcome("")(u.push(p.ID, p.Pack.State(), "", ask, "README.md"))
	if diff := cmp.Diff(first, u.made); diff != "" {
		t.Errorf("again (-first +again):\n%s", diff)
	}
	must.Do(t, w.Store.Runs().Insert(t.Context(), svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: w.Clock.Now()}))
	u.outcome("")(u.push(p.ID, p.Pack.State(), "", ask, "README.md"))
	u.outcome(svc.CodeProjectBusy)(u.push(p.ID, first.State, "", map[string]string{"b": "2"}))
	u.outcome(svc.CodeProjectBusy)(u.push(p.ID, p.Pack.State(), "", map[string]string{"a": "2"}))
	after, err := w.Delivery.Project(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if after.Revision != 2 {
		t.Errorf("revision %d", after.Revision)
	}
}

// Promise: push-repeated
func TestAPushThatChangesNothingMakesNoState(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	u := pusher{t: t, s: w.Delivery, a: a}
	u.outcome("")(u.push(p.ID, p.Pack.State(), "", demo, "never"))
	after, err := w.Delivery.Project(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if after.Revision != p.Revision || u.made.State != p.Pack.State() || len(u.made.Files) > 0 {
		t.Errorf("%+v, %+v", after, u.made)
	}
}

// Promise: push-moved-409
func TestAPushOnAnotherStateIsRefusedWithThePresentOne(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, old := w.Project(a, deliverytest.Files(demo))
	u := pusher{t: t, s: w.Delivery, a: a}
	w.Clock.Advance(time.Second)
	next, held := w.Advance(p, deliverytest.Files(map[string]string{"x": "y"}))
	wrong := func(bundle string) {
		t.Helper()
		u.outcome(svc.CodeProjectMoved)(u.push(p.ID, p.Pack.State(), "", map[string]string{"a": "1"}))
		if u.err.State != next.Pack.State() || u.err.BundleID != bundle {
			t.Errorf("%+v, want state %s and bundle %s", u.err, next.Pack.State(), bundle)
		}
	}
	wrong(held.ID)
	_, err := w.Delivery.Acknowledge(t.Context(), a.ID, held.ID)
	must.Do(t, err)
	wrong("") // the old bundle waits, and holds another state
	if old.ID == held.ID {
		t.Error("one bundle for two states")
	}
	u.outcome(svc.CodeProjectEmpty)(u.push(w.EmptyProject(a).ID, p.Pack.State(), "", nil))
	_, err = u.push(svc.NewProjectID(), p.Pack.State(), "", nil)
	wantCode(t, err, svc.CodeProjectNotFound)
	stranger := pusher{t: t, s: w.Delivery, a: w.Account("bob@example.com")}
	_, err = stranger.push(p.ID, next.Pack.State(), "", nil)
	wantCode(t, err, svc.CodeProjectNotFound)
}

// TestARunThatComesWhileAPushIsAtWorkWins: that there is none is settled in the
// transaction that makes the push.
// Promise: push-busy-409
func TestARunThatComesWhileAPushIsAtWorkWins(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: w.Clock.Now()}
	w.Blobs.BeforeOpen(func(string) error {
		w.Blobs.BeforeOpen(nil)
		return w.Store.Runs().Insert(t.Context(), run)
	})
	u := pusher{t: t, s: w.Delivery, a: a}
	u.outcome(svc.CodeProjectBusy)(u.push(p.ID, p.Pack.State(), "k", map[string]string{"a": "1"}))
	if u.err.GenerationID != run.ID {
		t.Errorf("%+v", u.err)
	}
	again, err := u.push(p.ID, p.Pack.State(), "k", map[string]string{"a": "1"})
	must.Do(t, err)
	after, err := w.Delivery.Project(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if !again.Replayed || after.Revision != p.Revision {
		t.Errorf("%+v, %+v", again, after)
	}
	all, err := w.Store.Runs().Claim(t.Context(), w.Clock.Now(), w.Clock.Now().Add(time.Minute), 1)
	must.Do(t, err)
	claimed := all[0]
	u.outcome(svc.CodeProjectBusy)(u.push(p.ID, p.Pack.State(), "", map[string]string{"a": "1"})) // running
	claimed.Status, claimed.FinishedAt = svc.RunFailed, w.Clock.Now()
	must.Do(t, w.Store.Runs().Finish(t.Context(), svc.RunRunning, claimed))
	u.outcome("")(u.push(p.ID, p.Pack.State(), "", map[string]string{"a": "1"}))
}

// TestOfTwoPushesAtOnceOneWins, in two processes, and the other is told.
// Promise: push-moved-409
func TestOfTwoPushesAtOnceOneWins(t *testing.T) {
	w := deliverytest.New(t, func(l *delivery.Limits) { l.Pushes = 100 })
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	var mu sync.Mutex
	won, moved := []string{}, 0
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			u := pusher{t: t, s: w.Service(), a: a}
			_, err := u.push(p.ID, p.Pack.State(), "", map[string]string{"mine": fmt.Sprint(i)})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				t.Error(err)
			case u.err == nil:
				won = append(won, u.made.State)
			case u.err.Code == svc.CodeProjectMoved:
				moved++
			default:
				t.Error(u.err)
			}
		})
	}
	all.Wait()
	after, err := w.Delivery.Project(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if len(won) != 1 || moved != 11 || after.Pack.State() != won[0] || after.Revision != p.Revision+1 {
		t.Errorf("%v won, %d were told, revision %d", won, moved, after.Revision)
	}
}

// Promise: limit-pushes
func TestPushesWithTheSameKeyAtTheSameTimeAreOne(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	services := []*delivery.Service{w.Delivery, w.Service(), w.Service()}
	var replays atomic.Int64
	bodies := sync.Map{}
	var all sync.WaitGroup
	for i := range 18 {
		all.Go(func() {
			u := pusher{t: t, s: services[i%3], a: a}
			done, err := u.push(p.ID, p.Pack.State(), "k", map[string]string{"a": "1"})
			if err != nil {
				t.Error(err)
				return
			}
			bodies.Store(string(done.Answer.Body), true)
			if done.Replayed {
				replays.Add(1)
			}
		})
	}
	all.Wait()
	n := 0
	bodies.Range(func(any, any) bool { n++; return true })
	if n != 1 || replays.Load() != 17 {
		t.Errorf("%d answers, %d replays", n, replays.Load())
	}
	u := pusher{t: t, s: w.Delivery, a: a}
	_, err := u.push(p.ID, p.Pack.State(), "k", map[string]string{"a": "2"})
	wantCode(t, err, svc.CodeIdempotencyMismatch)
	_, err = u.push(p.ID, strings.Repeat("0", 64), "k", map[string]string{"a": "1"})
	wantCode(t, err, svc.CodeIdempotencyMismatch)
}

// Promise: push-malformed-400, limit-pushes
func TestTheEleventhPushInAMinuteIsRefusedAndABadOneCountsNot(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	u := pusher{t: t, s: w.Delivery, a: a}
	for range 12 {
		_, err := u.push(p.ID, p.Pack.State(), "bad", map[string]string{"src": "a file where the project has a folder"})
		e := refusal(t, err, svc.CodeInvalidRequest)
		if e.Field == "" {
			t.Errorf("%+v has no field", e)
		}
	}
	for i := range 10 {
		base := p.Pack.State()
		if i > 0 {
			base = u.made.State
		}
		u.outcome("")(u.push(p.ID, base, "", map[string]string{"a": fmt.Sprint(i)}))
	}
	_, err := u.push(p.ID, u.made.State, "", nil)
	e := refusal(t, err, svc.CodeTooManyRequests)
	if e.RetryAfter != time.Minute || w.Seen.Refusals(svc.CodeTooManyRequests) != 1 {
		t.Errorf("%+v", e)
	}
	w.Clock.Advance(time.Minute)
	u.outcome("")(u.push(p.ID, u.made.State, "", nil))
}

// TestAPackThatLeavesUnderAPush: the project has moved on, and the push says so.
// Promise: push-moved-409
func TestAPackThatLeavesUnderAPush(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(demo))
	var next svc.Project
	w.Blobs.BeforeOpen(func(string) error {
		w.Blobs.BeforeOpen(nil)
		next, _ = w.Advance(p, deliverytest.Files(map[string]string{"x": "y"}))
		return w.Blobs.Delete(t.Context(), p.Pack.Blob)
	})
	u := pusher{t: t, s: w.Delivery, a: a}
	u.outcome(svc.CodeProjectMoved)(u.push(p.ID, p.Pack.State(), "k", map[string]string{"a": "1"}))
	if u.err.State != next.Pack.State() {
		t.Errorf("%+v", u.err)
	}
}
