package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/api"
	"github.com/bundle-delivery/svc/internal/secrets"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// pushOptions are the user's choices for a push.
type pushOptions struct {
	add          []string
	dryRun       bool
	asJSON       bool
	allowSecrets bool
	// review, if there is one, is shown the plan in the place of a person, and its error
	// ends the push. What an earlier command left unfinished, a person has to finish.
	review func(*workdir.PushPlan) error
}

func (a *app) pushCommand() *cobra.Command {
	var opts pushOptions
	cmd := &cobra.Command{
		Use:   "push",
		Short: "Send your edits back to the project, so that the next run sees them",
		Long: `Sends the files of the project that you changed or deleted since the last pull, and
makes them the project's next state. New files, and configuration files in which
your own lines stand beside the bundle's, are sent only when you name them with
--add. Ports go back to the numbers that the project declares.

Files that hold keys, tokens or passwords are refused by file and line: keys in the form
of their issuer, JSON web tokens, passwords in addresses (postgres://user:password@host)
and values of password, secret, token or api_key in YAML, JSON, TOML and other settings,
also in UTF-16. What stands in the place of one is none: ${PASSWORD}, changeme, a user's
own name.`,
		Example: `  svc push --dry-run                       # look first
  svc push
  svc push --add src/new.go --add package.json
  svc generate --push "now add a search"   # push, then continue the project`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.push(cmd.Context(), opts) },
	}
	cmd.Flags().StringArrayVar(&opts.add, "add", nil, "also send this file, or the files in this folder; may be repeated")
	cmd.Flags().BoolVar(&opts.dryRun, "dry-run", false, "show what would be sent, and send nothing")
	cmd.Flags().BoolVar(&opts.asJSON, "json", false, "print one JSON object")
	cmd.Flags().BoolVar(&opts.allowSecrets, "allow-secrets", false, "send also .env files and what looks like a secret")
	return cmd
}

func (a *app) push(ctx context.Context, opts pushOptions) (err error) {
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if opts.dryRun {
		if err := checkFinished(folder); err != nil {
			return err
		}
		return a.showPush(folder, opts)
	}
	finish := a.recoverFolder
	if opts.review != nil {
		finish = checkFinished
	}
	if err := finish(folder); err != nil {
		return err
	}
	c, err := a.client()
	if err != nil {
		return err
	}
	if err := a.finishPush(ctx, c, folder); err != nil {
		return err
	}
	plan, err := a.planPush(folder, opts)
	if err != nil {
		return err
	}
	if plan.Empty() {
		a.note("Nothing to push: the files of project %s are as the last pull or push left them.", plan.ProjectID)
		if opts.asJSON {
			return a.printJSON(api.Pushed{ProjectID: plan.ProjectID, State: plan.Base})
		}
		return nil
	}
	pushed, err := a.sendPush(ctx, c, folder, plan)
	if err != nil {
		return err
	}
	if opts.asJSON {
		err = a.printJSON(api.Pushed{
			ProjectID: pushed.ProjectID, State: pushed.State, Changed: pushed.Changed, Added: pushed.Added, Deleted: pushed.Deleted, PushedAt: api.Time(pushed.At),
		})
	} else {
		err = a.print("project_id: %s\nstate: %s\nchanged: %d\nadded: %d\ndeleted: %d\n", pushed.ProjectID, pushed.State, pushed.Changed, pushed.Added, pushed.Deleted)
	}
	a.unheard("The changes are pushed", err)
	return nil
}

// planPush finds what is to be sent, and refuses what must not be.
func (a *app) planPush(folder *workdir.Folder, opts pushOptions) (*workdir.PushPlan, error) {
	plan, err := folder.PlanPush(opts.add)
	if err != nil {
		return nil, err
	}
	if len(plan.Unresolved) > 0 {
		return nil, fmt.Errorf("these files have conflicts that are not resolved: %s; the incoming text lies beside each as *%s: take from it what you want, delete it, and push again",
			strings.Join(plan.Unresolved, ", "), workdir.NewSuffix)
	}
	if len(plan.NotPlain) > 0 {
		a.warn("Not sent, for they are no plain files any more: %s. The project keeps what it has of them.", strings.Join(plan.NotPlain, ", "))
	}
	if plan.Reserved {
		a.note("Not sent: %s. The project keeps what it has of it.", workdir.ErrReserved)
	}
	if opts.allowSecrets {
		return plan, nil
	}
	found := secretsIn(plan)
	switch {
	case len(found) > 0 && opts.review != nil:
		return nil, fmt.Errorf("nothing was sent, for these look like secrets:\n  %s\nTell the person: secrets belong into variables of the environment. If they are none, the person can push them in a terminal", strings.Join(found, "\n  "))
	case len(found) > 0:
		return nil, fmt.Errorf("nothing was sent, for these look like secrets:\n  %s\nPut them into variables of the environment; or, if they are none, push with --allow-secrets", strings.Join(found, "\n  "))
	case opts.review != nil:
		return plan, opts.review(plan)
	}
	return plan, nil
}

// secretsIn names what must not leave this machine unasked.
func secretsIn(plan *workdir.PushPlan) []string {
	var found []string
	for _, f := range plan.Files {
		if kind, secret := secrets.FileName(f.Path); secret {
			found = append(found, f.Path+": "+kind)
			continue
		}
		for _, s := range secrets.FindInFile(f.Path, f.Content) {
			found = append(found, fmt.Sprintf("%s:%d: %s", f.Path, s.Line, s.Kind))
		}
	}
	return found
}

