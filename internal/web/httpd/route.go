package httpd

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// methods are the routes of one path.
type methods map[string]Route

// find gives the route for a method; HEAD is answered by GET.
func (m methods) find(method string) (Route, bool) {
	route, found := m[method]
	if !found && method == http.MethodHead {
		route, found = m[http.MethodGet]
	}
	return route, found
}

// allow lists the methods, as the header has them.
func (m methods) allow() string {
	all := slices.Collect(maps.Keys(m))
	if slices.Contains(all, http.MethodGet) && !slices.Contains(all, http.MethodHead) {
		all = append(all, http.MethodHead)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// privateRoutes registers what needs a key, and what leads nowhere.
func (s *server) privateRoutes(groups ...[]Route) {
	paths := map[string]methods{}
	for _, route := range slices.Concat(groups...) {
		if paths[route.Pattern] == nil {
			paths[route.Pattern] = methods{}
		}
		paths[route.Pattern][route.Method] = route
	}
	for pattern, handlers := range paths {
		s.mux.HandleFunc(s.prefix+pattern, s.private(handlers))
	}
	s.mux.HandleFunc("/", s.private(nil))
}

// private makes the handler of a path that needs a key; without methods, the
// path leads nowhere.
func (s *server) private(handlers methods) http.HandlerFunc {
	allow := handlers.allow()
	return func(w http.ResponseWriter, r *http.Request) {
		x, _ := w.(*exchange)
		if handlers != nil {
			x.route = strings.TrimPrefix(r.Pattern, s.prefix)
		}
		call := &Call{RequestID: x.requestID}
		x.call = call
		err := s.authenticate(x, r, call)
		if err == nil {
			err = s.serve(x, r, call, handlers, allow)
		}
		if err != nil {
			s.writeError(x, r, err)
		}
	}
}

func (s *server) serve(x *exchange, r *http.Request, call *Call, handlers methods, allow string) error {
	if handlers == nil {
		return notFound()
	}
	route, found := handlers.find(r.Method)
	if !found {
		return methodNotAllowed(x, r, allow)
	}
	if readsOnly(r.Method) || r.Body == nil || r.Body == http.NoBody {
		return route.Handle(x, r, call) // a body that a GET has is not looked at
	}
	limit := cmp.Or(route.MaxBody, api.MaxRequestBody)
	if r.ContentLength > limit {
		return requestTooLarge(limit)
	}
	size := r.ContentLength
	if size < 0 {
		size = limit // it does not say
	}
	if route.MaxBody > 0 {
		allowTime(x, r, size)
	}
	body := &upload{
		ReadCloser: http.MaxBytesReader(x, r.Body, limit), keep: route.MaxBody > 0,
		take: func() (func(), error) { return s.uploads.take(call.AccountID(), size) },
	}
	defer body.done()
	// On a copy: the server knows its own request by its body.
	limited := r.WithContext(r.Context())
	limited.Body = body
	return route.Handle(x, limited, call)
}

const (
	// slowestBody is how many bytes of a large body have to arrive in a second.
	slowestBody = 64 << 10
	// answerTime is how long an answer may take once the body is there.
	answerTime = 2 * time.Minute
)

// allowTime gives a request with a large body time by its size. Until then the time
// of small ones holds.
func allowTime(w http.ResponseWriter, r *http.Request, size int64) {
	until := time.Now().Add(changeTime + time.Duration(size/slowestBody)*time.Second)
	control := http.NewResponseController(w)
	// A writer without deadlines belongs to a test.
	_ = control.SetReadDeadline(until)
	if r.ProtoMajor >= 2 {
		_ = control.SetWriteDeadline(until.Add(answerTime))
	}
}

func readsOnly(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// changeTime is how long a change may take.
const changeTime = 30 * time.Second

// detachedContext is the context of a change. The server cancels a request's own when
// the client closes its half of the connection, which may still wait for the answer.
func detachedContext(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), changeTime)
}

// deprecated is the Deprecation header (RFC 9745) of an answer to X-API-Key: a
// date at which it already was.
var deprecated = []string{"@1767225600"}

// authenticate finds out whose request it is.
func (s *server) authenticate(x *exchange, r *http.Request, call *Call) error {
	key, old := presentedKey(r.Header)
	if old {
		x.Header()[api.HeaderDeprecation] = deprecated
	}
	if key == "" {
		return accounts.ErrInvalidKey()
	}
	ctx := r.Context()
	if !readsOnly(r.Method) {
		var done context.CancelFunc
		ctx, done = detachedContext(r)
		defer done()
	}
	var err error
	if call.Credential, err = s.Accounts.Authenticate(ctx, key, r.RemoteAddr); err != nil {
		x.badPrefix, _ = svc.ParseKey(key)
		return err
	}
	x.keyPrefix = call.Credential.Key.Prefix
	return nil
}

// presentedKey gives the key that a request carries, or nothing, and whether it
// came in the deprecated way. Where there is an Authorization header, it alone
// counts: one header, the scheme Bearer as it is written here, one space.
func presentedKey(h http.Header) (key string, old bool) {
	if bearer, present := h["Authorization"]; present {
		if len(bearer) != 1 {
			return "", false
		}
		key, found := strings.CutPrefix(bearer[0], "Bearer ")
		if !found {
			return "", false
		}
		return key, false
	}
	values, present := h[api.HeaderAPIKey]
	if !present {
		return "", false
	}
	if len(values) != 1 {
		return "", true
	}
	return values[0], true
}

func notFound() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeNotFound,
		Message: "There is nothing at this address.",
		Hint:    "GET /openapi.json describes every address.",
	}
}

func requestTooLarge(limit int64) *svc.Error {
	return svc.Errorf(svc.CodeRequestTooLarge, "The body of this request has at most %d bytes.", limit)
}

func methodNotAllowed(w http.ResponseWriter, r *http.Request, allow string) *svc.Error {
	w.Header().Set("Allow", allow)
	e := svc.Errorf(svc.CodeMethodNotAllowed, "This address does not answer %.20q.", r.Method)
	e.Hint = "It answers " + allow + "."
	return e
}
