package generation

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// refused checks the code of an error.
func refused(t *testing.T, err error, code svc.Code) {
	t.Helper()
	_ = refusal(t, err, code)
}

// refusal checks the code of an error and gives its details.
func refusal(t *testing.T, err error, code svc.Code) *svc.Error {
	t.Helper()
	e, found := errors.AsType[*svc.Error](err)
	if !found || e.Code != code {
		t.Fatalf("ended with %v, want %s", err, code)
	}
	if e.Message == "" {
		t.Errorf("%s says nothing to people", code)
	}
	return e
}

// Promise: plan-hobby
func TestHobbyWindow(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		hobby := h.newAccount("hobby@example.com", svc.PlanHobby)
		ask := func(project string) error {
			_, err := h.Start(t.Context(), Start{AccountID: hobby.ID, ProjectID: project, Prompt: "x", Encode: encodeID})
			return err
		}
		refused(t, ask("proj_none"), svc.CodeProjectNotFound) // opens no window
		time.Sleep(time.Hour)
		must.Do(t, ask(""))
		opened := time.Now()
		time.Sleep(5 * time.Hour)
		must.Do(t, ask(""))
		refused(t, ask("proj_none"), svc.CodeProjectNotFound) // takes no place
		time.Sleep(time.Hour + 300*time.Millisecond)
		must.Do(t, ask(""))
		for range 2 {
			e := refusal(t, ask(""), svc.CodePlanLimitReached)
			if want := 18 * time.Hour; e.RetryAfter != want {
				t.Errorf("Retry-After is %v, want %v", e.RetryAfter, want)
			}
		}
		// Another process, or this one after a restart, knows as much.
		_, err := New(h.config).Start(t.Context(), Start{AccountID: hobby.ID, Prompt: "x", Encode: encodeID})
		refused(t, err, svc.CodePlanLimitReached)
		// A rolling window would admit one now: the second run is a day old only later.
		time.Sleep(time.Until(opened.Add(24*time.Hour - time.Millisecond)))
		if e := refusal(t, ask(""), svc.CodePlanLimitReached); e.RetryAfter != time.Second {
			t.Errorf("Retry-After is %v, want 1s", e.RetryAfter)
		}
		time.Sleep(time.Millisecond)
		for range 3 {
			must.Do(t, ask(""))
		}
		refused(t, ask(""), svc.CodePlanLimitReached)
	})
}

// Promise: plan-hobby
func TestHobbyRunsCountHoweverTheyEnd(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.account = h.newAccount("hobby@example.com", svc.PlanHobby)
		for range 3 {
			run := h.start("", "x")
			_, err := h.Cancel(t.Context(), h.account.ID, run.ID)
			must.Do(t, err)
		}
		_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, Prompt: "x", Encode: encodeID})
		refused(t, err, svc.CodePlanLimitReached)
	})
}

// Promise: plan-uncapped
func TestOtherPlansHaveNoCap(t *testing.T) {
	inHouse(t, func(h *house) {
		h.limit(func(l *Limits) { l.QueueDepth, l.QueueShare = 1000, 1000 })
		h.account = h.newAccount("pro@example.com", svc.PlanArchitectPro)
		for range 10 {
			h.start("", "x")
		}
	})
}

// Promise: queue-limits
func TestQueueDepthAndShare(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.limit(func(l *Limits) { l.QueueDepth, l.QueueShare = 4, 3 })
		other := h.newAccount("other@example.com", svc.PlanDeveloper)
		ask := func(account svc.Account) error {
			_, err := h.Start(t.Context(), Start{AccountID: account.ID, Prompt: "x", Encode: encodeID})
			return err
		}
		for range 3 {
			must.Do(t, ask(h.account))
		}
		if e := refusal(t, ask(h.account), svc.CodeQueueFull); e.RetryAfter != unknownWait {
			t.Errorf("with nothing measured Retry-After is %v, want %v", e.RetryAfter, unknownWait)
		}
		must.Do(t, ask(other))
		refused(t, ask(other), svc.CodeQueueFull)
		if projects, err := h.Store.Projects().List(t.Context(), other.ID, nil, 10); err != nil || len(projects) != 1 {
			t.Errorf("a refused request leaves %d projects (%v), want 1", len(projects), err)
		}
	})
}

