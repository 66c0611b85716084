package accounts_test

import (
	"errors"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Promise: password-rules
func TestAPasswordThatIsEasilyGuessedIsRefused(t *testing.T) {
	w := deliverytest.New(t)
	const email = "ada.lovelace@engines.example"
	for _, password := range []string{
		"          ", "aaaaaaaaaaaa", "abababababab", "password12", "Passw0rd!!", "P@ssw0rd2026", "passwordpassword",
		"qwertyuiop", "1234567890", "0987654321", "abcdefghij", "1q2w3e4r5t", "letmein123", "Welcome2026!", "iloveyou12",
		"adalovelace", "Lovelace12", "ada.lovelace@engines.example", "engines2026", "lovel4ce!!", "summer2026", "abc123abc123",
	} {
		_, err := w.Accounts.HashPassword(t.Context(), email, password)
		if svc.CodeOf(err) != svc.CodeInvalidRequest {
			t.Errorf("%q is taken (%v)", password, err)
		}
	}
	// Whoever repeats is told so: another word would not help.
	for _, password := range []string{"aaaaaaaaaaaa", "abababababab", "abcdabcdabcd", "a1!b a1!b a1!b"} {
		_, err := w.Accounts.HashPassword(t.Context(), email, password)
		e, ok := errors.AsType[*svc.Error](err)
		if few := ok && strings.Contains(e.Message+e.Hint, "repeats a few characters"); few != (password != "a1!b a1!b a1!b") {
			t.Errorf("%q: %v", password, err)
		}
	}
	for _, password := range []string{
		"correct horse battery", "vK8#mq2Zp!", "tuba-gravel-9", "8305718264", "sunshine and butterfly and winter", "Ærøskøbing 17", "Tr0ub4dor&3",
	} {
		if _, err := w.Accounts.HashPassword(t.Context(), email, password); err != nil {
			t.Errorf("%q is refused: %v", password, err)
		}
	}
}

// Promise: console-renames
func TestAnAccountHasAHundredUsableKeysAtMost(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	var last svc.Key
	for i := range 100 {
		var err error
		_, last, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "build"})
		if err != nil {
			t.Fatalf("key %d: %v", i+1, err)
		}
	}
	_, _, err := w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "build"})
	wantCode(t, err, svc.CodeInvalidRequest, "name")
	must.Do(t, w.Accounts.RevokeOwnKey(t.Context(), a.ID, last.Prefix))
	_, _, err = w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "build"})
	must.Do(t, err)
}

// Promise: console-renames
func TestAKeyIsRenamedByItsOwner(t *testing.T) {
	w := deliverytest.New(t)
	a, other := w.Account("ada@example.com"), w.Account("bob@example.com")
	_, k, err := w.Accounts.CreateKey(t.Context(), accounts.NewKey{AccountID: a.ID, Name: "build"})
	must.Do(t, err)
	must.Do(t, w.Accounts.RenameKey(t.Context(), a.ID, k.Prefix, " laptop "))
	wantCode(t, w.Accounts.RenameKey(t.Context(), a.ID, k.Prefix, "lap\u202etop"), svc.CodeInvalidRequest, "name")
	wantCode(t, w.Accounts.RenameKey(t.Context(), other.ID, k.Prefix, "mine"), svc.CodeNotFound, "")
	keys, err := w.Accounts.ListKeys(t.Context(), a.ID)
	must.Do(t, err)
	if len(keys) != 1 || keys[0].Name != "laptop" {
		t.Errorf("the keys are %v", keys)
	}
}
