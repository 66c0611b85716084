package workdir

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// settled is what a folder may look like when the dust has settled.
type settled struct {
	project, home tree
}

func (b *fixture) settled() settled {
	home := b.homeTree()
	delete(home, ".svc/folder.key")
	return settled{b.tree().visible(), home}
}

// without the log, whose times differ from run to run, and without names that
// are made up anew in each run.
func (s settled) comparable() string {
	var out strings.Builder
	for _, part := range []struct {
		name string
		tree tree
	}{{"project", s.project}, {"home", s.home}} {
		t := tree{}
		for name, content := range part.tree {
			if name == LogName {
				content = ""
			}
			if part.name == "home" && strings.HasPrefix(name, ".svc/") {
				continue
			}
			t[name] = content
		}
		fmt.Fprintf(&out, "%s %v\n", part.name, t)
	}
	return out.String()
}

// countChanges runs something with a hook that only counts.
func countChanges(b *fixture, do func(*Folder) error) int {
	b.tb.Helper()
	n := 0
	must.Do(b.tb, b.with(func(Change) error { n++; return nil }, do))
	return n
}

func recoverIn(b *fixture) {
	b.tb.Helper()
	must.Do(b.tb, b.with(nil, func(f *Folder) error { _, err := f.Recover(); return err }))
}

// nothingStaged says that nothing unfinished lies around.
func nothingStaged(t *testing.T, b *fixture) {
	t.Helper()
	nothingStagedHere(t, b)
	nothingStagedAtHome(t, b)
}

func nothingStagedHere(t *testing.T, b *fixture) {
	t.Helper()
	for _, name := range []string{journalName, journalTemp, tempName} {
		if _, left := b.tree()[name]; left {
			t.Errorf("%s is left", name)
		}
	}
	for name := range b.tree() {
		if strings.HasPrefix(name, stageDir) {
			t.Errorf("%s is left", name)
		}
	}
}

func nothingStagedAtHome(t *testing.T, b *fixture) {
	t.Helper()
	for name := range b.homeTree() {
		if strings.HasPrefix(name, pullsDir) && (strings.Contains(name, "/stage") || strings.HasSuffix(name, "/journal.json")) {
			t.Errorf("~/%s is left", name)
		}
	}
}

// stacked is a folder with one pull in it and what a person did since, ready for a
// second.
func stacked(t *testing.T) *fixture {
	t.Helper()
	b := newBusyFixture(t)
	b.taken[5432] = true
	b.pull(bundle1, busyBundle(t, "v1"))
	b.put("edited", "mine\n")
	must.Do(t, os.Remove(filepath.Join(b.dir, "hollow", "deep", "in.txt")))
	return b
}

// Promise: pull-atomic
func TestPullDiesAtEveryChange(t *testing.T) {
	second := busyBundle(t, "v2")
	pull := func(f *Folder) error { _, err := pullInto(f, bundle2, second, ""); return err }
	reference := stacked(t)
	older := reference.settled().comparable()
	total := countChanges(reference, pull)
	newer := reference.settled().comparable()
	if older == newer || total < 50 {
		t.Fatalf("the pull makes %d changes; that is no test", total)
	}
	seen := map[string]int{}
	for n := range total {
		b := stacked(t)
		old := b.settled()
		err := b.with(cutAt(n), pull)
		if !errors.Is(err, errCut) {
			t.Fatalf("change %d of %d: %v", n, total, err)
		}
		recoverIn(b)
		nothingStaged(t, b)
		switch state := b.settled().comparable(); state {
		case older:
			seen["old"]++
			same(t, "project", b.settled().project, old.project)
			continue
		case newer:
			seen["new"]++
		default:
			t.Fatalf("%v: neither old nor new:\n%s", err, state)
		}
		b.rollback(bundle2)
		after := b.settled()
		same(t, "project after the rollback", after.project, old.project)
		same(t, "home after the rollback", after.home, old.home)
	}
	if seen["old"] == 0 || seen["new"] == 0 {
		t.Errorf("outcomes %v", seen)
	}
}

