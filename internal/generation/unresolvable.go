package generation

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/validate"
)

// The bounds of a suggestion. With them an error event fits in one message of the log.
const (
	maxParts = 100 // understood, and not
	maxPart  = 200 // bytes of each
)

// unresolvable returns CodeUnresolvable for a request that no worker can read, and nil
// for one that is to be accepted. This process decides only while every live worker
// plays the same engine and it has the reader of that engine; else a worker decides,
// as it does for a project that is not found, or whose first run has not ended. A
// request that can be read costs no question about workers.
func (s *Service) unresolvable(ctx context.Context, q Start) (*svc.Error, error) {
	if len(s.Readers) == 0 {
		return nil, nil
	}
	state, known, err := s.stateFor(ctx, q)
	if err != nil || !known {
		return nil, err
	}
	refusals := make(map[string]*engine.Error)
	for name, reader := range s.Readers {
		e, ok := errors.AsType[*engine.Error](reader.Check(q.Prompt, q.Constraints, state))
		if ok && e.Code == engine.CodeConstraintUnresolvable {
			refusals[name] = e
		}
	}
	if len(refusals) == 0 {
		return nil, nil
	}
	engines, err := s.Engines(ctx)
	if err != nil {
		return nil, err
	}
	if len(engines) != 1 || refusals[engines[0]] == nil {
		return nil, nil
	}
	return refusalOf(refusals[engines[0]]), nil
}

// Engines returns the names of the engines that the live workers play, sorted.
func (s *Service) Engines(ctx context.Context) ([]string, error) {
	now, err := s.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	engines, err := s.Store.Workers().Engines(ctx, now)
	if err != nil {
		return nil, fmt.Errorf("find the engines of the workers: %w", err)
	}
	return engines, nil
}

// stateFor returns the state that a request builds on: none of a new project, or of one
// that was imported or whose runs have all failed. It is not known of a project that is
// not there, or that has none while a run of it goes on.
func (s *Service) stateFor(ctx context.Context, q Start) (state map[string]string, known bool, err error) {
	switch {
	case q.ProjectID == "":
		return nil, true, nil
	case !svc.ValidProjectID(q.ProjectID):
		return nil, false, nil
	}
	p, err := s.Store.Projects().Get(ctx, q.AccountID, q.ProjectID)
	active := false
	if err == nil && len(p.State) == 0 {
		if _, active, err = pack.ActiveRun(ctx, s.Store, q.AccountID, q.ProjectID); err == nil {
			p, err = s.Store.Projects().Get(ctx, q.AccountID, q.ProjectID) // a run may have ended in between
		}
	}
	if errors.Is(err, svc.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read project %s: %w", q.ProjectID, err)
	}
	return p.State, len(p.State) > 0 || !active, nil
}

// refusalOf is the answer to a request that an engine cannot read.
func refusalOf(e *engine.Error) *svc.Error {
	refusal := &svc.Error{
		Code: svc.CodeUnresolvable, Message: validate.Cut(e.Message, maxMessage), Suggestion: suggestionOf(e),
		Hint: "Change the request, then send it again. Nothing was started and nothing was counted.",
	}
	switch s := refusal.Suggestion; {
	case s == nil || s.Spec == "":
	case s.Unchanged:
		refusal.Hint = "Edit suggestion.spec, which is the present spec of the project, then send it as the prompt. Nothing was started and nothing was counted."
	default:
		refusal.Hint = "Correct suggestion.spec where it is not what you want, then send it as the prompt. Nothing was started and nothing was counted."
	}
	return refusal
}

// suggestionOf returns the suggestion of an engine within its bounds. A spec that could
// not be sent as a prompt is left out.
func suggestionOf(e *engine.Error) *svc.Suggestion {
	if e.Suggestion == nil || e.Code != engine.CodeConstraintUnresolvable {
		return nil
	}
	s := &svc.Suggestion{
		Spec: e.Suggestion.Spec, Unchanged: e.Suggestion.Unchanged, Understood: parts(e.Suggestion.Understood), NotUnderstood: parts(e.Suggestion.NotUnderstood),
	}
	if !storable(s.Spec) || utf8.RuneCountInString(s.Spec) > maxPrompt {
		s.Spec = ""
	}
	return s
}

func parts(all []string) []string {
	out := make([]string, 0, min(len(all), maxParts))
	for _, part := range all[:min(len(all), maxParts)] {
		out = append(out, validate.Cut(strings.ToValidUTF8(part, ""), maxPart))
	}
	return out
}
