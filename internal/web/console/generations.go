package console

import (
	"bufio"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/console/specform"
)

// runHandlers start generations and show them.
type runHandlers struct {
	*core
	previews *previewHandlers
	stop     <-chan struct{} // closed when live views have to end
}

// runList is what the page of generations shows.
type runList struct {
	Runs            []svc.Run
	Names           map[string]string
	Status, Project string
	Projects        []svc.Project // to filter by
	Cursor, Next    string
}

// Filtered says whether the list leaves anything out.
func (l runList) Filtered() bool { return l.Status != "" || l.Project != "" || l.Cursor != "" }

// Statuses are the choices of the filter.
func (runList) Statuses() []svc.RunStatus {
	return []svc.RunStatus{svc.RunQueued, svc.RunRunning, svc.RunSucceeded, svc.RunFailed, svc.RunCancelled}
}

func (s *runHandlers) listGenerations(w http.ResponseWriter, r *http.Request, v *visit) error {
	list := runList{Status: r.URL.Query().Get("status"), Project: r.URL.Query().Get("project")}
	if !svc.RunStatus(list.Status).Valid() {
		list.Status = ""
	}
	var after *svc.Cursor
	after, list.Cursor = cursorOf(r)
	var err error
	if list.Runs, err = s.Generations.List(r.Context(), svc.RunQuery{
		AccountID: v.account.ID, ProjectID: list.Project, Status: svc.RunStatus(list.Status), After: after, Limit: rowsOnPage + 1,
	}); err != nil {
		return err
	}
	if len(list.Runs) > rowsOnPage {
		list.Runs = list.Runs[:rowsOnPage]
		last := list.Runs[rowsOnPage-1]
		list.Next = api.EncodeCursor(&svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID})
	}
	if list.Names, err = s.projectNames(r, v.account.ID, nil, list.Runs); err != nil {
		return err
	}
	if list.Projects, err = s.projectChoices(r, v, list.Project); err != nil {
		return err
	}
	return s.render(w, r, v, http.StatusOK, "generations", page{Title: "Generations", Section: "generations", Body: list})
}

// startForm is what the form for a new generation has.
type startForm struct {
	Project, Prompt, Constraints string
	Projects                     []svc.Project
	Allowance                    generation.Allowance
	// Once makes a form that is sent twice start one run.
	Once  string
	Error *svc.Error
	// Continues says that the project has files to change.
	Continues bool
	Known     []engine.Constraint // that the engine understands; none: it reads every one
	// Engines are the names of those that the workers play.
	Engines []string
	Spec    *specForm // nil: the engine reads no specs

	state      map[string]string // of the project that goes on
	suggestion *svc.Suggestion   // of the engine, in place of the prompt
}

// Engine says what generates, in words.
func (f startForm) Engine() string {
	words := map[string]string{
		templateEngine: "the template engine, which makes small APIs and sites from a spec", "exec": "a program of the operator",
		"agent": "a coding agent", "anthropic": "a model of Anthropic", "openai": "a model of OpenAI or one with its interface",
	}
	var all []string
	for _, name := range f.Engines {
		all = append(all, cmp.Or(words[name], name))
	}
	return strings.Join(all, " or ")
}

// Examples are requests to begin with.
func (startForm) Examples() []string { return engine.Examples() }

func (s *runHandlers) newGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	f := startForm{Project: r.URL.Query().Get("project"), Prompt: r.URL.Query().Get("prompt")}
	if again := r.URL.Query().Get("again"); again != "" {
		run, err := s.Generations.Get(r.Context(), v.account.ID, again)
		if err != nil {
			return err
		}
		f.Project, f.Prompt, f.Constraints = run.ProjectID, run.Prompt, constraintLines(run.Constraints)
		if failed := (runPage{Run: run}).Failure(); failed != nil {
			f.suggestion = failed.Suggestion
			if failed.Request != "" && r.URL.Query().Has("suggested") {
				f.Prompt = failed.Request
			}
		}
	}
	if i, err := strconv.Atoi(r.URL.Query().Get("example")); err == nil && i >= 0 && i < len(f.Examples()) {
		f.Prompt = f.Examples()[i]
	}
	return s.showStart(w, r, v, http.StatusOK, f)
}

