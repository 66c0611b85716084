package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// errDeclined is the answer no to a spec that was shown.
var errDeclined = errors.New("nothing was started")

// asking is the person at the terminal, or what stands for one without a terminal.
type asking struct {
	app    *app
	show   *eventPrinter
	source string // the file that the spec is from, or empty
	again  string // the command that starts such a run, up to the spec
	edited bool   // the spec comes from an editor
	unsent string // the spec that was edited last, until a run is made of it
	agreed bool   // --yes has sent a suggestion
}

func (p *asking) Queued(run client.Generation) {
	p.unsent = ""
	*p.show = eventPrinter{app: p.app}
	p.app.note("Run %s of project %s is queued.", run.ID, run.ProjectID)
	p.app.note("To watch it from elsewhere: svc watch %s", run.ID)
}

func (p *asking) Show(e svc.Event) error { return p.show.event(e) }

// Review asks about the spec that can be sent in place of a request, or about a mistake
// in one that was edited.
func (p *asking) Review(ctx context.Context, refused *generate.Refusal) (string, error) {
	a := p.app
	a.term.clear()
	unreadable := &unreadableError{Refusal: refused, source: p.source, again: p.again}
	ask := a.term.inTTY && a.term.errTTY
	switch {
	case refused.Mistake() && !p.edited, !ask && !a.yes:
		p.unsent = "" // the error shows it
		return "", unreadable
	case a.yes && (p.agreed || refused.LeavesOut() || refused.Suggestion.Unchanged):
		p.unsent = ""
		return "", unreadable
	}
	a.warn("%s", shown(strings.Join(unreadable.reasons(), "\n")))
	if refused.Mistake() {
		return p.correct(ctx, unreadable)
	}
	what := "This is a spec of it"
	switch {
	case refused.Suggestion.Unchanged:
		what = "This is the spec of the project"
	case refused.LeavesOut():
		what = "This is a spec without what is wrong"
	}
	a.warn("%s:\n\n%s\n", what, shown(printable.Quoted(refused.Spec())))
	if a.yes {
		p.agreed = true
		return refused.Spec(), nil
	}
	return p.decide(ctx, unreadable)
}

// decide asks whether to send a suggestion as it is. One that lacks what the user gave
// is not sent by Return, and the unchanged spec of a project is not sent at all.
func (p *asking) decide(ctx context.Context, refused *unreadableError) (string, error) {
	question, usual, help := "Generate this? [Y/n/e] ", "y", "y sends it, n sends nothing, e opens it in an editor."
	switch {
	case refused.Suggestion.Unchanged:
		question, usual, help = "Edit it? [e/N] ", "n", "n sends nothing, e opens it in an editor."
	case refused.LeavesOut():
		question, usual = "Generate this? [y/N/e] ", "n"
	}
	for {
		answer, err := p.app.ask(ctx, question)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil { // the end of the input is an answer as well
			p.app.endLine()
			return "", errDeclined
		}
		switch answer = cmp.Or(strings.ToLower(answer), usual); {
		case (answer == "y" || answer == "yes") && !refused.Suggestion.Unchanged:
			return refused.Spec(), nil
		case answer == "n" || answer == "no":
			return "", errDeclined
		case answer == "e" || answer == "edit":
			if text, err := p.edit(ctx, refused); !errors.Is(err, errUnchanged) {
				return text, err
			}
			p.app.warn("Nothing was changed.")
		default:
			p.app.warn("%s", help)
		}
	}
}

// correct asks whether to edit a spec with a mistake again.
func (p *asking) correct(ctx context.Context, refused *unreadableError) (string, error) {
	for {
		yes, err := p.app.confirm(ctx, "Edit it again? [Y/n] ", true)
		if err != nil {
			return "", err
		}
		if !yes {
			p.unsent = ""
			return "", refused
		}
		if text, err := p.edit(ctx, refused); !errors.Is(err, errUnchanged) {
			return text, err
		}
		p.app.warn("Nothing was changed.")
	}
}

func (p *asking) edit(ctx context.Context, refused *unreadableError) (string, error) {
	text, err := editSpec(ctx, p.app, refused.Spec(), refused.reasons()...)
	if err == nil {
		p.edited, p.unsent = true, text
	}
	return text, err
}

// unreadableError is a request that the engine cannot read, where nobody can be asked.
type unreadableError struct {
	*generate.Refusal
	source string
	again  string
}

// Unwrap returns the error of the service.
func (e *unreadableError) Unwrap() error { return e.Refusal }

var lineOfMistake = regexp.MustCompile(`^[Ll]ine (\d+):`)

// reasons says why the request was refused, with the line of the spec or the words that
// are to blame.
func (e *unreadableError) reasons() []string {
	reason := printable.Indented(e.Message)
	if e.source != "" && e.Mistake() {
		reason = printable.Line(e.source) + ": " + reason
	}
	lines := []string{reason}
	if m := lineOfMistake.FindStringSubmatch(e.Message); m != nil && e.Mistake() {
		n, err := strconv.Atoi(m[1])
		if all := strings.Split(e.Request.Prompt, "\n"); err == nil && n > 0 && n <= len(all) {
			lines = append(lines, printable.Quoted(all[n-1]))
		}
	}
	if missed := e.Suggestion.NotUnderstood; len(missed) > 0 {
		lines = append(lines, "Not understood: "+printable.Line(strings.Join(missed, ", ")))
	}
	return lines
}

// explain says why nothing was started, and which command sends the spec.
func (e *unreadableError) explain() shown {
	lines := e.reasons()
	again := e.again
	if e.Mistake() { // the text has no constraints in it, as a suggestion has
		for _, name := range slices.Sorted(maps.Keys(e.Request.Constraints)) {
			again += " --constraint " + printable.ShellWord(name+"="+e.Request.Constraints[name])
		}
	}
	if e.source != "" && e.Mistake() {
		return shown(strings.Join(append(lines, "Nothing was started. Correct the file, then run the command again."), "\n"))
	}
	switch {
	case e.Spec() == "":
		lines = append(lines, "Nothing was started. Change the request, then run the command again.")
	case e.again == "": // nobody knows what else was asked for
		lines = append(lines, "Nothing was made. This is the nearest spec, which svc generate --spec sends:", printable.Quoted(e.Spec()))
	case e.Suggestion.Unchanged && !e.Mistake():
		lines = append(lines, "Nothing was started. To edit the spec of the project:", "", e.again+" --edit", "", "It is:", "", printable.Quoted(e.Spec()))
	default:
		lines = append(lines, "Nothing was started. Correct this spec where it is not what you want, then send it:", "", string(sending(again, e.Spec())))
	}
	return shown(strings.Join(lines, "\n"))
}

// sending is the command that sends a spec. Its lines are set in, so that none of them
// ends the document early.
func sending(command, text string) shown {
	if runtime.GOOS == "windows" {
		return shown(fmt.Sprintf("%s\n\nSave these lines as spec.txt, then run: %s --spec spec.txt", printable.Quoted(text), command))
	}
	return shown(fmt.Sprintf("%s --spec - <<'SPEC'\n%s\nSPEC", command, printable.Quoted(text)))
}

// generateLine is the command that starts such a run, without its prompt. The key is not
// repeated.
func generateLine(a *app, q generate.Request, named string, f watchFlags) string {
	line := commandLine{"svc", "generate"}
	line.value("--project", cmp.Or(q.ProjectID, named))
	line.flag("--pull", f.pull)
	line.value("--api-url", a.apiURL)
	line.value("--ca-file", a.caFile)
	return strings.Join(line, " ")
}
