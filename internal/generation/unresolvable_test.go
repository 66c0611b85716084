package generation

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// specsOnly is an engine that reads "api" and, of a project with a state, "add".
type specsOnly struct{}

// suggested is what it suggests for anything else.
var suggested = svc.Suggestion{Spec: "api\nbook: title", Understood: []string{"books"}, NotUnderstood: []string{"please"}}

func (specsOnly) Title(string) string { return "" }

func (specsOnly) Check(prompt string, constraints, state map[string]string) error {
	if word, _, _ := strings.Cut(prompt, " "); word == "api" || constraints["spec"] != "" || word == "add" && state["engine"] == "specs" {
		return nil
	}
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: "This cannot be read.", Suggestion: &suggested}
}

func (e specsOnly) Generate(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
	if err := e.Check(req.Prompt, req.Constraints, req.Project.State); err != nil {
		return err
	}
	if err := emit(engine.StateUpdate{Key: "engine", Value: "specs"}); err != nil {
		return err
	}
	return emit(engine.File{Path: req.GenerationID, Content: []byte(req.Prompt)})
}

const sentence = "something for my books please"

// reads gives the house the reader of the engine that tests call template.
func (h *house) reads() {
	h.config.Readers = map[string]engine.Reader{"template": specsOnly{}}
	h.Service = New(h.config)
}

// workAs runs a pool that plays an engine of this name, and waits for its record.
func (h *house) workAs(name string, e engine.Engine) (stop func()) {
	h.t.Helper()
	stop = h.workNamed(name, e, 2)
	synctest.Wait()
	return stop
}

// ask starts a run of an account.
func (h *house) ask(account svc.Account, projectID, prompt, key string) (Started, error) {
	return h.Start(h.t.Context(), Start{AccountID: account.ID, ProjectID: projectID, Prompt: prompt, Key: key, Encode: encodeID})
}

// unreadable checks that a request is refused with the suggestion, and leaves nothing.
func (h *house) unreadable(account svc.Account, projectID, key string) {
	h.t.Helper()
	projects, err := h.Store.Projects().List(h.t.Context(), account.ID, nil, 100)
	must.Do(h.t, err)
	_, err = h.ask(account, projectID, sentence, key)
	e := refusal(h.t, err, svc.CodeUnresolvable)
	if diff := cmp.Diff(&suggested, e.Suggestion); diff != "" || !strings.Contains(e.Hint, "suggestion.spec") || e.RetryAfter != 0 {
		h.t.Errorf("the answer is %+v (-want +got):\n%s", e, diff)
	}
	after, err := h.Store.Projects().List(h.t.Context(), account.ID, nil, 100)
	must.Do(h.t, err)
	if len(after) != len(projects) {
		h.t.Errorf("a refused request made a project")
	}
}

// Promise: unreadable-422, unreadable-order
func TestAnUnreadableRequestUsesNothingUp(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		defer h.workAs("template", specsOnly{})()
		hobby := h.newAccount("hobby@example.com", svc.PlanHobby)
		for range 5 {
			h.unreadable(hobby, "", "")
		}
		for range 3 {
			_, err := h.ask(hobby, "", "api of books", "")
			must.Do(t, err)
			h.unreadable(hobby, "", "")
		}
		_, err := h.ask(hobby, "", "api of books", "")
		refused(t, err, svc.CodePlanLimitReached)
		h.unreadable(hobby, "", "") // also when the plan is used up
	})
}

// Promise: unreadable-order
func TestAnUnreadableRequestIsRefusedBeforeQueueAndStorage(t *testing.T) {
	for name, limit := range map[string]func(*Limits){
		"a full queue":   func(l *Limits) { l.QueueDepth = 0 },
		"a full storage": func(l *Limits) { l.PendingBytes = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			inHouse(t, func(h *house) {
				h.limit(limit)
				h.reads()
				defer h.workAs("template", specsOnly{})()
				h.unreadable(h.account, "", "")
				if _, err := h.ask(h.account, "", "api of books", ""); svc.CodeOf(err) == svc.CodeUnresolvable || err == nil {
					h.t.Errorf("a readable request ends with %v", err)
				}
			})
		})
	}
}

