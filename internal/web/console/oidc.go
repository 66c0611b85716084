package console

import (
	"errors"
	"net/http"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/accounts/oidc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// identityHandlers let people in by the provider, and link what it vouches for.
type identityHandlers struct {
	*entryHandlers
	settings *settingsHandlers
}

// CallbackPath is where a provider sends browsers back to, below the base address,
// and SignedOutPath where it sends them after signing out.
const (
	CallbackPath  = "/console/sign-in/oidc"
	SignedOutPath = "/console/sign-in"
)

// The cookies of a sign-in at a provider. The first holds the browser's half of what
// was begun; the second the provider's token, for signing out there, and travels to
// no other page.
const (
	attemptName = "__Host-svc_attempt"
	attemptLife = 10 * time.Minute
	hintName    = "__Secure-svc_provider"
	// maxHint is the largest token that fits into a cookie; without it a provider
	// asks before it signs somebody out.
	maxHint = 3500
)

// noHint stands for a token that is too large.
const noHint = "-"

func (s *entryHandlers) setHint(w http.ResponseWriter, token string) {
	life := accounts.SessionLife
	switch {
	case token == "":
		life = noLife
	case len(token) > maxHint:
		token = noHint
	}
	setCookie(w, hintName, token, s.root+"/sign-out", life)
}

// beginSignIn sends a browser to the provider, to come back to the page it wanted.
func (s *identityHandlers) beginSignIn(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.begin(w, r, v, func(secret, state string) error {
		return s.Accounts.Identities.BeginSignIn(r.Context(), secret, state, s.nextPage(r.PostFormValue("next")), visitor(r, "", ""))
	})
	return s.refusedSignIn(w, r, v, r.PostFormValue("next"), err)
}

// beginLink does so for somebody who is signed in and links an identity.
func (s *identityHandlers) beginLink(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.begin(w, r, v, func(secret, state string) error {
		return s.Accounts.Identities.BeginLink(r.Context(), secret, state, v.session)
	})
	return s.refusedLink(w, r, v, err)
}

func (s *identityHandlers) begin(w http.ResponseWriter, r *http.Request, v *visit, note func(secret, state string) error) error {
	if s.Provider == nil {
		return errNotThere
	}
	secret := cookieOf(r, attemptName)
	if !oidc.ValidSecret(secret) { // else there is another window that signs in
		secret = oidc.NewSecret()
	}
	attempt := oidc.Begin(secret)
	// It is counted first: also those who wait for the provider are bounded.
	if err := note(secret, attempt.State); err != nil {
		return err
	}
	target, err := s.Provider.AuthURL(r.Context(), attempt)
	if err != nil {
		return err
	}
	setCookie(w, attemptName, secret, "/", attemptLife)
	return s.onward(w, r, v, target)
}

// onward sends a browser to the provider. It is a page and no redirect: where those
// lead that answer a form is bound by the policy of the page, and a provider may
// have several hosts.
func (s *entryHandlers) onward(w http.ResponseWriter, r *http.Request, v *visit, target string) error {
	w.Header().Set("Refresh", "0;url="+target)
	return s.render(w, r, v, http.StatusOK, "onward", page{Title: "To " + s.ProviderName, Body: target})
}

// comeBack is where the provider sends browsers: somebody has signed in there, or
// has not.
func (s *identityHandlers) comeBack(w http.ResponseWriter, r *http.Request, v *visit) error {
	if s.Provider == nil {
		return errNotThere
	}
	secret, query := cookieOf(r, attemptName), r.URL.Query()
	begun, err := s.Accounts.Identities.EndAttempt(r.Context(), secret, query.Get("state"))
	if err != nil {
		if v.signedIn() {
			return s.refusedLink(w, r, v, err)
		}
		return s.refusedSignIn(w, r, v, "", err)
	}
	if begun.AccountID != "" {
		err := s.link(r, v, begun, secret)
		if err != nil {
			return s.refusedLink(w, r, v, err)
		}
		return s.goTo(w, r, "/settings", "linked")
	}
	said, token, err := s.redeem(r, secret)
	if err != nil {
		return s.refusedSignIn(w, r, v, begun.Next, err)
	}
	session, account, err := s.Accounts.Identities.SignIn(r.Context(), said, visitor(r, tokenOf(r), "identity"))
	if err != nil {
		return s.refusedSignIn(w, r, v, begun.Next, err)
	}
	if err := s.enter(w, r, account.ID, session); err != nil {
		return err
	}
	s.setHint(w, token)
	http.Redirect(w, r, s.nextPage(begun.Next), http.StatusSeeOther)
	return nil
}

// link makes an identity open the account of whoever is signed in, who is the one
// that began it.
func (s *identityHandlers) link(r *http.Request, v *visit, begun svc.IdentityAttempt, secret string) error {
	if begun.AccountID != v.account.ID {
		return errOtherAccount
	}
	said, _, err := s.redeem(r, secret)
	if err != nil {
		return err
	}
	err = s.Accounts.Identities.Link(r.Context(), v.session, said)
	if errors.Is(err, accounts.ErrNoSession) { // it ended while the provider was asked
		*v = visit{}
		return errOtherAccount
	}
	return err
}

// redeem reads what the provider sent back with a browser.
func (s *identityHandlers) redeem(r *http.Request, secret string) (svc.Assertion, string, error) {
	query := r.URL.Query()
	if query.Get("error") != "" || query.Get("code") == "" {
		return svc.Assertion{}, "", errNotSignedInThere
	}
	if issuer := query.Get("iss"); issuer != "" && issuer != s.Provider.Issuer {
		return svc.Assertion{}, "", errNotSignedInThere
	}
	return s.Provider.Redeem(r.Context(), oidc.Resume(secret, query.Get("state")), query.Get("code"))
}

var (
	errNotSignedInThere = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "identity", Message: "The identity provider did not sign you in.",
		Hint: "Begin again, or sign in another way.",
	}
	errOtherAccount = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "identity", Message: "You are no longer signed in to the account that this was begun with.",
		Hint: "Sign in to it, and link your identity under Settings, Account.",
	}
)

