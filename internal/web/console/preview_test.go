package console_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// preview gives the address of a preview of a project.
func (d *site) preview(project string) string {
	d.t.Helper()
	answer := d.ask("/console/projects/"+project+"/preview", nil)
	address := answer.Header().Get("Location")
	if answer.Code != http.StatusSeeOther || !strings.HasPrefix(address, "/console/preview/") || !strings.HasSuffix(address, "/") {
		d.t.Fatalf("%d to %q", answer.Code, address)
	}
	return address
}

// Promise: preview-isolated
func TestAPreviewServesTheSiteAndReachesNothing(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{
		"README.md": "outside", "site/index.html": "<h1>Bakery</h1>", "site/styles.css": "h1{}", "site/app.js": "1", "site/logo.SVG": "<svg/>",
		"site/photo.png": "png", "site/data.bin": "bytes", "site/font.woff2": "font", "site/menu/index.html": "menu", "site/odd.html.exe": "<b>",
		"site/.env": "outside", "site/.github/config": "outside", "site/menu/.htpasswd": "outside", "site/.well-known/security.txt": "known",
		"site/.well-known/.env": "outside",
	}))
	contains(t, d.want(http.StatusOK, "/console/projects/"+p.ID, nil), `href="/console/projects/`+p.ID+`/preview" target="_blank" rel="noopener noreferrer"`)
	address := d.preview(p.ID)
	if other := d.preview(p.ID); other == address {
		t.Error("two previews have one address")
	}
	for name, want := range map[string]string{
		"": "text/html; charset=utf-8", "index.html": "text/html; charset=utf-8", "styles.css": "text/css; charset=utf-8", "app.js": "text/javascript; charset=utf-8",
		"logo.SVG": "image/svg+xml", "photo.png": "image/png", "data.bin": "application/octet-stream", "font.woff2": "font/woff2",
		"menu/": "text/html; charset=utf-8", "odd.html.exe": "application/octet-stream",
		".well-known/security.txt": "text/plain; charset=utf-8",
	} {
		for _, cookie := range []string{d.cookie, "__Host-svc_console=of-nobody", "x=y"} {
			answer := d.ask(address+name, nil, "Cookie: "+cookie)
			if answer.Code != http.StatusOK || answer.Header().Get("Content-Type") != want {
				t.Errorf("%q: %d %s", name, answer.Code, answer.Header().Get("Content-Type"))
			}
			for header, want := range map[string]string{
				"Content-Security-Policy": "sandbox allow-scripts; connect-src 'none'; form-action 'none'",
				"Referrer-Policy":         "no-referrer", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Set-Cookie": "",
			} {
				if got := answer.Header().Values(header); strings.Join(got, "|") != want {
					t.Errorf("%q: %s is %q", name, header, got)
				}
			}
		}
	}
	if part := d.ask(address, nil, "Range: bytes=4-9"); part.Code != http.StatusPartialContent || part.Body.String() != "Bakery" {
		t.Errorf("a part: %d %q", part.Code, part.Body)
	}
	for _, name := range []string{
		"README.md", "../README.md", "%2e%2e/README.md", "..%2fREADME.md", "..%2f..%2fREADME.md", "menu/..%2f..%2fREADME.md", "%5c..%5cREADME.md",
		"site/index.html", "nothing.html", "menu", "%00", ".%2findex.html", "%2findex.html", "manifest.json",
		".env", "%2eenv", ".github/config", "menu/.htpasswd", ".well-known/.env",
	} {
		answer := d.ask(address+name, nil)
		if answer.Code < 300 || strings.Contains(answer.Body.String(), "outside") {
			t.Errorf("%q: %d %s", name, answer.Code, answer.Body)
		}
		if policy := answer.Header().Get("Content-Security-Policy"); answer.Code == http.StatusNotFound && !strings.HasPrefix(policy, "sandbox ") && !strings.HasPrefix(policy, "default-src 'none'") {
			t.Errorf("%q: the policy is %q", name, policy)
		}
	}
}

