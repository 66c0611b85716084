package sqlite

import (
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Promise: backup-consistent
func TestCopyIsOfTheMomentInWhichNobodyWrites(t *testing.T) {
	s := openNew(t)
	insert := func(id string) {
		t.Helper()
		if err := s.Accounts().Insert(t.Context(), svc.Account{ID: id, Email: id + "@example.com", Plan: svc.PlanHobby, CreatedAt: time.UnixMilli(1)}); err != nil {
			t.Fatal(err)
		}
	}
	insert("before")
	path := filepath.Join(t.TempDir(), "copy.db")
	other := openFile(t, s.path)
	late := make(chan error, 1)
	err := s.CopyTo(t.Context(), path, func(iter.Seq2[svc.BlobRef, error]) error {
		go func() { // waits until the moment is over
			late <- other.Accounts().Insert(t.Context(), svc.Account{ID: "late", Email: "late@example.com", Plan: svc.PlanHobby})
		}()
		return nil
	})
	if err := <-late; err != nil {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	copied := openFile(t, path)
	if err := copied.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := copied.Accounts().ByEmail(t.Context(), "before@example.com"); err != nil {
		t.Error(err)
	}
	if _, err := copied.Accounts().ByEmail(t.Context(), "late@example.com"); err == nil {
		t.Error("the copy has what came after its moment")
	}
	insert("after") // the source goes on
}

// Promise: restore-complete
func TestSignInsAreForgotten(t *testing.T) {
	s := openNew(t)
	alter(t, s.path, `INSERT INTO accounts VALUES ('a', 'a', 'hobby', '', 0, 1, 0);
		INSERT INTO sessions VALUES (x'aa', 'a', 'b', 1, 2, 3, 'n'); INSERT INTO links VALUES (x'bb', 'set_up', NULL, '', '', 1, 2, NULL);
		INSERT INTO identity_attempts VALUES (x'cc', '', '', 9)`)
	if err := s.ForgetSignIns(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int64
	if err := s.read(t.Context(), func(c *conn) error {
		return c.row(`SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM links) + (SELECT count(*) FROM identity_attempts)`, nil, []any{&left})
	}); err != nil || left != 0 {
		t.Errorf("%d are left (%v)", left, err)
	}
}

func TestNothingOfCertificatesIsLeftInTheFile(t *testing.T) {
	const former, current = "the key that was replaced", "the key of today"
	path := filepath.Join(t.TempDir(), "copy.db")
	s := openFile(t, path)
	alter(t, path, `INSERT INTO certificate_files VALUES ('old', CAST('`+strings.Repeat(former, 1000)+`' AS BLOB), 1);
		INSERT INTO accounts VALUES ('a', 'a', 'hobby', '', 0, 1, 0)`)
	alter(t, path, `DELETE FROM certificate_files; INSERT INTO certificate_files VALUES ('new', CAST('`+current+`' AS BLOB), 1);
		INSERT INTO certificate_locks VALUES ('n', 'h', 5)`)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{former, current} {
			if strings.Contains(string(content), secret) != want {
				t.Errorf("whether %s is there: want %v", secret, want)
			}
		}
		if err := RemoveCertificates(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	again := openFile(t, path)
	if err := again.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := again.Accounts().ByEmail(t.Context(), "a"); err != nil {
		t.Errorf("the account is gone, too: %v", err)
	}
	var left int64
	if err := again.read(t.Context(), func(c *conn) error {
		return c.row(`SELECT (SELECT count(*) FROM certificate_files) + (SELECT count(*) FROM certificate_locks)`, nil, []any{&left})
	}); err != nil || left != 0 {
		t.Errorf("%d rows are left (%v)", left, err)
	}
}

// Promise: backup-verified
func TestCheckFindsRowsWithoutTheirOwner(t *testing.T) {
	s := openNew(t)
	alter(t, s.path, `PRAGMA foreign_keys = OFF; INSERT INTO api_keys VALUES ('aaaaaaaa', 'nobody', '', x'', 1, NULL, NULL, NULL, NULL)`)
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "api_keys") {
		t.Errorf("error %v", err)
	}
}

func TestWhoHasSeenEnoughOfADumpIsShownNoMore(t *testing.T) {
	s := openNew(t)
	for _, id := range []string{"acct_1", "acct_2"} {
		if err := insertAccount(t, s, id); err != nil {
			t.Fatal(err)
		}
	}
	d, err := s.Dump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	shown := 0
	d.Rows(t.Context(), svc.Table{Name: "accounts", Columns: []string{"id"}})(func([]any, error) bool {
		shown++
		return false
	})
	if err := d.Close(); err != nil || shown != 1 {
		t.Errorf("%d rows were shown (%v)", shown, err)
	}
}
