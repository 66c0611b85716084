package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// editsChoice says what becomes of edits when a run is asked for; neither means to ask.
type editsChoice struct{ send, leave bool }

// offerEdits sends the edits of this folder along with a run of its project, if the
// user wants that, and returns the project that the run continues.
func offerEdits(ctx context.Context, a *app, c *client.Client, project string, choice editsChoice) (string, error) {
	if choice.leave || project == "" && !choice.send {
		return project, nil
	}
	err := a.inFolder(func(folder *workdir.Folder) error {
		if !choice.send {
			if yes, err := askAboutEdits(ctx, a, folder, project); err != nil || !yes {
				return err
			}
		}
		s := a.session(folder)
		s.Connect = func() (*client.Client, error) { return c, nil }
		p, err := s.PreparePush(ctx, pull.PushOptions{})
		switch {
		case err != nil:
			return err
		case choice.send && project != "" && project != p.Plan.ProjectID:
			return fmt.Errorf("--push sends the edits of project %s, which was pulled here, and --project names %s", p.Plan.ProjectID, project)
		case !p.Plan.Empty():
			_, err = p.Send(ctx)
		case choice.send:
			noteNoEdits(a, p.Plan)
		}
		if choice.send {
			project = p.Plan.ProjectID
		}
		return err
	})
	return project, err
}

// askAboutEdits asks whether edits go along with a run. Without a terminal they do
// not, and that is said. What keeps them from being found keeps no run from starting.
func askAboutEdits(ctx context.Context, a *app, folder *workdir.Folder, project string) (bool, error) {
	plan, err := folder.PlanPush(nil)
	if err != nil || plan.ProjectID != project || plan.Empty() {
		return false, nil //nolint:nilerr // see above
	}
	changed := strings.Join(append(pushedNames(plan), plan.Deleted...), ", ")
	if !a.term.inTTY && !a.yes {
		a.warn("The run will not see your edits in this folder (%s). To send them along: --push.", changed)
		return false, nil
	}
	a.note("You have edited files of this project: %s.", changed)
	return a.confirm(ctx, "Send them along, so that the run sees them? [Y/n] ", true)
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
