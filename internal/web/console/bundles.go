package console

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// bundleHandlers show bundles and hand them out.
type bundleHandlers struct{ *core }

// rowsOnPage is how many bundles, projects or generations a page lists.
const rowsOnPage = 20

// bundleList is what the page of bundles shows.
type bundleList struct {
	Bundles         []svc.Bundle
	Names           map[string]string
	Status, Project string
	Projects        []svc.Project // to filter by
	Cursor, Next    string
}

// Filtered says whether the list leaves anything out.
func (l bundleList) Filtered() bool { return l.Status != "" || l.Project != "" || l.Cursor != "" }

// cursorOf reads where a page begins; one that is no cursor begins at the top.
func cursorOf(r *http.Request) (*svc.Cursor, string) {
	text := r.URL.Query().Get("cursor")
	cursor, err := api.DecodeCursor(text)
	if err != nil {
		return nil, ""
	}
	return cursor, text
}

func (s *bundleHandlers) listBundles(w http.ResponseWriter, r *http.Request, v *visit) error {
	list := bundleList{Status: r.URL.Query().Get("status"), Project: r.URL.Query().Get("project")}
	if !svc.BundleStatus(list.Status).Valid() {
		list.Status = ""
	}
	var after, next *svc.Cursor
	after, list.Cursor = cursorOf(r)
	var err error
	if list.Bundles, next, err = s.Delivery.List(r.Context(), svc.BundleQuery{
		AccountID: v.account.ID, ProjectID: list.Project, Status: svc.BundleStatus(list.Status), After: after, Limit: rowsOnPage,
	}); err != nil {
		return err
	}
	list.Next = api.EncodeCursor(next)
	if list.Names, err = s.projectNames(r, v.account.ID, list.Bundles, nil); err != nil {
		return err
	}
	if list.Projects, err = s.projectChoices(r, v, list.Project); err != nil {
		return err
	}
	return s.render(w, r, v, http.StatusOK, "bundles", page{Title: "Bundles", Section: "bundles", Body: list})
}

// choices is how many projects a form offers.
const choices = 100

// projectChoices are the newest projects, and the chosen one in any case.
func (s *core) projectChoices(r *http.Request, v *visit, chosen string) ([]svc.Project, error) {
	all, _, err := s.Delivery.Projects(r.Context(), v.account.ID, nil, choices)
	if err == nil {
		all, err = s.withoutFailed(r, all)
	}
	if err != nil || chosen == "" {
		return all, err
	}
	for _, p := range all {
		if p.ID == chosen {
			return all, nil
		}
	}
	p, err := s.Delivery.Project(r.Context(), v.account.ID, chosen)
	if svc.CodeOf(err) == svc.CodeProjectNotFound {
		return all, nil
	}
	return append(all, p), err
}

// bundlePage is what the page of one bundle shows.
type bundlePage struct {
	Bundle  svc.Bundle
	Project string // its name
	Cap     string // why no fresh bundle can be made of the project, if none can
}

// anyBundle finds a bundle in whatever state.
func (s *core) anyBundle(r *http.Request, accountID, id string) (svc.Bundle, error) {
	b, err := s.Delivery.Bundle(r.Context(), accountID, id)
	if e, known := errors.AsType[*svc.Error](err); known && e.Bundle != nil {
		return *e.Bundle, nil
	}
	return b, err
}

func (s *bundleHandlers) showBundle(w http.ResponseWriter, r *http.Request, v *visit) error {
	b, err := s.anyBundle(r, v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	body := bundlePage{Bundle: b, Project: b.ProjectID, Cap: "Its project is deleted, so no fresh bundle can be made."}
	project, err := s.Delivery.Project(r.Context(), v.account.ID, b.ProjectID)
	switch {
	case err == nil:
		body.Project, body.Cap = projectName(project), sizeCap(project.Pack.Extent, s.Delivery.Limits.Project)
	case svc.CodeOf(err) != svc.CodeProjectNotFound:
		return err
	}
	return s.render(w, r, v, http.StatusOK, "bundle", page{Title: "Bundle " + short(b.ID), Section: "bundles", Body: body})
}

// acknowledge says for somebody who took the archive with the browser that it
// arrived.
func (s *bundleHandlers) acknowledge(w http.ResponseWriter, r *http.Request, v *visit) error {
	if _, err := s.Delivery.Acknowledge(r.Context(), v.account.ID, r.PathValue("id")); err != nil {
		return err
	}
	return s.goTo(w, r, "/bundles/"+r.PathValue("id"), "acknowledged")
}

// A download that is slower than this is given up: it would hold its file open
// for as long as its reader pleases.
const (
	slowestBytesPerSecond = 16 << 10
	downloadTimeout       = time.Minute
)

// download counts as a download of the account and, like any other, changes no
// state. Only the page of the bundle leads to it: another site that sends a
// browser here would use up the downloads of a minute.
func (s *bundleHandlers) download(w http.ResponseWriter, r *http.Request, v *visit) error {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return s.goTo(w, r, "/bundles/"+url.PathEscape(r.PathValue("id")), "")
	}
	d, err := s.Delivery.Download(r.Context(), v.account.ID, r.PathValue("id"))
	if err != nil {
		return err
	}
	defer func() { _ = d.Content.Close() }() // it was only read
	if err := s.Accounts.Audit.Note(r.Context(), svc.AuditEntry{
		Action: svc.AuditDataExported, AccountID: v.account.ID, Subject: d.Bundle.ID, Detail: "download of a bundle in the console",
	}); err != nil {
		return err
	}
	if err := boundDownload(w, d.Bundle.Size); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", "application/zip")
	h.Set("Content-Disposition", `attachment; filename="bundle-`+d.Bundle.ID+`.zip"`)
	h.Set("ETag", `"`+hex.EncodeToString(d.Bundle.SHA256[:])+`"`) // browsers take up a broken download by it
	http.ServeContent(w, r, "", time.Time{}, d.Content)
	return nil
}

// boundDownload lets an answer of a size take as long as it may.
func boundDownload(w http.ResponseWriter, size int64) error {
	timeout := downloadTimeout + time.Duration(size/slowestBytesPerSecond)*time.Second
	err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return fmt.Errorf("bound a download: %w", err)
	}
	return nil
}
