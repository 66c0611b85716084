package console

import (
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync/atomic"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// entryHandlers let people in and out.
type entryHandlers struct {
	*core
	passkeys *accounts.Passkeys
	inUse    atomic.Bool // there is an account
}

// cookieName begins with the prefix by which browsers insist that the cookie is
// secure, of this host alone, and not of a part of it: a neighbour cannot set it.
// It needs the path /, also where the service stands under a path.
const cookieName = "__Host-svc_console"

// setCookie gives a browser a cookie that no script can read, or with the life
// noLife takes it away.
func setCookie(w http.ResponseWriter, name, value, path string, life time.Duration) {
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode, MaxAge: int(life.Seconds()),
	})
}

const noLife = -time.Second

func tokenOf(r *http.Request) string { return cookieOf(r, cookieName) }

func cookieOf(r *http.Request, name string) string {
	cookie, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	return cookie.Value
}

// proofName is the cookie by which a browser proves that somebody has signed in
// to an account with it before: its tries are then counted by themselves. knownName
// says the same without a password. They open nothing, and stay when they sign out.
const (
	proofName = "__Host-svc_browser"
	knownName = "__Host-svc_known"
	proofLife = 400 * 24 * time.Hour // the longest that browsers keep a cookie
)

// enter gives a browser its session, and the proofs that it had one.
func (s *entryHandlers) enter(w http.ResponseWriter, r *http.Request, accountID, session string) error {
	proof, err := s.Accounts.BrowserProof(r.Context(), accountID)
	if err != nil {
		return err
	}
	known, err := s.Accounts.KnownBrowser(r.Context(), accountID)
	if err != nil {
		return err
	}
	setCookie(w, cookieName, session, "/", accounts.SessionLife)
	if s.Provider != nil {
		s.setHint(w, "") // of whoever was there before
	}
	for name, value := range map[string]string{proofName: proof, knownName: known} {
		if value != "" {
			setCookie(w, name, value, "/", proofLife)
		}
	}
	return nil
}

// recognise finds out who is signed in. When the records cannot be asked, that
// is an error and nobody is.
func (s *core) recognise(r *http.Request, v *visit) error {
	token := tokenOf(r)
	if token == "" {
		return nil
	}
	session, account, err := s.Accounts.Session(r.Context(), token)
	if errors.Is(err, accounts.ErrNoSession) {
		return nil
	}
	if err != nil {
		return err
	}
	v.session, v.account, v.token = session, account, token
	return nil
}

// signedIn sends whoever is not signed in to the sign-in page, and back again.
func (s *core) signedIn(do action) action {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		if v.signedIn() {
			return do(w, r, v)
		}
		target := s.root + "/sign-in"
		if r.Method == http.MethodGet && r.URL.Path != "/console/" {
			target += "?next=" + url.QueryEscape(strings.TrimSuffix(s.root, "/console")+r.URL.RequestURI())
		}
		s.lead(w, r, target)
		return nil
	}
}

// lead sends a browser to another page.
func (s *core) lead(w http.ResponseWriter, r *http.Request, target string) {
	if r.Header.Get("Hx-Request") != "" { // a script cannot show a sign-in page in the middle of another
		w.Header().Set("Hx-Redirect", target)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	http.Redirect(w, r, target, http.StatusSeeOther)
}

// again is where somebody who is signed in signs in once more, to come back to a page.
func (s *core) again(page string) string {
	return s.root + "/sign-in?again=yes&next=" + url.QueryEscape(s.root+page)
}

func adminOnly(do action) action {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		if !v.account.Admin {
			return errNotThere
		}
		return do(w, r, v)
	}
}

// goTo answers a form that was done: the browser asks for a page anew, so that a
// reload repeats nothing. done names the message that the page shows.
func (s *core) goTo(w http.ResponseWriter, r *http.Request, path, done string) error {
	if done != "" {
		path += "?done=" + done
	}
	http.Redirect(w, r, s.root+path, http.StatusSeeOther) //nolint:gosec // below the console's own path
	return nil
}

// maxNext is the longest address of a page to come back to: it is kept for whoever asks.
const maxNext = 2 << 10

// nextPage is where somebody wanted to go before signing in: a page of this
// console, whatever the form says, for a link must not lead people elsewhere. A
// preview is a page of anybody's, and who has just signed in would take it for ours.
func (s *core) nextPage(next string) string {
	home := s.root + "/"
	if len(next) > maxNext || !strings.HasPrefix(next, home) || strings.Contains(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return home
	}
	target, err := url.Parse(next)
	if err != nil || target.Scheme != "" || target.Host != "" || strings.Contains(target.Path, "..") ||
		strings.HasPrefix(path.Clean(target.Path)+"/", s.root+"/preview/") {
		return home
	}
	return next
}

