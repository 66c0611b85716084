package console

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/accounts/oidc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/clientdir"
)

// Config is what the console is made of. All but Constraints, Engine, PreviewKey, Clients, Provider, Log
// and Now are needed.
type Config struct {
	Accounts    *accounts.Service
	Delivery    *delivery.Service
	Generations *generation.Service
	// BaseURL is what clients are told; the console stands at /console/ under its path.
	BaseURL string
	// Fingerprint is the SHA-256 of the authority that clients have to trust, for the
	// commands that pages show; empty: nothing special.
	Fingerprint string
	// Constraints are those that the engine understands; none: it reads every one.
	Constraints []engine.Constraint
	// Engine is the name of the one that this process plays as a worker; empty: it is none.
	Engine string
	// OpenSignUp lets anybody make an account.
	OpenSignUp bool
	// PreviewKey gives 32 secret bytes that all processes share, by which the addresses
	// of previews are made; nil: there are no previews.
	PreviewKey func(context.Context) ([]byte, error)
	// Provider vouches for people who sign in by it; nil: nobody does. ProviderName
	// is what they know it by.
	Provider     *oidc.Provider
	ProviderName string
	Clients      *clientdir.Dir   // what there is of the client to download; nil: nothing
	Log          *slog.Logger     // nil: no log
	Now          func() time.Time // nil: time.Now
}

// Console answers below /console/.
type Console struct {
	core    *core
	reports *reportHandlers
	handler http.Handler
	stop    chan struct{} // closed when live views have to end
}

// core is what all pages share: their frame, who sees them, and where they lead.
type core struct {
	Config
	root   string // path of the console, as browsers see it, without a slash at its end
	pages  pages
	assets map[string]asset
}

// New makes the console.
func New(c Config) (*Console, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("base URL %q is not an address such as https://host:8443/path", c.BaseURL)
	}
	shared := &core{Config: c, root: strings.TrimRight(base.EscapedPath(), "/") + "/console"}
	if shared.Log == nil {
		shared.Log = slog.New(slog.DiscardHandler)
	}
	if shared.Now == nil {
		shared.Now = time.Now
	}
	if shared.assets, err = readAssets(); err != nil {
		return nil, err
	}
	if shared.pages, err = shared.parsePages(); err != nil {
		return nil, err
	}
	passkeys, err := c.Accounts.PasskeysAt(base)
	if err != nil {
		return nil, err
	}
	s := &Console{core: shared, reports: &reportHandlers{core: shared, reports: make(chan restingReport, maxReports)}, stop: make(chan struct{})}
	if s.handler, err = shared.protect(base, s.routes(passkeys)); err != nil {
		return nil, err
	}
	return s, nil
}

// LinkURL is the address of a one-time link.
func (s *Console) LinkURL(token string) string { return LinkURL(s.core.BaseURL, token) }

// LinkURL is the address of a one-time link, for a service at a base URL.
func LinkURL(baseURL, token string) string {
	return strings.TrimRight(baseURL, "/") + "/console/link/" + token
}

// Run ends keys that are reported until the context ends, and then closes the live
// views that are open: their browsers come back and resume. What was reported by
// then is still seen to.
func (s *Console) Run(ctx context.Context) {
	defer close(s.stop)
	s.reports.run(ctx)
}

// policy is what a page may do: load files of this server, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// maxForm is the size of the largest form: a prompt and its constraints.
const maxForm = 512 << 10

// ServeHTTP implements http.Handler.
func (s *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // a link's token goes to no other host, and forms keep their Origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	s.handler.ServeHTTP(w, r)
}

// visit is one request of somebody, signed in or not.
type visit struct {
	account svc.Account // zero: nobody is signed in
	session svc.Session
	token   string // of the session
}

func (v *visit) signedIn() bool { return v.account.ID != "" }

// actor is who the audit log says did what is done now.
func (v *visit) actor(r *http.Request) svc.Actor {
	a := svc.Actor{Kind: svc.ActorVisitor, Address: accounts.AddressOf(r.RemoteAddr)}
	if v.signedIn() {
		a.Kind, a.Name, a.AccountID = svc.ActorPerson, v.account.Email, v.account.ID
	}
	return a
}

// action answers a request; what it returns becomes a page that says what went
// wrong, unless an answer has begun.
type action func(w http.ResponseWriter, r *http.Request, v *visit) error

