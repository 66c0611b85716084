package console

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// passkeyHandlers make passkeys and let people in by them.
type passkeyHandlers struct{ *entryHandlers }

// passkeyRoutes are the addresses where passkeys are made, used and looked after. A
// script asks at the address with /ask and answers at the one without.
func (s *passkeyHandlers) passkeyRoutes(open, private func(pattern string, do action)) {
	open("POST /sign-in/passkey/ask", s.ask(func(r *http.Request, _ *visit, cookie string) (accounts.Question, error) {
		return s.passkeys.AskToSignIn(r.Context(), visitor(r, "", ""), cookie, r.PostFormValue("renews"))
	}))
	open("POST /sign-in/passkey", s.answered(s.signInWithPasskey))
	open("POST /sign-up/passkey/ask", s.ask(func(r *http.Request, _ *visit, cookie string) (accounts.Question, error) {
		if !s.signUpOpen() {
			return accounts.Question{}, errNotThere
		}
		return s.passkeys.AskToSignUp(r.Context(), r.PostFormValue("email"), r.RemoteAddr, cookie)
	}))
	open("POST /sign-up/passkey", s.answered(s.signUpWithPasskey))
	open("POST /link/{token}/passkey/ask", s.ask(func(r *http.Request, _ *visit, cookie string) (accounts.Question, error) {
		return s.passkeys.AskToFollow(r.Context(), r.PathValue("token"), r.PostFormValue("email"), r.RemoteAddr, cookie)
	}))
	open("POST /link/{token}/passkey", s.answered(s.followLinkWithPasskey))

	private("GET /settings/passkeys", s.listPasskeys)
	private("POST /settings/passkeys/ask", s.ask(func(r *http.Request, v *visit, _ string) (accounts.Question, error) {
		return s.passkeys.AskToAdd(r.Context(), v.account, v.session)
	}))
	private("POST /settings/passkeys", s.answered(s.addPasskey))
	private("POST /settings/passkeys/{id}/name", s.renamePasskey)
	private("POST /settings/passkeys/{id}/remove", s.removePasskey)
	private("POST /settings/passkeys/only", s.removePassword)
}

// passkeyCookie binds a question to the browser that it is put to.
const passkeyCookie = "__Host-svc_passkey"

// ask answers a script with a question for the browser.
func (s *passkeyHandlers) ask(question func(r *http.Request, v *visit, cookie string) (accounts.Question, error)) action {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		cookie := cookieOf(r, passkeyCookie)
		if cookie == "" {
			cookie, _ = svc.NewToken()
		}
		asked, err := question(r, v, cookie)
		if err != nil {
			return s.refuseScript(w, err)
		}
		setCookie(w, passkeyCookie, cookie, "/", accounts.ChallengeLife)
		return answerScript(w, http.StatusOK, asked)
	}
}

// scriptAnswer is what a script brings.
type scriptAnswer struct {
	Token      string          `json:"token"`
	Credential json.RawMessage `json:"credential"`
	Name       string          `json:"name"`
	Next       string          `json:"next"`
}

func (a scriptAnswer) of(r *http.Request) accounts.Answer {
	return accounts.Answer{Token: a.Token, Credential: a.Credential, Cookie: cookieOf(r, passkeyCookie)}
}

// answered reads what a script brings, and tells it which page comes next.
func (s *passkeyHandlers) answered(do func(w http.ResponseWriter, r *http.Request, v *visit, given scriptAnswer) (next string, err error)) action {
	return func(w http.ResponseWriter, r *http.Request, v *visit) error {
		var given scriptAnswer
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return s.refuseScript(w, errLargeForm)
		}
		if json.Unmarshal(text, &given) != nil || !storable(given.Name) {
			return s.refuseScript(w, errBrokenForm)
		}
		next, err := do(w, r, v, given)
		if err != nil {
			return s.refuseScript(w, err)
		}
		return answerScript(w, http.StatusOK, map[string]string{"next": next})
	}
}

