package accounts_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func wantCode(t *testing.T, err error, code svc.Code, field string) {
	t.Helper()
	e, ok := errors.AsType[*svc.Error](err)
	if !ok || e.Code != code || e.Field != field {
		t.Fatalf("got %v, want %s for field %q", err, code, field)
	}
}

func TestNormalizeEmail(t *testing.T) {
	for in, want := range map[string]string{
		"ada@example.com":             "ada@example.com",
		" Ada.Lovelace@Example.COM\n": "ada.lovelace@example.com",
		"a+b@localhost":               "a+b@localhost",
	} {
		got, err := accounts.NormalizeEmail(in)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "ada", "@example.com", "ada@", "Ada <ada@example.com>", "a b@example.com", "a@b@c", "a\x00@b.c", strings.Repeat("a", 250) + "@b.cd"} {
		_, err := accounts.NormalizeEmail(in)
		wantCode(t, err, svc.CodeInvalidRequest, "email")
	}
}

func TestAnAddressHasOneAccountInWhateverCase(t *testing.T) {
	w := deliverytest.New(t)
	made := w.Account("ada@example.com")
	_, err := w.Accounts.Create(t.Context(), accounts.NewAccount{Email: "ADA@example.com", Plan: svc.PlanHobby})
	wantCode(t, err, svc.CodeInvalidRequest, "email")
	found, err := w.Accounts.ByEmail(t.Context(), " Ada@Example.com")
	must.Do(t, err)
	if diff := cmp.Diff(made, found); diff != "" {
		t.Errorf("(-made +found):\n%s", diff)
	}
}

func TestPlansAreThoseThatExist(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	wantCode(t, w.Accounts.SetPlan(t.Context(), a.ID, "gold"), svc.CodeInvalidRequest, "plan")
	_, err := w.Accounts.Create(t.Context(), accounts.NewAccount{Email: "b@example.com", Plan: ""})
	wantCode(t, err, svc.CodeInvalidRequest, "plan")
	must.Do(t, w.Accounts.SetPlan(t.Context(), a.ID, svc.PlanHobby))
	got, err := w.Accounts.Get(t.Context(), a.ID)
	must.Do(t, err)
	if got.Plan != svc.PlanHobby {
		t.Errorf("plan %s", got.Plan)
	}
	wantCode(t, w.Accounts.SetPlan(t.Context(), "acct_none", svc.PlanHobby), svc.CodeNotFound, "")
}

func TestAPasswordOpensItsAccountAndNothingElse(t *testing.T) {
	w := deliverytest.New(t)
	const password = "correct horse battery"
	made, err := w.Accounts.Create(t.Context(), accounts.NewAccount{Email: "ada@example.com", Plan: svc.PlanHobby, Password: password})
	must.Do(t, err)
	if !strings.HasPrefix(made.PasswordHash, "$argon2id$v=19$m=19456,t=2,p=1$") || strings.Contains(made.PasswordHash, password) {
		t.Errorf("kept as %q", made.PasswordHash)
	}
	w.Account("keys-only@example.com")
	got, err := w.Accounts.CheckPassword(t.Context(), "Ada@example.com", password)
	must.Do(t, err)
	if got.ID != made.ID {
		t.Errorf("got %s", got.ID)
	}
	var texts []string
	for _, try := range [][2]string{
		{"ada@example.com", "correct horse batterz"},
		{"ada@example.com", ""},
		{"ada@example.com", password + strings.Repeat("x", 2000)},
		{"bob@example.com", password},
		{"keys-only@example.com", password},
		{"no address", password},
	} {
		_, err := w.Accounts.CheckPassword(t.Context(), try[0], try[1])
		wantCode(t, err, svc.CodeNotFound, "")
		texts = append(texts, err.Error())
	}
	for _, text := range texts {
		if text != texts[0] {
			t.Errorf("%q tells more than %q", text, texts[0])
		}
	}
	must.Do(t, w.Accounts.SetPassword(t.Context(), made.ID, "another good one"))
	_, err = w.Accounts.CheckPassword(t.Context(), "ada@example.com", password)
	wantCode(t, err, svc.CodeNotFound, "")
	_, err = w.Accounts.CheckPassword(t.Context(), "ada@example.com", "another good one")
	must.Do(t, err)
}

func TestAShortOrHugePasswordIsRefused(t *testing.T) {
	w := deliverytest.New(t)
	for _, password := range []string{"short", strings.Repeat("x", 1025), "bad utf8 \xff\xff\xff\xff"} {
		_, err := w.Accounts.HashPassword(t.Context(), "ada@example.com", password)
		wantCode(t, err, svc.CodeInvalidRequest, "password")
	}
}

func TestDeletingAnAccountEndsItsKeysAndSweepsItsBytes(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	key := w.Key(a)
	p, b := w.Project(a, deliverytest.Files(map[string]string{"a.txt": "a"}))
	must.Do(t, w.Accounts.Delete(t.Context(), a.ID))
	_, err := w.Accounts.Authenticate(t.Context(), key, "")
	wantCode(t, err, svc.CodeInvalidAPIKey, "")
	_, err = w.Cleaner.Sweep(t.Context())
	must.Do(t, err)
	if w.HasBlob(p.Pack.Blob) || w.HasBlob(b.Blob) {
		t.Error("bytes of a deleted account are left")
	}
	wantCode(t, w.Accounts.Delete(t.Context(), a.ID), svc.CodeNotFound, "")
}

