package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// editsChoice says what becomes of edits when a run is asked for; neither means to ask.
type editsChoice struct{ send, leave bool }

// offerEdits sends the edits of this folder along with a run of its project, if the
// user wants that, and gives the project that the run continues.
func (a *app) offerEdits(ctx context.Context, c *client.Client, project string, choice editsChoice) (_ string, err error) {
	if choice.leave || project == "" && !choice.send {
		return project, nil
	}
	folder, err := a.folder()
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	if !choice.send {
		return project, a.askAboutEdits(ctx, c, folder, project)
	}
	if err := a.recoverFolder(folder); err != nil {
		return "", err
	}
	if err := a.finishPush(ctx, c, folder); err != nil {
		return "", err
	}
	plan, err := a.planPush(folder, pushOptions{})
	switch {
	case err != nil:
		return "", err
	case project != "" && project != plan.ProjectID:
		return "", fmt.Errorf("--push sends the edits of project %s, which was pulled here, and --project names %s", plan.ProjectID, project)
	case plan.Empty():
		a.note("Nothing to push: the files of project %s are as the last pull or push left them.", plan.ProjectID)
	default:
		if _, err := a.sendPush(ctx, c, folder, plan); err != nil {
			return "", err
		}
	}
	return plan.ProjectID, nil
}

// askAboutEdits asks whether edits go along with a run. Without a terminal they do
// not, and that is said. What keeps them from being found keeps no run from starting.
func (a *app) askAboutEdits(ctx context.Context, c *client.Client, folder *workdir.Folder, project string) error {
	plan, err := folder.PlanPush(nil)
	if err != nil || plan.ProjectID != project || plan.Empty() {
		return nil //nolint:nilerr // see above
	}
	changed := strings.Join(append(pushedNames(plan), plan.Deleted...), ", ")
	if !a.term.inTTY && !a.yes {
		a.warn("The run will not see your edits in this folder (%s). To send them along: --push.", changed)
		return nil
	}
	a.note("You have edited files of this project: %s.", changed)
	yes, err := a.confirm(ctx, "Send them along, so that the run sees them? [Y/n] ", true)
	if err != nil || !yes {
		return err
	}
	if err := a.recoverFolder(folder); err != nil {
		return err
	}
	if err := a.finishPush(ctx, c, folder); err != nil {
		return err
	}
	if plan, err = a.planPush(folder, pushOptions{}); err != nil || plan.Empty() {
		return err
	}
	_, err = a.sendPush(ctx, c, folder, plan)
	return err
}

// namedEdits is how many edited files a line names.
const namedEdits = 10

func pushedNames(plan *workdir.PushPlan) []string {
	var names []string
	for _, f := range plan.Files {
		if len(names) == namedEdits {
			return append(names, fmt.Sprintf("and %d more", len(plan.Files)-namedEdits))
		}
		names = append(names, f.Path)
	}
	return names
}
