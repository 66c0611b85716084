package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/bundle/provenance"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// middleman is a TLS proxy between client and server. It counts requests by
// kind and breaks answers as it is told.
type middleman struct {
	server *httptest.Server
	proxy  *httputil.ReverseProxy

	mu     sync.Mutex
	counts map[string]int
	faults map[string][]rule
	seen   []http.Header
	// swapped are the digests of archives that were given in the place of others, by
	// the path of their bundle. key signs for all of them: the middleman is the service.
	swapped map[string][sha256.Size]byte
	key     ed25519.PrivateKey
}

// rule is one fault. It is used up after some times.
type rule struct {
	kind  string
	args  []string
	times int
}

func newMiddleman(d *harness.Service) *middleman {
	target, err := url.Parse(d.Base)
	if err != nil {
		panic(err) // the harness made it
	}
	m := &middleman{counts: map[string]int{}, faults: map[string][]rule{}, swapped: map[string][sha256.Size]byte{}}
	if _, m.key, err = ed25519.GenerateKey(rand.Reader); err != nil {
		panic(err) // it never happens
	}
	m.proxy = &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
		Transport:     d.Client.Transport,
		FlushInterval: -1,
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	m.server = httptest.NewUnstartedServer(m)
	m.server.Config.ErrorLog = nil
	m.server.StartTLS()
	return m
}

func (m *middleman) close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// kindOf names what a request is about.
func kindOf(r *http.Request) string {
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch last {
	case "ack", "download", "repackage", "stream", "latest", "generations", "cancel", "changes", "readyz", "attestation", "svc-signing-keys.json":
		return last
	}
	return "other"
}

func (m *middleman) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	kind := kindOf(r)
	m.mu.Lock()
	m.counts[kind]++
	m.seen = append(m.seen, r.Header.Clone())
	var f *rule
	if queue := m.faults[kind]; len(queue) > 0 {
		f = &rule{kind: queue[0].kind, args: queue[0].args}
		if queue[0].times--; queue[0].times == 0 {
			m.faults[kind] = queue[1:]
		}
	}
	m.mu.Unlock()
	switch {
	case f != nil:
	case kind == "attestation", kind == "svc-signing-keys.json":
		m.sign(w, r)
		return
	default:
		m.proxy.ServeHTTP(w, r)
		return
	}
	f.serve(m, w, r)
}

