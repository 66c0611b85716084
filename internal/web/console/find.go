package console

import (
	"net/http"
	"strings"

	svc "github.com/bundle-delivery/svc"
)

// foundRows is how many of each kind a search shows.
const foundRows = 6

// found is what a search shows.
type found struct {
	Query    string
	Projects []svc.Project
	Runs     []svc.Run
	Keys     []svc.Key
}

// find looks for projects, runs and keys by name, request or id, among the newest
// of each: with the keyboard from every page, or as a page of its own.
func (s *homeHandlers) find(w http.ResponseWriter, r *http.Request, v *visit) error {
	f := found{Query: strings.TrimSpace(r.URL.Query().Get("q"))}
	projects, _, err := s.findProjects(r, v, f.Query, nil)
	if err != nil {
		return err
	}
	f.Projects = projects[:min(len(projects), foundRows)]
	runs, err := s.Generations.List(r.Context(), svc.RunQuery{AccountID: v.account.ID, Limit: choices})
	if err != nil {
		return err
	}
	for _, run := range runs {
		if len(f.Runs) < foundRows && containsFold(run.Prompt+" "+run.ID, f.Query) {
			f.Runs = append(f.Runs, run)
		}
	}
	if f.Query != "" {
		keys, err := s.Accounts.ListKeys(r.Context(), v.account.ID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if len(f.Keys) < foundRows && k.Usable(s.Now()) && containsFold(k.Name+" svc_"+k.Prefix, f.Query) {
				f.Keys = append(f.Keys, k)
			}
		}
	}
	return s.render(w, r, v, http.StatusOK, "find", page{Title: "Find", Body: f})
}
