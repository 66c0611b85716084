package main

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// smallDisk mounts a file system of 512 KiB, which only the superuser can.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=512k"); err != nil {
		needs.Missing(t, "no small file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestFullDisksAreNamed: the message says which disk is full, and what was left as it
// was.
// Promise: client-disk-full
func TestFullDisksAreNamed(t *testing.T) {
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 1<<20)
	_, _ = random.Read(noise)
	state := bundlezip.State{ProjectID: hostileProject}
	state.Put(bundlezip.StateFile{Path: "noise.bin", Content: bundlezip.Bytes(noise)})
	var zip bytes.Buffer
	if _, err := bundlezip.Write(&zip, state); err != nil {
		t.Fatal(err)
	}
	server := newHostileServer(t)
	env := hostileEnv(t, server.URL, writeCA(t, server.Server))
	server.say(map[string]answer{"/bundles/" + hostileBundle + "/download": {200, map[string]string{"ETag": `"x"`}, zip.Bytes()}})
	for name, test := range map[string]func(full string) (want []string){
		"of the project": func(full string) []string {
			t.Chdir(full)
			return []string{"The disk of " + full + " is full. This folder is as it was, and nothing was acknowledged."}
		},
		"for temporary files": func(full string) []string {
			t.Chdir(t.TempDir())
			t.Setenv("TMPDIR", full)
			return []string{"The disk of " + full + " is full, where a bundle is kept while it is applied. This folder is as it was.", "TMPDIR"}
		},
	} {
		full := smallDisk(t)
		want := test(full)
		got := speak(t, env, false, []string{"pull", hostileBundle})
		t.Setenv("TMPDIR", "")
		if got.code != exitUser {
			t.Errorf("%s: exit %d", name, got.code)
		}
		for _, text := range want {
			if !strings.Contains(got.err, text) {
				t.Errorf("%s: %q does not say %q", name, got.err, text)
			}
		}
		if left := folders(t, "."); left != "./\n" {
			t.Errorf("%s: left in the folder: %s", name, left)
		}
	}
}
