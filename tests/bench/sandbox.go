package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// benchSandbox runs a command on 500 files in a sandbox that is made for it. Its
// peer is the same command on a folder that is there.
func benchSandbox(ctx context.Context, e *env) (s section) {
	const files = 500
	dir := must(os.MkdirTemp("", "bench-sandbox-*"))
	defer func() { _ = os.RemoveAll(dir) }()
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for i := range files {
		name, content := fmt.Sprintf("d%d/f%d.txt", i%20, i), []byte(strings.Repeat("some text\n", 200))
		check(os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		check(os.WriteFile(filepath.Join(dir, name), content, 0o600))
		check(w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(content))}))
		_ = must(w.Write(content))
	}
	check(w.Close())
	command := []string{"sh", "-c", "find . -type f | wc -l"}
	boxes := must(sandbox.New(sandbox.Config{}))
	var ours, bare, more sample
	e.inRounds(func(_ int, keep func(*sample, float64)) {
		inside := must(timed(func() error {
			box, err := boxes.Open(ctx, sandbox.Spec{Limits: sandbox.DefaultLimits()})
			if err != nil {
				return err
			}
			defer box.Close()
			if err := box.Unpack(ctx, sandbox.Source, bytes.NewReader(archive.Bytes()), int64(archive.Len())); err != nil {
				return err
			}
			r, err := box.Run(ctx, sandbox.Command{Args: command, Time: time.Minute})
			if err == nil && strings.TrimSpace(string(r.Output)) != fmt.Sprint(files) {
				err = fmt.Errorf("the sandbox has %q files", r.Output)
			}
			return err
		}))
		outside := must(timed(func() error {
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir = dir
			return cmd.Run()
		}))
		keep(&ours, inside)
		keep(&bare, outside)
		keep(&more, inside-outside)
	})
	s.add("a command on 500 files in a sandbox made for it", ours.show("%.1f ms"), "")
	s.add("the same command on a folder", bare.show("%.1f ms"), "")
	s.add("more", more.show("%.1f ms"), "under 50 ms")
	return s
}
