package console

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
)

// settingsHandlers show people their own account.
type settingsHandlers struct{ *entryHandlers }

// settingsPage is what the page of the account shows.
type settingsPage struct {
	Sessions    []svc.Session
	Total       int // before filtering
	Query       string
	Page, Pages int
	Current     [32]byte
	Identities  []svc.Identity
	Fresh       bool // they have just signed in
	Error       *svc.Error
}

// sessionsOnPage is how many signed-in browsers a page lists.
const sessionsOnPage = 10

func (s *settingsHandlers) settings(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.showSettings(w, r, v, http.StatusOK, nil)
}

func (s *settingsHandlers) showSettings(w http.ResponseWriter, r *http.Request, v *visit, status int, e *svc.Error) error {
	sessions, err := s.Accounts.Sessions(r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	p := settingsPage{Total: len(sessions), Query: strings.TrimSpace(r.URL.Query().Get("q")), Current: v.session.Hash, Fresh: s.Accounts.Fresh(v.session), Error: e}
	if p.Identities, err = s.Accounts.Identities.List(r.Context(), v.account.ID); err != nil {
		return err
	}
	sessions = slices.DeleteFunc(sessions, func(session svc.Session) bool { return !containsFold(session.Browser+" "+session.Network, p.Query) })
	p.Sessions, p.Page, p.Pages = pageOf(r, sessions, sessionsOnPage)
	return s.render(w, r, v, status, "settings", page{Title: "Account", Section: "settings", Body: p})
}

// settingsPath is the page of the form that a request answers.
func settingsPath(r *http.Request) string {
	if strings.HasPrefix(r.URL.Path, "/console/settings/passkeys") {
		return "/settings/passkeys"
	}
	return "/settings"
}

func (s *settingsHandlers) changePassword(w http.ResponseWriter, r *http.Request, v *visit) error {
	var err error
	done := "password"
	if v.account.PasswordHash == "" {
		err, done = s.Accounts.AddPassword(r.Context(), v.account, v.session, r.PostFormValue("password")), "password-set"
	} else {
		err = s.Accounts.ChangePassword(r.Context(), v.account, r.RemoteAddr, r.PostFormValue("old"), r.PostFormValue("password"))
	}
	if e, status, told := formError(err); told {
		return s.showSettings(w, r, v, status, e)
	}
	if err == nil {
		err = s.enterAgain(w, r, v)
	}
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/settings", done)
}

// enterAgain gives a browser a new session after all of its account were ended.
func (s *entryHandlers) enterAgain(w http.ResponseWriter, r *http.Request, v *visit) error {
	token, err := s.Accounts.OpenSession(r.Context(), v.account.ID, visitor(r, "", "password change"))
	if err != nil {
		return err
	}
	return s.enter(w, r, v.account.ID, token)
}

func (s *settingsHandlers) endSession(w http.ResponseWriter, r *http.Request, v *visit) error {
	hash, err := hex.DecodeString(r.PathValue("hash"))
	if err != nil || len(hash) != sha256.Size {
		return errNotThere
	}
	if err := s.Accounts.SignOutOne(r.Context(), v.account.ID, [sha256.Size]byte(hash)); err != nil {
		return err
	}
	return s.goTo(w, r, "/settings", "session")
}

// themeName is the cookie that holds the colours that somebody chose for a browser.
const themeName = "svc_theme"

func themeOf(r *http.Request) string {
	if theme := cookieOf(r, themeName); theme == "light" || theme == "dark" {
		return theme
	}
	return ""
}

func (s *settingsHandlers) chooseTheme(w http.ResponseWriter, r *http.Request, _ *visit) error {
	theme, life := r.PostFormValue("theme"), proofLife
	if theme != "light" && theme != "dark" {
		theme, life = "", noLife
	}
	setCookie(w, themeName, theme, s.root+"/", life)
	return s.goTo(w, r, "/settings", "theme")
}

func (s *settingsHandlers) endOtherSessions(w http.ResponseWriter, r *http.Request, v *visit) error {
	if err := s.Accounts.SignOutOthers(r.Context(), v.account.ID, v.session.Hash); err != nil {
		return err
	}
	return s.goTo(w, r, "/settings", "sessions")
}

// peopleHandlers show administrators the accounts.
type peopleHandlers struct{ *core }

// peoplePage is what administrators see of the accounts.
type peoplePage struct {
	Accounts []svc.Account
	More     string // the address after which the next page begins
	After    string
	Query    string
	Email    string
	Plan     svc.Plan
	Link     string // a new link, this once
	LinkFor  string
	LinkKind svc.LinkKind
	Error    *svc.Error
}

// Plans are the choices of the form.
func (peoplePage) Plans() []svc.Plan {
	return []svc.Plan{svc.PlanHobby, svc.PlanDeveloper, svc.PlanArchitectPro}
}

const peopleOnPage = 50

func (s *peopleHandlers) people(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.showPeople(w, r, v, http.StatusOK, peoplePage{})
}

func (s *peopleHandlers) showPeople(w http.ResponseWriter, r *http.Request, v *visit, status int, p peoplePage) error {
	p.Query, p.After = r.URL.Query().Get("q"), r.URL.Query().Get("after")
	var err error
	if p.Accounts, p.More, err = s.findPeople(r, p.Query, p.After); err != nil {
		return err
	}
	if p.Plan == "" {
		p.Plan = svc.PlanDeveloper
	}
	return s.render(w, r, v, status, "people", page{Title: "People", Section: "settings", Body: p})
}

// findPeople goes through the accounts until a page is full, or it has seen as
// many as one page may look at: the next page goes on from there.
func (s *peopleHandlers) findPeople(r *http.Request, query, after string) (found []svc.Account, more string, err error) {
	for range searchBatches {
		batch, err := s.Accounts.List(r.Context(), after)
		if err != nil {
			return nil, "", err
		}
		for _, a := range batch {
			if !containsFold(a.Email, query) {
				continue
			}
			if len(found) == peopleOnPage {
				return found, found[len(found)-1].Email, nil
			}
			found = append(found, a)
		}
		if len(batch) < accounts.Page {
			return found, "", nil
		}
		after = batch[len(batch)-1].Email
	}
	return found, after, nil
}

// invite answers with the page itself: the link is in this answer and nowhere
// else.
func (s *peopleHandlers) invite(w http.ResponseWriter, r *http.Request, v *visit) error {
	p := peoplePage{Email: r.PostFormValue("email"), Plan: svc.Plan(r.PostFormValue("plan"))}
	token, err := s.Accounts.Invite(r.Context(), p.Email, p.Plan)
	if e, status, told := formError(err); told {
		p.Error = e
		return s.showPeople(w, r, v, status, p)
	}
	if err != nil {
		return err
	}
	return s.showPeople(w, r, v, http.StatusOK, peoplePage{Link: LinkURL(s.BaseURL, token), LinkFor: p.Email, LinkKind: svc.LinkInvite})
}

func (s *peopleHandlers) resetPassword(w http.ResponseWriter, r *http.Request, v *visit) error {
	account, err := s.Accounts.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	token, err := s.Accounts.ResetLink(r.Context(), account.ID)
	if err != nil {
		return err
	}
	return s.showPeople(w, r, v, http.StatusOK, peoplePage{Link: LinkURL(s.BaseURL, token), LinkFor: account.Email, LinkKind: svc.LinkReset})
}
