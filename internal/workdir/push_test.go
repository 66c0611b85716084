package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// service is what a push goes to: one project, which takes changes on its state and
// knows those that it has taken.
type service struct {
	tb       testing.TB
	state    bundlezip.State
	last     string // digest of the archive that made the state
	clock    time.Time
	received int
}

var errMoved = errors.New("moved")

func newService(tb testing.TB, ports []bundlezip.Port, files ...sf) *service {
	s := &service{tb: tb, state: bundlezip.State{ProjectID: project, Ports: ports}, clock: time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)}
	for _, f := range files {
		s.state.Put(f)
	}
	return s
}

// name is the digest of the state's archive.
func (s *service) name() string {
	s.tb.Helper()
	var out bytes.Buffer
	result, err := bundlezip.Write(&out, s.state)
	must.Do(s.tb, err)
	return result.SHA256
}

// bundle is the state as a bundle, made after everything before.
func (s *service) bundle() (id string, a *bundlezip.Archive) {
	s.clock = s.clock.Add(time.Second)
	return bundleAt(s.clock, 1), archiveOf(s.tb, s.state)
}

func bundleAt(t time.Time, n int) string {
	text := fmt.Sprintf("%012x7000800000000000000%d", t.UnixMilli(), n)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// take is the answer to a push.
func (s *service) take(archive []byte) (string, time.Time, error) {
	s.tb.Helper()
	s.received++
	c, err := bundlezip.CheckChanges(bytes.NewReader(archive), int64(len(archive)))
	must.Do(s.tb, err)
	var note struct {
		Base    string   `json:"base"`
		Deleted []string `json:"deleted"`
	}
	must.Do(s.tb, json.Unmarshal(c.Note, &note))
	this := digestOf(archive)
	switch {
	case s.last == this:
		return s.name(), s.clock, nil
	case note.Base != s.name():
		return "", time.Time{}, errMoved
	}
	s.last = this
	for _, f := range c.Files {
		content, err := c.ReadFile(f)
		must.Do(s.tb, err)
		next := sf{Path: f.Path, Mode: f.Mode, Content: bundlezip.Bytes(content)}
		for _, known := range s.state.Files {
			if known.Path == f.Path {
				next.DestinationType, next.MergeStrategy, next.Mode = known.DestinationType, known.MergeStrategy, known.Mode
			}
		}
		s.state.Put(next)
	}
	for _, name := range note.Deleted {
		s.state.Remove("", name)
	}
	s.clock = s.clock.Add(time.Second)
	return s.name(), s.clock, nil
}

func (s *service) files() map[string]string {
	a := archiveOf(s.tb, s.state)
	out := map[string]string{}
	for _, f := range a.Manifest().Files {
		content, err := a.ReadFile("", f.Path)
		must.Do(s.tb, err)
		out[f.Path] = string(content)
	}
	return out
}

// pushAll is what svc push does. sent and answered are asked before a push is sent,
// and before its answer is read: an error is a death.
func (s *service) pushAll(f *Folder, sent, answered func() error) error {
	if _, err := f.Recover(); err != nil {
		return err
	}
	settle := func(p *Pushing) error {
		if err := sent(); err != nil {
			return errors.Join(err, p.Leave())
		}
		state, at, refused := s.take(p.Archive)
		if err := answered(); err != nil {
			return errors.Join(err, p.Leave())
		}
		if refused != nil {
			return errors.Join(refused, p.Refused())
		}
		return p.Answered(state, at)
	}
	p, err := f.UnansweredPush("https://svc.example")
	if err != nil {
		return err
	}
	if p != nil {
		if err := settle(p); err != nil && !errors.Is(err, errMoved) {
			return err
		}
	}
	plan, err := f.PlanPush(nil)
	if err != nil || plan.Empty() {
		return err
	}
	note, err := json.Marshal(map[string]any{"changes_version": 1, "base": plan.Base, "deleted": plan.Deleted})
	must.Do(s.tb, err)
	if p, err = f.Push(plan, "https://svc.example", newPullID(), note); err != nil {
		return err
	}
	return settle(p)
}

func alive() error { return nil }

func (s *service) pull(b *fixture) Log {
	b.tb.Helper()
	id, a := s.bundle()
	var l Log
	must.Do(b.tb, b.with(nil, func(f *Folder) error {
		p, err := f.Plan(a, PlanOptions{BundleID: id, State: s.name()})
		if err == nil {
			l, err = f.Apply(p)
		}
		return err
	}))
	return l
}

func conflicts(l Log) (out []string) {
	for _, e := range l.Entries {
		if e.Type == ConflictEntry {
			out = append(out, e.Path)
		}
	}
	return out
}

// edited is a folder with a pull, three edits and a deletion, and its service.
func edited(t *testing.T) (*fixture, *service) {
	t.Helper()
	port := []bundlezip.Port{{Name: "web", Port: 5432, Uses: []bundlezip.PortUse{{Path: "port.js", Template: "listen({port})"}}}}
	s := newService(t, port,
		sf{Path: "a.txt", Content: text("one\ntwo\nthree\n")}, sf{Path: "bin", Content: text("\x00old")}, sf{Path: "gone.txt", Content: text("gone\n")},
		sf{Path: "port.js", Content: text("listen(5432)\n// end\n")}, sf{Path: "same.txt", Content: text("same\n")}, sf{Path: "package.json", Content: text("{}\n")},
	)
	b := newFixture(t)
	b.taken[5432] = true
	s.pull(b)
	b.put("a.txt", "one\ntwo, mine\nthree\n")
	b.put("bin", "\x00mine")
	b.put("port.js", "listen(5433)\n// end\n// mine\n")
	b.put("package.json", "{\"mine\": 1}\n")
	b.put("new.txt", "mine\n")
	must.Do(t, b.with(nil, func(f *Folder) error { return f.project.remove("gone.txt") }))
	return b, s
}

// wantPushed is what a service has once the edits are pushed.
func wantPushed(t *testing.T, s *service) {
	t.Helper()
	want := map[string]string{
		"a.txt": "one\ntwo, mine\nthree\n", "bin": "\x00mine", "port.js": "listen(5432)\n// end\n// mine\n", "same.txt": "same\n", "package.json": "{}\n",
	}
	if diff := cmp.Diff(want, s.files()); diff != "" {
		t.Fatalf("the project (-want +got):\n%s", diff)
	}
}

// nothingToPush says that the folder knows that the service has everything.
func nothingToPush(t *testing.T, b *fixture) {
	t.Helper()
	must.Do(t, b.with(nil, func(f *Folder) error {
		plan, err := f.PlanPush(nil)
		if err == nil && !plan.Empty() {
			err = fmt.Errorf("there is more to push: %d files, %q", len(plan.Files), plan.Deleted)
		}
		return err
	}))
	for name := range b.tree() {
		if strings.HasPrefix(name, pushDir) {
			t.Fatalf("%s is left", name)
		}
	}
}

// continues lets a run change lines beside those that were pushed, and pulls.
func continues(t *testing.T, b *fixture, s *service) {
	t.Helper()
	s.state.Put(sf{Path: "a.txt", Content: text("one, theirs\ntwo, mine\nthree\n")})
	s.state.Put(sf{Path: "port.js", Content: text("listen(5432)\n// end\n// mine\n// theirs\n")})
	before := b.tree()
	l := s.pull(b)
	got := b.tree()
	if found := conflicts(l); len(found) > 0 {
		t.Fatalf("conflicts in %q: what was pushed is not the base", found)
	}
	for name, want := range map[string]string{
		"a.txt": "one, theirs\ntwo, mine\nthree\n", "port.js": "listen(5433)\n// end\n// mine\n// theirs\n", "bin": before["bin"], "new.txt": before["new.txt"],
	} {
		if got[name] != want {
			t.Fatalf("%s is %q, want %q", name, got[name], want)
		}
	}
	if _, back := got["gone.txt"]; back {
		t.Fatal("what was deleted and pushed came back")
	}
}

// Promise: push-selection, push-base
func TestPushSendsWhatDiffersAndIsTheNextBase(t *testing.T) {
	b, s := edited(t)
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	wantPushed(t, s)
	nothingToPush(t, b)
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	if s.received != 1 {
		t.Errorf("%d pushes were sent", s.received)
	}
	b.put("same.txt", "edited later\n")
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	nothingToPush(t, b)
	if s.received != 2 || s.files()["same.txt"] != "edited later\n" {
		t.Errorf("%d pushes, %q", s.received, s.files())
	}
	continues(t, b, s)
}

// TestPushDiesAtEveryChange: wherever a push dies, in the folder, before it is sent or
// before it is answered, and wherever the next one dies, nothing is lost or sent
// twice, and a pull afterwards merges on what was pushed.
// Promise: push-interrupted
func TestPushDiesAtEveryChange(t *testing.T) {
	reference, s := edited(t)
	total := countChanges(reference, func(f *Folder) error { return s.pushAll(f, alive, alive) })
	died := func() error { return errCut }
	kills := 0
	for n := -2; n < total; n++ {
		for m := -1; m < total; m += 1 + total/4 {
			b, s := edited(t)
			files := b.tree().visible()
			sent, answered, fault := alive, alive, cutAt(max(n, 0))
			switch n {
			case -2:
				sent, fault = died, nil
			case -1:
				answered, fault = died, nil
			}
			if err := b.with(fault, func(f *Folder) error { return s.pushAll(f, sent, answered) }); !errors.Is(err, errCut) {
				t.Fatalf("change %d of %d: %v", n, total, err)
			}
			kills++
			if m >= 0 { // the one that is to finish it dies as well, unless it has less to do
				if err := b.with(cutAt(m), func(f *Folder) error { return s.pushAll(f, alive, alive) }); errors.Is(err, errCut) {
					kills++
				}
			}
			same(t, fmt.Sprintf("folder after dying at %d and %d", n, m), b.tree().visible(), files)
			must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
			wantPushed(t, s)
			nothingToPush(t, b)
			continues(t, b, s)
		}
	}
	if kills < 50 {
		t.Errorf("%d kills of a push of %d changes are not enough", kills, total)
	}
	t.Logf("%d kills", kills)
}

// TestABundleFromBeforeAPushLeavesEdits: it is older than what was pushed, whose lines
// are the user's own again.
// Promise: push-base
func TestABundleFromBeforeAPushLeavesEdits(t *testing.T) {
	t.Run("by the clocks", func(t *testing.T) { bundleFromBeforeAPush(t, 0, false) })
	// The clock of who made the bundle is ahead: the state tells.
	t.Run("by the state", func(t *testing.T) { bundleFromBeforeAPush(t, time.Hour, true) })
}

func bundleFromBeforeAPush(t *testing.T, ahead time.Duration, tell bool) {
	t.Helper()
	b, s := edited(t)
	_, old := s.bundle()
	oldID, state := bundleAt(s.clock.Add(ahead), 1), ""
	if tell {
		state = s.name()
	}
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	var l Log
	must.Do(t, b.with(nil, func(f *Folder) error {
		p, err := f.Plan(old, PlanOptions{BundleID: oldID, State: state})
		if err == nil {
			l, err = f.Apply(p)
		}
		return err
	}))
	got := b.tree()
	if got["a.txt"] != "one\ntwo, mine\nthree\n" || got["port.js"] != "listen(5433)\n// end\n// mine\n" || !slices.Equal(conflicts(l), []string{"bin"}) || got["bin"] != "\x00mine" {
		t.Errorf("%q, conflicts %q", got, conflicts(l))
	}
	b.rollback(oldID)
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	continues(t, b, s)
}

// TestPushPassesOverWhatIsNoPlainFile: one link does not hold up all other edits; one
// that is named is refused.
// Promise: push-selection
func TestPushPassesOverWhatIsNoPlainFile(t *testing.T) {
	s := newService(t, nil, sf{Path: "a.txt", Content: text("one\n")}, sf{Path: "b.txt", Content: text("one\n")})
	b := newFixture(t)
	s.pull(b)
	b.put("a.txt", "two\n")
	must.Do(t, b.with(nil, func(f *Folder) error {
		return errors.Join(f.project.remove("b.txt"), f.project.root.Symlink("a.txt", "b.txt"))
	}))
	must.Do(t, b.with(nil, func(f *Folder) error {
		p, err := f.PlanPush(nil)
		if err == nil && (len(p.Files) != 1 || p.Files[0].Path != "a.txt" || len(p.Deleted) != 0 || !slices.Equal(p.NotPlain, []string{"b.txt"})) {
			t.Errorf("%+v", p)
		}
		return err
	}))
	if err := b.with(nil, func(f *Folder) error { _, err := f.PlanPush([]string{"b.txt"}); return err }); !errors.Is(err, ErrNotPlain) {
		t.Errorf("%v", err)
	}
}

// TestRollbackTakesPushesAlong: they are part of the pull that they followed.
// Promise: push-rollback
func TestRollbackTakesPushesAlong(t *testing.T) {
	s := newService(t, nil, sf{Path: "a.txt", Content: text("one\n")})
	b := newFixture(t)
	b.put("mine.txt", "mine")
	start := b.tree().visible()
	first := s.pull(b)
	b.put("a.txt", "two\n")
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	b.put("a.txt", "three\n")
	// The next one is not answered.
	_ = b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, func() error { return errCut }) })
	b.rollback(first.BundleID)
	same(t, "folder after the rollback", b.tree().visible(), start)
	for name := range b.tree() {
		if strings.HasPrefix(name, historyDir) || strings.HasPrefix(name, pushDir) {
			t.Errorf("%s is left", name)
		}
	}
	if err := b.with(nil, func(f *Folder) error { _, err := f.PlanPush(nil); return err }); !errors.Is(err, ErrNothingPulled) {
		t.Errorf("%v", err)
	}
}

