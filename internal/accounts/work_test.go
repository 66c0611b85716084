package accounts_test

import (
	"runtime"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

// The time of an answer would tell which addresses have an account. Clocks prove
// nothing on a busy machine, so what is measured is the memory that Argon2id
// fills: as many megabytes for an address that nobody has as for any other.
// Promise: sign-in-silent
func TestEveryRefusalCostsTheSameWork(t *testing.T) {
	s, _ := people(t)
	create(t, s, "ada@example.com")
	if _, err := s.Create(t.Context(), accounts.NewAccount{Email: "keys@example.com", Plan: svc.PlanHobby}); err != nil {
		t.Fatal(err)
	}
	const once, twice = 19 << 20, 2 * 19 << 20
	for _, address := range []string{"ada@example.com", "keys@example.com", "nobody@example.com", "no address", ""} {
		for name, password := range map[string]string{"wrong": "not the password", "empty": "", "long": string(make([]byte, 5000))} {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := s.CheckPassword(t.Context(), address, password)
			runtime.ReadMemStats(&after)
			if svc.CodeOf(err) != svc.CodeNotFound {
				t.Errorf("%q with a password that is %s: %v", address, name, err)
			}
			if work := after.TotalAlloc - before.TotalAlloc; work < once || work >= twice {
				t.Errorf("%q with a password that is %s took %d KiB of work", address, name, work>>10)
			}
		}
	}
}
