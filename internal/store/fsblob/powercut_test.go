package fsblob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
)

// disk is what a power cut would leave of a folder: of a file the bytes it had
// when it was last synced, and of a folder the names. Files are told apart by
// themselves and not by their names, so that a rename takes nothing along.
type disk struct {
	t       *testing.T
	dir     string // the parent of the store's folder
	files   []savedFile
	folders map[string][]savedName // by path relative to dir
	synced  []string               // what was synced, in order: "file" or a folder's path
	before  func()                 // is called before a sync takes effect
	refuse  func(what string) bool // says whether a sync fails
}

type savedFile struct {
	info    fs.FileInfo
	content string
}

type savedName struct {
	name string
	info fs.FileInfo
}

// newDisk is a disk on which the parent of the store's folder is durable.
func newDisk(t *testing.T) *disk {
	t.Helper()
	return &disk{t: t, dir: t.TempDir(), folders: map[string][]savedName{}}
}

// open opens a store two folders deep, neither of which is there at first.
func (d *disk) open() *Store {
	d.t.Helper()
	s, err := open(filepath.Join(d.dir, "data", "blobs"), d.sync)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return s
}

var errRefused = errors.New("the disk refuses")

func (d *disk) sync(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	what := "file"
	if info.IsDir() {
		if what, err = filepath.Rel(d.dir, d.pathOf(f)); err != nil {
			return err
		}
	}
	if d.before != nil {
		d.before()
	}
	if d.refuse != nil && d.refuse(what) {
		return errRefused
	}
	d.synced = append(d.synced, what)
	if info.IsDir() {
		d.folders[what] = names(d.t, filepath.Join(d.dir, what))
		return nil
	}
	content, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	d.files = append(d.files, savedFile{info: info, content: string(content)})
	return err
}

// pathOf finds the path of an open folder: the name it was opened by may be
// relative to another.
func (d *disk) pathOf(f *os.File) string {
	d.t.Helper()
	open, err := f.Stat()
	if err != nil {
		d.t.Fatal(err)
	}
	found := ""
	err = filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil && os.SameFile(info, open) {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		d.t.Fatalf("%s was synced and is not in %s (%v)", f.Name(), d.dir, err)
	}
	return found
}

func names(t *testing.T, folder string) (found []savedName) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, savedName{name: e.Name(), info: info})
	}
	return found
}

// content is what is durable of a file: nothing, where it never was synced.
func (d *disk) content(info fs.FileInfo) (content string) {
	for _, f := range d.files {
		if os.SameFile(f.info, info) {
			content = f.content
		}
	}
	return content
}

// cut builds the folder that is found after a power cut and opens it. Every name
// that was not synced is lost, or, when namesSurvive, none: a file system may
// write a folder earlier than it is told to.
func (d *disk) cut(namesSurvive bool) *Store {
	d.t.Helper()
	after := d.t.TempDir()
	d.restore(after, ".", namesSurvive)
	s, err := open(filepath.Join(after, "data", "blobs"), func(*os.File) error { return nil })
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { _ = s.Close() })
	return s
}

func (d *disk) restore(after, folder string, namesSurvive bool) {
	d.t.Helper()
	left := d.folders[folder]
	if namesSurvive {
		left = names(d.t, filepath.Join(d.dir, folder))
	}
	for _, n := range left {
		path := filepath.Join(folder, n.name)
		var err error
		if n.info.IsDir() {
			err = os.Mkdir(filepath.Join(after, path), folderMode)
			d.restore(after, path, namesSurvive)
		} else {
			err = os.WriteFile(filepath.Join(after, path), []byte(d.content(n.info)), fileMode)
		}
		if err != nil {
			d.t.Fatal(err)
		}
	}
}

// read reads a blob; "" stands for one that is not there.
func read(t *testing.T, s *Store, key string) string {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	if errors.Is(err, svc.ErrNotFound) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, s *Store, key, content string) error {
	t.Helper()
	w, err := s.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	return w.Commit()
}

// Promise: blob-power-cut
func TestAPowerCutLosesNothingThatWasCommitted(t *testing.T) {
	content := strings.Repeat("bytes of a bundle ", 100_000)
	d := newDisk(t)
	s := d.open()
	if err := write(t, s, "bundles/a", content); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(t.Context(), "bundles/a", "bundles/b"); err != nil {
		t.Fatal(err)
	}
	after := d.cut(false)
	for _, key := range []string{"bundles/a", "bundles/b"} {
		if read(t, after, key) != content {
			t.Errorf("%s has %d of %d bytes after a power cut", key, len(read(t, after, key)), len(content))
		}
	}
	if err := s.Delete(t.Context(), "bundles/a"); err != nil {
		t.Fatal(err)
	}
	after = d.cut(false)
	if read(t, after, "bundles/a") != "" {
		t.Error("a power cut brings back what was deleted")
	}
	if read(t, after, "bundles/b") != content {
		t.Error("what was copied is lost with what was deleted")
	}
}

