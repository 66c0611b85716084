//go:build unix

package migrate_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // to write rows by hand

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// source is a data folder with something in every table.
type source struct {
	path  string
	blobs *fsblob.Store
	bytes map[string][]byte // of the blobs that records point at
}

const (
	projects = 3
	bundles  = 4 // of each project; the first is acknowledged
)

func newSource(t *testing.T) *source {
	t.Helper()
	dir := t.TempDir()
	s := &source{path: filepath.Join(dir, "svcd.db"), bytes: map[string][]byte{}}
	store, err := sqlite.Open(t.Context(), s.path)
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if s.blobs, err = fsblob.Open(filepath.Join(dir, "blobs")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.blobs.Close(); err != nil {
			t.Error(err)
		}
	})
	s.fill(t)
	return s
}

func (s *source) fill(t *testing.T) {
	t.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		t.Fatal(err)
	}
	run := func(query string, args ...any) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	run(`INSERT INTO accounts VALUES ('a1', 'ada@example.com', 'hobby', '$argon2$', 1, 1000, 42), ('a2', 'bob@example.com', 'developer', '', 0, 2000, 0)`)
	run(`INSERT INTO api_keys VALUES ('aaaaaaaa', 'a1', 'laptop ü', x'00ff', 1000, NULL, NULL, NULL, NULL), ('bbbbbbbb', 'a2', 'old', x'0102', 1000, 1, 2, 3, '{"from":"x"}')`)
	for p := range projects {
		project := fmt.Sprintf("proj_%d", p)
		key, sum, size := s.put(t, fmt.Sprintf("packs/%d", p), 1000*(p+1))
		run(`INSERT INTO projects VALUES ($1, 'a1', 'n', 1, 2, 3, $2, 1, 2, $3, $4, '{"language":"go"}', $5, 6, NULL, '{"state":"s"}')`, project, key, size, sum, "me\x00mory")
		for b := range bundles {
			key, sum, size := s.put(t, fmt.Sprintf("bundles/%d-%d", p, b), 100*(b+1))
			id, status := fmt.Sprintf("bundle-%d-%d", p, b), "pending_download"
			if b == 0 {
				status = "downloaded"
				s.drop(t, key)
				key = ""
			}
			run(`INSERT INTO bundles VALUES ($1, 'a1', $2, 'g', $3, 1, $4, $5, $6, 10, 20, NULL, 30)`, id, project, status, size, sum, key)
			run(`INSERT INTO attestations VALUES ($1, '{"payload":""}')`, id)
		}
	}
	run(`INSERT INTO projects VALUES ('proj_empty', 'a2', 'n', 1, 2, 3, '', 0, 0, 0, x'', '{}', '', 0, NULL, NULL)`)
	run(`INSERT INTO bundle_tally VALUES (3, 'pending_download', 9, 1234)`)
	run(`INSERT INTO limit_windows VALUES ('a1', 'download', '[1,2,300000000000]'), ('a2', 'download', '[]')`)
	run(`INSERT INTO idempotencies VALUES ('a1', 's', 'k', x'01', 1, NULL, 200, '{}', x'7b7d', 5, 6), ('a1', 's', 'l', x'', 1, 7, NULL, NULL, NULL, NULL, 6)`)
	run(`INSERT INTO blob_ledger VALUES ('gone', 'garbage', 1), ('soon', 'intent', 2)`)
	run(`INSERT INTO jobs VALUES ('clean-up', 99, 0)`)
	run(`INSERT INTO runs VALUES ('gen_1', 'a1', 'proj_0', 'p', '{}', 'succeeded', 2, NULL, 0, NULL, 'bundle-0-1', NULL, '{"Model":"m"}', 7, 1, 1, 2, 3, NULL)`)
	run(`INSERT INTO runs VALUES ('gen_2', 'a1', 'proj_1', 'p', '{}', 'running', 1, 55, 1, 4, '', '{}', NULL, 0, 0, 1, 2, NULL, NULL)`)
	run(`INSERT INTO sessions VALUES (x'aa', 'a1', 'b', 1, 2, 3, 'n')`)
	run(`INSERT INTO links VALUES (x'bb', 'set_up', NULL, '', '', 1, 2, NULL)`)
	run(`INSERT INTO passkeys VALUES ('cGs', 'a1', 'phone ü', 'svc.example', '{"id":"cGs="}', 1, 2)`)
	run(`INSERT INTO challenges VALUES (x'cc', '{}', 3)`)
	run(`INSERT INTO identities VALUES ('https://login.example', 's-1', 'a1', 'ada@example.com', 1, NULL), ('https://login.example', 's-2', 'a2', 'bob@example.com', 1, 2)`)
	run(`INSERT INTO identity_attempts VALUES (x'cc', 'a1', '/console/', 3)`)
	run(`INSERT INTO guesses VALUES ('a', 1, 2)`)
	run(`INSERT INTO audit_log VALUES ('e1', 5, 'key_created', 'a1', 'ada@example.com', 'person', 'ada@example.com', '192.0.2.1', 'aaaaaaaa', 'laptop ü'),
		('e2', 6, 'data_exported', '', '', 'operator', 'root', 'host', 'everything', '')`)
	run(`INSERT INTO audit_horizon VALUES (1, 4)`)
	run(`INSERT INTO key_networks VALUES ('aaaaaaaa', '192.0.2.0/24', 5)`)
	run(`INSERT INTO certificate_files VALUES ('k', x'01', 5)`)
	run(`INSERT INTO certificate_locks VALUES ('n', 'h', 5)`)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// put stores a blob that a record is to point at.
func (s *source) put(t *testing.T, key string, size int) (_ string, sum []byte, _ int) {
	t.Helper()
	content := bytes.Repeat([]byte(key), size/len(key)+1)[:size]
	s.write(t, s.blobs, key, content)
	s.bytes[key] = content
	hash := sha256.Sum256(content)
	return key, hash[:], size
}

func (s *source) drop(t *testing.T, key string) {
	t.Helper()
	if err := s.blobs.Delete(t.Context(), key); err != nil {
		t.Fatal(err)
	}
	delete(s.bytes, key)
}

// acknowledge takes a bundle's archive away, as the service would.
func (s *source) acknowledge(t *testing.T, bundle, key string) {
	t.Helper()
	db, err := sql.Open("sqlite", s.path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `UPDATE bundles SET status = 'downloaded', blob = '' WHERE id = $1`, bundle); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s.drop(t, key)
}

func (*source) write(t *testing.T, to svc.Blobs, key string, content []byte) {
	t.Helper()
	w, err := to.Create(t.Context(), key)
	if err == nil {
		_, err = w.Write(content)
		err = errors.Join(err, w.Commit())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// dump opens the records for a move.
func (s *source) dump(t *testing.T) (d svc.Dump, closeAll func()) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), s.path)
	if err != nil {
		t.Fatal(err)
	}
	if d, err = store.Dump(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d, func() {
		if err := errors.Join(d.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	}
}