// Promise: unreadable-order
func TestTheOwnerIsCheckedBeforeTheRequestIsRead(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		defer h.workAs("template", specsOnly{})()
		run := h.start("", "api of books")
		h.watchAll(run.ID, 0)
		h.unreadable(h.account, run.ProjectID, "")
		other := h.newAccount("other@example.com", svc.PlanDeveloper)
		for _, project := range []string{run.ProjectID, svc.NewProjectID(), "no id"} {
			_, err := h.ask(other, project, sentence, "")
			refused(t, err, svc.CodeProjectNotFound)
		}
	})
}

// Promise: continuation-state
func TestAContinuationIsReadWithTheStateOfItsProject(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		defer h.workAs("template", specsOnly{})()
		_, err := h.ask(h.account, "", "add author", "")
		refused(t, err, svc.CodeUnresolvable)
		run := h.start("", "api of books")
		h.watchAll(run.ID, 0)
		next := h.start(run.ProjectID, "add author")
		h.watchAll(next.ID, 0)
		if done := h.run(next.ID); done.Status != svc.RunSucceeded {
			t.Errorf("the change is %s: %+v", done.Status, done.Error)
		}
	})
}

// A worker reads a request for such a project as one for a new project.
// Promise: unreadable-422, continuation-state
func TestAnUnreadableRequestForAProjectWithoutAStateUsesNothingUp(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		defer h.workAs("template", engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
			if strings.Contains(req.Prompt, "fails") {
				return errors.New("a defect")
			}
			return specsOnly{}.Generate(ctx, req, emit)
		}))()
		hobby := h.newAccount("hobby@example.com", svc.PlanHobby)
		first, err := h.ask(hobby, "", "api that fails", "")
		must.Do(t, err)
		synctest.Wait()
		time.Sleep(time.Minute)
		imported := svc.Project{ID: svc.NewProjectID(), AccountID: hobby.ID, CreatedAt: time.Now()}
		must.Do(t, h.Store.Projects().Insert(t.Context(), imported))
		for range 4 { // more than the plan has
			h.unreadable(hobby, first.Run.ProjectID, "")
			h.unreadable(hobby, imported.ID, "")
		}
		_, err = h.ask(hobby, imported.ID, "api of books", "")
		must.Do(t, err)
	})
}

// What a run that goes on will decide is not known yet.
// Promise: continuation-state
func TestAWorkerDecidesAboutAProjectWhoseFirstRunGoesOn(t *testing.T) {
	inHouse(t, func(h *house) {
		h.reads()
		defer h.workAs("template", engineFunc(func(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
			time.Sleep(time.Minute)
			return specsOnly{}.Generate(ctx, req, emit)
		}))()
		first := h.start("", "api of books")
		synctest.Wait()
		next := h.start(first.ProjectID, "add author")
		h.watchAll(next.ID, 0)
		if done := h.run(next.ID); done.Status != svc.RunSucceeded {
			h.t.Errorf("the change is %s: %+v", done.Status, done.Error)
		}
	})
}

// Promise: unreadable-order
func TestAnUnreadableRequestIsNotKeptForItsKey(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		accepted, err := h.ask(h.account, "", sentence, "early") // no worker lives
		must.Do(t, err)
		defer h.workAs("template", specsOnly{})()
		replayed, err := h.ask(h.account, "", sentence, "early")
		must.Do(t, err)
		if !replayed.Replayed || string(replayed.Answer.Body) != string(accepted.Answer.Body) {
			t.Errorf("an accepted request is answered again with %+v", replayed)
		}
		h.unreadable(h.account, "", "key")
		h.unreadable(h.account, "", "key")
		corrected, err := h.ask(h.account, "", "api of books", "key")
		must.Do(t, err)
		if corrected.Replayed {
			t.Error("the corrected request is a replay")
		}
		_, err = h.ask(h.account, "", sentence, "key")
		refused(t, err, svc.CodeIdempotencyMismatch)
	})
}

