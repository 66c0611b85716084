package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// How long a tool watches a run. Many agents give a tool a minute.
const (
	usualWait = 45 * time.Second
	mostWait  = time.Hour
)

type generateIn struct {
	Prompt      string            `json:"prompt,omitempty" jsonschema:"what is to be made, or what is to be changed in the project; not with spec"`
	Spec        string            `json:"spec,omitempty" jsonschema:"a spec in place of the prompt, such as: api in go with sqlite\nbook: title, author, year: integer 1450..2100\nloan: -> book, borrower required. With project_id it replaces the spec of the project"`
	ProjectID   string            `json:"project_id,omitempty" jsonschema:"continue this project instead of making a new one"`
	Constraints map[string]string `json:"constraints,omitempty" jsonschema:"such as port: 9000"`
	WaitSeconds int               `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the run to end, up to 3600; 45 without it. A run that has not ended goes on: see run_status"`
	Background  bool              `json:"background,omitempty" jsonschema:"answer at once, and let the run go on"`
}

type runStatusIn struct {
	GenerationID string `json:"generation_id"`
	WaitSeconds  int    `json:"wait_seconds,omitempty" jsonschema:"how long to wait for the run to end, up to 3600; none without it"`
}

type runCheck struct {
	Check  string `json:"check"`
	Status string `json:"status" jsonschema:"passed, failed, failed_before or skipped"`
	Detail string `json:"detail,omitempty"`
}

type runFailure struct {
	Code       string      `json:"code"`
	Message    string      `json:"message"`
	Retryable  bool        `json:"retryable"`
	Suggestion *suggestion `json:"suggestion,omitempty"`
}

// suggestion is a [svc.Suggestion] with its hidden characters made visible.
type suggestion struct {
	Spec          string   `json:"spec" jsonschema:"a request that the engine can read: correct it, and call generate with it as the prompt"`
	Understood    []string `json:"understood,omitempty"`
	NotUnderstood []string `json:"not_understood,omitempty"`
}

func suggestionOf(s *svc.Suggestion) *suggestion {
	if s == nil {
		return nil
	}
	return &suggestion{visible(s.Spec), lines(s.Understood), lines(s.NotUnderstood)}
}

type run struct {
	GenerationID string      `json:"generation_id,omitempty"`
	ProjectID    string      `json:"project_id,omitempty"`
	Status       string      `json:"status" jsonschema:"queued, running, succeeded, failed or cancelled; refused where no run was started"`
	BundleID     string      `json:"bundle_id,omitempty"`
	Failure      *runFailure `json:"failure,omitempty"`
	Files        []string    `json:"files,omitempty" jsonschema:"files that the run has told of so far"`
	Checks       []runCheck  `json:"checks,omitempty" jsonschema:"what was tried with the project, and what came of it"`
	LeftOut      string      `json:"left_out,omitempty" jsonschema:"what the engine says it left out"`
	CreatedAt    string      `json:"created_at,omitempty"`
	FinishedAt   string      `json:"finished_at,omitempty"`
	Next         string      `json:"next"`
}

func (s *Server) addRunTools() {
	addTool(s, tool{
		name: "generate", title: "Generate a project", kind: addsOnly,
		about: "Starts a generation run and waits for its bundle, telling progress on the way. An engine that makes projects from specs refuses a request that it cannot read, and suggests a spec to send instead. A run costs: do not start one twice for the same thing. The folder is not changed; edits in it are not seen by the run.",
	}, s.generate)
	addTool(s, tool{
		name: "run_status", title: "Show a run", kind: readsOnly,
		about: "Tells where a generation run stands, and with wait_seconds waits for its end, telling progress on the way.",
	}, s.runStatus)
}

