package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

const (
	bundle1 = "01890a5d-ac96-774b-bcce-b302099a8051"
	bundle2 = "01890a5d-ac96-774b-bcce-b302099a8052"
	bundle3 = "01890a5d-ac96-774b-bcce-b302099a8053"
	project = "proj_abcdefghijklmnopqrst"
)

// tree is a folder as a map from path to content; executable files have their
// content marked, folders end in a slash.
type tree map[string]string

const executable = "#x#"

func (t tree) write(tb testing.TB, dir string) {
	tb.Helper()
	for _, name := range slices.Sorted(maps.Keys(t)) {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must.Do(tb, os.MkdirAll(full, 0o755))
			continue
		}
		must.Do(tb, os.MkdirAll(filepath.Dir(full), 0o755))
		content, mode := t[name], fs.FileMode(0o644)
		if rest, ok := strings.CutPrefix(content, executable); ok {
			content, mode = rest, 0o755
		}
		must.Do(tb, os.WriteFile(full, []byte(content), mode))
	}
}

// readTree reads a folder with everything in it.
func readTree(tb testing.TB, dir string) tree {
	tb.Helper()
	out := tree{}
	must.Do(tb, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		info, err := e.Info()
		switch {
		case err != nil:
			return err
		case e.IsDir():
			out[rel+"/"] = ""
			return nil
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			out[rel] = "-> " + to
			return err
		}
		content, err := os.ReadFile(name)
		out[rel] = string(content)
		if info.Mode()&0o100 != 0 {
			out[rel] = executable + out[rel]
		}
		return err
	}))
	return out
}

// visible leaves out what the client keeps for itself, and the rollback's log.
func (t tree) visible() tree {
	out := maps.Clone(t)
	maps.DeleteFunc(out, func(name, _ string) bool {
		return strings.HasPrefix(name, ".svc/") || name == RollbackLogName
	})
	return out
}

// fixture is a project folder and a home folder.
type fixture struct {
	tb        testing.TB
	dir, home string
	taken     map[int]bool
	clock     time.Time
	sync      syncFunc
}

// unsynced leaves out the waiting for the disk.
func unsynced(*os.File, bool) error { return nil }

func newFixture(tb testing.TB) *fixture {
	tb.Helper()
	top, err := filepath.EvalSymlinks(tb.TempDir())
	must.Do(tb, err)
	b := &fixture{tb: tb, dir: filepath.Join(top, "work"), home: filepath.Join(top, "home"), taken: map[int]bool{}, sync: unsynced}
	must.Do(tb, os.Mkdir(b.dir, 0o755))
	must.Do(tb, os.Mkdir(b.home, 0o755))
	b.clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return b
}

func (b *fixture) open(fault Fault) *Folder {
	b.tb.Helper()
	f, err := Open(b.dir, Env{
		Home: b.home, Version: "test", Fault: fault, sync: b.sync,
		Now:       func() time.Time { b.clock = b.clock.Add(time.Millisecond); return b.clock },
		PortTaken: func(port int) bool { return b.taken[port] },
	})
	must.Do(b.tb, err)
	return f
}

// with opens the folder, does something and closes it.
func (b *fixture) with(fault Fault, do func(*Folder) error) error {
	b.tb.Helper()
	f := b.open(fault)
	err := do(f)
	must.Do(b.tb, f.Close())
	return err
}

func (b *fixture) pull(id string, a *bundlezip.Archive) Log {
	b.tb.Helper()
	var l Log
	must.Do(b.tb, b.with(nil, func(f *Folder) (err error) {
		l, err = pullInto(f, id, a, "")
		return err
	}))
	return l
}

func pullInto(f *Folder, id string, a *bundlezip.Archive, on OnConflict) (Log, error) {
	if _, err := f.Recover(); err != nil {
		return Log{}, err
	}
	p, err := f.Plan(a, PlanOptions{BundleID: id, OnConflict: on})
	if err != nil {
		return Log{}, err
	}
	return f.Apply(p)
}

func (b *fixture) rollback(id string) (RollbackLog, []string) {
	b.tb.Helper()
	var l RollbackLog
	var notes []string
	must.Do(b.tb, b.with(nil, func(f *Folder) (err error) {
		l, notes, err = f.Rollback(id)
		return err
	}))
	return l, notes
}

func (b *fixture) tree() tree { return readTree(b.tb, b.dir) }

func (b *fixture) homeTree() tree { return readTree(b.tb, b.home) }

func (b *fixture) put(name, content string) {
	b.tb.Helper()
	tree{name: content}.write(b.tb, b.dir)
}

func same(tb testing.TB, what string, got, want tree) {
	tb.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

type sf = bundlezip.StateFile

func archive(tb testing.TB, ports []bundlezip.Port, files ...sf) *bundlezip.Archive {
	tb.Helper()
	s := bundlezip.State{ProjectID: project, Ports: ports}
	for _, f := range files {
		if f.MergeStrategy == "" {
			f.MergeStrategy = bundlezip.Overwrite
		}
		s.Put(f)
	}
	return archiveOf(tb, s)
}

func text(s string) bundlezip.Content { return bundlezip.Bytes([]byte(s)) }

var errCut = errors.New("the process died here")

// cutAt lets n changes pass and then dies.
func cutAt(n int) Fault {
	return func(c Change) error {
		if n == 0 {
			return fmt.Errorf("%w: %s %s", errCut, c.Op, c.Path)
		}
		n--
		return nil
	}
}
