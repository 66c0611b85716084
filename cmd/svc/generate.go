package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/client"
)

func (a *app) generateCommand() *cobra.Command {
	var f watchFlags
	var project string
	var constraints []string
	var edits editsChoice
	cmd := &cobra.Command{
		Use:   "generate <prompt>",
		Short: "Generate a project and watch it come into being",
		Long: `Asks the service for a generation run and shows what it tells, until its bundle
is ready. The run does not depend on this connection: it goes on when you leave,
and svc watch takes it up again.`,
		Example: `  svc generate "a REST API for a library, in Go"
  svc generate --project proj_7h2k9q4w1x8c5v3b6n0m "add an endpoint for returns"
  svc generate "<what to change>"                  # in the folder of a pull: the same project
  svc generate --push --pull "and with a filter"   # with your edits, and back into the folder
  svc generate --project new "<something else>"    # there, another project
  svc generate --pull "a web site for a bakery in Bristol" --constraint port=9000
  svc generate - < prompt.txt`,
		Args: one("give one prompt, in quotation marks: svc generate \"<prompt>\""),
		RunE: func(cmd *cobra.Command, args []string) error {
			prompt := args[0]
			if prompt == "-" {
				if a.term.inTTY {
					a.note("Type the prompt, and Ctrl-D at its end:")
				}
				text, err := a.input(cmd.Context(), readAll(1<<20))
				if err != nil {
					return err
				}
				prompt = strings.TrimRight(text, "\r\n")
			}
			wanted := map[string]string{}
			for _, c := range constraints {
				name, value, ok := strings.Cut(c, "=")
				if !ok || name == "" {
					return usage(cmd, fmt.Errorf("--constraint %q has not the form name=value", c))
				}
				wanted[name] = value
			}
			if edits.send && edits.leave {
				return usage(cmd, errors.New("--push and --no-push exclude each other"))
			}
			return a.generate(cmd.Context(), project, prompt, wanted, edits, f)
		},
	}
	a.addProjectFlag(cmd, &project, `continue this project; else the one that was pulled here, or "new" for a new one`)
	cmd.Flags().StringArrayVar(&constraints, "constraint", nil, "a constraint, name=value; may be repeated")
	cmd.Flags().BoolVar(&edits.send, "push", false, "send your edits of this folder's project first, and continue that project")
	cmd.Flags().BoolVar(&edits.leave, "no-push", false, "do not ask whether to send edits")
	f.add(cmd)
	return cmd
}

func (a *app) generate(ctx context.Context, project, prompt string, constraints map[string]string, edits editsChoice, f watchFlags) error {
	c, err := a.client()
	if err != nil {
		return err
	}
	if !edits.send { // which takes the folder's as well
		project = a.projectHere(project, newProject)
	}
	if a.remembered != "" {
		a.note("This continues project %s, which was pulled here. For a new one: --project new", a.remembered)
	}
	if project, err = a.offerEdits(ctx, c, project, edits); err != nil {
		return err
	}
	run, err := c.Generate(ctx, project, prompt, constraints, newUUID())
	if err != nil {
		return err
	}
	a.note("Run %s of project %s is queued.", run.ID, run.ProjectID)
	a.note("To watch it from elsewhere: svc watch %s", run.ID)
	err = a.follow(ctx, c, run.ID, f)
	if errors.Is(err, context.Canceled) {
		a.askAboutRun(c, run.ID)
	}
	return err
}

// askAboutRun asks once what shall become of a run that goes on without us.
func (a *app) askAboutRun(c *client.Client, id string) {
	a.term.clear()
	if !a.term.inTTY || !a.term.errTTY || a.yes { // --yes has nothing to do with ending it
		a.warn("The run goes on. To watch it again: svc watch %s", id)
		return
	}
	// A second Ctrl-C ends the program: the run goes on.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if yes, err := a.confirm(ctx, "\nThe run goes on without you. Cancel it? [y/N] ", false); err == nil && yes {
		a.cancelRun(c, id)
		return
	}
	a.warn("To watch it again: svc watch %s", id)
}

func (a *app) cancelRun(c *client.Client, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	run, err := c.Cancel(ctx, id)
	if err != nil {
		a.warn("The run could not be cancelled: %s", oneLine(err))
		return
	}
	a.note("The run is %s.", run.Status)
}
