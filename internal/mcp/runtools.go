package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	Unchanged     bool     `json:"unchanged,omitempty" jsonschema:"the spec is the present one of the project: it does nothing unless it is edited"`
	Understood    []string `json:"understood,omitempty"`
	NotUnderstood []string `json:"not_understood,omitempty"`
}

func suggestionOf(s *svc.Suggestion) *suggestion {
	if s == nil {
		return nil
	}
	return &suggestion{visible(s.Spec), s.Unchanged, lines(s.Understood), lines(s.NotUnderstood)}
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
	case r.Suggestion.Unchanged:
		out.Next = "Nothing was started and nothing was counted: the request changes nothing of the project. suggestion.spec is its present spec: edit it with the person, and call generate with it as the prompt, without constraints."
	case r.LeavesOut():
		out.Next = "Nothing was started and nothing was counted. Tell the person what is wrong: suggestion.spec lacks it. Correct suggestion.spec with the person, and call generate with it as the prompt, without constraints."
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
	var told svc.Transcript
	if wait > 0 {
		limited, cancel := context.WithTimeout(ctx, wait)
		err := watch(limited, k, c, id, &told)
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
	return tell(&told, record), nil
}

// watch takes in what a run tells, and passes it on to the agent.
func watch(ctx context.Context, k call, c *client.Client, id string, told *svc.Transcript) error {
	steps := 0
	_, err := generate.Follow(ctx, c, id, func(e svc.Event) error {
		files := len(told.Files)
		payload := told.Add(e)
		if text := progressOf(payload, len(told.Files) > files); text != "" {
			steps++
			k.progress(ctx, steps, text)
		}
		return nil
	})
	if _, ended := errors.AsType[*generate.Failed](err); ended { // the record says why
		return nil
	}
	return err
}

// progressOf returns the line that tells of an event, or nothing.
func progressOf(payload svc.Payload, begun bool) string {
	switch p := payload.(type) {
	case svc.TokenEvent:
		if begun {
			return "writes " + p.File
		}
	case svc.ToolStatusEvent:
		text := strings.TrimSpace(strings.ReplaceAll(p.Action, "_", " ") + " " + p.Check)
		if p.Status != "" && p.Status != svc.ToolStarted {
			text += ": " + strings.ReplaceAll(p.Status, "_", " ")
		}
		return strings.TrimSpace(text + " " + cmp.Or(p.File, p.Detail))
	case svc.StateUpdateEvent:
		return "decided: " + p.Key + " = " + p.Value
	case svc.CostSummaryEvent:
		return fmt.Sprintf("cost: %d tokens in, %d out, about %.4f USD", p.InputTokens, p.OutputTokens, p.EstimatedCostUSD)
	case svc.BundleReadyEvent:
		return "the bundle is ready"
	}
	return ""
}

// tell returns where a run stands: what it has told, and what its record says.
func tell(told *svc.Transcript, record client.Generation) run {
	told.Settle(record.Validation)
	out := run{
		GenerationID: line(record.ID), ProjectID: line(record.ProjectID), Status: line(string(record.Status)), BundleID: line(record.BundleID),
		Files: lines(told.Files), LeftOut: line(told.LeftOut), CreatedAt: moment(record.CreatedAt), FinishedAt: moment(record.FinishedAt),
	}
	for _, c := range told.Checks {
		if c.Status != svc.ToolStarted {
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