func (s *runHandlers) showStart(w http.ResponseWriter, r *http.Request, v *visit, status int, f startForm) error {
	var err error
	if f.Projects, err = s.projectChoices(r, v, f.Project); err != nil {
		return err
	}
	if f.Allowance, err = s.Generations.Allowance(r.Context(), v.account); err != nil {
		return err
	}
	title := "New generation"
	for _, p := range f.Projects {
		if p.ID == f.Project && p.Revision > 0 {
			f.Continues, f.state, title = true, p.State, "Continue: "+projectName(p)
		}
	}
	f.Once, _ = svc.NewToken()
	f.Known = s.Constraints
	if err := s.addSpec(r, &f); err != nil {
		return err
	}
	script := ""
	if f.Spec != nil {
		script = "spec.js"
	}
	return s.render(w, r, v, status, "generation-new", page{Title: title, Section: "generations", Script: script, Body: f})
}

func (s *runHandlers) startGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	f := startForm{
		Project: r.PostFormValue("project"), Prompt: r.PostFormValue("prompt"),
		Constraints: r.PostFormValue("constraints"), Once: r.PostFormValue("once"),
	}
	if r.PostForm.Has("seen") { // the form of a spec
		f.Spec, f.Prompt = &specForm{Form: specform.Posted(r.PostForm), Open: true}, ""
		if f.Spec.Mistake != nil {
			return s.showStart(w, r, v, http.StatusUnprocessableEntity, f)
		}
	}
	constraints, err := parseConstraints(f.Constraints)
	if err == nil {
		var started generation.Started
		started, err = s.Generations.Start(r.Context(), generation.Start{
			AccountID: v.account.ID, ProjectID: f.Project, Prompt: f.request(), Constraints: constraints, Key: onceKey(f.Once),
			// What is kept under the key is which run it was.
			Encode: func(run svc.Run, _ int) (svc.Answer, error) {
				return svc.Answer{Status: http.StatusSeeOther, Body: []byte(run.ID)}, nil
			},
		})
		if err == nil {
			return s.goTo(w, r, "/generations/"+string(started.Answer.Body), "")
		}
	}
	if e, status, told := formError(err); told {
		f.Error, f.suggestion = e, e.Suggestion
		return s.showStart(w, r, v, status, f)
	}
	return err
}

// request is the prompt of a form: what was typed, or the text of the spec.
func (f startForm) request() string {
	if f.Spec != nil {
		return f.Spec.Text
	}
	return f.Prompt
}

// onceKey keeps what forms send apart from what programs send.
func onceKey(once string) string {
	if once == "" || len(once) > 64 {
		return ""
	}
	return "console " + once
}

// parseConstraints reads lines such as "language = go".
func parseConstraints(text string) (map[string]string, error) {
	constraints := map[string]string{}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, maxForm)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		name, value, found := strings.Cut(line, "=")
		if name = strings.TrimSpace(name); !found || name == "" {
			return nil, svc.Invalid("constraints", "Line %d of the constraints should read name = value, such as language = go.", n)
		}
		constraints[name] = strings.TrimSpace(value)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read constraints: %w", err)
	}
	if len(constraints) == 0 {
		return nil, nil
	}
	return constraints, nil
}

// constraintLines is what parseConstraints reads.
func constraintLines(constraints map[string]string) string {
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(constraints)) {
		lines = append(lines, name+" = "+constraints[name])
	}
	return strings.Join(lines, "\n")
}

// runPage is what the page of one generation shows.
type runPage struct {
	Run        svc.Run
	Project    string // its name
	Transcript *transcript
	File       *shownFile
	Once       string // for the form that goes on
	// Revision is the one that the run made, if the project still has it; then what
	// changed with it may be shown, and a site as it looks.
	Revision            int64
	Difference, Preview bool
	Continues           bool        // the project has files to change
	Bundle              *svc.Bundle // that the run made; nil: none, or nothing is known of it any more
	Fresh               bool        // another bundle can be made of the project
}

// failure is why a run failed, and the request that its engine suggests instead.
type failure struct {
	svc.RunError
	Request string // empty: none
}

// Failure is why the run failed; nil: it did not.
func (p runPage) Failure() *failure {
	if p.Run.Error == nil || p.Run.Status == svc.RunCancelled {
		return nil
	}
	f := failure{RunError: *p.Run.Error}
	if f.Suggestion != nil {
		f.Request = f.Suggestion.Spec
	}
	return &f
}

// stages are the steps of a run, in their order, with what people call them.
var stages = []struct{ key, name string }{
	{"queued", "Queued"}, {"plan", "Plan"}, {"write", "Write"}, {"validate", "Check"}, {"finalize", "Pack"},
}

// stage is one step, as a page shows it.
type stage struct{ Name, State string }

