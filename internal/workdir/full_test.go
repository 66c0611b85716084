package workdir

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// TestADiskThatIsFull: before the commit everything is as it was, after it the error says
// that the next command goes on; in both cases it names the folder whose disk is full.
// Promise: client-disk-full
func TestADiskThatIsFull(t *testing.T) {
	b := newFixture(t)
	b.put("a.txt", "mine\n")
	before := b.tree()
	a := archive(t, nil, sf{Path: "a.txt", Content: text("theirs\n")}, sf{Path: "b/c.txt", Content: text("c\n")})
	full := func(op, path string) error {
		return b.with(nil, func(f *Folder) error {
			p, err := f.Plan(a, PlanOptions{BundleID: bundle1})
			must.Do(t, err)
			f.hook.fault = func(c Change) error {
				if c.Op == op && c.Path == path {
					return &FullError{Dir: f.dir, Err: syscall.ENOSPC}
				}
				return nil
			}
			_, err = f.Apply(p)
			return err
		})
	}
	err := full("write", stageDir+"/0")
	if found, ok := errors.AsType[*FullError](err); !ok || found.Dir != b.dir || errors.Is(err, ErrCommitted) {
		t.Errorf("before the commit: %v", err)
	}
	must.Do(t, b.with(nil, func(f *Folder) error { _, err := f.Recover(); return err }))
	same(t, "before the commit", b.tree().visible(), before.visible())
	err = full("rename", "b/c.txt")
	if _, ok := errors.AsType[*FullError](err); !ok || !errors.Is(err, ErrCommitted) || !strings.Contains(err.Error(), "run svc pull or svc rollback again") {
		t.Errorf("after the commit: %v", err)
	}
	must.Do(t, b.with(nil, func(f *Folder) error { _, err := f.Recover(); return err }))
	if got := b.tree()["b/c.txt"]; got != "c\n" {
		t.Errorf("finished: %q", got)
	}
}
