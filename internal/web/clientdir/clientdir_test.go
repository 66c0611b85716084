package clientdir_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/web/clientdir"
)

// folder is one in which tests put releases.
type folder struct {
	t    *testing.T
	path string
	sums []string
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.path, name), []byte(text), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// release puts a file there and names it in the sums.
func (f *folder) release(name, text string) {
	f.t.Helper()
	f.write(name, text)
	f.sums = append(f.sums, fmt.Sprintf("%x  %s", sha256.Sum256([]byte(text)), name))
	f.write("checksums.txt", strings.Join(f.sums, "\n")+"\n")
}

func names(t *testing.T, d *clientdir.Dir) string {
	t.Helper()
	all, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, a := range all {
		found = append(found, a.Name)
	}
	return strings.Join(found, " ")
}

func open(t *testing.T) (*folder, *clientdir.Dir) {
	t.Helper()
	f := &folder{t: t, path: t.TempDir()}
	d, err := clientdir.Open(f.path)
	if err != nil {
		t.Fatal(err)
	}
	return f, d
}

// Promise: console-client
func TestArchivesOfTheClientAreOfferedWithTheirSums(t *testing.T) {
	t.Parallel()
	f, d := open(t)
	if _, err := d.List(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder without sums: %v", err)
	}
	if _, _, err := d.Read("svc_1.2.0_linux_amd64.tar.gz"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an archive of a folder without sums: %v", err)
	}
	f.release("svc_1.2.0_windows_amd64.zip", "for Windows")
	f.release("svc_1.2.0_linux_arm64.tar.gz", "for Linux on ARM")
	f.release("svc_1.2.0_linux_amd64.tar.gz", "for Linux")
	f.release("svcd_1.2.0_linux_amd64.tar.gz", "the server")
	f.release("svc_1.2.0_linux_amd64.spdx.json", "its parts")
	all, err := d.List()
	if err != nil {
		t.Fatal(err)
	}
	if got := names(t, d); got != "svc_1.2.0_linux_amd64.tar.gz svc_1.2.0_linux_arm64.tar.gz svc_1.2.0_windows_amd64.zip" {
		t.Fatalf("offered: %s", got)
	}
	want := clientdir.Archive{
		Name: "svc_1.2.0_linux_amd64.tar.gz", Version: "1.2.0", Platform: clientdir.Platform{OS: "linux", Arch: "amd64"},
		Size: 9, SHA256: fmt.Sprintf("%x", sha256.Sum256([]byte("for Linux"))),
	}
	if all[0] != want {
		t.Errorf("got %+v, want %+v", all[0], want)
	}
	archive, content, err := d.Read(want.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	text, err := io.ReadAll(content)
	if err != nil || string(text) != "for Linux" || archive != want {
		t.Errorf("read %q of %+v: %v", text, archive, err)
	}
}

// Promise: console-client
func TestNothingElseOfTheFolderIsReached(t *testing.T) {
	t.Parallel()
	f, d := open(t)
	f.release("svc_1.2.0_linux_amd64.tar.gz", "for Linux")
	f.release("svc_1.2.0_linux_amd64.deb", "a package")
	f.write("svc_1.2.0_linux_arm64.tar.gz", "named by no sum")
	f.write("secret.txt", "a secret")
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	link := "svc_1.2.0_darwin_amd64.tar.gz"
	f.release(link, "elsewhere")
	if err := os.Remove(filepath.Join(f.path, link)); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(f.path, link)); err != nil {
		t.Skipf("no links here: %v", err)
	}
	for _, name := range []string{
		"", ".", "..", "secret.txt", "checksums.txt", "svc_1.2.0_linux_amd64.deb", "svc_1.2.0_linux_arm64.tar.gz",
		"../outside", "./svc_1.2.0_linux_amd64.tar.gz", "/etc/passwd", `..\outside`, link,
	} {
		if archive, content, err := d.Read(name); err == nil {
			_ = content.Close()
			t.Errorf("%q is given out as %+v", name, archive)
		}
	}
}

// Promise: console-client
func TestAFileWithAnotherSumIsNotOffered(t *testing.T) {
	t.Parallel()
	f, d := open(t)
	name := "svc_1.2.0_linux_amd64.tar.gz"
	f.release(name, "for Linux")
	if got := names(t, d); got != name {
		t.Fatalf("offered: %q", got)
	}
	f.write(name, "for Lin") // a copy that is under way
	if got := names(t, d); got != "" {
		t.Errorf("a broken file is offered: %q", got)
	}
	if _, _, err := d.Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a broken file is given out: %v", err)
	}
	f.write(name, "for Linux")
	if got := names(t, d); got != name {
		t.Errorf("the whole file is not offered again: %q", got)
	}
	// The same size at another time is looked at again.
	f.write(name, "for LINUX")
	if err := os.Chtimes(filepath.Join(f.path, name), time.Now(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := names(t, d); got != "" {
		t.Errorf("another file of the same size is offered: %q", got)
	}
}

// Promise: console-client
func TestAnotherFileOfTheSameSizeAndTimeIsNotGivenOut(t *testing.T) {
	t.Parallel()
	f, d := open(t)
	name := "svc_1.2.0_linux_amd64.tar.gz"
	f.release(name, "for Linux")
	_, content, err := d.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = content.Close() }()
	at := filepath.Join(f.path, name)
	info, err := os.Stat(at)
	if err != nil {
		t.Fatal(err)
	}
	f.write("other", "for LINUX")
	if err := os.Chtimes(filepath.Join(f.path, "other"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(f.path, "other"), at); err != nil {
		t.Skipf("a file that is open cannot be replaced here: %v", err)
	}
	if got := names(t, d); got != "" {
		t.Errorf("another file is offered: %q", got)
	}
	if _, _, err := d.Read(name); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another file is given out: %v", err)
	}
	if text, err := io.ReadAll(content); err != nil || string(text) != "for Linux" {
		t.Errorf("what was opened before is now %q (%v)", text, err)
	}
}

// Promise: console-client
func TestANewReleaseIsNoticed(t *testing.T) {
	t.Parallel()
	f, d := open(t)
	f.release("svc_1.2.0_linux_amd64.tar.gz", "old")
	if got := names(t, d); got != "svc_1.2.0_linux_amd64.tar.gz" {
		t.Fatalf("offered: %q", got)
	}
	// The folder is made anew, as a release does.
	if err := os.RemoveAll(f.path); err != nil {
		t.Fatal(err)
	}
	if _, err := d.List(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is gone: %v", err)
	}
	if err := os.Mkdir(f.path, 0o700); err != nil {
		t.Fatal(err)
	}
	f.sums = nil
	f.release("svc_1.3.0_linux_amd64.tar.gz", "new")
	if got := names(t, d); got != "svc_1.3.0_linux_amd64.tar.gz" {
		t.Errorf("offered: %q", got)
	}
}

func TestOnlyAFolderIsOne(t *testing.T) {
	t.Parallel()
	f, _ := open(t)
	f.write("file", "x")
	for _, path := range []string{filepath.Join(f.path, "missing"), filepath.Join(f.path, "file")} {
		if _, err := clientdir.Open(path); err == nil {
			t.Errorf("%s is taken for a folder of clients", path)
		}
	}
}