// A console page that was made to load a script of a preview would run it as its own.
// Promise: preview-bounded
func TestAPreviewGivesNothingToPagesOfTheConsole(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"index.html": "x", "app.js": "1"}))
	address := d.preview(p.ID)
	for _, dest := range []string{"script", "style", "empty", "worker", "iframe"} {
		d.want(http.StatusNotFound, address+"app.js", nil, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: "+dest)
		d.want(http.StatusOK, address+"app.js", nil, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Dest: "+dest) // a page of the preview
	}
	d.want(http.StatusOK, address, nil, "Sec-Fetch-Site: same-origin", "Sec-Fetch-Dest: document")
	d.want(http.StatusOK, address, nil, "Sec-Fetch-Site: none", "Sec-Fetch-Dest: document")
}

// Promise: preview-isolated
func TestAPreviewEnds(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"index.html": "one"}))
	address := d.preview(p.ID)
	token := strings.Trim(strings.TrimPrefix(address, "/console/preview/"), "/")
	other := "A"
	if token[:1] == other {
		other = "B"
	}
	for _, bad := range []string{token[:len(token)-2], token + "AA", other + token[1:], "x", strings.ToUpper(token)} {
		if answer := d.ask("/console/preview/"+bad+"/", nil); answer.Code != http.StatusNotFound {
			t.Errorf("the token %q: %d", bad, answer.Code)
		}
	}
	d.Clock.Advance(9*time.Minute + 59*time.Second)
	if got := d.want(http.StatusOK, address, nil, "Cookie: none=1"); got != "one" {
		t.Errorf("%q", got)
	}
	// The project may go on meanwhile: a preview shows what it was made for.
	next, _ := d.Advance(p, deliverytest.Files(map[string]string{"index.html": "two"}))
	if got := d.want(http.StatusOK, address, nil); got != "one" {
		t.Errorf("after a change the preview shows %q", got)
	}
	d.Clock.Advance(time.Second)
	contains(t, d.want(http.StatusGone, address, nil), "This preview is over.")
	address = d.preview(p.ID)
	third, _ := d.Advance(next, deliverytest.Files(map[string]string{"index.html": "three"}))
	d.Advance(third, deliverytest.Files(map[string]string{"index.html": "four"}))
	d.want(http.StatusGone, address, nil)
	address = d.preview(p.ID)
	if err := d.Delivery.DeleteProject(t.Context(), d.account.ID, p.ID); err != nil {
		t.Fatal(err)
	}
	d.want(http.StatusNotFound, address, nil)
}

// Promise: preview-isolated
func TestOnlyStaticSitesHaveAPreview(t *testing.T) {
	d := newSite(t)
	for name, files := range map[string]map[string]string{
		"no page":         {"README.md": "x"},
		"a program":       {"index.html": "x", "main.go": "package main"},
		"to be built":     {"index.html": "x", "src/main.tsx": "x"},
		"a page deep in":  {"docs/api/index.html": "x"},
		"of another kind": {"index.htm": "x"},
	} {
		p, _ := d.Project(d.account, deliverytest.Files(files))
		if page := d.want(http.StatusOK, "/console/projects/"+p.ID, nil); strings.Contains(page, ">Preview<") {
			t.Errorf("%s: a preview is offered", name)
		}
		d.want(http.StatusNotFound, "/console/projects/"+p.ID+"/preview", nil)
	}
	for _, folder := range []string{"", "site/", "public/"} {
		p, _ := d.Project(d.account, deliverytest.Files(map[string]string{folder + "index.html": "here", "package.json": "{}", "serve.mjs": "x"}))
		if got := d.want(http.StatusOK, d.preview(p.ID), nil); got != "here" {
			t.Errorf("%q: %q", folder, got)
		}
	}
	foreign, _ := d.Project(d.Account("eve@example.com"), deliverytest.Files(map[string]string{"index.html": "x"}))
	d.want(http.StatusNotFound, "/console/projects/"+foreign.ID+"/preview", nil)
}

// Who has just signed in would take a preview for a page of the console.
// Promise: preview-isolated
func TestNobodyIsLedIntoAPreviewAfterSigningIn(t *testing.T) {
	d := newSite(t)
	for next, want := range map[string]string{
		"/console/bundles?page=2": "/console/bundles?page=2", "/console/previews": "/console/previews",
		"/console/projects/preview/": "/console/projects/preview/",
		"/console/preview/x/":        "/console/", "/console/preview": "/console/", "/console/%70review/x/": "/console/",
		"/console/./preview/x/": "/console/", "/console/%2fpreview/x/": "/console/", "/console/preview/x/?a=b": "/console/",
		"/console/" + strings.Repeat("x", 2039): "/console/" + strings.Repeat("x", 2039),
		"/console/" + strings.Repeat("x", 2040): "/console/",
	} {
		answer := d.ask("/console/sign-in?next="+url.QueryEscape(next), nil)
		if got := answer.Header().Get("Location"); answer.Code != http.StatusSeeOther || got != want {
			t.Errorf("%.60q leads to %.60q (%d), want %.60q", next, got, answer.Code, want)
		}
	}
}

// sluggish is a browser that takes the first bytes of an answer, and then none for as
// long as it likes.
type sluggish struct {
	header http.Header
	begun  func()
	held   chan struct{}
}

func (w *sluggish) Header() http.Header { return w.header }

func (w *sluggish) WriteHeader(int) {}

func (w *sluggish) Write(p []byte) (int, error) {
	w.begun()
	<-w.held
	return 0, io.ErrClosedPipe
}

// Promise: preview-bounded
func TestAPreviewHoldsLittleForWhoReadsSlowly(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"index.html": "x", "large.bin": strings.Repeat("\x00", 16<<20)}))
	address := d.preview(p.ID)
	live := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := live()
	const readers = 16
	var begun, over sync.WaitGroup
	held := make(chan struct{})
	begun.Add(readers)
	for range readers {
		over.Go(func() {
			d.console.ServeHTTP(&sluggish{header: http.Header{}, begun: sync.OnceFunc(begun.Done), held: held}, d.request(address+"large.bin", nil))
		})
	}
	begun.Wait()
	if grown := live() - before; grown > readers<<20 {
		t.Errorf("%d readers of 16 MiB hold %d bytes", readers, grown)
	}
	close(held)
	over.Wait()
}

// Promise: preview-bounded
func TestAPageWithManyFilesOpensItsPackOnce(t *testing.T) {
	d := newSite(t)
	site := map[string]string{"index.html": "x"}
	for n := range 20 {
		site[fmt.Sprintf("%d.css", n)] = "h1{}"
	}
	p, _ := d.Project(d.account, deliverytest.Files(site))
	address := d.preview(p.ID)
	var opened atomic.Int64
	d.Blobs.BeforeOpen(func(string) error {
		opened.Add(1)
		return nil
	})
	for name := range site {
		d.want(http.StatusOK, address+name, nil)
	}
	if opened.Load() != 1 {
		t.Errorf("the pack was opened %d times for %d files", opened.Load(), len(site))
	}
	// What is deleted is not shown from the shelf.
	if err := d.Delivery.DeleteProject(t.Context(), d.account.ID, p.ID); err != nil {
		t.Fatal(err)
	}
	d.want(http.StatusNotFound, address, nil)
}

// Promise: preview-bounded
func TestAFileOfAPreviewHasTimeByItsSizeAndIsSentInOnePart(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"index.html": "0123456789", "large.bin": strings.Repeat("x", 16<<20+1), "photo.png": strings.Repeat("x", 16<<20)}))
	address := d.preview(p.ID)
	w := &patient{ResponseRecorder: httptest.NewRecorder()}
	begun := time.Now()
	d.console.ServeHTTP(w, d.request(address+"photo.png", nil))
	if least := begun.Add(time.Minute + (16<<20>>14)*time.Second); w.Code != http.StatusOK || w.Body.Len() != 16<<20 || w.until.Before(least) {
		t.Errorf("%d with %d bytes, until %s after it began", w.Code, w.Body.Len(), w.until.Sub(begun))
	}
	d.want(http.StatusRequestEntityTooLarge, address+"large.bin", nil)
	if answer := d.ask(address, nil, "Range: bytes=9-9,8-8,0-0"); answer.Code != http.StatusOK || answer.Body.String() != "0123456789" {
		t.Errorf("several parts: %d %q", answer.Code, answer.Body)
	}
}
