package sqlite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
)

func insertKey(t *testing.T, s *Store, prefix, accountID string) {
	t.Helper()
	k := svc.Key{Prefix: prefix, AccountID: accountID, CreatedAt: time.UnixMilli(1).UTC()}
	if err := s.Keys().Insert(t.Context(), k); err != nil {
		t.Fatal(err)
	}
}

// Whoever commits, this process or another, and however often a pair is asked
// about in between: every answer is what the tables say at that moment.
func TestRememberedAnswersAreNeverOld(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	stores := []*Store{openFile(t, path), openFile(t, path)}
	if err := insertAccount(t, stores[0], "acct_1"); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var prefixes []string
	for i := range 400 {
		if len(prefixes) == 0 || random.IntN(8) == 0 {
			prefix := fmt.Sprintf("key%05d", i)
			insertKey(t, stores[random.IntN(2)], prefix, "acct_1")
			prefixes = append(prefixes, prefix)
		}
		prefix := prefixes[random.IntN(len(prefixes))]
		if random.IntN(3) == 0 {
			at := time.UnixMilli(int64(1000 + i)).UTC()
			if err := stores[random.IntN(2)].Keys().Touch(t.Context(), prefix, at, at); err != nil {
				t.Fatal(err)
			}
		}
		if random.IntN(20) == 0 {
			if err := stores[random.IntN(2)].Keys().Revoke(t.Context(), prefix, time.UnixMilli(int64(i)).UTC()); err != nil {
				t.Fatal(err)
			}
		}
		want, err := stores[0].Keys().Credential(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range stores {
			for range 1 + random.IntN(4) {
				got, _, err := s.Keys().CredentialAndBundle(t.Context(), prefix, "none")
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("step %d (-tables +answer):\n%s", i, diff)
				}
			}
		}
	}
}

// The memo is what answers the third question, and what it holds ends with the
// next commit of anybody.
func TestThirdQuestionIsAnsweredFromMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "svc.db")
	s, other := openFile(t, path), openFile(t, path)
	if err := insertAccount(t, s, "acct_1"); err != nil {
		t.Fatal(err)
	}
	insertKey(t, s, "key00001", "acct_1")
	pair := keyAndBundle{"key00001", "none"}
	ask := func() (name string) {
		t.Helper()
		err := s.read(t.Context(), func(c *conn) error {
			found, err := c.credentialWithBundle(pair)
			if known := c.memo.answers[pair]; known != nil {
				known.cred.Key.Name = "from memory" // seen only if it is used
			}
			name = found.cred.Key.Name
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	var names []string
	for range 4 {
		names = append(names, ask())
	}
	if err := insertAccount(t, other, "acct_2"); err != nil {
		t.Fatal(err)
	}
	names = append(names, ask(), ask())
	want := []string{"", "", "from memory", "from memory", "", "from memory"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestMemoStaysSmall(t *testing.T) {
	s := openNew(t)
	if err := insertAccount(t, s, "acct_1"); err != nil {
		t.Fatal(err)
	}
	insertKey(t, s, "key00001", "acct_1")
	for i := range 3 * memoSize {
		if _, _, err := s.Keys().CredentialAndBundle(t.Context(), "key00001", fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	err := s.read(t.Context(), func(c *conn) error {
		if n := len(c.memo.answers); n == 0 || n > memoSize {
			t.Errorf("%d pairs are remembered", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