func (s *Server) generate(ctx context.Context, k call, in generateIn) (run, error) {
	wait, err := waitFor(in.WaitSeconds)
	switch {
	case err != nil:
		return run{}, err
	case in.Background:
		wait = 0
	case wait == 0:
		wait = usualWait
	}
	q := generate.Request{ProjectID: in.ProjectID, Prompt: cmp.Or(in.Prompt, in.Spec), Constraints: in.Constraints, Spec: in.Spec != ""}
	switch {
	case strings.TrimSpace(q.Prompt) == "":
		return run{}, errors.New("the prompt is empty: say what is to be made")
	case in.Prompt != "" && in.Spec != "":
		return run{}, errors.New("give a prompt or a spec: the spec says all that is to be made")
	}
	c, err := s.connect()
	if err != nil {
		return run{}, err
	}
	started, err := generate.Start(ctx, c, q, client.NewKey())
	if refused, ok := errors.AsType[*generate.Refusal](err); ok {
		return refusalOf(refused), nil
	}
	if err != nil {
		return run{}, err
	}
	k.progress(ctx, 0, "Run "+started.ID+" of project "+started.ProjectID+" is queued.")
	return follow(ctx, k, c, started.ID, wait)
}

// refusalOf is the answer to a request of which no run was made.
func refusalOf(r *generate.Refusal) run {
	out := run{Status: "refused", ProjectID: line(r.Request.ProjectID), Failure: &runFailure{
		Code: string(svc.CodeUnresolvable), Message: line(r.Message), Suggestion: suggestionOf(&r.Suggestion),
	}}
	switch {
	case r.Mistake():
		out.Next = "Nothing was started and nothing was counted. Correct the mistake in the spec, and call generate with it again."
	case r.Suggestion.Spec == "":
		out.Failure.Suggestion = nil
		out.Next = "Nothing was started and nothing was counted. Tell the person why, and change the request with them."
	default:
		out.Next = "Nothing was started and nothing was counted. Correct suggestion.spec with the person, and call generate with it as the prompt, without constraints: it has them."
	}
	return out
}

func (s *Server) runStatus(ctx context.Context, k call, in runStatusIn) (run, error) {
	wait, err := waitFor(in.WaitSeconds)
	if err != nil {
		return run{}, err
	}
	c, err := s.connect()
	if err != nil {
		return run{}, err
	}
	return follow(ctx, k, c, in.GenerationID, wait)
}

func waitFor(seconds int) (time.Duration, error) {
	wait := time.Duration(seconds) * time.Second
	if seconds < 0 || wait > mostWait {
		return 0, fmt.Errorf("wait_seconds %d is not between 0 and %d", seconds, int(mostWait.Seconds()))
	}
	return wait, nil
}

// progress tells the agent how something goes, if it asked to be told.
func (k call) progress(ctx context.Context, step int, text string) {
	token := k.request.Params.GetProgressToken()
	if token == nil {
		return
	}
	// Whoever does not hear it still gets the result.
	_ = k.request.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: token, Progress: float64(step), Message: string(strike([]byte(line(text)))),
	})
}