// The rate is that of the time since work began, not of the idle time before.
func TestRetryAfterIsMeasuredWhileThereIsWork(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.limit(func(l *Limits) { l.QueueDepth, l.QueueShare = 30, 30 })
		time.Sleep(time.Hour)
		for range 30 {
			h.start("", "x")
		}
		for range 10 { // one every four seconds
			now := time.Now()
			_, err := h.Store.Runs().Claim(t.Context(), now, now.Add(time.Hour), 1)
			must.Do(t, err)
			time.Sleep(4 * time.Second)
			h.start("", "x")
		}
		_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, Prompt: "x", Encode: encodeID})
		if e := refusal(t, err, svc.CodeQueueFull); e.RetryAfter != 4*time.Second {
			t.Errorf("Retry-After is %v, want 4s", e.RetryAfter)
		}
	})
}

// Promise: queue-limits
func TestDrainTime(t *testing.T) {
	for _, test := range []struct {
		places, drained int
		span, want      time.Duration
	}{
		{1, 0, 0, unknownWait},
		{1, 60, 10 * time.Minute, 10 * time.Second},
		{3, 60, 10 * time.Minute, 30 * time.Second},
		{1, 599, 10 * time.Minute, 2 * time.Second},
		{1, 6000, 10 * time.Minute, time.Second},
		{50, 1, 10 * time.Minute, longestWait},
		{1, 20, 40 * time.Second, 2 * time.Second},
		{1, 1, 0, time.Second},
	} {
		if got := drainTime(test.places, test.drained, test.span); got != test.want {
			t.Errorf("%d places at %d in %v take %v, want %v", test.places, test.drained, test.span, got, test.want)
		}
	}
}

// Promise: generation-idempotent
func TestIdempotentStart(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		ask := func(key, prompt, constraint string) (Started, error) {
			return h.Start(t.Context(), Start{
				AccountID: h.account.ID, Prompt: prompt, Key: key,
				Constraints: map[string]string{"language": constraint}, Encode: encodeID,
			})
		}
		first, err := ask("key", "x", "go")
		must.Do(t, err)
		time.Sleep(59 * time.Second)
		again, err := ask("key", "x", "go")
		must.Do(t, err)
		if !again.Replayed || string(again.Answer.Body) != string(first.Answer.Body) || first.Replayed {
			t.Errorf("answered %q, then %q (replayed: %t)", first.Answer.Body, again.Answer.Body, again.Replayed)
		}
		_, err = ask("key", "y", "go")
		refused(t, err, svc.CodeIdempotencyMismatch)
		_, err = ask("key", "x", "python")
		refused(t, err, svc.CodeIdempotencyMismatch)
		other, err := ask("other", "x", "go")
		must.Do(t, err)
		time.Sleep(time.Second) // the answer was kept a minute ago
		fresh, err := ask("key", "y", "go")
		must.Do(t, err)
		ids := map[string]bool{first.Run.ID: true, other.Run.ID: true, fresh.Run.ID: true}
		if runs, err := h.List(t.Context(), svc.RunQuery{AccountID: h.account.ID, Limit: 10}); err != nil || len(runs) != 3 || len(ids) != 3 {
			t.Errorf("there are %d runs (%v), want 3", len(runs), err)
		}
	})
}

func TestIdempotencyIsScopedToTheProject(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		project := h.start("", "x").ProjectID
		for _, p := range []string{"", project} {
			s, err := h.Start(t.Context(), Start{AccountID: h.account.ID, ProjectID: p, Prompt: "x", Key: "key", Encode: encodeID})
			must.Do(t, err)
			if s.Replayed {
				t.Errorf("the key of another scope is replayed for %q", p)
			}
		}
	})
}