// Stages says which steps of the run are done, and which one it is at.
func (p runPage) Stages() []stage {
	at := map[string]int{"plan": 1, "validate": 3, "finalize": 4}
	now, known := at[p.Transcript.Action.Action]
	switch {
	case p.Run.Status == svc.RunSucceeded:
		now = len(stages)
	case p.Transcript.Action.Action == "" && p.Run.Status == svc.RunQueued:
		now = 0
	case p.Transcript.Action.Action == "":
		now = 1
	case !known:
		now = 2
	}
	if p.onlyWrites() {
		now = 2
	}
	out := make([]stage, len(stages))
	for i, s := range stages {
		out[i] = stage{Name: s.name}
		switch {
		case i < now:
			out[i].State = "done"
		case i == now && p.Live():
			out[i].State = "now"
		case i == now:
			out[i].State = "stopped"
		}
	}
	return out
}

// onlyWrites says that the engine tells nothing but what it writes.
func (p runPage) onlyWrites() bool {
	action := p.Transcript.Action.Action
	return p.Live() && (action == "" || action == "plan") && p.Transcript.Files() > 0
}

// Doing says what the run is at.
func (p runPage) Doing() string {
	at := p.Transcript.Action
	switch {
	case p.onlyWrites():
		return actionName("generate_file") + " " + p.Transcript.Latest
	case at.Action != "":
		return strings.TrimSpace(actionName(at.Action) + " " + at.File + at.Check)
	case p.Run.Status == svc.RunQueued:
		return "waiting for a worker"
	}
	return "starting"
}

// Began is since when the run is worked on, or waits.
func (p runPage) Began() time.Time {
	if p.Run.StartedAt.IsZero() {
		return p.Run.CreatedAt
	}
	return p.Run.StartedAt
}

// Took is how long the run was worked on.
func (p runPage) Took() string {
	if p.Run.FinishedAt.IsZero() {
		return ""
	}
	took := p.Run.FinishedAt.Sub(p.Began()).Round(time.Second)
	if took < time.Minute {
		return fmt.Sprintf("%d s", int(took.Seconds()))
	}
	return fmt.Sprintf("%d min %d s", int(took.Minutes()), int(took.Seconds())%60)
}

// Icon is what the browser's tab shows.
func (p runPage) Icon() string {
	switch p.Run.Status {
	case svc.RunSucceeded:
		return "icon-good.svg"
	case svc.RunFailed:
		return "icon-bad.svg"
	case svc.RunQueued, svc.RunRunning:
		return "icon-busy.svg"
	case svc.RunCancelled:
	}
	return "icon.svg"
}

// LongPrompt says that the heading may not show all of what was asked.
func (p runPage) LongPrompt() bool {
	return len(p.Run.Prompt) > 160 || strings.Count(p.Run.Prompt, "\n") > 2
}

// Live says whether there is more to come.
func (p runPage) Live() bool { return !p.Run.Status.Final() }

func (s *runHandlers) showGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	// The transcript is read before the record: a run that ends in between has its
	// ending in the record, and a live view finds what the transcript lacks.
	told := &transcript{}
	if err := s.Generations.VisitEvents(r.Context(), v.account.ID, r.PathValue("id"), told.add); err != nil {
		return err
	}
	run, err := s.Generations.Get(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	told.Settle(run.Validation)
	body := runPage{Run: run, Project: run.ProjectID, Transcript: told}
	if body.Bundle, err = s.bundleOf(r, run); err != nil {
		return err
	}
	if err := s.showMade(r, &body); err != nil {
		return err
	}
	if body.File, err = s.textOf(r, v, told, body.Live()); err != nil {
		return err
	}
	body.Once, _ = svc.NewToken()
	return s.render(w, r, v, http.StatusOK, "generation", page{
		Title: "Generation " + stateName(run.Status), Section: "generations", Script: "live.js", Icon: body.Icon(), Body: body,
	})
}

// textOf reads the file that the page shows, as far as the transcript goes.
func (s *runHandlers) textOf(r *http.Request, v *visit, told *transcript, live bool) (*shownFile, error) {
	asked := told.asked(r.URL.Query())
	f := &shownFile{Path: told.choose(asked, live), last: told.Last, most: maxFileText}
	if f.Path != asked && !live {
		f.most = told.room()
	}
	if _, there := told.Attempt(f.Path); !there {
		return &shownFile{}, nil
	}
	return f, s.Generations.VisitEvents(r.Context(), v.account.ID, r.PathValue("id"), f.add)
}

func (s *runHandlers) cancelGeneration(w http.ResponseWriter, r *http.Request, v *visit) error {
	run, err := s.Generations.Cancel(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	done := "cancelled"
	if run.Status != svc.RunCancelled && run.Status.Final() {
		done = "" // it was over before
	}
	return s.goTo(w, r, "/generations/"+run.ID, done)
}