// showPush prints what a push would send.
func (a *app) showPush(folder *workdir.Folder, opts pushOptions) error {
	plan, err := a.planPush(folder, opts)
	if err != nil {
		return err
	}
	if opts.asJSON {
		out := struct {
			ProjectID string   `json:"project_id"`
			Base      string   `json:"base"`
			Changed   []string `json:"changed"`
			Added     []string `json:"added"`
			Deleted   []string `json:"deleted"`
		}{plan.ProjectID, plan.Base, []string{}, []string{}, append([]string{}, plan.Deleted...)}
		for _, f := range plan.Files {
			if f.New {
				out.Added = append(out.Added, f.Path)
			} else {
				out.Changed = append(out.Changed, f.Path)
			}
		}
		return a.printJSON(out)
	}
	if plan.Empty() {
		return a.print("Nothing to push.\n")
	}
	for _, f := range plan.Files {
		word := "change"
		if f.New {
			word = "add"
		}
		if err := a.print("%-8s%s (%s)\n", word, f.Path, size(int64(len(f.Content)))); err != nil {
			return err
		}
	}
	for _, name := range plan.Deleted {
		if err := a.print("%-8s%s\n", "delete", name); err != nil {
			return err
		}
	}
	a.note("Nothing was sent. To send it to project %s: svc push", plan.ProjectID)
	return nil
}

// sendPush sends what was planned, and notes in the folder what came of it.
func (a *app) sendPush(ctx context.Context, c *client.Client, folder *workdir.Folder, plan *workdir.PushPlan) (client.Pushed, error) {
	note, err := client.Changes{Base: plan.Base, Deleted: plan.Deleted}.Note()
	if err != nil {
		return client.Pushed{}, err
	}
	if err := ctx.Err(); err != nil {
		return client.Pushed{}, err
	}
	pushing, err := folder.Push(plan, c.BaseURL(), newUUID(), note)
	if err != nil {
		return client.Pushed{}, err
	}
	pushed, err := a.settlePush(ctx, c, pushing)
	if err == nil {
		a.step(green, "pushed", fmt.Sprintf("%d changed, %d added, %d deleted in project %s", pushed.Changed, pushed.Added, pushed.Deleted, pushed.ProjectID))
	}
	return pushed, err
}

// settlePush sends a push and ends it in the folder, one way or the other.
func (a *app) settlePush(ctx context.Context, c *client.Client, p *workdir.Pushing) (client.Pushed, error) {
	pushed, err := c.Push(ctx, p.ProjectID(), p.Archive, p.Key())
	if err == nil {
		return pushed, p.Answered(pushed.State, pushed.At)
	}
	if refusedForGood(err) {
		if answer, ok := errors.AsType[*client.StatusError](err); ok {
			answer.Err.Hint = cmp.Or(whatToDoAboutPush(answer.Err, p.ProjectID()), answer.Err.Hint)
		}
		return pushed, errors.Join(err, p.Refused())
	}
	a.warn("It is not known whether the push arrived; the next svc push or svc pull finds out.")
	return pushed, errors.Join(err, p.Leave())
}

// refusedForGood says whether the service has answered that it did not take a push.
func refusedForGood(err error) bool {
	answer, ok := errors.AsType[*client.StatusError](err)
	return ok && answer.Status >= http.StatusBadRequest && answer.Status < http.StatusInternalServerError &&
		answer.Status != http.StatusTooManyRequests && answer.Status != http.StatusUnauthorized
}

// movedOn says whether the project has gone on, or is gone, since a push was sent: it
// may have been taken, and forgotten since.
func movedOn(err error) bool {
	answer, ok := errors.AsType[*client.StatusError](err)
	return ok && (answer.Status == http.StatusConflict || answer.Status == http.StatusNotFound)
}

// finishPush finds out what became of a push that was not answered, by sending it
// again: the service knows whether it has taken it.
func (a *app) finishPush(ctx context.Context, c *client.Client, folder *workdir.Folder) error {
	pushing, err := folder.UnansweredPush(c.BaseURL())
	if err != nil || pushing == nil {
		return err
	}
	pushed, err := a.settlePush(ctx, c, pushing)
	switch {
	case err == nil:
		a.note("An interrupted push to project %s was finished first: its state is %s.", pushed.ProjectID, pushed.State)
		return nil
	case movedOn(err):
		a.warn("Whether an interrupted push to project %s was taken before is not known: %s Your files are as they were.", pushing.ProjectID(), oneLine(err))
		return nil
	case refusedForGood(err):
		a.warn("An interrupted push to project %s was not taken: %s Your files are as they were.", pushing.ProjectID(), oneLine(err))
		return nil
	}
	return err
}

// whatToDoAboutPush says how to go on after a push was refused.
func whatToDoAboutPush(e *svc.Error, projectID string) string {
	switch e.Code {
	case svc.CodeProjectMoved:
		if e.BundleID != "" {
			return fmt.Sprintf("Somebody else has changed it. To merge that with your edits: svc pull %s, then svc push again.", e.BundleID)
		}
		return fmt.Sprintf("Somebody else has changed it. To merge that with your edits: svc export %s, svc pull what it prints, then svc push again.", projectID)
	case svc.CodeProjectBusy:
		return fmt.Sprintf("To see it end: svc watch %s. Then pull its bundle, which keeps your edits, and push again.", e.GenerationID)
	default:
		return ""
	}
}
