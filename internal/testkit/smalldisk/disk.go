// Package smalldisk gives tests disks that they can fill: file systems in memory,
// mounted on folders, which only root can do and only on Linux. Where it cannot be
// done the error says so with needs.ErrMissing.
package smalldisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// Disk is a small disk on a folder.
type Disk struct{ folder string }

// Mount puts a disk on a folder that exists.
func Mount(folder string, bytes int64) (*Disk, error) {
	if err := mount(folder, bytes); err != nil {
		return nil, fmt.Errorf("%w: a small disk: %w", needs.ErrMissing, err)
	}
	return &Disk{folder}, nil
}

// ForTest puts a disk on a folder for as long as a test lasts.
func ForTest(t testing.TB, folder string, bytes int64) *Disk {
	t.Helper()
	d, err := Mount(folder, bytes)
	needs.Check(t, err)
	t.Cleanup(func() {
		if err := d.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func (d *Disk) ballast() string { return filepath.Join(d.folder, "ballast") }

// Fill takes what room there is, also what has become free since.
func (d *Disk) Fill() error {
	f, err := os.OpenFile(d.ballast(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if errors.Is(err, syscall.ENOSPC) {
		return nil // not even for the file
	}
	if err != nil {
		return err
	}
	for size := 1 << 20; size > 0; {
		n, err := f.Write(make([]byte, size))
		if err != nil && !errors.Is(err, syscall.ENOSPC) {
			return errors.Join(err, f.Close())
		}
		if n < size {
			size /= 2
		}
	}
	return f.Close()
}

// Clear makes room again.
func (d *Disk) Clear() error { return os.Remove(d.ballast()) }

// Unmount removes the disk with what is on it.
func (d *Disk) Unmount() error { return unmount(d.folder) }

// Set is a disk for each of some programs, by their names.
type Set struct {
	sizes map[string]int64
	disks map[string]*Disk
}

// NewSet makes disks of these sizes for those who ask for them.
func NewSet(sizes map[string]int64) *Set { return &Set{sizes: sizes, disks: map[string]*Disk{}} }

// Mount puts the disk of a program on its folder. A nil set has none, nor has
// one for a program that it does not know.
func (s *Set) Mount(name, folder string) (err error) {
	if s == nil || s.sizes[name] == 0 {
		return nil
	}
	s.disks[name], err = Mount(folder, s.sizes[name])
	return err
}

// Of is the disk of a program that has one.
func (s *Set) Of(name string) *Disk { return s.disks[name] }

// Unmount removes all of them.
func (s *Set) Unmount() (err error) {
	if s == nil {
		return nil
	}
	for name, d := range s.disks {
		if d != nil {
			err = errors.Join(err, d.Unmount())
		}
		delete(s.disks, name)
	}
	return err
}
