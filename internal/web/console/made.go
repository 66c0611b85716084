package console

import (
	"net/http"

	svc "github.com/bundle-delivery/svc"
)

// Waiting says that the bundle of the run can be pulled.
func (p runPage) Waiting() bool { return p.Bundle != nil && p.Bundle.Status == svc.BundlePending }

// bundleOf is the bundle that a run has made, in whatever state; nil where nothing is
// known of it.
func (s *runHandlers) bundleOf(r *http.Request, run svc.Run) (*svc.Bundle, error) {
	if run.BundleID == "" {
		return nil, nil
	}
	b, err := s.anyBundle(r, run.AccountID, run.BundleID)
	if svc.CodeOf(err) == svc.CodeBundleNotFound {
		return nil, nil
	}
	return &b, err
}

// madeBundle answers the page of a run that asks again and again what became of the
// bundle: with what to show in its place, once it is gone.
func (s *runHandlers) madeBundle(w http.ResponseWriter, r *http.Request, v *visit) error {
	run, err := s.Generations.Get(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	if r.Header.Get("Hx-Request") == "" { // somebody who had to sign in again
		return s.goTo(w, r, "/generations/"+run.ID, "")
	}
	body := runPage{Run: run}
	if body.Bundle, err = s.bundleOf(r, run); err != nil {
		return err
	}
	if body.Waiting() {
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	if err := s.showMade(r, &body); err != nil {
		return err
	}
	return s.renderPart(w, "generation", "made", body)
}

// showMade says what can be shown of the state that a run has made.
func (s *runHandlers) showMade(r *http.Request, body *runPage) error {
	project, err := s.Delivery.Project(r.Context(), body.Run.AccountID, body.Run.ProjectID)
	if svc.CodeOf(err) == svc.CodeProjectNotFound {
		return nil // deleted just now
	}
	if err != nil {
		return err
	}
	body.Project, body.Continues = projectName(project), project.Revision > 0
	body.Fresh = project.Pack.Blob != "" && sizeCap(project.Pack.Extent, s.Delivery.Limits.Project) == ""
	if made := project.StateProvenance(); made == nil || made.Run != body.Run.ID {
		return nil
	}
	project, files, err := s.Delivery.OpenProject(r.Context(), body.Run.AccountID, body.Run.ProjectID)
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it was only read
	body.Revision, body.Difference, body.Preview = project.Revision, s.hasDifference(project), s.previews.hasPreview(files.Manifest().Files)
	return nil
}
