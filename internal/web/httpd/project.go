package httpd

import (
	"errors"
	"net/http"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/web/api"
)

func (s *server) projectRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Pattern: api.RouteProjects, Handle: s.listProjects},
		{Method: http.MethodGet, Pattern: api.RouteProject, Handle: s.getProject},
		{Method: http.MethodPost, Pattern: api.RouteRepackage, Handle: s.repackageProject},
		{Method: http.MethodPost, Pattern: api.RouteChanges, Handle: s.pushChanges, MaxBody: api.MaxChanges},
	}
}

func (s *server) listProjects(w http.ResponseWriter, r *http.Request, call *Call) error {
	q := readQuery(r)
	after, limit := q.cursor(), q.limit()
	if q.err != nil {
		return q.err
	}
	projects, next, err := s.Delivery.Projects(r.Context(), call.AccountID(), after, limit)
	if err != nil {
		return err
	}
	page := api.ProjectList{Projects: make([]api.Project, 0, len(projects)), NextCursor: api.EncodeCursor(next)}
	for _, p := range projects {
		page.Projects = append(page.Projects, api.NewProject(p))
	}
	return writeJSON(w, http.StatusOK, page)
}

func (s *server) getProject(w http.ResponseWriter, r *http.Request, call *Call) error {
	p, err := s.Delivery.Project(r.Context(), call.AccountID(), r.PathValue("projectId"))
	if err != nil {
		return err
	}
	record := api.ProjectRecord{Project: api.NewProject(p)}
	if s.SpecOf != nil {
		record.Spec = s.SpecOf(p.State)
	}
	return writeJSON(w, http.StatusOK, record)
}

func (s *server) repackageProject(w http.ResponseWriter, r *http.Request, call *Call) error {
	key, err := idempotencyKey(r.Header)
	if err != nil {
		return err
	}
	ctx, cancel := detachedContext(r)
	defer cancel()
	done, err := s.Delivery.Repackage(ctx, delivery.Repackage{
		AccountID: call.AccountID(), ProjectID: r.PathValue("projectId"), Key: key,
		Encode: func(b svc.Bundle, failure error) (svc.Answer, error) {
			call.BundleID = b.ID
			return keptAnswer(api.Repackaged{BundleID: b.ID, FileCount: b.FileCount, TotalSizeBytes: b.Size}, failure, call.RequestID)
		},
	})
	if err != nil {
		return err
	}
	writeAnswered(w, done)
	return nil
}

// writeAnswered answers as it was or will be answered again.
func writeAnswered(w http.ResponseWriter, done delivery.Answered) {
	if done.Replayed {
		w.Header().Set(api.HeaderIdempotencyReplay, "true")
	}
	for name, value := range done.Answer.Header {
		w.Header().Set(name, value)
	}
	writeBody(w, done.Answer.Status, done.Answer.Body)
}

// keptAnswer writes a result, or a failure, in the form in which it is also kept.
func keptAnswer(result any, failure error, requestID string) (svc.Answer, error) {
	if failure == nil {
		body, err := api.Encode(result)
		return svc.Answer{Status: http.StatusOK, Body: body}, err
	}
	e, known := errors.AsType[*svc.Error](failure)
	if !known {
		return svc.Answer{}, failure
	}
	status, body, err := encodeError(e, requestID)
	return svc.Answer{Status: status, Body: body}, err
}
