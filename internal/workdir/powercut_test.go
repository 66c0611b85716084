//go:build unix

package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// powerDisk knows what a disk still holds when the power goes: what was synced,
// and of the rest whatever happened to be written. It watches a fixture through
// the hooks for changes and syncs. A file that was not synced has its name at
// best, and no content.
type powerDisk struct {
	tb  testing.TB
	top string // project and home folder lie here

	files   map[uint64]*powerFile // by inode number, those that have a name now
	names   map[string]*powerFile // now
	durable map[string]*powerFile // names that a sync has made durable
	pending []map[string]*powerFile
}

type powerFile struct {
	folder         bool
	mode           fs.FileMode
	now, onTheDisk string
}

// newPowerDisk takes everything that is there for durable.
func newPowerDisk(b *fixture) *powerDisk {
	d := &powerDisk{tb: b.tb, top: filepath.Dir(b.dir), files: map[uint64]*powerFile{}, names: map[string]*powerFile{}}
	d.absorb()
	d.settle(".")
	b.sync = d.sync
	return d
}

// absorb finds out what the last change was. A rename is one change of two names.
func (d *powerDisk) absorb() {
	names, files := map[string]*powerFile{}, map[uint64]*powerFile{}
	must.Do(d.tb, filepath.WalkDir(d.top, func(name string, e fs.DirEntry, err error) error {
		if err != nil || name == d.top {
			return err
		}
		info, err := e.Info()
		must.Do(d.tb, err)
		stat, ok := info.Sys().(*syscall.Stat_t)
		if !ok {
			return errors.New("no inode numbers")
		}
		f := d.files[stat.Ino]
		if f == nil {
			f = &powerFile{folder: info.IsDir()}
		}
		if f.mode = info.Mode().Perm(); !f.folder {
			content, err := os.ReadFile(name)
			must.Do(d.tb, err)
			f.now = string(content)
		}
		rel, err := filepath.Rel(d.top, name)
		must.Do(d.tb, err)
		names[filepath.ToSlash(rel)], files[stat.Ino] = f, f
		return nil
	}))
	change := map[string]*powerFile{}
	for name, f := range names {
		if d.names[name] != f {
			change[name] = f
		}
	}
	for name := range d.names {
		if names[name] == nil {
			change[name] = nil
		}
	}
	if len(change) > 0 {
		d.pending = append(d.pending, change)
	}
	d.names, d.files = names, files
}

// settle makes everything below a folder durable.
func (d *powerDisk) settle(folder string) {
	if folder == "." {
		d.durable, d.pending = maps.Clone(d.names), nil
	} else {
		d.persist(func(name string) bool { return strings.HasPrefix(name, folder+"/") })
	}
	for name, f := range d.names {
		if folder == "." || strings.HasPrefix(name, folder+"/") {
			f.onTheDisk = f.now
		}
	}
}

// persist makes those pending changes durable that concern certain names.
func (d *powerDisk) persist(concerned func(name string) bool) {
	d.pending = slices.DeleteFunc(d.pending, func(change map[string]*powerFile) bool {
		for name := range change {
			if concerned(name) {
				apply(d.durable, change)
				return true
			}
		}
		return false
	})
}

func apply(names, change map[string]*powerFile) {
	for name, f := range change {
		if names[name] = f; f == nil {
			delete(names, name)
		}
	}
}

// sync is the syncFunc of this disk.
func (d *powerDisk) sync(f *os.File, everything bool) error {
	d.absorb()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("no inode numbers")
	}
	file := d.files[stat.Ino]
	folder := ""
	for name, at := range d.names {
		if at == file && file.folder {
			folder = name
		}
	}
	switch {
	case everything:
		d.settle(folder)
	case file.folder:
		d.persist(func(name string) bool { return path.Dir(name) == folder })
	default:
		file.onTheDisk = file.now
	}
	return nil
}

// left gives what the disk holds if the power goes now and of the changes that
// no sync has made durable only these have reached it. A name in a folder that is
// not there has not: file systems write a new folder before what is put into it.
func (d *powerDisk) left(reached func(change int) bool) map[string]powerFile {
	names := maps.Clone(d.durable)
	for i, change := range d.pending {
		if reached(i) && hasFolders(names, change) {
			apply(names, change)
		}
	}
	out := map[string]powerFile{}
	for name, f := range names {
		out[name] = *f
	}
	return out
}