// answerScript answers a program with JSON.
func answerScript(w http.ResponseWriter, status int, body any) error {
	text, err := api.Encode(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // whoever has left misses nothing
	return nil
}

// refuseScript says in JSON what went wrong, where it is for people; the rest is for
// whoever handles errors.
func (s *passkeyHandlers) refuseScript(w http.ResponseWriter, err error) error {
	e, status, told := formError(err)
	if !told {
		known, ok := errors.AsType[*svc.Error](err)
		if !ok || known.Code != svc.CodeNotFound {
			return err
		}
		e, status = known, http.StatusUnauthorized
	}
	if e.RetryAfter > 0 {
		w.Header().Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
	}
	return answerScript(w, status, map[string]string{"error": e.Message, "hint": e.Hint})
}

func (s *passkeyHandlers) signInWithPasskey(w http.ResponseWriter, r *http.Request, _ *visit, given scriptAnswer) (string, error) {
	who, err := s.passkeys.SignIn(r.Context(), given.of(r), visitor(r, tokenOf(r), "passkey"))
	if errors.Is(err, accounts.ErrPasskeyCopied) {
		s.Log.Warn("a passkey may have been copied, and was refused", "account", who.Account.ID, "passkey", who.Passkey.Name, "client", r.RemoteAddr)
	}
	if err != nil {
		return "", err
	}
	return s.nextPage(given.Next), s.enter(w, r, who.Account.ID, who.Token)
}

func (s *passkeyHandlers) signUpWithPasskey(w http.ResponseWriter, r *http.Request, _ *visit, given scriptAnswer) (string, error) {
	if !s.signUpOpen() {
		return "", errNotThere
	}
	token, account, err := s.passkeys.SignUp(r.Context(), given.of(r), visitor(r, tokenOf(r), "sign-up"))
	if err != nil {
		return "", err
	}
	return s.root + "/", s.enter(w, r, account.ID, token)
}

func (s *passkeyHandlers) followLinkWithPasskey(w http.ResponseWriter, r *http.Request, _ *visit, given scriptAnswer) (string, error) {
	in := visitor(r, tokenOf(r), "link")
	account, err := s.passkeys.FollowLink(r.Context(), r.PathValue("token"), given.of(r), in)
	if err != nil {
		return "", err
	}
	token, err := s.Accounts.OpenSession(r.Context(), account.ID, in)
	if err != nil {
		return "", err
	}
	return s.root + "/", s.enter(w, r, account.ID, token)
}

// passkeyList is what the page of passkeys shows.
type passkeyList struct {
	Passkeys []accounts.PasskeyView
	Offered  bool
	Host     string
	Name     string // that the form suggests
	Fresh    bool   // they have just signed in
	Error    *svc.Error
}

// Works says whether any of them works at this address.
func (p passkeyList) Works() bool {
	for _, key := range p.Passkeys {
		if !key.Elsewhere {
			return p.Offered
		}
	}
	return false
}

func (s *passkeyHandlers) listPasskeys(w http.ResponseWriter, r *http.Request, v *visit) error {
	return s.showPasskeys(w, r, v, http.StatusOK, nil)
}

func (s *passkeyHandlers) showPasskeys(w http.ResponseWriter, r *http.Request, v *visit, status int, e *svc.Error) error {
	all, err := s.passkeys.List(r.Context(), v.account.ID)
	if err != nil {
		return err
	}
	return s.render(w, r, v, status, "passkeys", page{
		Title: "Passkeys", Section: "settings", Script: passkeyScript,
		Body: passkeyList{Passkeys: all, Offered: s.passkeys.Offered(), Host: s.passkeys.Host(), Name: browserName(r.UserAgent()), Fresh: s.Accounts.Fresh(v.session), Error: e},
	})
}

// passkeyScript is the script of pages that make or use passkeys.
const passkeyScript = "passkeys.js"

func (s *passkeyHandlers) addPasskey(_ http.ResponseWriter, r *http.Request, v *visit, given scriptAnswer) (string, error) {
	if err := s.passkeys.Add(r.Context(), v.session, given.of(r), given.Name); err != nil {
		return "", err
	}
	return s.root + "/settings/passkeys?done=passkey-added", nil
}

func (s *passkeyHandlers) renamePasskey(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.passkeys.Rename(r.Context(), v.account.ID, r.PathValue("id"), r.PostFormValue("name"))
	return s.passkeyChanged(w, r, v, err, "renamed")
}

func (s *passkeyHandlers) removePasskey(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.passkeys.Remove(r.Context(), v.account.ID, r.PathValue("id"), v.session.Hash)
	return s.passkeyChanged(w, r, v, err, "passkey-removed")
}

// removePassword leaves the account its passkeys.
func (s *passkeyHandlers) removePassword(w http.ResponseWriter, r *http.Request, v *visit) error {
	err := s.passkeys.RemovePassword(r.Context(), v.account, r.RemoteAddr, r.PostFormValue("old"))
	if err == nil {
		err = s.enterAgain(w, r, v)
	}
	return s.passkeyChanged(w, r, v, err, "no-password")
}

func (s *passkeyHandlers) passkeyChanged(w http.ResponseWriter, r *http.Request, v *visit, err error, done string) error {
	if e, status, told := formError(err); told {
		return s.showPasskeys(w, r, v, status, e)
	}
	if err != nil {
		return err
	}
	return s.goTo(w, r, "/settings/passkeys", done)
}