// refusal is what to tell somebody whom the provider or we did not let in; other
// errors go on to the page for them.
func (s *identityHandlers) refusal(w http.ResponseWriter, r *http.Request, err error) (*svc.Error, int, bool) {
	e, known := errors.AsType[*svc.Error](err)
	if !known {
		return nil, 0, false
	}
	status := http.StatusForbidden
	switch e.Code {
	case svc.CodeInvalidRequest:
	case svc.CodeTooManyRequests, svc.CodeUnavailable:
		status = api.Status(e.Code)
		w.Header().Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
	default:
		return nil, 0, false
	}
	if e.Err != nil {
		s.Log.Warn("a sign-in by the identity provider failed", "path", r.Pattern, "error", e.Err)
	}
	return e, status, true
}

func (s *identityHandlers) refusedSignIn(w http.ResponseWriter, r *http.Request, v *visit, next string, err error) error {
	if e, status, told := s.refusal(w, r, err); told {
		return s.showSignIn(w, r, v, status, entry{Next: next, Error: e})
	}
	return err
}

func (s *identityHandlers) refusedLink(w http.ResponseWriter, r *http.Request, v *visit, err error) error {
	e, status, told := s.refusal(w, r, err)
	switch {
	case !told:
		return err
	case !v.signedIn():
		return s.showSignIn(w, r, v, status, entry{Error: e})
	}
	return s.settings.showSettings(w, r, v, status, e)
}

func (s *identityHandlers) unlink(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.Accounts.Identities.Unlink(r.Context(), v.account.ID, r.PostFormValue("issuer"), r.PostFormValue("subject"), v.session.Hash)
	if err != nil {
		return s.refusedLink(w, r, v, err)
	}
	return s.goTo(w, r, "/settings", "unlinked")
}

// signOutThere returns where a browser signs out at the provider too, if it had signed
// in by it and the provider offers that.
func (s *entryHandlers) signOutThere(w http.ResponseWriter, r *http.Request) string {
	if s.Provider == nil {
		return ""
	}
	token := cookieOf(r, hintName)
	s.setHint(w, "")
	if token == "" {
		return ""
	}
	if token == noHint {
		token = ""
	}
	return s.Provider.EndSessionURL(token, s.base()+SignedOutPath)
}