// Promise: unreadable-one-engine
func TestOnlyOneEngineOfAllWorkersRefuses(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		accepts := func(when string) {
			t.Helper()
			if _, err := h.ask(h.account, "", sentence, ""); err != nil {
				t.Errorf("%s: %v", when, err)
			}
		}
		anything := twoFiles(time.Second)
		stopOld := h.workAs("exec", anything)
		accepts("the only worker plays exec")
		defer h.workAs("template", specsOnly{})()
		accepts("the engine changes from exec to template")
		time.Sleep(10 * workerLease)
		synctest.Wait()
		accepts("both workers live on, idle")
		stopOld()
		h.unreadable(h.account, "", "") // at once: a worker that stops removes itself
		dead := svc.Worker{ID: "killed", Engine: "exec", Lease: time.Now().Add(workerLease)}
		must.Do(t, h.Store.Workers().Renew(t.Context(), dead))
		time.Sleep(workerLease - time.Millisecond)
		accepts("a worker was killed, and its lease lasts")
		time.Sleep(time.Millisecond)
		h.unreadable(h.account, "", "")
		_, err := New(Config{Store: h.Store, Limits: DefaultLimits()}).Start(t.Context(), Start{AccountID: h.account.ID, Prompt: sentence, Encode: encodeID})
		must.Do(t, err) // a process without readers accepts
	})
}

// Promise: unreadable-at-worker
func TestAWorkerThatCannotReadARequestEndsItWithTheSameSuggestion(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		h.reads()
		run := h.start("", sentence) // no worker lives
		defer h.workAs("template", specsOnly{})()
		events := h.watchAll(run.ID, 0)
		told := payload[svc.ErrorEvent](t, events[len(events)-1])
		record := h.run(run.ID)
		if record.Error == nil || record.Status != svc.RunFailed {
			t.Fatalf("the run is %+v", record)
		}
		rebuilt, err := endingEvents(t.Context(), h.Store, record)
		must.Do(t, err)
		for where, got := range map[string]svc.ErrorEvent{
			"the event":          told,
			"the record":         svc.ErrorEvent(*record.Error),
			"the rebuilt ending": payload[svc.ErrorEvent](t, rebuilt[0]),
			"a second request":   fromRefusal(refusal(t, second(h), svc.CodeUnresolvable)),
		} {
			want := svc.ErrorEvent{Code: "CONSTRAINT_UNRESOLVABLE", Message: "This cannot be read.", Suggestion: &suggested}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", where, diff)
			}
		}
	})
}

func second(h *house) error {
	_, err := h.ask(h.account, "", sentence, "")
	return err
}

func fromRefusal(e *svc.Error) svc.ErrorEvent {
	return svc.ErrorEvent{Code: string(e.Code), Message: e.Message, Suggestion: e.Suggestion}
}

// Promise: unreadable-at-worker
func TestASuggestionHasBounds(t *testing.T) {
	inHouse(t, func(h *house) {
		t := h.t
		many := make([]string, 10_000)
		for i := range many {
			many[i] = strings.Repeat("<", 10_000)
		}
		for name, spec := range map[string]string{"too long": strings.Repeat("é", maxPrompt+1), "NUL": "api\x00", "none": ""} {
			run, events := ended(t, h, engineFunc(func(context.Context, engine.Request, func(engine.Output) error) error {
				return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: "No.", Suggestion: &svc.Suggestion{Spec: spec, NotUnderstood: many}}
			}))
			got := payload[svc.ErrorEvent](t, events[len(events)-1]).Suggestion
			if got == nil || got.Spec != "" || got.Understood == nil || len(got.NotUnderstood) != maxParts || len(got.NotUnderstood[0]) > maxPart+len("…") {
				t.Errorf("%s: run %s suggests %.200v", name, run.ID, got)
			}
		}
		longest := strings.Repeat("é", maxPrompt)
		if s := suggestionOf(&engine.Error{Code: engine.CodeConstraintUnresolvable, Suggestion: &svc.Suggestion{Spec: longest}}); s.Spec != longest {
			t.Error("a spec that may be a prompt is left out")
		}
		if s := suggestionOf(&engine.Error{Code: engine.CodeUpstreamOutage, Suggestion: &suggested}); s != nil {
			t.Errorf("an outage suggests %+v", s)
		}
	})
}
