package console

import (
	"net/http"
	"strconv"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/generation"
)

// homeHandlers show what an account has and does, all together.
type homeHandlers struct{ *core }

const (
	// overviewRows is how much of each list the overview shows.
	overviewRows = 5
	// overviewCounts is how far it counts what the lists hold.
	overviewCounts = 100
)

// overviewPage is what an account is doing at the moment.
type overviewPage struct {
	Allowance generation.Allowance
	Standing  delivery.Standing
	Active    []svc.Run // running and queued: the first ones
	Waiting   []svc.Bundle
	// How many there are in all, as far as they are counted.
	ActiveCount, WaitingCount count
	Recent                    []svc.Run
	Projects                  []svc.Project
	Keys                      int // usable ones
	Names                     map[string]string
	Steps                     *steps // nil: all are done, or nobody wants to see them
}

// count is a number of records that were counted up to a bound.
type count int

// String says "100+" of what was not counted to its end.
func (c count) String() string {
	if c > overviewCounts {
		return strconv.Itoa(overviewCounts) + "+"
	}
	return strconv.Itoa(int(c))
}

// MoreActive says that more is in progress than the page shows.
func (o overviewPage) MoreActive() bool { return int(o.ActiveCount) > len(o.Active) }

// Empty says that nothing has happened yet.
func (o overviewPage) Empty() bool { return len(o.Recent) == 0 && len(o.Projects) == 0 }

func (s *homeHandlers) overview(w http.ResponseWriter, r *http.Request, v *visit) error {
	ctx, id := r.Context(), v.account.ID
	var o overviewPage
	var err error
	if o.Allowance, err = s.Generations.Allowance(ctx, v.account); err != nil {
		return err
	}
	if o.Standing, err = s.Delivery.Standing(ctx, id); err != nil {
		return err
	}
	for _, status := range []svc.RunStatus{svc.RunRunning, svc.RunQueued} {
		runs, err := s.Generations.List(ctx, svc.RunQuery{AccountID: id, Status: status, Limit: overviewCounts + 1})
		if err != nil {
			return err
		}
		o.Active = append(o.Active, runs...)
	}
	o.ActiveCount = count(len(o.Active))
	o.Active = o.Active[:min(len(o.Active), 2*overviewRows)]
	if o.Recent, err = s.Generations.List(ctx, svc.RunQuery{AccountID: id, Limit: overviewRows}); err != nil {
		return err
	}
	if o.Waiting, _, err = s.Delivery.List(ctx, svc.BundleQuery{AccountID: id, Status: svc.BundlePending, Limit: overviewCounts + 1}); err != nil {
		return err
	}
	o.WaitingCount = count(len(o.Waiting))
	o.Waiting = o.Waiting[:min(len(o.Waiting), overviewRows)]
	if o.Projects, _, err = s.Delivery.Projects(ctx, id, nil, overviewRows); err != nil {
		return err
	}
	keys, err := s.Accounts.ListKeys(ctx, id)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if k.Usable(s.Now()) {
			o.Keys++
		}
	}
	done, err := s.stepsOf(r, v, keys)
	if err != nil {
		return err
	}
	if !done.All() && cookieOf(r, stepsName) != id {
		o.Steps = &done
	}
	if o.Names, err = s.projectNames(r, id, o.Waiting, append(o.Active, o.Recent...)); err != nil {
		return err
	}
	return s.render(w, r, v, http.StatusOK, "overview", page{Title: "Overview", Section: "overview", Body: o})
}

// projectNames looks up the names of the projects that some records belong to.
func (s *core) projectNames(r *http.Request, accountID string, bundles []svc.Bundle, runs []svc.Run) (map[string]string, error) {
	names := map[string]string{}
	look := func(id string) error {
		if _, known := names[id]; known {
			return nil
		}
		p, err := s.Delivery.Project(r.Context(), accountID, id)
		if svc.CodeOf(err) == svc.CodeProjectNotFound {
			names[id] = id // deleted just now
			return nil
		}
		names[id] = projectName(p)
		return err
	}
	for _, b := range bundles {
		if err := look(b.ProjectID); err != nil {
			return nil, err
		}
	}
	for _, run := range runs {
		if err := look(run.ProjectID); err != nil {
			return nil, err
		}
	}
	return names, nil
}

// projectName is what a project is called: people see a name before an id.
func projectName(p svc.Project) string {
	if p.Name != "" {
		return p.Name
	}
	return p.ID
}