// entry is what the pages for getting in show.
type entry struct {
	Email, Next string
	SignUp      bool // is open
	New         bool // nobody has an account yet
	Passkeys    bool // can be made and used here
	Link        svc.Link
	Back        string // to the page of somebody who is signed in and does so once more
	Keys        int    // of the account whose access the link resets
	Token       string // of the link
	Error       *svc.Error
}

// renderEntry answers with one of the pages for getting in.
func (s *entryHandlers) renderEntry(w http.ResponseWriter, r *http.Request, v *visit, status int, name, title string, e entry) error {
	p := page{Title: title}
	if e.Passkeys = s.passkeys.Offered(); e.Passkeys {
		p.Script = passkeyScript
	}
	if name == "sign-in" && r.URL.Query().Get("state") == "signed-out" { // as a provider says it
		p.Done = messages["signed-out"]
	}
	p.Body = e
	return s.render(w, r, v, status, name, p)
}

func (s *entryHandlers) signInPage(w http.ResponseWriter, r *http.Request, v *visit) error {
	next := r.URL.Query().Get("next")
	switch {
	case v.signedIn() && r.URL.Query().Get("again") != "":
		return s.showSignIn(w, r, &visit{}, http.StatusOK, entry{Email: v.account.Email, Next: next, Back: s.nextPage(next)})
	case v.signedIn():
		http.Redirect(w, r, s.nextPage(next), http.StatusSeeOther) //nolint:gosec // nextPage gives pages of this console alone
		return nil
	}
	return s.showSignIn(w, r, v, http.StatusOK, entry{Next: next})
}

func (s *entryHandlers) showSignIn(w http.ResponseWriter, r *http.Request, v *visit, status int, e entry) error {
	e.SignUp = s.signUpOpen()
	if !e.SignUp && !s.inUse.Load() { // counting is dear where there are many
		n, err := s.Accounts.Count(r.Context())
		e.New = err == nil && n == 0
		s.inUse.Store(err == nil && n > 0)
	}
	return s.renderEntry(w, r, v, status, "sign-in", "Sign in", e)
}

func (s *entryHandlers) signIn(w http.ResponseWriter, r *http.Request, v *visit) error {
	email, next := r.PostFormValue("email"), r.PostFormValue("next")
	token, account, err := s.Accounts.SignIn(r.Context(), accounts.SignIn{
		Email: email, Password: r.PostFormValue("password"),
		Network: r.RemoteAddr, Browser: browserName(r.UserAgent()), Replaces: tokenOf(r), Proof: cookieOf(r, proofName),
	})
	if e, known := errors.AsType[*svc.Error](err); known && (e.Code == svc.CodeNotFound || e.Code == svc.CodeTooManyRequests || e.Code == svc.CodeInvalidRequest) {
		status := http.StatusUnauthorized
		if e.Code == svc.CodeTooManyRequests {
			status = http.StatusTooManyRequests
			w.Header().Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
		}
		return s.showSignIn(w, r, v, status, entry{Email: email, Next: next, Error: e})
	}
	if err != nil {
		return err
	}
	if err := s.enter(w, r, account.ID, token); err != nil {
		return err
	}
	http.Redirect(w, r, s.nextPage(next), http.StatusSeeOther)
	return nil
}

func (s *entryHandlers) signOut(w http.ResponseWriter, r *http.Request, _ *visit) error {
	if token := tokenOf(r); token != "" {
		if err := s.Accounts.SignOut(r.Context(), token); err != nil {
			return err
		}
	}
	setCookie(w, cookieName, "", "/", noLife)
	if target := s.signOutThere(w, r); target != "" {
		return s.onward(w, r, &visit{}, target)
	}
	return s.goTo(w, r, "/sign-in", "signed-out")
}

// signUpOpen says whether anybody can make an account on the page for it.
func (s *entryHandlers) signUpOpen() bool {
	return s.OpenSignUp && (s.Accounts.Allows(accounts.WayPassword) || s.passkeys.Offered())
}

func (s *entryHandlers) signUpPage(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !s.signUpOpen() {
		return errNotThere
	}
	return s.renderEntry(w, r, v, http.StatusOK, "sign-up", "Create an account", entry{})
}

