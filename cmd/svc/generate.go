package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// notation is an example of a spec, and what its lines can say.
const notation = `  api in go with sqlite, port 9100, auth token
  book: title, author, isbn unique, year: integer 1450..2100, price: money
  loan: -> book, borrower required, due date: date, state one of lent/back
  # A record has fields, NAME: KIND and rules; "-> book" refers to a book.
  # Kinds: string text integer number money boolean date datetime email url uuid
  # Rules: required, optional, unique, MIN..MAX, one of A/B/C, default V`

// notationHelp is what an edited spec has below it.
var notationHelp = []string{
	"The first line: api in LANGUAGE with STORE, port N, auth token; or site.",
	"A record: book: title, author, year: integer 1450..2100, price: money",
	"A part of a site: section menu: Bread and cakes; or text phone: 01234 567890",
	"Kinds: string text integer number money boolean date datetime email url uuid",
	"Rules: required, optional, unique, MIN..MAX, one of A/B/C, default V; -> book refers to a book.",
	"To send nothing, delete all lines.",
}

// generateOptions are the user's choices for a run.
type generateOptions struct {
	project string
	spec    specFlags
	edits   editsChoice
	watch   watchFlags
}

func newGenerateCommand(a *app) *cobra.Command {
	var opts generateOptions
	cmd := &cobra.Command{
		Use:   "generate [<prompt>]",
		Short: "Generate a project and watch it come into being",
		Long: `Asks the service for a generation run and shows what it tells, until its bundle
is ready. The run does not depend on this connection: it goes on when you leave,
and svc watch takes it up again.

A model or an agent reads any prompt. The template engine makes APIs and sites from a
spec: a line for the project, then one line for each record. The prompt can be one.

` + notation + `

It reads simple sentences as well. If it cannot use every word, svc generate shows the
spec and asks: y sends it, n sends nothing, e opens it in $VISUAL or $EDITOR. Without
a terminal it prints the command that sends the spec, and exits with 1; with --json it
prints the refusal as one line of JSON.`,
		Example: `  svc generate "a REST API for books in Go"
  svc generate --language go --store sqlite --resource 'book: title, author' --resource 'loan: -> book, due date'
  svc generate --spec library.spec                 # what the file says; - reads the standard input
  svc generate --edit                              # in the folder of a pull: change the project's spec
  svc generate "add book.pages: integer"           # there: the same in a line
  svc generate --push --pull "and with a filter"   # with your edits, and back into the folder
  svc generate --project proj_7h2k9q4w1x8c5v3b6n0m "add an endpoint for returns"
  svc generate --project new "<something else>"    # in the folder of a pull, another project
  svc generate --pull "a web site for a bakery in Bristol" --constraint port=9000
  svc generate - < prompt.txt`,
		Args: opts.spec.args,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := opts.spec.check(); err != nil {
				return usage(cmd, err)
			}
			if opts.edits.send && opts.edits.leave {
				return usage(cmd, errors.New("--push and --no-push exclude each other"))
			}
			prompt, err := readPrompt(cmd.Context(), a, &opts.spec, args)
			if err != nil {
				return err
			}
			return runGenerate(cmd.Context(), a, prompt, opts)
		},
	}
	addProjectFlag(a, cmd, &opts.project, `continue this project; else the one that was pulled here, or "new" for a new one`)
	opts.spec.add(cmd)
	cmd.Flags().BoolVar(&opts.edits.send, "push", false, "send your edits of this folder's project first, and continue that project")
	cmd.Flags().BoolVar(&opts.edits.leave, "no-push", false, "do not ask whether to send edits")
	opts.watch.add(a, cmd)
	return cmd
}

func runGenerate(ctx context.Context, a *app, prompt string, opts generateOptions) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	project := opts.project
	if !opts.edits.send { // which takes the folder's as well
		project = projectHere(a, opts.project, newProject)
	}
	if a.remembered != "" {
		a.note("This continues project %s, which was pulled here. For a new one: --project new", a.remembered)
	}
	if project, err = offerEdits(ctx, a, c, project, opts.edits); err != nil {
		return err
	}
	person := &asking{app: a, show: &eventPrinter{app: a}, source: opts.spec.file}
	if opts.spec.edit {
		if prompt, err = editProject(ctx, a, c, project); err != nil {
			return err
		}
		person.edited, person.unsent = true, prompt
	}
	q, err := opts.spec.request(project, prompt)
	if err != nil {
		return err
	}
	person.again = generateLine(a, q, opts.project, opts.watch)
	made, err := generate.Do(ctx, c, q, client.NewKey, person)
	a.term.clear()
	if a.asJSON {
		err = errors.Join(err, printRefusal(a, err))
	}
	if made.Running != "" {
		askAboutRun(a, c, made.Running)
	} else if err != nil && person.unsent != "" {
		a.warn("The edited spec was not sent. To send it:\n\n%s\n", sending(person.again, person.unsent))
	}
	if err != nil {
		return err
	}
	return deliver(ctx, a, made.Outcome, &person.show.told, opts.watch)
}

// printRefusal prints the answer to a request of which no run was made. That of a run is
// among its events.
func printRefusal(a *app, err error) error {
	refused, unreadable := errors.AsType[*generate.Refusal](err)
	if _, answered := errors.AsType[*client.StatusError](err); !unreadable || !answered {
		return nil
	}
	return a.encodeJSON(struct {
		Error      string         `json:"error"`
		Code       svc.Code       `json:"code"`
		Suggestion svc.Suggestion `json:"suggestion"`
	}{refused.Message, svc.CodeUnresolvable, refused.Suggestion}, "")
}

// editProject lets the user edit the spec of a project.
func editProject(ctx context.Context, a *app, c *client.Client, project string) (string, error) {
	if project == "" || project == newProject {
		return "", errors.New("--edit changes a project: run it in the folder of a pull, or name the project with --project")
	}
	p, err := c.Project(ctx, project)
	if err != nil {
		return "", err
	}
	if p.Spec == "" {
		return "", fmt.Errorf("project %s has no spec: no run of the template engine has made it. Say what to change: svc generate --project %s \"<what to change>\"", project, printable.ShellWord(project))
	}
	return editSpec(ctx, a, p.Spec)
}

// askAboutRun asks once what shall become of a run that goes on without us.
func askAboutRun(a *app, c *client.Client, id string) {
	a.term.clear()
	if !a.term.inTTY || !a.term.errTTY || a.yes { // --yes has nothing to do with ending it
		a.warn("The run goes on. To watch it again: svc watch %s", id)
		return
	}
	// A second Ctrl-C ends the program: the run goes on.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if yes, err := a.confirm(ctx, "\nThe run goes on without you. Cancel it? [y/N] ", false); err == nil && yes {
		cancelRun(a, c, id)
		return
	}
	a.warn("To watch it again: svc watch %s", id)
}

func cancelRun(a *app, c *client.Client, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	run, err := c.Cancel(ctx, id)
	if err != nil {
		a.warn("The run could not be cancelled: %s", oneLine(err))
		return
	}
	a.note("The run is %s.", run.Status)
}
