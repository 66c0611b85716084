package generate_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

const bundle = "01890a5d-ac96-774b-bcce-b302099a8057"

// service answers each request with the next of its answers.
type service struct {
	answers []answer
	asked   []generate.Request
	keys    []string
}

// answer is an error of the request, or else the last event of its run. Without an
// event the events of the run were all told, and its record has the error.
type answer struct {
	err    error
	event  svc.Payload
	record client.Generation
}

func (s *service) Generate(_ context.Context, project, prompt string, constraints map[string]string, key string) (client.Generation, error) {
	s.asked = append(s.asked, generate.Request{ProjectID: project, Prompt: prompt, Constraints: constraints})
	s.keys = append(s.keys, key)
	return client.Generation{ID: strconv.Itoa(len(s.asked) - 1), ProjectID: "proj_x"}, s.answers[len(s.asked)-1].err
}

func (s *service) of(id string) answer {
	n, _ := strconv.Atoi(id)
	return s.answers[n]
}

func (s *service) Generation(_ context.Context, id string) (client.Generation, error) {
	return s.of(id).record, nil
}

func (s *service) Watch(ctx context.Context, id string, _ int64) iter.Seq2[svc.Event, error] {
	return func(yield func(svc.Event, error) bool) {
		if a := s.of(id); ctx.Err() != nil {
			yield(svc.Event{}, ctx.Err())
		} else if a.event == nil {
			yield(svc.Event{}, client.ErrStreamOver)
		} else {
			yield(svc.NewEvent(a.event))
		}
	}
}

// person sends one spec after the other.
type person struct {
	specs   []string
	queued  []string
	refused []*generate.Refusal
	shown   []svc.EventName
	see     func() error
}

var errNo = errors.New("no")

func (p *person) Queued(run client.Generation) { p.queued = append(p.queued, run.ID) }

func (p *person) Show(e svc.Event) error {
	p.shown = append(p.shown, e.Name)
	if p.see != nil {
		return p.see()
	}
	return nil
}

func (p *person) Review(_ context.Context, r *generate.Refusal) (string, error) {
	p.refused = append(p.refused, r)
	if len(p.specs) < len(p.refused) {
		return "", errNo
	}
	return p.specs[len(p.refused)-1], nil
}

func unreadable(s *svc.Suggestion) error {
	return &client.StatusError{Status: http.StatusUnprocessableEntity, Err: &svc.Error{Code: svc.CodeUnresolvable, Message: "Not read.", Suggestion: s}}
}

var (
	ready   = svc.BundleReadyEvent{BundleID: bundle}
	parrots = &svc.Suggestion{Spec: "api\nbook: title\n", NotUnderstood: []string{"parrots"}}
	mistake = &svc.Suggestion{Spec: "api\nbook: title\n"}
)

func do(ctx context.Context, s *service, q generate.Request, p *person) (generate.Result, error) {
	n := 0
	return generate.Do(ctx, s, q, func() string { n++; return "key" + strconv.Itoa(n) }, p)
}

