package follow

import (
	"crypto/tls"
	"embed"
	"errors"
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

//go:embed testdata/page.html testdata/story.js
var pages embed.FS

// cutter stands in front of the server as a proxy that ends TLS would. It passes
// everything on, but breaks every stream off after some bytes; a page of its own
// has the same origin.
type cutter struct {
	*httptest.Server

	mu     sync.Mutex
	random *rand.Rand
}

var errCut = errors.New("cut off")

func newCutter(t *testing.T, d *harness.Service, seed uint64) *cutter {
	t.Helper()
	target, err := url.Parse(d.Base)
	if err != nil {
		t.Fatal(err)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(d.Data, "tls", "leaf.pem"), filepath.Join(d.Data, "tls", "leaf-key.pem"))
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{random: rand.New(rand.NewPCG(seed, 5))}
	proxy := &httputil.ReverseProxy{
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:      d.Client.Transport,
		FlushInterval:  -1,
		ModifyResponse: c.cut,
		ErrorLog:       log.New(io.Discard, "", 0), // what was cut off is not news
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /follow/{file}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, pages, "testdata/"+r.PathValue("file"))
	})
	mux.Handle("/", proxy)
	c.Server = httptest.NewUnstartedServer(mux)
	c.Config.ErrorLog = log.New(io.Discard, "", 0)
	c.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	c.StartTLS()
	t.Cleanup(c.Close)
	return c
}

// cut bounds a stream: most are broken off in the middle of a chunk, some end
// as if all had been said, a few before the first byte.
func (c *cutter) cut(resp *http.Response) error {
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	length, end := 1+c.random.Int64N(24<<10), errCut
	switch c.random.IntN(8) {
	case 0, 1:
		end = io.EOF
	case 2:
		length = 0
	}
	resp.Body = &cutBody{ReadCloser: resp.Body, left: length, end: end}
	return nil
}

// cutBody ends after some bytes.
type cutBody struct {
	io.ReadCloser
	left int64
	end  error
}

func (b *cutBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, b.end
	}
	n, err := b.ReadCloser.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// streamOf is the address of a run's stream behind the cutter.
func (c *cutter) streamOf(runID string) string {
	return c.URL + "/generations/" + runID + "/stream"
}