// Promise: key-hashed
func TestAKeyIsShownOnceAndKeptAsAHash(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	full, made, err := w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "  laptop "})
	must.Do(t, err)
	prefix, ok := svc.ParseKey(full)
	if !ok || prefix != made.Prefix || made.Name != "laptop" {
		t.Fatalf("%q %+v", full, made)
	}
	keys, err := w.Accounts.ListKeys(t.Context(), a.ID)
	must.Do(t, err)
	if diff := cmp.Diff([]svc.Key{made}, keys); diff != "" {
		t.Errorf("(-made +listed):\n%s", diff)
	}
	credential, err := w.Accounts.Authenticate(t.Context(), full, "")
	must.Do(t, err)
	if credential.Key.AccountID != a.ID || credential.Plan != a.Plan {
		t.Errorf("%+v", credential)
	}
}

func TestAKeyNeedsANameAnAccountAndAFuture(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	_, _, err := w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: " "})
	wantCode(t, err, svc.CodeInvalidRequest, "name")
	for _, steers := range []string{"a\x1b[2Jb", "a\nb", "a\u009bb", "a\x7fb", "a\u202eb", "a\u2028b", "a\xffb"} {
		_, _, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: steers})
		wantCode(t, err, svc.CodeInvalidRequest, "name")
	}
	_, _, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: strings.Repeat("n", 101)})
	wantCode(t, err, svc.CodeInvalidRequest, "name")
	_, _, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: "acct_none", Name: "n"})
	wantCode(t, err, svc.CodeNotFound, "")
	_, _, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "n", ExpiresAt: w.Clock.Now()})
	if svc.CodeOf(err) != svc.CodeInvalidRequest {
		t.Errorf("got %v", err)
	}
}

// Promise: key-revoked
func TestRevocationIsForGoodAndKeepsItsFirstTime(t *testing.T) {
	w := deliverytest.New(t)
	ada, bob := w.Account("ada@example.com"), w.Account("bob@example.com")
	full := w.Key(ada)
	prefix, _ := svc.ParseKey(full)
	wantCode(t, w.Accounts.RevokeOwnKey(t.Context(), bob.ID, prefix), svc.CodeNotFound, "")
	wantCode(t, w.Accounts.RevokeOwnKey(t.Context(), "", prefix), svc.CodeNotFound, "")
	_, err := w.Accounts.Authenticate(t.Context(), full, "")
	must.Do(t, err)
	must.Do(t, w.Accounts.RevokeOwnKey(t.Context(), ada.ID, prefix))
	first := w.Clock.Now()
	w.Clock.Advance(time.Hour)
	must.Do(t, w.Accounts.RevokeKey(t.Context(), prefix))
	keys, err := w.Accounts.ListKeys(t.Context(), ada.ID)
	must.Do(t, err)
	if len(keys) != 1 || !keys[0].RevokedAt.Equal(first) {
		t.Errorf("%+v", keys)
	}
	_, err = w.Accounts.Authenticate(t.Context(), full, "")
	wantCode(t, err, svc.CodeInvalidAPIKey, "")
	wantCode(t, w.Accounts.RevokeKey(t.Context(), "unknown0"), svc.CodeNotFound, "")
}

func TestKeyUseIsWrittenAtMostOnceAMinute(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	full := w.Key(a)
	lastUse := func() time.Time {
		t.Helper()
		_, err := w.Accounts.Authenticate(t.Context(), full, "")
		must.Do(t, err)
		must.Do(t, w.Accounts.WriteUses(t.Context()))
		keys, err := w.Accounts.ListKeys(t.Context(), a.ID)
		must.Do(t, err)
		return keys[0].LastUsedAt
	}
	first := lastUse()
	if !first.Equal(w.Clock.Now()) {
		t.Fatalf("noted %v", first)
	}
	w.Clock.Advance(59 * time.Second)
	if got := lastUse(); !got.Equal(first) {
		t.Errorf("written again after 59 s: %v", got)
	}
	w.Clock.Advance(time.Second)
	if got := lastUse(); !got.Equal(w.Clock.Now()) {
		t.Errorf("not written after a minute: %v", got)
	}
}

// touches counts what Run writes, without a database.
type touches struct {
	svc.Store
	keys *touchedKeys
}

type touchedKeys struct {
	svc.Keys
	key     svc.Key
	written atomic.Int64
}

func (t touches) Keys() svc.Keys { return t.keys }

func (t touches) Tx(_ context.Context, fn func(svc.Records) error) error { return fn(t) }

func (k *touchedKeys) Credential(context.Context, string) (svc.Credential, error) {
	return svc.Credential{Key: k.key}, nil
}

func (k *touchedKeys) Touch(context.Context, string, time.Time, time.Time) error {
	k.written.Add(1)
	return nil
}

func TestRunWritesUsesAsideAndOnceMoreAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full, key := svc.NewKey()
		store := touches{keys: &touchedKeys{key: key}}
		s := accounts.New(store, time.Now)
		ctx, stop := context.WithCancel(t.Context())
		over := make(chan struct{})
		go func() {
			s.Run(ctx, func(err error) { t.Error(err) })
			close(over)
		}()
		use := func() {
			if _, err := s.Authenticate(t.Context(), full, ""); err != nil {
				t.Error(err)
			}
		}
		use()
		use()
		if n := store.keys.written.Load(); n != 0 {
			t.Errorf("%d writes on the request", n)
		}
		time.Sleep(1500 * time.Millisecond)
		synctest.Wait()
		if n := store.keys.written.Load(); n != 1 {
			t.Errorf("%d writes, want both uses in one", n)
		}
		use()
		stop()
		<-over
		if n := store.keys.written.Load(); n != 2 {
			t.Errorf("%d writes after the end", n)
		}
	})
}
