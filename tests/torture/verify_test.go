package torture

import (
	"crypto/sha256"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// rates are the published limits, for a rolling minute.
var rates = map[string]int{"repackage": 3, "download": 10}

// verify holds the data folder, after one sweep, against what was heard.
func (w *world) verify(t *testing.T, kill int) {
	t.Helper()
	w.heard.mu.Lock()
	defer w.heard.mu.Unlock()
	for _, p := range w.heard.problems {
		t.Errorf("kill %d: %s", kill, p)
	}
	w.sweepSoon(t)
	w.open(t, time.Now, func(store *sqlite.Store, blobs *fsblob.Store) {
		w.verifyStates(t, store)
		w.verifyArchives(t, store, blobs)
		w.verifyKeys(t, store)
		w.verifyWindows(t, store)
	})
	w.verifyRates(t)
	w.forgetOld()
}

// verifyStates: every announced bundle exists, and an acknowledged one stays so.
func (w *world) verifyStates(t *testing.T, store svc.Store) {
	t.Helper()
	for id, owner := range w.heard.bundles {
		b, err := store.Bundles().Get(t.Context(), owner, id)
		if err != nil {
			t.Errorf("bundle %s was announced: %v", id, err)
			continue
		}
		at, acknowledged := w.heard.acknowledged[id]
		if !acknowledged {
			continue
		}
		if got := b.DownloadedAt.Format("2006-01-02T15:04:05.000Z"); b.Status != svc.BundleDownloaded || got != at {
			t.Errorf("bundle %s was acknowledged at %s and is %s, %s", id, at, b.Status, got)
		}
	}
}

// verifyArchives: every pending bundle and every project has its intact bytes,
// no other bundle has any, and nothing lies there that the ledger does not know.
func (w *world) verifyArchives(t *testing.T, store svc.Store, blobs svc.Blobs) {
	t.Helper()
	files := w.blobFiles(t)
	for _, owner := range w.accounts {
		for _, b := range w.bundlesOf(t, store, owner.accountID) {
			key := "bundles/" + b.ID + ".zip"
			if b.Status != svc.BundlePending {
				if files[key] {
					t.Errorf("bundle %s is %s and still has its archive", b.ID, b.Status)
				}
				continue
			}
			w.intact(t, blobs, b.Blob, b.SHA256)
			delete(files, b.Blob)
		}
		p, err := store.Projects().Get(t.Context(), owner.accountID, owner.projectID)
		if err != nil {
			t.Errorf("project %s: %v", owner.projectID, err)
			continue
		}
		w.intact(t, blobs, p.Pack.Blob, p.Pack.SHA256)
		delete(files, p.Pack.Blob)
	}
	for _, known := range w.column(t, `SELECT key FROM blob_ledger`) {
		delete(files, known)
	}
	for key := range files {
		t.Errorf("the bytes of %s are known to nobody", key)
	}
}

func (w *world) intact(t *testing.T, blobs svc.Blobs, key string, want [sha256.Size]byte) {
	t.Helper()
	r, err := blobs.Open(t.Context(), key)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	defer func() { _ = r.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil || !slices.Equal(h.Sum(nil), want[:]) {
		t.Errorf("the bytes of %s are damaged (%v)", key, err)
	}
}

// verifyKeys: an account has no more bundles than idempotency keys were used,
// besides the one that came with its project.
func (w *world) verifyKeys(t *testing.T, store svc.Store) {
	t.Helper()
	used := map[string]int{}
	for k := range w.heard.keys {
		used[k.accountID]++
	}
	for _, a := range w.accounts {
		if got := len(w.bundlesOf(t, store, a.accountID)); got > used[a.accountID]+1 {
			t.Errorf("account %s used %d idempotency keys and has %d bundles", a.accountID, used[a.accountID], got)
		}
	}
}

// verifyWindows: every admission of the last minute that a client saw is still
// counted.
func (w *world) verifyWindows(t *testing.T, store svc.Store) {
	t.Helper()
	for at, spans := range w.heard.admitted {
		var remembered svc.Window
		err := store.Tx(t.Context(), func(r svc.Records) error {
			var err error
			remembered, err = r.Windows().Lock(t.Context(), at.accountID, svc.Operation(at.op))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		since, recent := time.Now().Add(-time.Minute), 0
		for _, s := range spans {
			if s.sent.After(since) {
				recent++
			}
		}
		counted := 0
		for _, admitted := range remembered.Admitted {
			if !admitted.Before(since.Truncate(time.Millisecond)) {
				counted++
			}
		}
		if counted < recent {
			t.Errorf("%s of %s: %d admissions were answered in the last minute, %d are remembered", at.op, at.accountID, recent, counted)
		}
	}
}

// verifyRates: no rolling minute admitted more than the limit. A request was
// admitted somewhere between being sent and answered, so only a certain excess
// counts.
func (w *world) verifyRates(t *testing.T) {
	t.Helper()
	for at, spans := range w.heard.admitted {
		limit := rates[at.op]
		slices.SortFunc(spans, func(a, b span) int { return a.answered.Compare(b.answered) })
		for i := limit; i < len(spans); i++ {
			earliest := spans[i].sent
			for _, s := range spans[i-limit : i] {
				if s.sent.Before(earliest) {
					earliest = s.sent
				}
			}
			if spans[i].answered.Sub(earliest) < time.Minute {
				t.Errorf("%s of %s: %d admitted within %s", at.op, at.accountID, limit+1, spans[i].answered.Sub(earliest))
			}
		}
	}
}

// forgetOld drops admissions that no check looks at any more.
func (w *world) forgetOld() {
	since := time.Now().Add(-2 * time.Minute)
	for at, spans := range w.heard.admitted {
		w.heard.admitted[at] = slices.DeleteFunc(spans, func(s span) bool { return s.answered.Before(since) })
	}
}

// verifyNothingLeftOver sweeps once more, when every intent of a killed server
// is over: then the folder holds what is pointed at and nothing else.
func (w *world) verifyNothingLeftOver(t *testing.T) {
	t.Helper()
	later := func() time.Time { return time.Now().Add(time.Hour) }
	w.open(t, later, func(store *sqlite.Store, blobs *fsblob.Store) {
		w.sweep(t, store, blobs)
		if left := w.column(t, `SELECT key FROM blob_ledger`); len(left) > 0 {
			t.Errorf("the ledger still has %v", left)
		}
		w.verifyArchives(t, store, blobs)
	})
}

func (w *world) bundlesOf(t *testing.T, store svc.Store, accountID string) (all []svc.Bundle) {
	t.Helper()
	q := svc.BundleQuery{AccountID: accountID, Limit: 100}
	for {
		page, err := store.Bundles().List(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, page...)
		if len(page) < q.Limit {
			return all
		}
		last := page[len(page)-1]
		q.After = &svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}
	}
}

// blobFiles lists the keys of what lies in the blob folder: files in its 256
// shelves, named after their keys with commas for slashes.
func (w *world) blobFiles(t *testing.T) map[string]bool {
	t.Helper()
	root := filepath.Join(w.data, "blobs")
	keys := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || e == nil || e.IsDir() {
			return nil
		}
		if shelf := filepath.Base(filepath.Dir(path)); len(shelf) == 2 {
			keys[strings.ReplaceAll(e.Name(), ",", "/")] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// column reads one column of text, for what no contract shows.
func (w *world) column(t *testing.T, query string) (values []string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(w.data, "svcd.db")+"?_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return values
}