func (s *Console) routes(passkeys *accounts.Passkeys) http.Handler {
	entry := &entryHandlers{core: s.core, passkeys: passkeys}
	settings := &settingsHandlers{entry}
	identities := &identityHandlers{entry, settings}
	keys, people, clients := &keyHandlers{s.core}, &peopleHandlers{s.core}, &clientHandlers{s.core}
	home, bundles := &homeHandlers{s.core}, &bundleHandlers{s.core}
	previews := &previewHandlers{core: s.core}
	projects := &projectHandlers{s.core, previews}
	runs := &runHandlers{core: s.core, previews: previews, stop: s.stop}

	mux := http.NewServeMux()
	open := func(pattern string, do action) {
		method, path, _ := strings.Cut(pattern, " ")
		mux.Handle(method+" /console"+path, s.core.handle(do))
	}
	private := func(pattern string, do action) { open(pattern, s.core.signedIn(do)) }
	admin := func(pattern string, do action) { private(pattern, adminOnly(do)) }

	mux.Handle("GET /console/static/", s.core.static())
	mux.HandleFunc("GET /console/preview/{token}/{path...}", previews.servePreview)
	open("GET /sign-in", entry.signInPage)
	open("POST /sign-in", entry.signIn)
	open("POST /sign-in/oidc", identities.beginSignIn)
	open("GET /sign-in/oidc", identities.comeBack)
	open("POST /sign-out", entry.signOut)
	open("GET /sign-up", entry.signUpPage)
	open("POST /sign-up", entry.signUp)
	open("GET /link/{token}", entry.linkPage)
	open("POST /link/{token}", entry.followLink)
	open("GET /report-key", s.reports.reportPage)
	open("POST /report-key", s.reports.reportKeys)
	open("GET /clients", clients.clients)
	open("GET /clients/{name}", clients.clientFile)

	private("GET /{$}", home.overview)
	private("GET /steps", home.steps)
	private("POST /steps", home.hideSteps)
	private("GET /projects", projects.listProjects)
	private("GET /projects/{id}", projects.showProject)
	private("GET /projects/{id}/file", projects.showFile)
	private("GET /projects/{id}/revisions/{revision}/difference", projects.showDifference)
	private("GET /projects/{id}/preview", previews.startPreview)
	private("POST /projects/{id}/name", projects.renameProject)
	private("POST /projects/{id}/repackage", projects.repackage)
	private("GET /projects/{id}/delete", projects.confirmDeleteProject)
	private("POST /projects/{id}/delete", projects.deleteProject)
	private("GET /bundles", bundles.listBundles)
	private("GET /bundles/{id}", bundles.showBundle)
	private("GET /bundles/{id}/download", bundles.download)
	private("POST /bundles/{id}/ack", bundles.acknowledge)
	private("GET /generations", runs.listGenerations)
	private("GET /generations/new", runs.newGeneration)
	private("POST /generations", runs.startGeneration)
	private("POST /spec", runs.editSpec)
	private("GET /generations/{id}", runs.showGeneration)
	private("GET /generations/{id}/bundle", runs.madeBundle)
	open("GET /generations/{id}/stream", runs.streamGeneration)
	private("POST /generations/{id}/cancel", runs.cancelGeneration)
	private("GET /find", home.find)
	private("GET /usage", home.usage)
	private("GET /settings", settings.settings)
	private("POST /settings/password", settings.changePassword)
	private("POST /settings/identities", identities.beginLink)
	private("POST /settings/identities/unlink", identities.unlink)
	private("POST /settings/sessions", settings.endOtherSessions)
	private("POST /settings/sessions/{hash}", settings.endSession)
	private("POST /settings/theme", settings.chooseTheme)
	private("GET /settings/audit", settings.auditLog)
	private("GET /settings/keys", keys.listKeys)
	private("POST /settings/keys", keys.createKey)
	private("GET /settings/keys/{prefix}", keys.withKey(keys.showKey))
	private("POST /settings/keys/{prefix}/name", keys.withKey(keys.renameKey))
	private("POST /settings/keys/{prefix}/roll", keys.withKey(keys.rollKey))
	private("GET /settings/keys/{prefix}/revoke", keys.withKey(keys.confirmRevoke))
	private("POST /settings/keys/{prefix}/revoke", keys.revokeKey)
	admin("GET /settings/people", people.people)
	admin("POST /settings/people", people.invite)
	admin("POST /settings/people/{id}/reset", people.resetPassword)
	(&passkeyHandlers{entry}).passkeyRoutes(open, private)
	open("GET /", notThere)
	open("POST /", notThere)
	return mux
}

func notThere(http.ResponseWriter, *http.Request, *visit) error { return errNotThere }

// handle finds out who is there and answers for an action that fails.
func (s *core) handle(do action) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v := &visit{}
		err := readForm(r)
		if err == nil {
			err = s.recognise(r, v)
		}
		if err == nil {
			r = r.WithContext(svc.WithActor(r.Context(), v.actor(r)))
			err = do(w, r, v)
		}
		switch {
		case errors.Is(err, accounts.ErrNotFresh):
			s.lead(w, r, s.again(settingsPath(r)))
		case errors.Is(err, accounts.ErrNoSession): // it has ended while something was done
			s.lead(w, r, s.root+"/sign-in")
		case err != nil:
			s.fail(w, r, v, err)
		}
	})
}

