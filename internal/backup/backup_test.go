package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	_ "modernc.org/sqlite" // to write rows by hand

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/backup"
	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

var moment = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// folder is a data folder with a few projects.
type folder struct {
	store *sqlite.Store
	blobs *fsblob.Store
	db    *sql.DB
	bytes map[string]string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir := t.TempDir()
	f := &folder{bytes: map[string]string{}}
	var err error
	if f.store, err = sqlite.Open(t.Context(), filepath.Join(dir, backup.Database)); err != nil {
		t.Fatal(err)
	}
	if f.blobs, err = fsblob.Open(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	if f.db, err = sql.Open("sqlite", filepath.Join(dir, backup.Database)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(f.db.Close(), f.store.Close(), f.blobs.Close()); err != nil {
			t.Error(err)
		}
	})
	f.run(t, `INSERT INTO accounts VALUES ('a', 'ada@example.com', 'hobby', '', 0, 1, 0)`)
	for n := range 3 {
		f.add(t, fmt.Sprintf("proj_%d", n), strings.Repeat("abc", 1000*n+1))
	}
	return f
}

func (f *folder) run(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := f.db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// add makes a project with a pack.
func (f *folder) add(t *testing.T, id, content string) {
	t.Helper()
	key := "packs/" + id
	w, err := f.blobs.Create(t.Context(), key)
	if err == nil {
		_, err = io.WriteString(w, content)
		err = errors.Join(err, w.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(content))
	f.run(t, `INSERT INTO projects VALUES ($1, 'a', 'n', 1, 2, 3, $2, 1, 2, $3, $4, '{}', '', 0, NULL, NULL)`, id, key, len(content), sum[:])
	f.bytes[key] = content
}

// remove takes a project away, and its pack with it, as the sweep would.
func (f *folder) remove(t *testing.T, id string) {
	t.Helper()
	f.run(t, `DELETE FROM projects WHERE id = $1`, id)
	if err := f.blobs.Delete(t.Context(), "packs/"+id); err != nil {
		t.Fatal(err)
	}
}

func open(ctx context.Context, path string) (backup.Copy, error) { return sqlite.Open(ctx, path) }

// write makes a backup; meanwhile runs once the records are copied.
func (f *folder) write(t *testing.T, meanwhile func()) ([]byte, backup.Summary, error) {
	t.Helper()
	hold, err := f.blobs.Hold()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := hold.Close(); err != nil {
			t.Error(err)
		}
	}()
	source := &backup.Source{
		Records: f.store, Hold: hold, Scratch: t.TempDir(), Program: "v1", Now: func() time.Time { return moment },
		OpenCopy: func(ctx context.Context, path string) (backup.Copy, error) {
			if meanwhile != nil {
				meanwhile()
			}
			return open(ctx, path)
		},
		Small:   fstest.MapFS{"tls/ca.pem": {Data: []byte("authority")}, "tls/.hidden": {Data: []byte("x")}, "other/a": {Data: []byte("x")}},
		Folders: []string{"tls", "missing"},
	}
	var out bytes.Buffer
	sum, err := source.Write(t.Context(), &out)
	return out.Bytes(), sum, err
}

// read unpacks a backup.
func read(t *testing.T, content []byte) (dir string, blobs *fsblob.Store, sum backup.Summary, err error) {
	t.Helper()
	dir = t.TempDir()
	if blobs, err = fsblob.Open(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	})
	target := &backup.Target{Dir: dir, OpenCopy: open, Blobs: blobs}
	sum, err = target.Read(t.Context(), bytes.NewReader(content))
	return dir, blobs, sum, err
}