// TestAForgedHistoryPushesNothing: what came with a stranger's folder says nothing
// about what is to be sent.
// Promise: push-rollback
func TestAForgedHistoryPushesNothing(t *testing.T) {
	b, s := edited(t)
	stranger := newFixture(t)
	stranger.dir = b.dir // the same folder, cloned by somebody with another home
	if err := stranger.with(nil, func(f *Folder) error { _, err := f.PlanPush(nil); return err }); !errors.Is(err, ErrNothingPulled) {
		t.Errorf("%v", err)
	}
	_ = b.with(nil, func(f *Folder) error { return s.pushAll(f, func() error { return errCut }, alive) })
	must.Do(t, stranger.with(nil, func(f *Folder) error {
		p, err := f.UnansweredPush("https://svc.example")
		if p != nil {
			t.Error("a stranger's push is found")
		}
		return err
	}))
}

// Promise: push-selection
func TestPushNamesWhatElseIsToBeSent(t *testing.T) {
	b, _ := edited(t)
	b.put("dir/x.sh", executable+"x")
	b.put("dir/.git/config", "no")
	b.put("a.txt"+NewSuffix, "theirs")
	must.Do(t, b.with(nil, func(f *Folder) error {
		plan, err := f.PlanPush([]string{"new.txt", "dir", "package.json"})
		if err != nil {
			return err
		}
		got := map[string]string{}
		for _, file := range plan.Files {
			got[file.Path] = fmt.Sprintf("%v %s", file.New, file.Mode)
		}
		want := map[string]string{
			"a.txt": "false 0644", "bin": "false 0644", "port.js": "false 0644", "package.json": "false 0644", "new.txt": "true 0644", "dir/x.sh": "true 0755",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !slices.Equal(plan.Unresolved, []string{"a.txt"}) || !slices.Equal(plan.Deleted, []string{"gone.txt"}) {
			t.Errorf("%q, %q", plan.Unresolved, plan.Deleted)
		}
		for _, bad := range []string{"../x", "/etc/passwd", ".", "nothing", ".svc/lock", "a.txt" + NewSuffix} {
			if _, err := f.PlanPush([]string{bad}); err == nil {
				t.Errorf("%s can be pushed", bad)
			}
		}
		return nil
	}))
}

// TestPushOfExactly25MBAndNotMore, of which the service takes no more either.
// Promise: push-25-mb
func TestPushOfExactly25MBAndNotMore(t *testing.T) {
	s := newService(t, nil, sf{Path: "big", Content: text("small")}, sf{Path: "other", Content: text("x")})
	b := newFixture(t)
	s.pull(b)
	big := strings.Repeat("0123456789abcdef", bundlezip.MaxChangedBytes/16)
	b.put("big", big)
	must.Do(t, b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }))
	if s.files()["big"] != big {
		t.Error("it did not arrive")
	}
	b.put("big", strings.ToUpper(big))
	b.put("other", "y")
	if err := b.with(nil, func(f *Folder) error { return s.pushAll(f, alive, alive) }); err == nil || !strings.Contains(err.Error(), "more than one push can take") {
		t.Errorf("%v", err)
	}
}