// readForm reads what a form or an address says, so that what cannot be read is
// told and not taken for nothing, and what no store could keep reaches none.
func readForm(r *http.Request) error {
	err := r.ParseForm()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return errLargeForm
	}
	if err != nil && r.Method == http.MethodPost {
		return errBrokenForm
	}
	if !storable(r.URL.Path) {
		return errNotThere
	}
	for name, values := range r.Form {
		if !storable(name) || slices.ContainsFunc(values, func(v string) bool { return !storable(v) }) {
			return errBrokenForm
		}
	}
	return nil
}

// storable says whether every store can keep a text.
func storable(text string) bool { return utf8.ValidString(text) && !strings.Contains(text, "\x00") }

var (
	errLargeForm = &svc.Error{
		Code: svc.CodeRequestTooLarge, Message: "The form is larger than " + byteText(maxForm) + ".",
		Hint: "Nothing was done. Go back and shorten it.",
	}
	errBrokenForm = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "form", Message: "Part of the form got lost on the way.",
		Hint: "Nothing was done. Go back and send it again.",
	}
	errNotThere = &svc.Error{
		Code: svc.CodeNotFound, Message: "This page does not exist.",
		Hint: "It may have been deleted, or it belongs to another account.",
	}
	errForeignForm = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "Origin", Message: "This form was sent from another site and was not accepted.",
		Hint: "Open the console itself and do it there.",
	}
)

// forPeople says what somebody with a browser can do next, where an error has
// that for programs.
func forPeople(e *svc.Error) *svc.Error {
	message, hint := e.Message, e.Hint
	switch e.Code {
	case svc.CodeBundleNotFound, svc.CodeProjectNotFound, svc.CodeGenerationNotFound:
		hint = errNotThere.Hint
	case svc.CodeBundleDownloaded, svc.CodeBundleExpired:
		hint = "You can make a fresh one on the bundle's page."
	case svc.CodeTooManyRequests, svc.CodeQueueFull, svc.CodeAssemblyUnavailable:
		if e.RetryAfter > 0 {
			hint = "" // the page counts the time down
		}
	case svc.CodeUnresolvable:
		hint = "Nothing was started and nothing was counted."
	case svc.CodePlanLimitReached: // the page says when it ends, in its reader's time
		message, hint = "The generations of this plan are used up for now.", ""
	}
	if message == e.Message && hint == e.Hint {
		return e
	}
	told := *e
	told.Message, told.Hint = message, hint
	return &told
}

// unavailableRetryAfter is what a browser is told while something cannot be reached:
// nobody knows until when.
const unavailableRetryAfter = 2 * time.Second

// fail answers with a page that says what went wrong; causes stay in the log.
func (s *core) fail(w http.ResponseWriter, r *http.Request, v *visit, err error) {
	e, known := errors.AsType[*svc.Error](err)
	status := http.StatusInternalServerError
	switch {
	case r.Context().Err() != nil && errors.Is(err, context.Canceled):
		return // nobody is there to read it
	case known && e.Code != svc.CodeInternal:
		status = api.Status(e.Code)
	case errors.Is(err, svc.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded):
		s.Log.Warn("the console cannot reach what it needs", "path", r.Pattern, "error", err)
		status = http.StatusServiceUnavailable
		e = &svc.Error{
			Code: svc.CodeUnavailable, Message: "Something that this page needs cannot be reached at the moment.",
			Hint: "Nothing is lost.", RetryAfter: unavailableRetryAfter,
		}
	default:
		s.Log.Error("the console failed", "path", r.Pattern, "error", err)
		e = &svc.Error{
			Code: svc.CodeInternal, Message: "Something went wrong on the server.",
			Hint: "Try again. If it persists, tell the operator the time: " + s.Now().UTC().Format(time.RFC3339) + ".",
		}
	}
	e = forPeople(e)
	if known && errors.Is(err, errForeignForm) {
		status = http.StatusForbidden
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		w.Header().Set(api.HeaderRetryAfter, api.RetryAfter(e.RetryAfter))
	}
	title := "That did not work"
	if status == http.StatusNotFound {
		title = "Not found"
	}
	if err := s.render(w, r, v, status, "error", page{Title: title, Body: e}); err != nil {
		s.Log.Error("a page of the console cannot be made", "error", err)
		http.Error(w, "This page cannot be shown.", http.StatusInternalServerError)
	}
}