// Promise: generate-unreadable
func TestASpecIsSentInPlaceOfWhatCannotBeRead(t *testing.T) {
	first := generate.Request{ProjectID: "proj_x", Prompt: "parrots", Constraints: map[string]string{"store": "sqlite"}}
	for name, refusal := range map[string]answer{
		"by the answer":       {err: unreadable(parrots)},
		"by the run":          {event: svc.ErrorEvent{Code: "CONSTRAINT_UNRESOLVABLE", Message: "Not read.", Suggestion: parrots}},
		"by the run's record": {record: client.Generation{Error: &svc.ErrorEvent{Code: "CONSTRAINT_UNRESOLVABLE", Message: "Not read.", Suggestion: parrots}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{answers: []answer{refusal, {err: unreadable(mistake)}, {event: ready}}}
			p := &person{specs: []string{"api\nwrong", "api\nright"}}
			made, err := do(t.Context(), s, first, p)
			if err != nil || made.BundleID != bundle {
				t.Fatalf("%+v, %v", made, err)
			}
			spec := func(text string) generate.Request {
				return generate.Request{ProjectID: "proj_x", Prompt: text, Constraints: map[string]string{"spec": text}}
			}
			want := []generate.Request{first, spec("api\nwrong"), spec("api\nright")}
			if diff := cmp.Diff(want, s.asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if keys := slices.Compact(slices.Clone(s.keys)); len(keys) != 3 {
				t.Errorf("the keys are %v", s.keys)
			}
			if r := p.refused[0]; r.Mistake() || r.Spec() != parrots.Spec || r.Message != "Not read." {
				t.Errorf("the first refusal is %+v", r)
			}
			if r := p.refused[1]; !r.Mistake() || r.Spec() != "api\nwrong" {
				t.Errorf("the second refusal is %+v", r)
			}
		})
	}
}

// A mistake is one in what the user gave, and a text of their own is corrected with the
// constraints beside it.
// Promise: generate-unreadable
func TestAMistakeIsCorrectedInTheUsersOwnText(t *testing.T) {
	first := generate.Request{Prompt: "api\nwrong", Constraints: map[string]string{"store": "sqlite"}}
	located := &client.StatusError{Status: http.StatusUnprocessableEntity, Err: &svc.Error{Code: svc.CodeUnresolvable, Message: "Line 2: wrong.", Suggestion: mistake}}
	s := &service{answers: []answer{{err: located}, {event: ready}}}
	p := &person{specs: []string{"api\nright"}}
	if _, err := do(t.Context(), s, first, p); err != nil {
		t.Fatal(err)
	}
	if r := p.refused[0]; !r.Mistake() || !r.LeavesOut() || r.Spec() != first.Prompt {
		t.Errorf("the refusal is %+v", r)
	}
	if diff := cmp.Diff(map[string]string{"store": "sqlite", "spec": "api\nright"}, s.asked[1].Constraints); diff != "" {
		t.Errorf("constraints (-want +got):\n%s", diff)
	}
	wrong := generate.Refusal{Request: generate.Request{Prompt: "a todo list API"}, Message: "The constraint store: no.", Suggestion: *mistake}
	if wrong.Mistake() || !wrong.LeavesOut() || wrong.Spec() != mistake.Spec {
		t.Errorf("a wrong constraint is %+v", wrong)
	}
}

func TestNobodyReviewsOtherErrors(t *testing.T) {
	outage := &client.NetworkError{}
	for name, tt := range map[string]struct {
		answer
		failed bool // with an error of the run
	}{
		"the network":              {answer: answer{err: outage}},
		"a refusal without a spec": {answer: answer{err: unreadable(nil)}},
		"a run that failed":        {answer: answer{event: svc.ErrorEvent{Code: "VALIDATION_FAILED"}}, failed: true},
		"a bundle without an id":   {answer: answer{event: svc.BundleReadyEvent{BundleID: "x"}}},
		"an error without a code":  {answer: answer{event: svc.ErrorEvent{}}},
		"a run without a bundle":   {answer: answer{record: client.Generation{Status: svc.RunCancelled}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &person{specs: []string{"api"}}
			made, err := do(t.Context(), &service{answers: []answer{tt.answer}}, generate.Request{Prompt: "x"}, p)
			if err == nil || made != (generate.Result{}) || len(p.refused) != 0 {
				t.Errorf("%+v, %v, %d reviews", made, err, len(p.refused))
			}
			if _, failed := errors.AsType[*generate.Failed](err); failed != tt.failed {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTheAnswerNoEndsIt(t *testing.T) {
	s := &service{answers: []answer{{err: unreadable(parrots)}}}
	if _, err := do(t.Context(), s, generate.Request{Prompt: "x"}, &person{}); !errors.Is(err, errNo) || len(s.asked) != 1 {
		t.Errorf("%v after %d requests", err, len(s.asked))
	}
}

func TestARunGoesOnWithoutItsViewer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := &person{see: func() error { cancel(); return ctx.Err() }}
	made, err := do(ctx, &service{answers: []answer{{event: ready}}}, generate.Request{Prompt: "x"}, p)
	if !errors.Is(err, context.Canceled) || made.Running != "0" {
		t.Errorf("%+v, %v", made, err)
	}
	made, err = do(ctx, &service{answers: []answer{{err: ctx.Err()}}}, generate.Request{Prompt: "x"}, p)
	if !errors.Is(err, context.Canceled) || made.Running != "" {
		t.Errorf("of a request that was not answered: %+v, %v", made, err)
	}
}