func hasFolders(names, change map[string]*powerFile) bool {
	for name, f := range change {
		if folder := path.Dir(name); f != nil && folder != "." && (names[folder] == nil || !names[folder].folder) {
			return false
		}
	}
	return true
}

// restore makes a fixture what was left of it.
func (b *fixture) restore(left map[string]powerFile) {
	b.tb.Helper()
	top := filepath.Dir(b.dir)
	must.Do(b.tb, os.RemoveAll(b.dir))
	must.Do(b.tb, os.RemoveAll(b.home))
	for _, name := range slices.Sorted(maps.Keys(left)) {
		f, full := left[name], filepath.Join(top, filepath.FromSlash(name))
		if info, err := os.Stat(filepath.Dir(full)); err != nil || !info.IsDir() {
			continue // its folder has not reached the disk
		}
		if f.folder {
			must.Do(b.tb, os.Mkdir(full, 0o755))
		} else {
			must.Do(b.tb, os.WriteFile(full, []byte(f.onTheDisk), f.mode))
		}
	}
}

// powerCut is one moment at which the power may go, and one way in which it may.
type powerCut struct {
	moment string
	last   bool // the command has returned
	left   map[string]powerFile
}

// powerCuts runs something and gives what is left of a fixture at each change,
// if nothing, every name, or some of what nobody has synced reached the disk.
func powerCuts(b *fixture, do func(*Folder) error) []powerCut {
	b.tb.Helper()
	d := newPowerDisk(b)
	random := rand.New(rand.NewPCG(1, 2))
	var cuts []powerCut
	known := map[string]bool{}
	cut := func(moment string, last bool) {
		d.absorb()
		some := random.Uint64()
		for way, reached := range map[string]func(int) bool{
			"nothing": func(int) bool { return false },
			"names":   func(int) bool { return true },
			"some":    func(i int) bool { return some>>(i%64)&1 == 1 },
		} {
			left := d.left(reached)
			if id := fmt.Sprint(last, left); !known[id] {
				known[id] = true
				cuts = append(cuts, powerCut{moment + ", and " + way + " reached the disk", last, left})
			}
		}
	}
	must.Do(b.tb, b.with(func(c Change) error { cut("before "+c.Op+" "+c.Path, false); return nil }, do))
	cut("at the end", true)
	b.sync = unsynced
	return cuts
}

// TestPowerCut: whatever of a pull or a rollback has reached the disk when the
// power goes, the next command finds the folder before it or makes the folder
// after it; once the command has returned, it is the one after.
// Promise: pull-power-cut
func TestPowerCut(t *testing.T) {
	second := busyBundle(t, "v2")
	pull := func(f *Folder) error { _, err := pullInto(f, bundle2, second, ""); return err }
	rollback := func(f *Folder) error { _, _, err := f.Rollback(bundle2); return err }
	for name, do := range map[string]func(*Folder) error{"pull": pull, "rollback": rollback} {
		t.Run(name, func(t *testing.T) {
			b := stacked(t)
			if name == "rollback" {
				must.Do(t, b.with(nil, pull))
			}
			older := b.settled().comparable()
			cuts := powerCuts(b, do)
			newer := b.settled().comparable()
			seen := map[string]int{}
			for _, cut := range cuts {
				b.restore(cut.left)
				recoverIn(b)
				switch state := b.settled().comparable(); {
				case state == older && !cut.last:
					if seen["old"]++; seen["old"]%10 == 0 { // what lies in the home folder is cleared by the next pull
						must.Do(t, b.with(nil, do))
						nothingStaged(t, b)
					}
				case state == newer:
					seen["new"]++
					nothingStagedHere(t, b) // an empty folder in ~/.svc may be left
				default:
					t.Fatalf("the power goes %s; the folder is neither old nor new:\n%s", cut.moment, state)
				}
			}
			if seen["old"] == 0 || seen["new"] == 0 {
				t.Errorf("outcomes %v", seen)
			}
		})
	}
}

// TestTheSystemIsAsked: a file that is closed cannot be synced, and the system
// says so if it is asked.
// Promise: pull-power-cut
func TestTheSystemIsAsked(t *testing.T) {
	f, err := os.Open(t.TempDir())
	must.Do(t, err)
	must.Do(t, f.Close())
	for _, everything := range []bool{false, true} {
		if osSync(f, everything) == nil {
			t.Errorf("everything %v: nobody was asked", everything)
		}
	}
}