func (f *rule) serve(m *middleman, w http.ResponseWriter, r *http.Request) {
	switch f.kind {
	case "status": // CODE [RETRY-AFTER [BODY]]
		code, _ := strconv.Atoi(f.args[0])
		if len(f.args) > 1 && f.args[1] != "-" {
			w.Header().Set("Retry-After", f.args[1])
		}
		body := `{"code":"","error":"The middleman says no."}`
		if len(f.args) > 2 {
			body = f.args[2]
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	case "redirect": // URL
		http.Redirect(w, r, f.args[0]+r.URL.Path, http.StatusTemporaryRedirect)
	case "hang": // [FILE], which is made first; until the client goes away
		for _, asked := range f.args {
			if err := os.WriteFile(asked, nil, 0o600); err != nil {
				panic(err)
			}
		}
		<-r.Context().Done()
	case "page": // a page for browsers, as networks show it that want people to sign in
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Free Wi-Fi</title><h1>Sign in to go on</h1>")
	case "drop":
		panic(http.ErrAbortHandler)
	case "occupy": // FILE: a folder stands there when the answer comes
		if err := errors.Join(os.RemoveAll(f.args[0]), os.Mkdir(f.args[0], 0o750)); err != nil {
			panic(err)
		}
		m.proxy.ServeHTTP(w, r)
	case "cut", "corrupt", "swap", "lie", "undigested":
		f.answer(m, w, r)
	default:
		panic("unknown fault " + f.kind)
	}
}

// answer takes the real answer and bends it.
func (f *rule) answer(m *middleman, w http.ResponseWriter, r *http.Request) {
	genuine := httptest.NewRecorder()
	m.proxy.ServeHTTP(genuine, r)
	body := genuine.Body.Bytes()
	header := w.Header()
	for name, values := range genuine.Header() {
		header[name] = values
	}
	switch f.kind {
	case "cut": // BYTES: the connection breaks after so many
		n, _ := strconv.Atoi(f.args[0])
		header.Set("Content-Length", strconv.Itoa(len(body)))
		if kindOf(r) == "stream" {
			header.Del("Content-Length")
		}
		w.WriteHeader(genuine.Code)
		_, _ = w.Write(body[:min(n, len(body))])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case "corrupt": // one byte differs from what the digest says
		body = bytes.Clone(body)
		body[len(body)/2] ^= 1
	case "undigested":
		header.Del("Repr-Digest")
	case "lie": // more is announced than comes
		header.Set("Content-Length", strconv.Itoa(len(body)+10))
	case "swap": // FILE: another archive with a proper digest
		if genuine.Code == http.StatusOK {
			var err error
			if body, err = os.ReadFile(f.args[0]); err != nil {
				panic(err)
			}
			sum := sha256.Sum256(body)
			header.Set("Content-Length", strconv.Itoa(len(body)))
			header.Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
			header.Set("ETag", fmt.Sprintf(`"%x"`, sum))
			m.mu.Lock()
			m.swapped[path.Dir(r.URL.Path)] = sum
			m.mu.Unlock()
		}
	}
	w.WriteHeader(genuine.Code)
	_, _ = w.Write(body)
}

// sign answers for the service with a key of the middleman's: it states what the
// service states, of the archive that the middleman gave.
func (m *middleman) sign(w http.ResponseWriter, r *http.Request) {
	ask := func(path string) (int, []byte) {
		genuine := httptest.NewRecorder()
		asked := r.Clone(r.Context())
		asked.URL.Path = path
		m.proxy.ServeHTTP(genuine, asked)
		return genuine.Code, genuine.Body.Bytes()
	}
	_, text := ask(api.RouteSigningKeys)
	keys, err := provenance.ParseKeys(text)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json")
	if kindOf(r) != "attestation" {
		own := provenance.First("", m.key, time.Now())
		own.Names = keys.Names
		text, err = json.Marshal(own)
	} else {
		bundle := path.Dir(r.URL.Path)
		code, genuine := ask(r.URL.Path)
		if code != http.StatusOK {
			w.WriteHeader(code)
			_, _ = w.Write(genuine)
			return
		}
		var p provenance.Provenance
		if p, err = provenance.Read(genuine, path.Base(bundle), provenance.Trust{Keys: keys.Keys}); err != nil {
			panic(err)
		}
		m.mu.Lock()
		if sum, ok := m.swapped[bundle]; ok {
			p.Archive = sum
		}
		m.mu.Unlock()
		text, err = provenance.Sign(p, m.key)
	}
	if err != nil {
		panic(err)
	}
	_, _ = w.Write(text)
}

// between gives the script's middleman.
func between(ts *testscript.TestScript) *middleman {
	m, ok := ts.Value("middleman").(*middleman)
	if !ok {
		ts.Fatalf("the script has no middleman")
	}
	return m
}

// fault KIND TIMES FAULT [ARGS…] breaks the next requests of a kind. TIMES may
// be "always".
func fault(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: fault KIND TIMES FAULT [ARGS...]")
	}
	times := -1
	if args[1] != "always" {
		var err error
		times, err = strconv.Atoi(args[1])
		ts.Check(err)
	}
	f := rule{kind: args[2], args: args[3:], times: times}
	if f.kind == "swap" || f.kind == "occupy" || f.kind == "hang" && len(f.args) > 0 {
		f.args = []string{ts.MkAbs(args[3])}
	}
	m := between(ts)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults[args[0]] = append(m.faults[args[0]], f)
	if f.kind == "none" {
		m.faults[args[0]] = nil
	}
}

// requests KIND COUNT says how many requests of a kind came.
func requests(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: requests KIND COUNT")
	}
	m := between(ts)
	m.mu.Lock()
	defer m.mu.Unlock()
	if got := strconv.Itoa(m.counts[args[0]]); (got == args[1]) == neg {
		ts.Fatalf("%s requests of kind %s came", got, args[0])
	}
}

// listen NAME opens a port until the script ends and puts its number into $NAME.
func listen(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listen NAME")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv(args[0], port)
}

// tunnel NAME starts a proxy that answers CONNECT, whatever the address, with a
// way to the middleman, and puts its own address into $NAME.
func tunnel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tunnel NAME")
	}
	m := between(ts)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		there, err := net.Dial("tcp", m.server.Listener.Addr().String())
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			_ = there.Close()
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	ts.Defer(proxy.Close)
	ts.Setenv(args[0], proxy.URL)
}

// middlemanPasses makes sure that the scripts test the server and not the
// middleman.
func middlemanPasses(t *testing.T, s *stage) {
	t.Helper()
	m := newMiddleman(s.service)
	defer m.close()
	client := m.server.Client()
	client.Timeout = 3 * time.Minute
	resp, err := client.Get(m.server.URL + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK || m.counts["readyz"] != 1 {
		t.Errorf("status %d, counts %v", resp.StatusCode, m.counts)
	}
	if filepath.Base(s.service.Program) != "svcd" {
		t.Error("another server answers")
	}
}
