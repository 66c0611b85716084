package console

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// projectHandlers show projects and their files, and make fresh bundles of them.
type projectHandlers struct {
	*core
	previews *previewHandlers
}

// projectList is what the page of projects shows.
type projectList struct {
	Projects     []svc.Project
	Query        string
	Cursor, Next string
}

// Filtered says whether the list leaves anything out.
func (l projectList) Filtered() bool { return l.Query != "" || l.Cursor != "" }

func (s *projectHandlers) listProjects(w http.ResponseWriter, r *http.Request, v *visit) error {
	list := projectList{Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	var after, next *svc.Cursor
	after, list.Cursor = cursorOf(r)
	var err error
	if list.Projects, next, err = s.findProjects(r, v, list.Query, after); err != nil {
		return err
	}
	list.Next = api.EncodeCursor(next)
	return s.render(w, r, v, http.StatusOK, "projects", page{Title: "Projects", Section: "projects", Body: list})
}

// searchBatches bounds how much one page looks through; the next page goes on.
const searchBatches = 20

// findProjects lists projects whose name or id has a text in it.
func (s *core) findProjects(r *http.Request, v *visit, query string, after *svc.Cursor) ([]svc.Project, *svc.Cursor, error) {
	if query == "" {
		all, next, err := s.Delivery.Projects(r.Context(), v.account.ID, after, rowsOnPage)
		if err == nil {
			all, err = s.withoutFailed(r, all)
		}
		return all, next, err
	}
	var found []svc.Project
	for range searchBatches {
		batch, next, err := s.Delivery.Projects(r.Context(), v.account.ID, after, delivery.MaxPage)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range batch {
			if !containsFold(p.Name+" "+p.ID, query) {
				continue
			}
			if len(found) == rowsOnPage {
				last := found[len(found)-1]
				found, err = s.withoutFailed(r, found)
				return found, &svc.Cursor{CreatedAt: last.CreatedAt, ID: last.ID}, err
			}
			found = append(found, p)
		}
		if after = next; after == nil {
			break
		}
	}
	found, err := s.withoutFailed(r, found)
	return found, after, err
}

// failedRuns is how many runs of a project without files are looked at.
const failedRuns = 20

// withoutFailed leaves out projects that have never had a file because every run of
// theirs failed or was cancelled. Their runs are listed with what was asked, and
// trying one again goes on with its project.
func (s *core) withoutFailed(r *http.Request, projects []svc.Project) ([]svc.Project, error) {
	var listed []svc.Project
	for _, p := range projects {
		if p.Revision == 0 {
			runs, err := s.Generations.List(r.Context(), svc.RunQuery{AccountID: p.AccountID, ProjectID: p.ID, Limit: failedRuns})
			if err != nil {
				return nil, err
			}
			if len(runs) > 0 && !slices.ContainsFunc(runs, func(run svc.Run) bool {
				return run.Status != svc.RunFailed && run.Status != svc.RunCancelled
			}) {
				continue
			}
		}
		listed = append(listed, p)
	}
	return listed, nil
}

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// filesOnPage is how many files of a project a page lists.
const filesOnPage = 200

// projectPage is what the page of one project shows.
type projectPage struct {
	Project     svc.Project
	Files       []bundlezip.File
	Query       string
	Page, Pages int
	Matching    int
	Bundles     []svc.Bundle
	Runs        []svc.Run
	Waiting     *svc.Bundle // of this very state, if one does
	Cap         string      // why the project cannot be repackaged, if it cannot
	Difference  bool        // to the state before can be shown
	Preview     bool        // it is a static site
	Error       *svc.Error
}

// sizeCap says why a project of a size cannot be repackaged, or nothing.
func sizeCap(actual, limit svc.Extent) string {
	if actual.Files <= limit.Files && actual.Bytes <= limit.Bytes {
		return ""
	}
	return fmt.Sprintf("No fresh bundle can be made of this project: it is larger than %d files or %s.", limit.Files, byteText(limit.Bytes))
}

func (s *projectHandlers) showProject(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.projectPage(w, r, v, http.StatusOK, nil)
}

func (s *projectHandlers) projectPage(w http.ResponseWriter, r *http.Request, v *visit, status int, failure *svc.Error) error {
	project, files, err := s.Delivery.OpenProject(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = files.Close() }() // it was only read
	p := projectPage{Project: project, Query: strings.TrimSpace(r.URL.Query().Get("q")), Error: failure}
	for _, f := range files.Manifest().Files {
		if containsFold(f.Path, p.Query) {
			p.Files = append(p.Files, f)
		}
	}
	p.Difference, p.Preview = s.hasDifference(project), s.previews.hasPreview(files.Manifest().Files)
	p.Cap = sizeCap(project.Pack.Extent, s.Delivery.Limits.Project)
	p.Matching = len(p.Files)
	p.Files, p.Page, p.Pages = pageOf(r, p.Files, filesOnPage)
	if p.Bundles, _, err = s.Delivery.List(r.Context(), svc.BundleQuery{
		AccountID: v.account.ID, ProjectID: project.ID, Limit: overviewRows,
	}); err != nil {
		return err
	}
	for _, b := range p.Bundles {
		if p.Waiting == nil && b.Status == svc.BundlePending && b.SHA256 == project.Pack.SHA256 {
			p.Waiting = &b
		}
	}
	if p.Runs, err = s.Generations.List(r.Context(), svc.RunQuery{
		AccountID: v.account.ID, ProjectID: project.ID, Limit: overviewRows,
	}); err != nil {
		return err
	}
	return s.render(w, r, v, status, "project", page{Title: projectName(project), Section: "projects", Body: p})
}

func (s *projectHandlers) renameProject(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.Delivery.RenameProject(r.Context(), v.account.ID, r.PathValue("id"), r.PostFormValue("name"))
	if e, status, told := formError(err); told {
		return s.projectPage(w, r, v, status, e)
	}
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/projects/"+r.PathValue("id"), "renamed")
}

func (s *projectHandlers) repackage(w http.ResponseWriter, r *http.Request, v *visit) error {
	var made svc.Bundle
	var refused error
	_, err := s.Delivery.Repackage(r.Context(), delivery.Repackage{
		AccountID: v.account.ID, ProjectID: r.PathValue("id"),
		Encode: func(b svc.Bundle, failure error) (svc.Answer, error) {
			made, refused = b, failure
			return svc.Answer{Status: http.StatusOK}, nil
		},
	})
	if err == nil {
		err = refused
	}
	switch code := svc.CodeOf(err); code {
	case "":
		return s.goTo(w, r, "/bundles/"+made.ID, "repackaged")
	case svc.CodeProjectEmpty, svc.CodeProjectTooLarge, svc.CodeTooManyRequests, svc.CodeStorageLimitReached, svc.CodeAssemblyUnavailable:
		return s.projectPage(w, r, v, api.Status(code), forPeople(asError(err)))
	}
	return err
}

func (s *projectHandlers) confirmDeleteProject(w http.ResponseWriter, r *http.Request, v *visit) error {
	project, err := s.Delivery.Project(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	return s.render(w, r, v, http.StatusOK, "project-delete", page{Title: "Delete a project", Section: "projects", Body: project})
}

func (s *projectHandlers) deleteProject(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := s.Delivery.DeleteProject(r.Context(), v.account.ID, r.PathValue("id")); err != nil {
		return err
	}
	return s.goTo(w, r, "/projects", "project-deleted")
}
