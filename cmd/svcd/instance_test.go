package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/openapitest"
)

// The end-to-end tests start the Main that the binary starts, over real TLS, and
// hold every answer against the OpenAPI document that the server itself serves.

// asProgram makes this test binary the program itself, for the tests that need
// a process: to signal it, or to be another process beside the server.
const asProgram = "TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if code, asked := inside(os.Args); asked {
		syscall.Exit(code) // os.Exit waits a second for the race detector
	}
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	flag.Parse()
	if err := waitTogether(); err != nil {
		panic(err)
	}
	// What a server leaves running when it has ended is a leak.
	goleak.VerifyTestMain(withEngines{m})
}

// waitTogether lets more tests run at a time than there are processors, unless
// somebody says how many: most of them wait for a browser, a clock or a process.
func waitTogether() error {
	const name = "test.parallel"
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == name })
	if chosen {
		return nil
	}
	return flag.Set(name, "6")
}

// transcript gathers what is written by several goroutines.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *transcript) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// eventually waits for something that another goroutine brings about.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	give := time.NewTimer(3 * time.Minute)
	defer give.Stop()
	for !ok() {
		select {
		case <-look.C:
		case <-give.C:
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// instance is a service that runs inside the test.
type instance struct {
	t       *testing.T
	dir     string   // the data folder
	storage []string // the flags that say where else it keeps things
	address string
	base    string
	out     *transcript // what people are told
	log     *transcript
	roots   *x509.CertPool
	http    *http.Client // checks every answer
	end     context.CancelFunc
	ended   chan struct{}
	code    int

	// Of a cluster alone:
	peers       []*instance // its other processes
	environment []string    // of operators
}

// start runs the service in a new folder with these flags.
func start(t *testing.T, flags ...string) *instance {
	t.Helper()
	return startIn(t, filepath.Join(t.TempDir(), "data"), flags...)
}

func startIn(t *testing.T, dir string, flags ...string) *instance {
	t.Helper()
	if cluster.Wanted() {
		return startCluster(t, dir, flags)
	}
	return startOne(t, dir, flags...)
}

// startOne runs one process of the service.
func startOne(t *testing.T, dir string, flags ...string) *instance {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	i := &instance{t: t, dir: dir, out: &transcript{}, log: &transcript{}, end: end, ended: make(chan struct{})}
	args := append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--print-setup-link"}, flags...)
	go func() {
		defer close(i.ended)
		i.code = Main(ctx, args, Streams{Out: i.out, Err: i.log, Program: "svcd"}, nil)
	}()
	t.Cleanup(func() { i.stop() })
	eventually(t, "the service starts", func() bool {
		select {
		case <-i.ended:
			t.Fatalf("the service ended with %d:\n%s", i.code, i.log)
		default:
		}
		text, err := os.ReadFile(filepath.Join(dir, "svcd.addr"))
		i.address = string(text)
		return err == nil
	})
	i.base = "https://" + i.address
	for n, flag := range flags {
		switch flag {
		case "--base-url":
			i.base = flags[n+1]
		case "--database-url", "--blob-url":
			i.storage = append(i.storage, flag, flags[n+1])
		}
	}
	return i
}

// keptAt is the address of a storage flag; empty when it is in the data folder.
func (i *instance) keptAt(flag string) string {
	if n := slices.Index(i.storage, flag); n >= 0 {
		return i.storage[n+1]
	}
	return ""
}

// stop ends the service as a signal does and returns its exit code.
func (i *instance) stop() int {
	i.end()
	<-i.ended
	for _, peer := range i.peers { // none but in a cluster
		if code := peer.stop(); i.code == exitOK {
			i.code = code
		}
	}
	return i.code
}

// processes are the instance and the others of its cluster.
func (i *instance) processes() []*instance { return append([]*instance{i}, i.peers...) }

// trust makes a pool of the authority that clients are told to trust.
func (i *instance) trust() *x509.CertPool {
	i.t.Helper()
	if i.roots == nil {
		text, err := os.ReadFile(filepath.Join(i.dir, "tls", "ca.pem"))
		if err != nil {
			i.t.Fatal(err)
		}
		i.roots = x509.NewCertPool()
		if !i.roots.AppendCertsFromPEM(text) {
			i.t.Fatal("ca.pem holds no certificate")
		}
	}
	return i.roots
}

// transport connects over TLS, with HTTP/2 where the test does not mind.
func (i *instance) transport() *http.Transport {
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: i.trust()}, ForceAttemptHTTP2: true}
	i.t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// checked is a client whose every answer is held against the document.
func (i *instance) checked() *http.Client {
	i.t.Helper()
	if i.http != nil {
		return i.http
	}
	bare := &http.Client{Transport: i.transport()}
	answer, err := bare.Get(i.base + "/openapi.json")
	if err != nil {
		i.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	document, err := io.ReadAll(answer.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	// But for the address they are all the same, and read once.
	validator, err := openapitest.New(bytes.ReplaceAll(document, []byte(i.address), []byte("address")))
	if err != nil {
		i.t.Fatal(err)
	}
	i.http = &http.Client{Transport: &openapitest.Transport{TB: i.t, Base: bare.Transport, Validator: validator}}
	return i.http
}

// reply is an answer that was read.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// field reads a field of a JSON answer.
func (r reply) field(t *testing.T, name string) string {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(r.body, &fields); err != nil {
		t.Fatalf("%v in %s", err, r.body)
	}
	if fields[name] == nil {
		return ""
	}
	return fmt.Sprint(fields[name])
}

// ask sends a request with a key and header lines such as "Name: value".
func (i *instance) ask(method, path, key string, header ...string) reply {
	i.t.Helper()
	return i.send(method, path, key, "", header...)
}

// send is ask with a body.
func (i *instance) send(method, path, key, content string, header ...string) reply {
	i.t.Helper()
	answer := i.open(method, path, key, content, header...)
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		i.t.Fatal(err)
	}
	return reply{answer.StatusCode, answer.Header, body}
}

// open is send that leaves the answer to be read.
func (i *instance) open(method, path, key, content string, header ...string) *http.Response {
	i.t.Helper()
	r, err := http.NewRequestWithContext(i.t.Context(), method, i.base+path, strings.NewReader(content))
	if err != nil {
		i.t.Fatal(err)
	}
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for _, line := range header {
		name, text, _ := strings.Cut(line, ": ")
		r.Header.Set(name, text)
	}
	answer, err := i.checked().Do(r)
	if err != nil {
		i.t.Fatal(err)
	}
	return answer
}

// want asks and insists on a status and, for a failure, its code.
func (i *instance) want(status int, code, method, path, key string, header ...string) reply {
	i.t.Helper()
	got := i.ask(method, path, key, header...)
	if got.status != status || code != "" && got.field(i.t, "code") != code {
		i.t.Fatalf("%s %s: got %d %s, want %d %s", method, path, got.status, got.body, status, code)
	}
	return got
}

// operate runs an operator's command on the data folder and returns its stdout.
func (i *instance) operate(args ...string) string {
	i.t.Helper()
	code, out, errText := runMain(i.t, i.environment, slices.Concat(args, []string{"--data-dir", i.dir}, i.storage)...)
	if code != exitOK {
		i.t.Fatalf("svcd %s: exit %d: %s", strings.Join(args, " "), code, errText)
	}
	return out
}

// runMain runs a command that ends by itself.
func runMain(t *testing.T, environment []string, args ...string) (code int, out, errText string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(t.Context(), args, Streams{In: strings.NewReader(""), Out: &stdout, Err: &stderr, Program: "svcd"}, environment)
	return code, stdout.String(), stderr.String()
}

const email = "ada@example.com"

// account makes an account and a key for it.
func (i *instance) account(address string) (key string) {
	i.t.Helper()
	i.operate("account", "create", "--email", address, "--plan", "developer")
	key, found := strings.CutSuffix(i.operate("key", "create", "--account", address, "--name", "test"), "\n")
	if !found || strings.ContainsAny(key, "\n ") {
		i.t.Fatalf("key create printed more than a key: %q", key)
	}
	return key
}

// imported is what project import prints.
type imported struct{ ProjectID, BundleID string }

// importFiles makes a project of files for an account.
func (i *instance) importFiles(address string, files map[string]string, flags ...string) imported {
	i.t.Helper()
	dir := i.t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			i.t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			i.t.Fatal(err)
		}
	}
	args := append([]string{"project", "import", dir, "--account", address, "--name", "demo"}, flags...)
	var made imported
	if err := json.Unmarshal([]byte(i.operate(args...)), &made); err != nil {
		i.t.Fatal(err)
	}
	return made
}
