package sqlite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func openFile(t testing.TB, path string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(t.Context(), path, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func openNew(t testing.TB) *Store { return openFile(t, filepath.Join(t.TempDir(), "svc.db")) }

// alter runs SQL on a database file, by hand.
func alter(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = db.ExecContext(t.Context(), query)
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	latest := func(t *testing.T) int {
		files, err := migrations.ReadDir("migrations")
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	tests := []struct {
		name string
		make func(t *testing.T, path string)
		want []string
	}{
		{"a newer schema", func(t *testing.T, path string) {
			openFile(t, path)
			alter(t, path, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9001, 1)`)
		}, []string{"9001", fmt.Sprintf("up to %d", latest(t)), "newer program"}},
		{"a file that is no database", func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("not a database\n"), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, []string{"no SQLite database", "another data folder"}},
		{"another program's database", func(t *testing.T, path string) {
			alter(t, path, `CREATE TABLE songs (title TEXT)`)
		}, []string{"another program", "another data folder"}},
		{"a folder that does not exist", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, []string{"no such file or directory"}},
		{"a folder in its place", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, []string{"unable to open"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x", "svc.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			test.make(t, path)
			before, _ := os.ReadFile(path)
			s, err := Open(t.Context(), path)
			if err == nil {
				_ = s.Close()
				t.Fatal("opened")
			}
			for _, want := range append(test.want, path) {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestFilesAreTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	openFile(t, filepath.Join(dir, "svc.db"))
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) < 3 {
		t.Errorf("%d files, want database, log and lock", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", e.Name(), info.Mode())
		}
	}
}

func TestPathIsTakenLiterally(t *testing.T) {
	path := filepath.Join(t.TempDir(), "100% a?b=c&d #1+2.db")
	openFile(t, path)
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestEveryCommitIsSynced(t *testing.T) {
	s := openNew(t)
	want := map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1"}
	err := s.write(t.Context(), func(c *conn) error {
		for pragma, value := range want {
			var got any
			if err := c.row("PRAGMA "+pragma, nil, []any{&got}); err != nil {
				return err
			}
			if fmt.Sprint(got) != value {
				t.Errorf("%s is %v, want %s", pragma, got, value)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
