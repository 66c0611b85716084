package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
)

const (
	treeFiles = 500
	treeBytes = 25 << 20
	// repackagesPerMinute is the limit of the service: each account serves so
	// many rounds.
	repackagesPerMinute = 3
)

// benchRepackage compares the whole request over HTTPS with copying the
// finished archive and with making one from the files.
func benchRepackage(ctx context.Context, l *lab) (s section, err error) {
	tree := filepath.Join(l.dir, "tree")
	if err := writeTree(tree, treeFiles, treeBytes); err != nil {
		return s, err
	}
	d, err := l.start(ctx, "repackage")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	var tenants []harness.Tenant
	for i := 0; i*repackagesPerMinute < l.rounds+1; i++ {
		t, err := d.Tenant(ctx, fmt.Sprintf("bench%d@example.com", i), tree)
		if err != nil {
			return s, err
		}
		tenants = append(tenants, t)
	}
	archive := filepath.Join(l.dir, "finished.zip")
	if err := d.save(ctx, tenants[0], archive); err != nil {
		return s, err
	}

	var ours, copying, zipping, memory sample
	// Round 0 warms both sides up and is not counted.
	for round := range l.rounds + 1 {
		t := tenants[round/repackagesPerMinute]
		idle, err := d.memory("VmRSS")
		if err != nil {
			return s, err
		}
		if err := d.resetPeak(); err != nil {
			return s, err
		}
		r, err := timed(func() error {
			return d.expect(ctx, t, http.MethodPost, "/projects/"+t.ProjectID+"/bundles/repackage", http.StatusOK, io.Discard)
		})
		if err != nil {
			return s, err
		}
		peak, err := d.memory("VmHWM")
		if err != nil {
			return s, err
		}
		c, err := timed(func() error { return copyDurably(archive, filepath.Join(l.dir, "copy.zip")) })
		if err != nil {
			return s, err
		}
		z, err := timed(func() error { return zipTree(ctx, tree, filepath.Join(l.dir, "zipped.zip")) })
		if err != nil {
			return s, err
		}
		if round > 0 {
			ours, copying, zipping = append(ours, r), append(copying, c), append(zipping, z)
			memory = append(memory, float64(peak-idle)/(1<<20))
		}
	}
	s.add("repackage, request to answer", ours.show("%.1f ms"), "")
	s.add("copy of the finished archive, with a sync", copying.show("%.1f ms"), "")
	s.add("`zip -r -6` on the same tree", zipping.show("%.0f ms"), "")
	s.add("times as fast as zip", zipping.over(ours).show("%.0f×"), "at least 50×")
	s.add("time over that of the copy", ours.over(copying).show("%.2f×"), "")
	s.add("peak memory above idle", memory.show("%.1f MiB"), "at most 16 MB")
	return s, nil
}

// timed gives the milliseconds that fn takes.
func timed(fn func() error) (float64, error) {
	start := time.Now()
	err := fn()
	return float64(time.Since(start).Microseconds()) / 1000, err
}

// save downloads the tenant's first bundle to a file.
func (d daemon) save(ctx context.Context, t harness.Tenant, path string) error {
	f, err := os.Create(filepath.Clean(path))
	if err != nil {
		return err
	}
	err = d.expect(ctx, t, http.MethodGet, "/bundles/"+t.BundleID+"/download", http.StatusOK, f)
	return errors.Join(err, f.Close())
}

// copyDurably copies a file the way a careful program does: a new file, synced,
// moved into place.
func copyDurably(from, to string) error {
	in, err := os.Open(filepath.Clean(from))
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.Create(filepath.Clean(to + ".tmp"))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	return os.Rename(to+".tmp", to)
}

func zipTree(ctx context.Context, tree, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := exec.CommandContext(ctx, "zip", "-r", "-6", "-q", to, ".")
	cmd.Dir = tree
	return cmd.Run()
}
