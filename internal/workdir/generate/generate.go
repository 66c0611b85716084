// Package generate starts runs of generations and follows them to their ends.
//
// The default engine makes projects from specs, and answers a request that it cannot
// read with a spec that it can. A [Person] decides about that spec, and the run is
// started with what they send instead. The commands of svc and the tools for agents
// share this package; it prints nothing and reads no flags.
package generate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"regexp"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
)

// Service is what this package needs of a [client.Client].
type Service interface {
	Generate(ctx context.Context, projectID, prompt string, constraints map[string]string, idempotencyKey string) (client.Generation, error)
	Generation(ctx context.Context, id string) (client.Generation, error)
	Watch(ctx context.Context, id string, after int64) iter.Seq2[svc.Event, error]
}

// Request asks for a run.
type Request struct {
	ProjectID   string // empty: a new project
	Prompt      string
	Constraints map[string]string
	// Spec reports that the prompt was written as a spec. It goes along as the
	// constraint spec as well, so that it is read as one in spite of a mistake.
	Spec bool
}

// Person answers for whoever asked for the run.
type Person interface {
	// Queued is called for each run that the service accepts.
	Queued(run client.Generation)
	// Show is called for each event of a run. Its error ends [Do].
	Show(e svc.Event) error
	// Review returns the spec to send in place of a refused request. Its error ends [Do].
	Review(ctx context.Context, refused *Refusal) (spec string, err error)
}

// Refusal is the error of a request that the engine cannot read.
type Refusal struct {
	Request    Request
	Message    string         // why
	Suggestion svc.Suggestion // what can be sent instead; its Spec may be empty
	Err        error          // of the request, or of its run
}

// Error returns the text of Err.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap returns Err.
func (r *Refusal) Unwrap() error { return r.Err }

// LeavesOut reports that the request was no English: a constraint, a spec or a line of
// change in it is wrong, and the suggestion lacks what the user gave there.
func (r *Refusal) LeavesOut() bool {
	return len(r.Suggestion.Understood)+len(r.Suggestion.NotUnderstood) == 0
}

var atLine = regexp.MustCompile(`^[Ll]ine \d+:`)

// Mistake reports that the request was a spec with a mistake in it. Spec is then the
// text to correct, for the suggestion lacks the mistake.
func (r *Refusal) Mistake() bool {
	return r.LeavesOut() && (r.Request.Spec || atLine.MatchString(r.Message))
}

// Spec returns the spec to review: the suggestion, or the text with the mistake.
func (r *Refusal) Spec() string {
	if r.Mistake() {
		return r.Request.Prompt
	}
	return r.Suggestion.Spec
}

// Failed is the error of a run that ended without a bundle.
type Failed struct{ svc.ErrorEvent }

// Error returns the code and the message of the run.
func (e *Failed) Error() string {
	text := fmt.Sprintf("the run ended with %s: %s", e.Code, e.Message)
	if e.Retryable {
		text += "; it may work if you try again"
	}
	return text
}

// refusal returns the [Refusal] that an error is, or the error.
func refusal(q Request, err error) error {
	if answer, ok := errors.AsType[*client.StatusError](err); ok && answer.Err.Code == svc.CodeUnresolvable {
		return refusalOf(q, answer.Err.Message, answer.Err.Suggestion, err)
	}
	if failed, ok := errors.AsType[*Failed](err); ok && failed.Code == string(svc.CodeUnresolvable) {
		return refusalOf(q, failed.Message, failed.Suggestion, err)
	}
	return err
}

func refusalOf(q Request, message string, s *svc.Suggestion, err error) *Refusal {
	r := &Refusal{Request: q, Message: message, Err: err}
	if s != nil {
		r.Suggestion = *s
	}
	return r
}

