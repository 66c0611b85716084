package pack

import (
	"context"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// ActiveRun gives a run of a project that is running or queued, if there is one. What
// changes a project asks for it in the transaction that makes the change true: a run
// whose project has moved meanwhile could not commit what it made.
func ActiveRun(ctx context.Context, r svc.Records, accountID, projectID string) (svc.Run, bool, error) {
	for _, status := range []svc.RunStatus{svc.RunRunning, svc.RunQueued} {
		runs, err := r.Runs().List(ctx, svc.RunQuery{AccountID: accountID, ProjectID: projectID, Status: status, Limit: 1})
		if err != nil {
			return svc.Run{}, false, fmt.Errorf("look for runs of project %s: %w", projectID, err)
		}
		if len(runs) > 0 {
			return runs[0], true, nil
		}
	}
	return svc.Run{}, false, nil
}