// Promise: generation-idempotent
func TestReplayNeedsNoPlaceInTheQueue(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.limit(func(l *Limits) { l.QueueDepth = 1 })
		ask := func(key string) error {
			_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, Prompt: "x", Key: key, Encode: encodeID})
			return err
		}
		must.Do(t, ask("a"))
		must.Do(t, ask("a"))
		refused(t, ask("b"), svc.CodeQueueFull) // and this is not kept:
		h.limit(func(l *Limits) { l.QueueDepth = 2 })
		must.Do(t, ask("b"))
	})
}

func TestStartRefusesWhatCannotBe(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		many := map[string]string{}
		for i := range maxConstraints + 1 {
			many[fmt.Sprint(i)] = "x"
		}
		for name, test := range map[string]struct {
			prompt      string
			constraints map[string]string
			field       string
		}{
			"no prompt":            {"", nil, "prompt"},
			"a blank prompt":       {" \n", nil, "prompt"},
			"too long a prompt":    {strings.Repeat("é", maxPrompt+1), nil, "prompt"},
			"a nameless one":       {"x", map[string]string{"": "x"}, "constraints"},
			"too long a value":     {"x", map[string]string{"a": strings.Repeat("x", maxConstraint+1)}, "constraints"},
			"too long a spec":      {"x", map[string]string{"spec": strings.Repeat("x", maxSpec+1)}, "constraints"},
			"too many constraints": {"x", many, "constraints"},
		} {
			_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, Prompt: test.prompt, Constraints: test.constraints, Encode: encodeID})
			if e := refusal(t, err, svc.CodeInvalidRequest); e.Field != test.field {
				t.Errorf("%s: the field is %q, want %q", name, e.Field, test.field)
			}
		}
		h.start("", strings.Repeat("é", maxPrompt))
		_, err := h.Start(t.Context(), Start{
			AccountID: h.account.ID, Prompt: "x", Constraints: map[string]string{"spec": strings.Repeat("x", maxSpec)}, Encode: encodeID,
		})
		must.Do(t, err)
	})
}

func TestStorageLimit(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.limit(func(l *Limits) { l.PendingBytes = 0 })
		_, err := h.Start(t.Context(), Start{AccountID: h.account.ID, Prompt: "x", Encode: encodeID})
		if e := refusal(t, err, svc.CodeStorageLimitReached); e.RetryAfter <= 0 {
			t.Error("there is no Retry-After")
		}
	})
}

func TestOthersHaveNoRuns(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		run := h.start("", "x")
		other := h.newAccount("other@example.com", svc.PlanDeveloper)
		for _, id := range []string{run.ID, "gen_none", "nothing", "", "gen_*", "gen_" + strings.Repeat("a", 60)} {
			_, err := h.Get(t.Context(), other.ID, id)
			refused(t, err, svc.CodeGenerationNotFound)
			_, err = h.Cancel(t.Context(), other.ID, id)
			refused(t, err, svc.CodeGenerationNotFound)
			_, err = h.Watch(t.Context(), other.ID, id, 0)
			refused(t, err, svc.CodeGenerationNotFound)
		}
	})
}

func TestNameFrom(t *testing.T) {
	for prompt, want := range map[string]string{
		"  make a\tshop \nwith pay":                             "Shop",
		"Please build me a REST API in Go for books with title": "REST API in Go for books",
		"hi":                                   "Hi",
		"a":                                    "A",
		"Landing page for Luigi's, a pizzeria": "Landing page for Luigi's",
		"…":                                    "…",
		strings.Repeat("word ", 30):            "Word word word word word word word word…",
		strings.Repeat("é", 61):                "É" + strings.Repeat("é", 39) + "…",
	} {
		if got := nameFrom(prompt); got != want {
			t.Errorf("%.20q… is named %q, want %q", prompt, got, want)
		}
	}
}