// Start asks for a run. The error is a [Refusal] for a request that cannot be read.
func Start(ctx context.Context, s Service, q Request, key string) (client.Generation, error) {
	constraints := q.Constraints
	if q.Spec {
		constraints = maps.Clone(q.Constraints)
		if constraints == nil {
			constraints = map[string]string{}
		}
		constraints["spec"] = q.Prompt
	}
	run, err := s.Generate(ctx, q.ProjectID, q.Prompt, constraints, key)
	if err != nil {
		return client.Generation{}, refusal(q, err)
	}
	return run, nil
}

// Outcome is what came of a run that succeeded.
type Outcome struct {
	BundleID string
	// Record is that of a run whose events were all told before; else nil.
	Record *client.Generation
}

// Follow shows the events of a run until its end. The error of a run that ended
// without a bundle is a [Failed], in a [Refusal] without a request if the engine could
// not read that.
func Follow(ctx context.Context, s Service, id string, show func(svc.Event) error) (Outcome, error) {
	made, err := follow(ctx, s, id, show)
	return made, refusal(Request{}, err)
}

func follow(ctx context.Context, s Service, id string, show func(svc.Event) error) (Outcome, error) {
	for e, err := range s.Watch(ctx, id, 0) {
		if errors.Is(err, client.ErrStreamOver) {
			return recorded(ctx, s, id)
		}
		if err == nil {
			err = show(e)
		}
		if err != nil {
			return Outcome{}, err
		}
		if e.Name.Terminal() {
			return ending(e)
		}
	}
	return Outcome{}, errors.New("the stream ended without an outcome")
}

// ending reads the last event of a run.
func ending(e svc.Event) (Outcome, error) {
	if e.Name == svc.EventError {
		var failed Failed
		if err := json.Unmarshal(e.Data, &failed.ErrorEvent); err != nil {
			return Outcome{}, err
		}
		if failed.Code == "" {
			return Outcome{}, fmt.Errorf("the run ended with an error that does not say which: %.200s", e.Data)
		}
		return Outcome{}, &failed
	}
	var ready svc.BundleReadyEvent
	if err := json.Unmarshal(e.Data, &ready); err != nil {
		return Outcome{}, err
	}
	if !svc.ValidBundleID(ready.BundleID) {
		return Outcome{}, fmt.Errorf("the run ended with a bundle whose id is none: %q", ready.BundleID)
	}
	return Outcome{BundleID: ready.BundleID}, nil
}

// recorded reads the outcome of a run in its record.
func recorded(ctx context.Context, s Service, id string) (Outcome, error) {
	run, err := s.Generation(ctx, id)
	switch {
	case err != nil:
		return Outcome{}, err
	case run.Error != nil:
		return Outcome{}, &Failed{*run.Error}
	case run.BundleID == "":
		return Outcome{}, fmt.Errorf("the run is %s and has no bundle", run.Status)
	}
	return Outcome{BundleID: run.BundleID, Record: &run}, nil
}

// Result is what came of a request.
type Result struct {
	Outcome
	// Running is the run that goes on although Do has ended, because its context did.
	Running string
}

// Do starts a run and follows it to its end. Where the engine cannot read the request
// the person reviews a spec, which is sent in its place.
func Do(ctx context.Context, s Service, q Request, newKey func() string, p Person) (Result, error) {
	for {
		run, err := Start(ctx, s, q, newKey())
		if err == nil {
			p.Queued(run)
			var made Outcome
			if made, err = Follow(ctx, s, run.ID, p.Show); err == nil {
				return Result{Outcome: made}, nil
			}
		}
		refused, ok := errors.AsType[*Refusal](err)
		if ok {
			refused.Request = q
		}
		if !ok || refused.Spec() == "" {
			result := Result{}
			if ctx.Err() != nil {
				result.Running = run.ID
			}
			return result, err
		}
		text, err := p.Review(ctx, refused)
		if err != nil {
			return Result{}, err
		}
		// A suggestion has the constraints in it, and they would win over what the
		// person changes.
		if !refused.Mistake() {
			q.Constraints = nil
		}
		q.Prompt, q.Spec = text, true
	}
}
