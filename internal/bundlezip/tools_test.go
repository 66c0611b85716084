package bundlezip_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// unpackWithPython is what a person would type, and a test of the archive's CRCs.
const unpackWithPython = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as z:
    assert z.testzip() is None
    z.extractall(sys.argv[2])
`

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
	for tool, arguments := range tools {
		t.Run(tool, func(t *testing.T) {
			program, err := exec.LookPath(tool)
			if err != nil {
				if os.Getenv("CI") == "true" {
					t.Fatalf("%s is missing: install unzip, p7zip-full, libarchive-tools and python3", tool)
				}
				t.Skipf("NOT TESTED: %s is missing; install unzip, p7zip-full, libarchive-tools and python3", tool)
			}
			dir := t.TempDir()
			command := exec.CommandContext(t.Context(), program, arguments(dir)...)
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
				if executable := info.Mode()&0o100 != 0; tool != "python3" && executable != (f.Mode == "0755") {
					t.Errorf("%s: unpacked with mode %v", f.Path, info.Mode())
				}
			}
		})
	}
}
