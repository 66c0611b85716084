package storetest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testCertificateFiles(t *testing.T, db Database) {
	file := func(name, content string) svc.CertificateFile {
		return svc.CertificateFile{Name: name, Content: []byte(content), ChangedAt: noon}
	}

	db.run(t, "keeps every field, and the last content", func(t *testing.T, w *world) {
		files := w.CertificateFiles()
		fails(t, "unknown", svc.ErrNotFound)(files.Get(t.Context(), "certificates/a.key"))
		must.Do(t, files.Put(t.Context(), file("certificates/a.key", "first")))
		last := svc.CertificateFile{Name: "certificates/a.key", Content: []byte{0, 0xff, '\n'}, ChangedAt: noon.Add(time.Hour)}
		must.Do(t, files.Put(t.Context(), last))
		gives(t, "file", last)(w.another(t).CertificateFiles().Get(t.Context(), last.Name))
	})

	db.run(t, "lists and deletes by folder, and a folder is no beginning of a name", func(t *testing.T, w *world) {
		files := w.CertificateFiles()
		for _, name := range []string{"ca/b/2", "ca/b/1", "ca/bb", "ca.json", "ca/a", "ca0"} {
			must.Do(t, files.Put(t.Context(), file(name, name)))
		}
		list := func(folder string, want ...string) {
			t.Helper()
			gives(t, "below "+folder, want)(files.List(t.Context(), folder))
		}
		list("", "ca.json", "ca/a", "ca/b/1", "ca/b/2", "ca/bb", "ca0")
		list("ca", "ca/a", "ca/b/1", "ca/b/2", "ca/bb")
		list("ca/b", "ca/b/1", "ca/b/2")
		must.Do(t, files.Delete(t.Context(), "ca/b"))
		must.Do(t, files.Delete(t.Context(), "ca/b"))
		must.Do(t, files.Delete(t.Context(), "ca/a"))
		list("ca", "ca/bb")
		list("", "ca.json", "ca/bb", "ca0")
	})

	db.run(t, "has one owner of a lock until the lease is over", func(t *testing.T, w *world) {
		lock := func(owner string, now time.Time, want bool) {
			t.Helper()
			gives(t, "lock for "+owner, want)(w.CertificateFiles().Lock(t.Context(), "issue", owner, now, now.Add(time.Minute)))
		}
		lock("one", noon, true)
		lock("two", noon.Add(59*time.Second), false)
		prolong := func(owner string, lease time.Time, want bool) {
			t.Helper()
			gives(t, "prolonged for "+owner, want)(w.CertificateFiles().Prolong(t.Context(), "issue", owner, lease))
		}
		prolong("one", noon.Add(119*time.Second), true)
		prolong("two", noon.Add(time.Hour), false)
		lock("two", noon.Add(time.Minute), false)
		lock("two", noon.Add(119*time.Second), true) // the first was silent for too long
		must.Do(t, w.CertificateFiles().Unlock(t.Context(), "issue", "one"))
		prolong("one", noon.Add(time.Hour), false)
		lock("three", noon.Add(2*time.Minute), false) // who lost a lock cannot give it back
		lock("two", noon.Add(2*time.Minute), true)    // again
		must.Do(t, w.CertificateFiles().Unlock(t.Context(), "issue", "two"))
		prolong("two", noon.Add(time.Hour), false) // too late
		lock("three", noon.Add(2*time.Minute), true)
		gives(t, "another lock", true)(w.CertificateFiles().Lock(t.Context(), "other", "four", noon, noon.Add(time.Minute)))
	})

	db.run(t, "gives a lock to one of many at once", func(t *testing.T, w *world) {
		other := w.another(t)
		var winners atomic.Int64
		errs := make([]error, 8)
		together(len(errs), func(i int) {
			store := []svc.Store{w.Store, other}[i%2]
			var got bool
			got, errs[i] = store.CertificateFiles().Lock(t.Context(), "issue", string(rune('a'+i)), noon, noon.Add(time.Minute))
			if got {
				winners.Add(1)
			}
		})
		must.Do(t, errors.Join(errs...))
		wantSame(t, "owners", winners.Load(), int64(1))
	})
}
