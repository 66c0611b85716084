package llm

import (
	"context"
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
)

// planTries is how often a plan is asked for.
const planTries = 3

// plan lets the model look at what it needs and asks for a plan until it is one. The
// session that it gives ends with the plan: all that follows goes on from there.
func (r *run) plan(ctx context.Context, p *project) (*plan, *session, error) {
	s := r.newSession("its plan", maxPlanBytes, view{project: p}, user(Part{Text: briefing(r.req, p), Shared: true}, Part{Text: planTask(r.MaxFiles)}))
	s.object = true
	var made *plan
	tries := 0
	err := s.converse(ctx, func(a said) (results []string, more string, done bool, err error) {
		object, given := a.plan()
		if !given && len(a.actions)+len(a.problems) > 0 {
			for _, action := range a.actions {
				results = append(results, s.whilePlanning(action))
			}
			return results, "", false, nil
		}
		wrong := []string{"there is no plan in the answer"}
		if given {
			if made, wrong = readPlan(object, p, r.MaxFiles); len(wrong) == 0 && made.Cannot != "" {
				return nil, "", true, &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: clean(made.Cannot, maxPlanText)}
			}
			if len(wrong) == 0 {
				s.accept(a)
				return nil, "", true, nil
			}
		}
		if tries++; tries == planTries {
			return nil, "", true, &engine.Error{
				Code: engine.CodeValidationFailed, Retryable: true,
				Message: fmt.Sprintf("The model made no usable plan in %d attempts: %s. %s", planTries, wrong[0], r.meter.report()),
			}
		}
		return slices.Repeat([]string{"The plan cannot be used."}, len(a.actions)), planAgain(wrong), false, nil
	})
	return made, s, err
}

// plan is the object that an answer proposes, called or said.
func (a said) plan() (string, bool) {
	for _, object := range a.plans {
		if object != "" {
			return object, true
		}
	}
	if len(a.turn.Calls) > 0 {
		return "", false
	}
	object, ok := answer.Object(a.text, planMembers...)
	return string(object), ok
}

// planMembers tell a plan from other objects.
var planMembers = []string{"files", "cannot", "delete"}

func (s *session) whilePlanning(a answer.Action) string {
	switch a.Name {
	case answer.Read, answer.Search:
		return s.lookup(a)
	case answer.Replace, answer.Write, answer.Done:
		return "There has to be a plan first: call plan."
	}
	return noSuchTool
}

const noSuchTool = "There is no such tool, or its input is no JSON object."

// accept ends the planning. What follows is added to the user's last turn, of which
// this much is the same for all that is asked from here on.
func (s *session) accept(a said) {
	s.respond(a, slices.Repeat([]string{"The plan is accepted."}, len(a.actions)), "The plan is accepted and is being carried out.\n")
	last := &s.messages[len(s.messages)-1]
	last.Parts[len(last.Parts)-1].Shared = true
}
