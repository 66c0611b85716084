package backup_test

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // to write rows by hand

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/backup"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// folder is a data folder with a few projects.
type folder struct {
	dir   datadir.Dir
	store *sqlite.Store
	blobs *fsblob.Store
	db    *sql.DB
	bytes map[string]string
}

func newFolder(t *testing.T) *folder {
	t.Helper()
	dir := datadir.Dir(t.TempDir())
	f := &folder{dir: dir, bytes: map[string]string{}}
	var err error
	if f.store, err = sqlite.Open(t.Context(), dir.Database()); err != nil {
		t.Fatal(err)
	}
	if f.blobs, err = fsblob.Open(dir.Blobs()); err != nil {
		t.Fatal(err)
	}
	if f.db, err = sql.Open("sqlite", dir.Database()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(f.db.Close(), f.store.Close(), f.blobs.Close()); err != nil {
			t.Error(err)
		}
	})
	for name, content := range map[string]string{"tls/ca.pem": "authority", "tls/.hidden": "x", "other/a": "x"} {
		path := dir.Path(name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
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

// atFirst calls a function before the first byte that is written, when the
// records are copied.
type atFirst struct {
	bytes.Buffer
	call func()
}

func (w *atFirst) Write(p []byte) (int, error) {
	if w.call != nil {
		w.call()
		w.call = nil
	}
	return w.Buffer.Write(p)
}

func noNote(context.Context, svc.Store, svc.AuditEntry) error { return nil }

// write makes a backup; meanwhile runs once the records are copied.
func (f *folder) write(t *testing.T, meanwhile func()) ([]byte, backup.Summary, error) {
	t.Helper()
	out := &atFirst{call: meanwhile}
	source := &backup.Folder{Dir: f.dir, Program: "v1", Note: noNote}
	sum, err := source.Write(t.Context(), out, "a test")
	return out.Bytes(), sum, err
}

// restore makes a data folder of a backup.
func restore(t *testing.T, content []byte) (dir datadir.Dir, blobs *fsblob.Store, sum backup.Summary, err error) {
	t.Helper()
	dir = datadir.Dir(t.TempDir())
	sum, err = backup.Restore(t.Context(), dir, bytes.NewReader(content), "a test", noNote)
	if err != nil {
		return dir, nil, sum, err
	}
	if blobs, err = fsblob.Open(dir.Blobs()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := blobs.Close(); err != nil {
			t.Error(err)
		}
	})
	return dir, blobs, sum, nil
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
	dir, blobs, sum, err := restore(t, content)
	if err != nil || sum != wrote || sum.Blobs != 3 {
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
	if ca, err := os.ReadFile(dir.Path("tls/ca.pem")); err != nil || string(ca) != "authority" {
		t.Errorf("the authority is %q (%v)", ca, err)
	}
	for _, absent := range []string{"tls/.hidden", "other"} {
		if _, err := os.Stat(dir.Path(absent)); !os.IsNotExist(err) {
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
		_, err := backup.Check(t.Context(), bytes.NewReader(content))
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
	if err := check(withRecords(t, content, `DELETE FROM accounts`)); err == nil || !strings.Contains(err.Error(), "a row of projects has lost its owner") {
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
	f.run(t, `DELETE FROM accounts`)
	f.run(t, `DELETE FROM projects WHERE id = 'proj_1'`)
	if _, _, err := f.write(t, nil); err == nil || !strings.Contains(err.Error(), "a row of projects has lost its owner") {
		t.Errorf("records that contradict each other: %v", err)
	}
}

// withRecords changes the records in a backup, and what the backup says of them.
func withRecords(t *testing.T, content []byte, query string) []byte {
	t.Helper()
	var head struct {
		Format    int              `json:"format"`
		CreatedAt time.Time        `json:"createdAt"`
		Program   string           `json:"program"`
		Files     []map[string]any `json:"files"`
	}
	database := filepath.Join(t.TempDir(), "svcd.db")
	rewritten(t, content, func(_ int, h *tar.Header, entry []byte) []byte {
		var err error
		switch h.Name {
		case "backup.json":
			err = json.Unmarshal(entry, &head)
		case "svcd.db":
			err = os.WriteFile(database, entry, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		return entry
	})
	db, err := sql.Open("sqlite", database)
	if err == nil {
		_, err = db.ExecContext(t.Context(), query)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	changed := must.Get(os.ReadFile(database))(t)
	sum := sha256.Sum256(changed)
	head.Files[0]["size"], head.Files[0]["sha256"] = len(changed), sum[:]
	return rewritten(t, content, func(_ int, h *tar.Header, entry []byte) []byte {
		switch h.Name {
		case "backup.json":
			return must.Get(json.Marshal(head))(t)
		case "svcd.db":
			return changed
		}
		return entry
	})
}

// renamed gives one of the entries of a backup another name.
func renamed(t *testing.T, content []byte, which int) []byte {
	t.Helper()
	return rewritten(t, content, func(i int, h *tar.Header, entry []byte) []byte {
		if i == which {
			h.Name = "another-name"
		}
		return entry
	})
}

// rewritten changes entries of a backup.
func rewritten(t *testing.T, content []byte, change func(i int, h *tar.Header, entry []byte) []byte) []byte {
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
		entry := change(i, h, must.Get(io.ReadAll(in))(t))
		h.Size = int64(len(entry))
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