// Promise: backup-consistent
func TestBackupHoldsOneMoment(t *testing.T) {
	f := newFolder(t)
	// What happens after the moment changes nothing, deletions least of all.
	content, wrote, err := f.write(t, func() {
		f.remove(t, "proj_1")
		f.add(t, "proj_late", "late")
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(f.bytes, "packs/proj_late")
	dir, blobs, sum, err := read(t, content)
	if err != nil || sum != wrote || sum.Blobs != 3 || !sum.CreatedAt.Equal(moment) {
		t.Fatalf("wrote %+v and read %+v (%v)", wrote, sum, err)
	}
	for key, want := range f.bytes {
		r, err := blobs.Open(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || string(got) != want {
			t.Errorf("%s is another one (%v)", key, err)
		}
	}
	if _, err := blobs.Open(t.Context(), "packs/proj_late"); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("something of a later moment is there (%v)", err)
	}
	if ca, err := os.ReadFile(filepath.Join(dir, "tls", "ca.pem")); err != nil || string(ca) != "authority" {
		t.Errorf("the authority is %q (%v)", ca, err)
	}
	for _, absent := range []string{"tls/.hidden", "other"} {
		if _, err := os.Stat(filepath.Join(dir, absent)); !os.IsNotExist(err) {
			t.Errorf("%s went along (%v)", absent, err)
		}
	}
}

// Promise: backup-verified
func TestNothingInABackupIsBelieved(t *testing.T) {
	f := newFolder(t)
	content, _, err := f.write(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	check := func(content []byte) error {
		dir, err := os.MkdirTemp(t.TempDir(), "") //nolint:usetesting // many in one test
		if err != nil {
			t.Fatal(err)
		}
		_, err = (&backup.Target{Dir: dir, OpenCopy: open}).Read(t.Context(), bytes.NewReader(content))
		return err
	}
	if err := check(content); err != nil {
		t.Fatal(err)
	}
	const padding = 1024 // at the end of a tar, which nobody needs
	for n := 0; n < len(content)-padding; n += max(1, len(content)/60) {
		if check(content[:n]) == nil {
			t.Errorf("a backup that ends after %d of %d bytes is accepted", n, len(content))
		}
	}
	target := &backup.Target{Dir: t.TempDir(), OpenCopy: func(ctx context.Context, path string) (backup.Copy, error) {
		records, err := open(ctx, path)
		return unsound{records}, err
	}}
	if _, err := target.Read(t.Context(), bytes.NewReader(content)); !errors.Is(err, errUnsound) {
		t.Errorf("a backup with records that contradict each other: %v", err)
	}
	// Every entry has the one name that it has to have.
	for at := range 5 {
		if err := check(renamed(t, content, at)); err == nil || !strings.Contains(err.Error(), "another-name") {
			t.Errorf("a backup with another name at %d: %v", at, err)
		}
	}
	// Data of entries begins at multiples of 512; what lies between an entry's end
	// and the next such place is padding, so only words of the contents are hit.
	for _, word := range []string{"SQLite format 3", "authority", "abcabcabc", `"archives"`, "proj_2"} {
		at := bytes.LastIndex(content, []byte(word))
		if at < 0 {
			t.Fatalf("there is no %q", word)
		}
		bad := bytes.Clone(content)
		bad[at] ^= 1
		if check(bad) == nil {
			t.Errorf("a backup with another %q is accepted", word)
		}
	}
}

// Promise: backup-verified
func TestDamagedFolderIsNamed(t *testing.T) {
	f := newFolder(t)
	w, err := f.blobs.Create(t.Context(), "packs/proj_1")
	if err == nil {
		_, err = io.WriteString(w, strings.Repeat("x", len(f.bytes["packs/proj_1"])))
		err = errors.Join(err, w.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.write(t, nil); err == nil || !strings.Contains(err.Error(), "proj_1") {
		t.Errorf("other bytes: %v", err)
	}
	if err := f.blobs.Delete(t.Context(), "packs/proj_1"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.write(t, nil); err == nil || !strings.Contains(err.Error(), "missing") {
		t.Errorf("no bytes: %v", err)
	}
}

// unsound are records that contradict each other.
type unsound struct{ backup.Copy }

var errUnsound = errors.New("a row has no owner")

func (unsound) Check(context.Context) error { return errUnsound }

// renamed gives one of the entries of a backup another name.
func renamed(t *testing.T, content []byte, which int) []byte {
	t.Helper()
	in, out := tar.NewReader(bytes.NewReader(content)), &bytes.Buffer{}
	w := tar.NewWriter(out)
	for i := 0; ; i++ {
		h, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if i == which {
			h.Name = "another-name"
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, in); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