// follow watches a run until it ends, or for a while, and tells where it stands.
func follow(ctx context.Context, k call, c *client.Client, id string, wait time.Duration) (run, error) {
	var story runStory
	if wait > 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		err := story.watch(limited, k, c, id)
		cancel()
		if err != nil && ctx.Err() == nil && limited.Err() == nil {
			return run{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return run{}, err
	}
	record, err := c.Generation(ctx, id)
	if err != nil {
		return run{}, err
	}
	return story.tell(record), nil
}

// runStory is what a run has told.
type runStory struct {
	files   []string
	checks  []runCheck
	leftOut string
	steps   int
}

func (r *runStory) watch(ctx context.Context, k call, c *client.Client, id string) error {
	_, err := generate.Follow(ctx, c, id, func(e svc.Event) error {
		if text := r.hear(e); text != "" {
			r.steps++
			k.progress(ctx, r.steps, text)
		}
		return nil
	})
	if _, ended := errors.AsType[*generate.Failed](err); ended { // the record says why
		return nil
	}
	return err
}

// hear takes up an event, and gives the line that tells of it, or nothing. Events and
// fields that it does not know are passed over, for there may be new ones.
func (r *runStory) hear(e svc.Event) string {
	switch e.Name {
	case svc.EventToken:
		var t svc.TokenEvent
		if json.Unmarshal(e.Data, &t) == nil && t.File != "" && !slices.Contains(r.files, t.File) {
			r.files = append(r.files, t.File)
			return "writes " + t.File
		}
	case svc.EventToolStatus:
		var t svc.ToolStatusEvent
		if json.Unmarshal(e.Data, &t) == nil {
			return r.tool(t)
		}
	case svc.EventStateUpdate:
		var u svc.StateUpdateEvent
		if json.Unmarshal(e.Data, &u) == nil {
			if u.Key == "left_out" {
				r.leftOut = u.Value
			}
			return "decided: " + u.Key + " = " + u.Value
		}
	case svc.EventCostSummary:
		var c svc.CostSummaryEvent
		if json.Unmarshal(e.Data, &c) == nil {
			return fmt.Sprintf("cost: %d tokens in, %d out, about %.4f USD", c.InputTokens, c.OutputTokens, c.EstimatedCostUSD)
		}
	case svc.EventBundleReady:
		return "the bundle is ready"
	case svc.EventMemoryUpdate, svc.EventError:
	}
	return ""
}

func (r *runStory) tool(t svc.ToolStatusEvent) string {
	if t.RunAttempt > 1 {
		*r = runStory{steps: r.steps} // what was told before is void
	}
	text := strings.ReplaceAll(t.Action, "_", " ")
	if t.Check != "" {
		text += " " + t.Check
		if t.Status != svc.ToolStarted {
			r.checks = slices.DeleteFunc(r.checks, func(c runCheck) bool { return c.Check == line(t.Check) })
			r.checks = append(r.checks, runCheck{line(t.Check), line(t.Status), line(t.Detail)})
		}
	}
	if t.Status != "" && t.Status != svc.ToolStarted {
		text += ": " + strings.ReplaceAll(t.Status, "_", " ")
	}
	if about := cmp.Or(t.File, t.Detail); about != "" {
		text += " " + about
	}
	return text
}

func (r *runStory) tell(record client.Generation) run {
	out := run{
		GenerationID: line(record.ID), ProjectID: line(record.ProjectID), Status: line(string(record.Status)), BundleID: line(record.BundleID),
		Files: lines(r.files), Checks: r.checks, LeftOut: line(r.leftOut), CreatedAt: moment(record.CreatedAt), FinishedAt: moment(record.FinishedAt),
	}
	if record.Validation != nil {
		out.Checks = nil
		for _, c := range record.Validation.Checks {
			out.Checks = append(out.Checks, runCheck{line(c.Check), line(c.Status), line(c.Detail)})
		}
	}
	switch {
	case record.Error != nil:
		out.Failure = &runFailure{line(record.Error.Code), line(record.Error.Message), record.Error.Retryable, suggestionOf(record.Error.Suggestion)}
		out.Next = "There is no bundle. Tell the person why; starting the run again is unlikely to help."
		if s := out.Failure.Suggestion; s != nil && s.Spec != "" {
			out.Next = "There is no bundle: the engine cannot read the request. Correct suggestion.spec with the person, and call generate with it as the prompt."
		}
		if record.Error.Retryable {
			out.Next = "There is no bundle. It may work if it is started again: ask the person first."
		}
	case record.BundleID != "":
		out.Next = "To see what pulling it would do: preview_pull with this bundle_id. Its files: resource svc://runs/" + line(record.ID) + "/files"
	case record.FinishedAt.IsZero():
		out.Next = "The run goes on. Call run_status with this generation_id, and wait_seconds to wait for its end."
	default:
		out.Next = "The run has ended without a bundle."
	}
	return out
}
