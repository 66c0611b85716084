package bundlezip_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// sample is a state with one of everything.
func sample() bundlezip.State {
	return bundlezip.State{
		ProjectID:    "proj_0123456789abcdefghij",
		Architecture: map[string]string{"language": "go", "database": "none"},
		Files: []bundlezip.StateFile{
			{Path: "src/main.go", MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes([]byte("package main\n\nfunc main() {}\n"))},
			{Path: ".env", MergeStrategy: bundlezip.EnvMerge, Content: bundlezip.Bytes([]byte("PORT=3000\nADMIN=30001\n"))},
			{Path: "run.sh", MergeStrategy: bundlezip.Overwrite, Mode: bundlezip.Executable, Content: bundlezip.Bytes([]byte("#!/bin/sh\nexec ./app\n"))},
			{Path: "empty", MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes(nil)},
			{Path: "übersicht/naïve.md", MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes([]byte(strings.Repeat("text ", 1000)))},
			{Path: "manifest.json", MergeStrategy: bundlezip.Overwrite, Content: bundlezip.Bytes([]byte(`{"name":"own"}`))},
			{
				Path: "settings.json", DestinationType: bundlezip.GlobalConfig, MergeStrategy: bundlezip.DeepMerge,
				Content: bundlezip.Bytes([]byte(`{"a":1}`)),
			},
			{
				Path: "settings.json", Base: bundlezip.Home, DestinationType: bundlezip.GlobalConfig,
				MergeStrategy: bundlezip.DeepMerge, Content: bundlezip.Bytes([]byte(`{"b":2}`)),
			},
		},
		Ports: []bundlezip.Port{{
			Name: "web", Port: 3000,
			Uses: []bundlezip.PortUse{{Path: ".env", Template: "PORT={port}"}},
		}},
	}
}

func write(tb testing.TB, s bundlezip.State) ([]byte, bundlezip.Result) {
	tb.Helper()
	var out bytes.Buffer
	result, err := bundlezip.Write(&out, s)
	if err != nil {
		tb.Fatal(err)
	}
	return out.Bytes(), result
}