// Whatever a file system has written early, a blob is seen whole or not at all.
// Promise: blob-power-cut
func TestAPowerCutAtAnyMomentLeavesNoTornBlob(t *testing.T) {
	const old, fresh = "the bytes before", "the bytes after"
	d := newDisk(t)
	s := d.open()
	if err := write(t, s, "bundles/replaced", old); err != nil {
		t.Fatal(err)
	}
	cuts := 0
	d.before = func() {
		cuts++
		after := d.cut(true)
		if got := read(t, after, "bundles/replaced"); got != old && got != fresh {
			t.Errorf("cut %d: the blob that is replaced is %q", cuts, got)
		}
		if got := read(t, after, "bundles/copied"); got != "" && got != old && got != fresh {
			t.Errorf("cut %d: the blob that is copied is %q", cuts, got)
		}
	}
	if err := write(t, s, "bundles/replaced", fresh); err != nil {
		t.Fatal(err)
	}
	if err := s.Copy(t.Context(), "bundles/replaced", "bundles/copied"); err != nil {
		t.Fatal(err)
	}
	if cuts != 3 {
		t.Errorf("the power was cut %d times, want before each of three syncs", cuts)
	}
}

// Promise: blob-power-cut
func TestSyncsAreFewAndInOrder(t *testing.T) {
	d := newDisk(t)
	s := d.open()
	// Each folder that gained another one, from the outside in: the shards last.
	expectSyncs(t, d, ".", "data", "data/blobs")
	shard, _, err := locate("bundles/a")
	if err != nil {
		t.Fatal(err)
	}
	shard = filepath.Join("data", "blobs", shard)
	if err := write(t, s, "bundles/a", "a"); err != nil {
		t.Fatal(err)
	}
	expectSyncs(t, d, "file", shard)
	if err := s.Copy(t.Context(), "bundles/a", "bundles/a"); err != nil {
		t.Fatal(err)
	}
	expectSyncs(t, d, shard)
	for range 2 { // also where the blob is gone: its removal may not have been synced
		if err := s.Delete(t.Context(), "bundles/a"); err != nil {
			t.Fatal(err)
		}
		expectSyncs(t, d, shard)
	}
	d.open()
	expectSyncs(t, d) // nothing new was made
}

func expectSyncs(t *testing.T, d *disk, want ...string) {
	t.Helper()
	if strings.Join(d.synced, " ") != strings.Join(want, " ") {
		t.Errorf("synced %v, want %v", d.synced, want)
	}
	d.synced = nil
}

// A disk that does not keep what it was given must not be believed.
// Promise: blob-power-cut
func TestASyncThatFailsIsToldAndNothingIsClaimed(t *testing.T) {
	d := newDisk(t)
	s := d.open()
	if err := write(t, s, "bundles/old", "old"); err != nil {
		t.Fatal(err)
	}
	d.refuse = func(what string) bool { return what == "file" }
	if err := write(t, s, "bundles/new", "new"); !errors.Is(err, errRefused) {
		t.Errorf("a file that was not synced is committed: %v", err)
	}
	if read(t, s, "bundles/new") != "" {
		t.Error("a file that was not synced can be seen")
	}
	d.refuse = func(what string) bool { return what != "file" }
	if err := write(t, s, "bundles/new", "new"); !errors.Is(err, errRefused) {
		t.Errorf("a name that was not synced is committed: %v", err)
	}
	if err := s.Copy(t.Context(), "bundles/old", "bundles/copy"); !errors.Is(err, errRefused) {
		t.Errorf("a name that was not synced is copied: %v", err)
	}
	if err := s.Delete(t.Context(), "bundles/old"); !errors.Is(err, errRefused) {
		t.Errorf("a removal that was not synced is reported as done: %v", err)
	}
	// The sweep asks again, and only then forgets the blob.
	d.refuse = nil
	if err := s.Delete(t.Context(), "bundles/old"); err != nil {
		t.Fatal(err)
	}
	if read(t, d.cut(false), "bundles/old") != "" {
		t.Error("a power cut brings back what was deleted at the second try")
	}
}
