package template

import (
	"strings"
	"testing"
)

func TestWhatIsLeftOutIsTold(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"an API for users with email and password":                                        {"password of users", "hashing"},
		"an API for doors with a constructor":                                             {"constructor of doors"},
		"an API for cats, dogs, birds, cows, pigs, goats, hens, ducks, owls and bees":     {"/owls", "/bees", "at most 8"},
		"an API for cats with aa, bb, cc, dd, ee, ff, gg, hh, ii, jj, kk and a long tail": {"jj of cats", "kk of cats", "tail of cats", "at most 10"},
	} {
		p, err := begin(prompt, constraints{})
		if err != nil {
			t.Fatal(err)
		}
		memory := memoryOf(p.spec, "", prompt, p.said)
		for _, part := range want {
			if !strings.Contains(p.reasons["resources"], part) || !strings.Contains(memory, part) {
				t.Errorf("%q: %q is not told:\n%s\n%s", prompt, part, p.reasons["resources"], memory)
			}
		}
	}
	for _, prompt := range []string{
		"an API for users with email and password authentication", "an API for users with an id and email", "password protected notes API", "a todo API",
	} {
		p, err := begin(prompt, constraints{})
		if err != nil {
			t.Fatal(err)
		}
		if len(p.left) > 0 || strings.Contains(p.said, "Left out") {
			t.Errorf("%q: %s", prompt, p.said)
		}
	}
}

func TestWhatIsLeftOutLaterIsTold(t *testing.T) {
	t.Parallel()
	base, err := begin("a user api in go", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := carryOn(base.spec, "add a phone and a password to users", constraints{})
	if err != nil || !strings.Contains(p.said, "Left out: password of users") || !strings.Contains(p.reasons["resources"], "password") {
		t.Errorf("said %q for %q, %v", p.said, p.reasons["resources"], err)
	}
	p, err = carryOn(base.spec, "add an endpoint for admins with a password", constraints{})
	if err != nil || !strings.Contains(p.said, "Left out: password of admins") {
		t.Errorf("said %q, %v", p.said, err)
	}
	if _, err = carryOn(base.spec, "add a password to users", constraints{}); err == nil || !strings.Contains(err.Error(), "hashing") {
		t.Errorf("error = %v", err)
	}
}