func check(tb testing.TB, archive []byte) *bundlezip.Archive {
	tb.Helper()
	a, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func open(tb testing.TB, archive []byte) *bundlezip.Archive {
	tb.Helper()
	a, err := bundlezip.Open(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		tb.Fatal(err)
	}
	return a
}

func TestWriteThenCheck(t *testing.T) {
	archive, result := write(t, sample())
	digest := sha256.Sum256(archive)
	want := bundlezip.Result{
		FileCount: 8, ContentBytes: 29 + 22 + 21 + 5000 + 14 + 7 + 7,
		Size: int64(len(archive)), SHA256: hex.EncodeToString(digest[:]),
	}
	if diff := cmp.Diff(want, result); diff != "" {
		t.Error(diff)
	}
	for name, a := range map[string]*bundlezip.Archive{"checked": check(t, archive), "opened": open(t, archive)} {
		t.Run(name, func(t *testing.T) {
			for _, f := range sample().Files {
				got, err := a.ReadFile(f.Base, f.Path)
				if err != nil {
					t.Fatal(err)
				}
				if want := contentOf(t, f); !bytes.Equal(got, want) {
					t.Errorf("%s: got %q, want %q", f.Path, got, want)
				}
			}
			entries := map[string]string{}
			for _, f := range a.Manifest().Files {
				if f.Entry != "" {
					entries[string(f.Base)+":"+f.Path] = f.Entry
				}
			}
			wantEntries := map[string]string{
				":manifest.json": "_svc/project/manifest.json", "home:settings.json": "_svc/home/settings.json",
			}
			if diff := cmp.Diff(wantEntries, entries); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func contentOf(tb testing.TB, f bundlezip.StateFile) []byte {
	tb.Helper()
	s := bundlezip.State{ProjectID: "proj_x", Files: []bundlezip.StateFile{{Path: "f", Content: f.Content}}}
	archive, _ := write(tb, s)
	content, err := check(tb, archive).ReadFile("", "f")
	if err != nil {
		tb.Fatal(err)
	}
	return content
}

// The digest is part of the law: it changes only with a reason in the log.
func TestGoldenBytes(t *testing.T) {
	_, result := write(t, sample())
	const want = "9c087b16dc377469eec14c31a364ab91469e7bc8ed4ecc0bfdf88047704d562d"
	if result.SHA256 != want {
		t.Errorf("the archive of the sample state has the digest\n%s, before it was\n%s", result.SHA256, want)
	}
}

func TestRawCopyGivesTheSameBytes(t *testing.T) {
	fresh, _ := write(t, sample())
	again, _ := write(t, open(t, fresh).State())
	if !bytes.Equal(fresh, again) {
		t.Fatal("a copy of a pack differs from the pack")
	}
	third, _ := write(t, check(t, again).State())
	if !bytes.Equal(fresh, third) {
		t.Fatal("a copy of a checked pack differs from the pack")
	}
}

func TestPartlyCopiedStateEqualsFreshState(t *testing.T) {
	changed := bundlezip.StateFile{Path: "run.sh", Content: bundlezip.Bytes([]byte("#!/bin/sh\n"))}
	pack, _ := write(t, sample())
	copied := open(t, pack).State()
	copied.Put(changed)
	copied.Remove("", "src/main.go")
	fresh := sample()
	fresh.Put(changed)
	if !fresh.Remove("", "src/main.go") {
		t.Fatal("the file was not there")
	}
	a, _ := write(t, copied)
	b, _ := write(t, fresh)
	if !bytes.Equal(a, b) {
		t.Fatal("history shows in the bytes")
	}
}

func TestOrderAndChunksDoNotShow(t *testing.T) {
	want, _ := write(t, sample())
	s := sample()
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(s.Files), func(i, j int) { s.Files[i], s.Files[j] = s.Files[j], s.Files[i] })
	for i, f := range s.Files {
		content := contentOf(t, f)
		s.Files[i].Content = bundlezip.Reader(func() (io.ReadCloser, error) {
			return io.NopCloser(iotest.OneByteReader(bytes.NewReader(content))), nil
		})
	}
	got, _ := write(t, s)
	if !bytes.Equal(want, got) {
		t.Fatal("the order of the files or the size of reads shows in the bytes")
	}
}

// Large and incompressible, so that the buffer goes to disk, between two that
// stay in memory; nothing may be left over from one to the next.
func TestLargeFileGoesThroughDisk(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	noise := make([]byte, 3<<20)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(noise)
	s := bundlezip.State{ProjectID: "proj_large", Files: []bundlezip.StateFile{
		{Path: "a", Content: bundlezip.Bytes([]byte("small"))},
		{Path: "b", Content: bundlezip.Bytes(noise)},
		{Path: "c", Content: bundlezip.Bytes([]byte("small"))},
		{Path: "d", Content: bundlezip.Bytes(noise[:2<<20])},
	}}
	archive, _ := write(t, s)
	a := check(t, archive)
	for path, want := range map[string][]byte{"a": []byte("small"), "b": noise, "c": []byte("small"), "d": noise[:2<<20]} {
		got, err := a.ReadFile("", path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: content differs, error %v", path, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left over: %v, error %v", left, err)
	}
}

// What passes through is many times what may be held at once.
func TestMemoryDoesNotGrowWithTheProject(t *testing.T) {
	const files, each, allowed = 16, 4 << 20, 29 << 20 // of which checking keeps 25 for whoever reads next
	s := bundlezip.State{ProjectID: "proj_memory"}
	for i := range files {
		s.Put(bundlezip.StateFile{Path: fmt.Sprintf("noise%d", i), Content: bundlezip.Reader(func() (io.ReadCloser, error) {
			return io.NopCloser(io.LimitReader(rand.NewChaCha8([32]byte{byte(i)}), each)), nil
		})})
	}
	pack, err := os.Create(filepath.Join(t.TempDir(), "pack.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pack.Close() }()
	allocated := func(what string, work func() error) {
		t.Helper()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if err := work(); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > allowed {
			t.Errorf("%s of %d MiB allocates %d MiB", what, files*each>>20, got>>20)
		}
	}
	var result bundlezip.Result
	allocated("writing", func() error {
		result, err = bundlezip.Write(pack, s)
		return err
	})
	allocated("checking", func() error {
		_, err := bundlezip.Check(pack, result.Size)
		return err
	})
	allocated("copying", func() error {
		a, err := bundlezip.Open(pack, result.Size)
		if err != nil {
			return err
		}
		_, err = bundlezip.Write(io.Discard, a.State())
		return err
	})
}

func TestWriteRefuses(t *testing.T) {
	text := bundlezip.Bytes([]byte("PORT=3000\n"))
	file := func(path string) bundlezip.StateFile { return bundlezip.StateFile{Path: path, Content: text} }
	port := func(uses ...bundlezip.PortUse) []bundlezip.Port {
		return []bundlezip.Port{{Name: "web", Port: 3000, Uses: uses}}
	}
	tests := map[string]struct {
		state bundlezip.State
		want  string
	}{
		"unsafe path":        {bundlezip.State{Files: []bundlezip.StateFile{file("../x")}}, "component .."},
		"invalid UTF-8 path": {bundlezip.State{Files: []bundlezip.StateFile{file("a\xff")}}, "UTF-8"},
		"twice":              {bundlezip.State{Files: []bundlezip.StateFile{file("x"), file("x")}}, "twice"},
		"case":               {bundlezip.State{Files: []bundlezip.StateFile{file("x"), file("X")}}, "differs only in case"},
		"no content":         {bundlezip.State{Files: []bundlezip.StateFile{{Path: "x"}}}, "no content"},
		"unknown strategy":   {bundlezip.State{Files: []bundlezip.StateFile{{Path: "x", MergeStrategy: "x", Content: text}}}, "merge_strategy"},
		"home without global": {bundlezip.State{Files: []bundlezip.StateFile{
			{Path: "x.json", Base: bundlezip.Home, Content: text},
		}}, "destination_type"},
		"architecture not UTF-8": {bundlezip.State{Architecture: map[string]string{"a": "\xff"}}, "UTF-8"},
		"port in no file":        {bundlezip.State{Ports: port(bundlezip.PortUse{Path: ".env", Template: "PORT={port}"})}, "not a file"},
		"port not in the file": {bundlezip.State{
			Files: []bundlezip.StateFile{file("x")},
			Ports: port(bundlezip.PortUse{Path: "x", Template: "LISTEN={port}"}),
		}, "does not stand"},
		"port file too large": {bundlezip.State{
			Files: []bundlezip.StateFile{{Path: "x", Content: bundlezip.Bytes(append(make([]byte, 1<<20), "PORT=3000"...))}},
			Ports: port(bundlezip.PortUse{Path: "x", Template: "PORT={port}"}),
		}, "too large"},
		"bad project id": {bundlezip.State{ProjectID: "x"}, "project_id"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.state.ProjectID == "" {
				test.state.ProjectID = "proj_x"
			}
			_, err := bundlezip.Write(io.Discard, test.state)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Fatalf("got error %v, want one with %q", err, test.want)
			}
			if !errors.Is(err, bundlezip.ErrInvalid) {
				t.Errorf("%v does not match ErrInvalid", err)
			}
		})
	}
}

// What fails while being read or written is not the state's fault.
func TestWritePassesOtherErrorsOn(t *testing.T) {
	broken := errors.New("broken")
	s := bundlezip.State{ProjectID: "proj_x", Files: []bundlezip.StateFile{
		{Path: "x", Content: bundlezip.Reader(func() (io.ReadCloser, error) { return io.NopCloser(iotest.ErrReader(broken)), nil })},
	}}
	if _, err := bundlezip.Write(io.Discard, s); !errors.Is(err, broken) || errors.Is(err, bundlezip.ErrInvalid) {
		t.Errorf("reading: got %v", err)
	}
	s.Files[0].Content = bundlezip.Reader(func() (io.ReadCloser, error) { return nil, broken })
	if _, err := bundlezip.Write(io.Discard, s); !errors.Is(err, broken) {
		t.Errorf("opening: got %v", err)
	}
	if _, err := bundlezip.Write(failingWriter{broken}, sample()); !errors.Is(err, broken) || errors.Is(err, bundlezip.ErrInvalid) {
		t.Errorf("writing: got %v", err)
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }
