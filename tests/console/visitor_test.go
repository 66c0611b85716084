package console

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

var (
	keyPattern     = regexp.MustCompile(`svc_[a-z0-9]{8}_[0-9a-f]{32}`)
	projectPattern = regexp.MustCompile(`/console/projects/proj_[a-z0-9]+`)
	bundlePattern  = regexp.MustCompile(`/console/bundles/[0-9a-f-]{36}`)
)

// visitor does in forms what a test does not need a browser for: it keeps cookies and
// follows nothing.
type visitor struct {
	t    *testing.T
	base string
	http *http.Client
}

func (i *instance) visitor() *visitor {
	i.t.Helper()
	return &visitor{i.t, i.base, &http.Client{
		Transport: i.server.Client.Transport, Jar: must.Get(cookiejar.New(nil))(i.t),
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// want sends a request, a POST if there is a form, and insists on a status.
func (v *visitor) want(status int, path string, form url.Values) reply {
	v.t.Helper()
	method, body, address := http.MethodGet, io.Reader(nil), v.base+path
	var header []string
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
		header = []string{"Content-Type: application/x-www-form-urlencoded"}
	}
	if strings.HasPrefix(path, "https://") {
		address = path
	}
	r := must.Get(http.NewRequestWithContext(v.t.Context(), method, address, body))(v.t)
	got := answerTo(v.t, v.http, r, header)
	if got.status != status {
		v.t.Fatalf("%s: got %d, want %d:\n%s", path, got.status, status, got.body)
	}
	return got
}

func credentials(address, secret string) url.Values {
	return url.Values{"email": {address}, "password": {secret}}
}

// generate starts a generation and waits for its end.
func (v *visitor) generate(prompt string) (run, page string) {
	v.t.Helper()
	run = v.want(http.StatusSeeOther, "/console/generations", url.Values{"prompt": {prompt}}).header.Get("Location")
	return run, v.ended(run)
}

// ended waits for the end of a generation and gives its page.
func (v *visitor) ended(run string) (page string) {
	v.t.Helper()
	eventually(v.t, "the generation ends", func() bool {
		page = string(v.want(http.StatusOK, run, nil).body)
		return !strings.Contains(page, "data-stream=")
	})
	return page
}
