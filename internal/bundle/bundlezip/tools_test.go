package bundlezip_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// unpackWithPython is what a person would type, and a test of the archive's CRCs.
const unpackWithPython = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    z.extractall(sys.argv[2])
`

// packWithPython is the other direction.
const packWithPython = `
import sys, os, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as z:
    for name in sys.argv[2:]:
        z.write(name)
`

// tool finds a program that this machine should have.
func tool(t *testing.T, name string) string {
	t.Helper()
	return needs.Program(t, name, "install zip, unzip, p7zip-full, libarchive-tools and python3")
}

func TestCheckReadsWhatOtherToolsWrite(t *testing.T) {
	for name, arguments := range map[string][]string{
		"zip":     {"-q"},
		"7z":      {"a", "-bd", "-tzip", "-spf"},
		"bsdtar":  {"-c", "--format", "zip", "-f"},
		"python3": {"-c", packWithPython},
	} {
		t.Run(name, func(t *testing.T) {
			program := tool(t, name)
			s := sample()
			if name == "zip" { // it leaves open which alphabet a name is in
				s.Remove("", "übersicht/naïve.md")
			}
			dir, names, manifest := unpack(t, s)
			made := filepath.Join(t.TempDir(), "made.zip")
			command := exec.CommandContext(t.Context(), program, slices.Concat(arguments, []string{made}, names)...)
			command.Dir = dir
			command.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			content, err := os.ReadFile(made)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(manifest, check(t, content).Manifest()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// unpack lays the entries of a state's archive out in a folder.
func unpack(t *testing.T, s bundlezip.State) (dir string, names []string, manifest bundlezip.Manifest) {
	t.Helper()
	archive, _ := write(t, s)
	checked := check(t, archive)
	dir = t.TempDir()
	put := func(name string, content []byte, err error) {
		t.Helper()
		place := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(err, os.MkdirAll(filepath.Dir(place), 0o700), os.WriteFile(place, content, 0o600)); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	manifest = checked.Manifest()
	text, err := manifest.Encode()
	put(bundlezip.ManifestName, text, err)
	for _, f := range manifest.Files {
		content, err := checked.ReadFile(f.Base, f.Path)
		put(f.EntryName(), content, err)
	}
	return dir, names, manifest
}

func TestOtherToolsReadIt(t *testing.T) {
	archive, _ := write(t, sample())
	checked := check(t, archive)
	file := filepath.Join(t.TempDir(), "bundle.zip")
	if err := os.WriteFile(file, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	tools := map[string]func(dir string) []string{
		"unzip":   func(dir string) []string { return []string{"-q", file, "-d", dir} },
		"7z":      func(dir string) []string { return []string{"x", "-bd", "-o" + dir, file} },
		"bsdtar":  func(dir string) []string { return []string{"-x", "-f", file, "-C", dir} },
		"python3": func(dir string) []string { return []string{"-c", unpackWithPython, file, dir} },
	}
	for name, arguments := range tools {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			command := exec.CommandContext(t.Context(), tool(t, name), arguments(dir)...)
			command.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
			if out, err := command.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			for _, f := range checked.Manifest().Files {
				want, err := checked.ReadFile(f.Base, f.Path)
				if err != nil {
					t.Fatal(err)
				}
				unpacked := filepath.Join(dir, filepath.FromSlash(f.EntryName()))
				got, err := os.ReadFile(unpacked)
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%s: content differs, error %v", f.Path, err)
				}
				info, err := os.Stat(unpacked)
				if err != nil {
					t.Fatal(err)
				}
				// Python's zipfile leaves permissions alone.
				if executable := info.Mode()&0o100 != 0; name != "python3" && executable != (f.Mode == "0755") {
					t.Errorf("%s: unpacked with mode %v", f.Path, info.Mode())
				}
			}
		})
	}
}