func (s *entryHandlers) signUp(w http.ResponseWriter, r *http.Request, v *visit) error {
	if !s.signUpOpen() {
		return errNotThere
	}
	email := r.PostFormValue("email")
	token, err := s.Accounts.SignUp(r.Context(), accounts.SignIn{
		Email: email, Password: r.PostFormValue("password"),
		Network: r.RemoteAddr, Browser: browserName(r.UserAgent()), Replaces: tokenOf(r),
	})
	if e, status, told := formError(err); told {
		return s.renderEntry(w, r, v, status, "sign-up", "Create an account", entry{Email: email, Error: e})
	}
	if err != nil {
		return err
	}
	_, account, err := s.Accounts.Session(r.Context(), token)
	if err != nil {
		return err
	}
	if err := s.enter(w, r, account.ID, token); err != nil {
		return err
	}
	return s.goTo(w, r, "/", "")
}

// formError says whether an error is for the form that caused it.
func formError(err error) (*svc.Error, int, bool) {
	e, known := errors.AsType[*svc.Error](err)
	if !known {
		return nil, 0, false
	}
	e = forPeople(e)
	switch e.Code {
	case svc.CodeInvalidRequest, svc.CodeUnresolvable:
		return e, http.StatusUnprocessableEntity, true
	case svc.CodeTooManyRequests, svc.CodePlanLimitReached, svc.CodeQueueFull, svc.CodeStorageLimitReached:
		return e, http.StatusTooManyRequests, true
	}
	return nil, 0, false
}

var linkTitles = map[svc.LinkKind]string{
	svc.LinkSetUp:  "Set up your service",
	svc.LinkInvite: "Create your account",
	svc.LinkReset:  "Choose a new password",
}

// linkTitle is what the page of a link is called.
func (s *entryHandlers) linkTitle(kind svc.LinkKind) string {
	if kind == svc.LinkReset && !s.Accounts.Allows(accounts.WayPassword) {
		return "Sign in once"
	}
	return linkTitles[kind]
}

func (s *entryHandlers) linkPage(w http.ResponseWriter, r *http.Request, _ *visit) error {
	link, err := s.Accounts.Link(r.Context(), r.PathValue("token"))
	if err != nil {
		return err
	}
	return s.showLink(w, r, http.StatusOK, entry{Link: link, Email: link.Email})
}

func (s *entryHandlers) showLink(w http.ResponseWriter, r *http.Request, status int, e entry) error {
	e.Token = r.PathValue("token")
	if e.Link.Kind == svc.LinkReset {
		keys, err := s.Accounts.ListKeys(r.Context(), e.Link.AccountID)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if key.Usable(s.Now()) {
				e.Keys++
			}
		}
	}
	// Whoever is signed in here as somebody else is not what the page is about.
	return s.renderEntry(w, r, &visit{}, status, "link", s.linkTitle(e.Link.Kind), e)
}

func (s *entryHandlers) followLink(w http.ResponseWriter, r *http.Request, _ *visit) error {
	token, email := r.PathValue("token"), r.PostFormValue("email")
	link, err := s.Accounts.Link(r.Context(), token)
	if err != nil {
		return err
	}
	account, err := s.Accounts.FollowLink(r.Context(), token, email, r.PostFormValue("password"))
	if e, status, told := formError(err); told {
		if link.Email != "" {
			email = link.Email
		}
		return s.showLink(w, r, status, entry{Link: link, Email: email, Error: e})
	}
	if err != nil {
		return err
	}
	session, err := s.Accounts.OpenSession(r.Context(), account.ID, visitor(r, tokenOf(r), "link"))
	if err != nil {
		return err
	}
	if err := s.enter(w, r, account.ID, session); err != nil {
		return err
	}
	if !s.Accounts.Allows(accounts.WayPassword) {
		return s.goTo(w, r, "/settings", "let-in")
	}
	return s.goTo(w, r, "/", "")
}

// visitor is who sits at a browser, for its session; the token that it had ends. by is
// how they proved who they are.
func visitor(r *http.Request, replaces, by string) accounts.SignIn {
	return accounts.SignIn{Network: r.RemoteAddr, Browser: browserName(r.UserAgent()), Replaces: replaces, By: by, Known: cookieOf(r, knownName)}
}

// browserName makes a few words of a browser's long signature, for its owner to
// recognise it by.
func browserName(agent string) string {
	browser := "A browser"
	for _, known := range [][2]string{{"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Firefox/", "Firefox"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}} {
		if strings.Contains(agent, known[0]) {
			browser = known[1]
			break
		}
	}
	for _, known := range [][2]string{{"Android", "Android"}, {"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Mac OS", "macOS"}, {"Windows", "Windows"}, {"Linux", "Linux"}} {
		if strings.Contains(agent, known[0]) {
			return browser + " on " + known[1]
		}
	}
	return browser
}
