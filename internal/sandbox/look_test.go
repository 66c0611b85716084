//go:build linux && (amd64 || arm64)

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// What comes out is files and nothing else, whatever was made inside.
// Promise: sandbox-plain-files
func TestOnlyPlainFilesComeOut(t *testing.T) {
	b := open(t, Spec{})
	r := run(t, b, `mkdir -p sub && echo plain >sub/plain && printf '#!/bin/sh\n' >run.sh && chmod 755 run.sh
cp /bin/true suid && chmod 6755 suid && ln -s /etc/passwd out && ln -s sub/plain in && ln -s / root && mkfifo pipe && ln sub/plain hard && echo odd >'odd
name'; truncate -s 1000000000 sparse
/usr/bin/python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('sock')"`)
	if !r.OK() {
		t.Fatalf("%q", r.Output)
	}
	root, err := b.Look(Source)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	got := map[string]string{}
	var left []string
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, _, err := ReadRegular(root, name, 1<<20)
		switch {
		case errors.Is(err, ErrIrregular), errors.Is(err, ErrLarge):
			left = append(left, name)
			return nil
		case err == nil:
			got[name] = string(content)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got["sub/plain"] != "plain\n" || got["hard"] != "plain\n" || got["odd\nname"] != "odd\n" || got["run.sh"] == "" {
		t.Errorf("came out: %q", got)
	}
	slices.Sort(left)
	if want := "in out pipe root sock sparse"; strings.Join(left, " ") != want {
		t.Errorf("left there: %q, want %q", left, want)
	}
	for _, name := range []string{"root/etc/passwd", "../../etc/passwd", "/etc/passwd", "out"} {
		if content, _, err := ReadRegular(root, name, 1<<20); err == nil {
			t.Errorf("%s leads out: %.40q", name, content)
		}
	}
}

// The folder is seen while a command runs, and a link in its place is not followed.
// Promise: agent-inside-folder
func TestAFolderIsSeenWhileACommandRuns(t *testing.T) {
	signal := t.TempDir()
	for _, folder := range []string{signal, filepath.Dir(signal)} {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	b := open(t, Spec{Show: []Mount{{From: signal, To: "/signal"}}})
	said := make(chan struct{}, 1)
	ended := make(chan Result, 1)
	go func() {
		r, err := b.Run(t.Context(), Command{
			Args: []string{"sh", "-c", "echo now >seen; echo said; while [ ! -e /signal/go ]; do sleep 0.01; done"}, Time: time.Minute,
			Stdout: func([]byte) error {
				select {
				case said <- struct{}{}:
				default:
				}
				return nil
			},
		})
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	<-said
	root, err := b.Look(Source)
	if err != nil {
		t.Fatal(err)
	}
	content, _, err := ReadRegular(root, "seen", 100)
	if err != nil || string(content) != "now\n" {
		t.Errorf("%q, %v", content, err)
	}
	_ = root.Close()
	if err := os.WriteFile(filepath.Join(signal, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; !r.OK() {
		t.Errorf("%+v", r)
	}
	run(t, b, "cd / && rm -r /work/src && ln -s /etc /work/src")
	if root, err := b.Look(Source); err == nil {
		_ = root.Close()
		t.Error("a link in the place of the folder was followed")
	}
}