// Promise: rollback-recovery
func TestRollbackDiesAtEveryChange(t *testing.T) {
	second := busyBundle(t, "v2")
	prepare := func() (b *fixture, first settled) {
		b = stacked(t)
		first = b.settled()
		b.pull(bundle2, second)
		b.put("README.md", "edited\n")
		return b, first
	}
	rollback := func(f *Folder) error { _, _, err := f.Rollback(bundle2); return err }
	reference, _ := prepare()
	total := countChanges(reference, rollback)
	if total < 50 {
		t.Fatalf("the rollback makes %d changes; that is no test", total)
	}
	for n := range total {
		b, first := prepare()
		err := b.with(cutAt(n), rollback)
		if !errors.Is(err, errCut) {
			t.Fatalf("change %d of %d: %v", n, total, err)
		}
		// The next command is the same again, and finishes the job whether the
		// commit had been reached or not.
		err = b.with(nil, rollback)
		if err != nil && !errors.Is(err, ErrOtherBundle) {
			t.Fatalf("after a cut at %d: %v", n, err)
		}
		nothingStaged(t, b)
		after := b.settled()
		same(t, fmt.Sprintf("project after a cut at %d", n), after.project, first.project)
		same(t, "home", after.home, first.home)
		if b.tree()[trashDir+"/"+bundle2+"/README.md"] != "edited\n" {
			t.Fatalf("the edit is lost after a cut at %d", n)
		}
	}
}

// Promise: pull-atomic
func TestRecoveryDiesAtEveryChange(t *testing.T) {
	second := busyBundle(t, "v2")
	pull := func(f *Folder) error { _, err := pullInto(f, bundle2, second, ""); return err }
	recovery := func(f *Folder) error { _, err := f.Recover(); return err }
	reference := stacked(t)
	old := reference.settled()
	total := countChanges(reference, pull)
	newer := reference.settled().comparable()
	for _, n := range []int{total / 4, total / 2, total * 2 / 3, total * 3 / 4, total - 2} {
		for m := 0; ; m++ {
			b := stacked(t)
			if err := b.with(cutAt(n), pull); !errors.Is(err, errCut) {
				t.Fatal(err)
			}
			err := b.with(cutAt(m), recovery)
			recoverIn(b)
			nothingStaged(t, b)
			if state := b.settled(); state.comparable() != newer && state.comparable() != old.comparable() {
				t.Fatalf("cut at %d, then at %d: neither old nor new", n, m)
			}
			if err == nil {
				break
			}
		}
	}
}

// Promise: pull-recovery-edits
func TestPersonEditsBetweenDeathAndRecovery(t *testing.T) {
	second := archive(t, nil, sf{Path: "a.txt", Content: text("new")}, sf{Path: "b.txt", Content: text("new")})
	pull := func(f *Folder) error { _, err := pullInto(f, bundle2, second, ""); return err }
	prepare := func() *fixture {
		b := newFixture(t)
		b.put("a.txt", "old")
		return b
	}
	total := countChanges(prepare(), pull)
	for n := range total {
		b := prepare()
		if err := b.with(cutAt(n), pull); !errors.Is(err, errCut) {
			t.Fatal(err)
		}
		b.put("a.txt", "precious")
		recoverIn(b)
		found := false
		for _, content := range b.tree() {
			found = found || content == "precious"
		}
		if !found {
			t.Fatalf("cut at %d: the edit is lost", n)
		}
	}
}

const killEnv = "WORKDIR_TEST_KILL_AT"

// TestKilledProcess runs pulls in a process of their own that kills itself,
// so that nothing but the disk remains.
// Promise: pull-atomic
func TestKilledProcess(t *testing.T) {
	if at := os.Getenv(killEnv); at != "" {
		dieAt(t, at)
		return
	}
	second := busyBundle(t, "v2")
	reference := stacked(t)
	total := countChanges(reference, func(f *Folder) error { _, err := pullInto(f, bundle2, second, ""); return err })
	newer := reference.settled().comparable()
	for n := 1; n < total; n += max(1, total/12) {
		b := stacked(t)
		old := b.settled()
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcess$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", killEnv, n), "WORK="+b.dir, "WORK_HOME="+b.home)
		err := cmd.Run()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != -1 {
			t.Fatalf("the process was not killed: %v", err)
		}
		recoverIn(b)
		switch b.settled().comparable() {
		case old.comparable():
			continue
		case newer:
		default:
			t.Fatalf("killed at %d: neither old nor new", n)
		}
		b.rollback(bundle2)
		same(t, "project after the rollback", b.settled().project, old.project)
	}
}

func dieAt(t *testing.T, at string) {
	t.Helper()
	n, err := strconv.Atoi(at)
	must.Do(t, err)
	self, err := os.FindProcess(os.Getpid())
	must.Do(t, err)
	b := &fixture{tb: t, dir: os.Getenv("WORK"), home: os.Getenv("WORK_HOME"), taken: map[int]bool{5432: true}, sync: unsynced}
	err = b.with(func(Change) error {
		if n--; n < 0 {
			must.Do(t, self.Signal(syscall.SIGKILL))
			select {}
		}
		return nil
	}, func(f *Folder) error { _, err := pullInto(f, bundle2, busyBundle(t, "v2"), ""); return err })
	t.Fatalf("still alive: %v", err)
}
