package bundlezip_test

import (
	"bytes"
	"errors"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/hostile"
)

// Whatever Check lets through is safe to use and survives being written again.
// Promise: pull-inflate
func FuzzCheck(f *testing.F) {
	pack, _ := write(f, sample())
	f.Add(pack)
	f.Add(hostile.Good())
	f.Add(hostile.GoodStreamed())
	for _, c := range hostile.Cases() {
		if len(c.Bytes) < 4096 {
			f.Add(c.Bytes)
		}
	}
	f.Fuzz(func(t *testing.T, archive []byte) {
		a, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
		if err != nil {
			if !errors.Is(err, bundlezip.ErrInvalid) {
				t.Fatalf("memory cannot fail to be read: %v", err)
			}
			return
		}
		var again bytes.Buffer
		result, err := bundlezip.Write(&again, a.State())
		if err != nil {
			t.Fatalf("accepted, but cannot be written: %v", err)
		}
		b := check(t, again.Bytes())
		if result.FileCount != len(a.Manifest().Files) {
			t.Fatal("files were lost")
		}
		for _, file := range a.Manifest().Files {
			if err := bundlezip.CheckPath(file.Path); err != nil {
				t.Fatal(err)
			}
			want, err := a.ReadFile(file.Base, file.Path)
			if err != nil {
				t.Fatalf("accepted, but cannot be read: %v", err)
			}
			got, err := b.ReadFile(file.Base, file.Path)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("%q differs after being written again: %v", file.Path, err)
			}
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	pack, _ := write(f, sample())
	text, err := check(f, pack).Manifest().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"manifest_version":1,"project_id":"proj_x","files":[]}`))
	f.Add([]byte(`{"manifest_version":1.0,"project_id":"proj_x","files":[],"files":null}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := bundlezip.ParseManifest(text)
		if err != nil {
			if !errors.Is(err, bundlezip.ErrInvalid) {
				t.Fatalf("%v does not match ErrInvalid", err)
			}
			return
		}
		encoded, err := m.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := bundlezip.ParseManifest(encoded)
		if err != nil {
			t.Fatalf("accepted, but not after being encoded: %v", err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

func FuzzCheckPath(f *testing.F) {
	for _, seed := range []string{"a/b", "../a", ".git/x", "con.txt", "é/日", "a\\b", "C:x", ".g\u200cit", "x.svc.new", " "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if bundlezip.CheckPath(name) != nil {
			return
		}
		lower := strings.ToLower(name)
		switch {
		case !utf8.ValidString(name), path.IsAbs(name), path.Clean(name) != name, strings.ContainsAny(name, "\\:\x00"):
			t.Fatalf("%q is accepted", name)
		case strings.HasPrefix(name, "../"), lower == ".svc", strings.HasPrefix(lower, ".svc/"):
			t.Fatalf("%q is accepted", name)
		}
		for _, c := range strings.Split(lower, "/") {
			if c == ".git" || c == ".." || strings.TrimRight(c, ". ") != c {
				t.Fatalf("%q is accepted", name)
			}
		}
		if bundlezip.CheckPaths([]string{name, name}) == nil || bundlezip.CheckPaths([]string{name, name + "/x"}) == nil {
			t.Fatalf("%q collides with nothing", name)
		}
	})
}
