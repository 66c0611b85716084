//go:build linux && (amd64 || arm64)

package sandbox

import (
	"io"
	"slices"
	"strings"
	"testing"
)

// What comes out is files and nothing else, whatever was made inside.
func TestOnlyPlainFilesComeOut(t *testing.T) {
	b := open(t, Spec{})
	r := run(t, b, `mkdir -p sub && echo plain >sub/plain && printf '#!/bin/sh\n' >run.sh && chmod 755 run.sh
cp /bin/true suid && chmod 6755 suid && ln -s /etc/passwd out && ln -s / root && mkfifo pipe && ln sub/plain hard && echo odd >'odd
name'
/usr/bin/python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('sock')"`)
	if !r.OK() {
		t.Fatalf("%q", r.Output)
	}
	got := map[string]string{}
	modes := map[string]bool{}
	left, err := b.Collect(t.Context(), Source, Extent{Files: 100, Bytes: 10 << 20}, func(f Collected) error {
		content, err := io.ReadAll(f.Content)
		got[f.Path], modes[f.Path] = string(content), f.Executable
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got["sub/plain"] != "plain\n" || got["hard"] != "plain\n" || got["odd\nname"] != "odd\n" || !modes["run.sh"] || modes["sub/plain"] || !modes["suid"] {
		t.Errorf("came out: %q, executable %v", got, modes)
	}
	slices.Sort(left)
	if want := "out pipe root"; strings.Join(left, " ") != want {
		t.Errorf("left there: %q, want %q", left, want)
	}
	if r := run(t, b, "echo on"); string(r.Output) != "on\n" {
		t.Errorf("the box cannot be used on: %+v", r)
	}
	for _, most := range []Extent{{Files: 2, Bytes: 10 << 20}, {Files: 100, Bytes: 100}} {
		b := open(t, Spec{})
		run(t, b, "for i in 1 2 3 4 5; do head -c 50 /dev/zero >f$i; done; truncate -s 1000000000 sparse")
		if _, err := b.Collect(t.Context(), Source, most, func(Collected) error { return nil }); err == nil {
			t.Errorf("%+v: everything came out", most)
		}
	}
}
