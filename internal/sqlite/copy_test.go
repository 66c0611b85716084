package sqlite

import (
	"iter"
	"path/filepath"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
)

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

func TestSignInsAreForgotten(t *testing.T) {
	s := openNew(t)
	alter(t, s.path, `INSERT INTO accounts VALUES ('a', 'a', 'hobby', '', 0, 1, 0);
		INSERT INTO sessions VALUES (x'aa', 'a', 'b', 1, 2, 3); INSERT INTO links VALUES (x'bb', 'set_up', NULL, '', '', 1, 2, NULL)`)
	if err := s.ForgetSignIns(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int64
	if err := s.read(t.Context(), func(c *conn) error {
		return c.row(`SELECT (SELECT count(*) FROM sessions) + (SELECT count(*) FROM links)`, nil, []any{&left})
	}); err != nil || left != 0 {
		t.Errorf("%d are left (%v)", left, err)
	}
}

func TestCheckFindsRowsWithoutTheirOwner(t *testing.T) {
	s := openNew(t)
	alter(t, s.path, `PRAGMA foreign_keys = OFF; INSERT INTO api_keys VALUES ('aaaaaaaa', 'nobody', '', x'', 1, NULL, NULL, NULL)`)
	if err := s.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "api_keys") {
		t.Errorf("error %v", err)
	}
}
