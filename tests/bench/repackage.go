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

	"github.com/bundle-delivery/svc/internal/testkit/harness"
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
func benchRepackage(ctx context.Context, e *env) (s section) {
	tree := e.tree("tree", treeFiles, treeBytes)
	d := e.server(ctx, "repackage")
	var tenants []harness.Tenant
	for i := 0; i*repackagesPerMinute < e.rounds+1; i++ {
		tenants = append(tenants, tenant(ctx, &d.Service, fmt.Sprint("bench", i), tree))
	}
	archive := filepath.Join(e.dir, "finished.zip")
	d.save(ctx, tenants[0], archive)

	var ours, copying, zipping, memory sample
	e.inRounds(func(round int, keep func(*sample, float64)) {
		t := tenants[round/repackagesPerMinute]
		idle := d.memory("VmRSS")
		d.resetPeak()
		keep(&ours, must(timed(func() error {
			return d.expect(ctx, t, http.MethodPost, "/projects/"+t.ProjectID+"/bundles/repackage", http.StatusOK, io.Discard)
		})))
		keep(&memory, (d.memory("VmHWM")-idle)/(1<<20))
		keep(&copying, must(timed(func() error { return copyDurably(archive, filepath.Join(e.dir, "copy.zip")) })))
		keep(&zipping, must(timed(func() error { return zipTree(ctx, tree, filepath.Join(e.dir, "zipped.zip")) })))
	})
	s.add("repackage, request to answer", ours.show("%.1f ms"), "")
	s.add("copy of the finished archive, with a sync", copying.show("%.1f ms"), "")
	s.add("`zip -r -6` on the same tree", zipping.show("%.0f ms"), "")
	s.add("times as fast as zip", zipping.over(ours).show("%.0f×"), "at least 50×")
	s.add("time over that of the copy", ours.over(copying).show("%.2f×"), "")
	s.add("peak memory above idle", memory.show("%.1f MiB"), "at most 16 MB")
	return s
}

// timed gives the milliseconds that fn takes.
func timed(fn func() error) (float64, error) {
	start := time.Now()
	err := fn()
	return float64(time.Since(start).Microseconds()) / 1000, err
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
