package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

// noopServerArg makes this program serve an empty handler instead.
const noopServerArg = "noop-server"

const loadSeconds = 4

// mixedBundles is how many bundles of one account are asked for in turn.
const mixedBundles = 1000

// benchMetadata compares metadata requests, key check included, with a handler
// that does nothing on a bare TLS server: what is left of the requests per
// second is what authentication, the query, the log line and the headers leave.
// The traffic is mixed: many bundles are asked for in turn, while another client
// acknowledges one a second.
func benchMetadata(ctx context.Context, l *lab) (s section, err error) {
	tree := filepath.Join(l.dir, "small")
	if err := writeTree(tree, 5, 5000); err != nil {
		return s, err
	}
	admin, err := freeAddress(ctx)
	if err != nil {
		return s, err
	}
	d, err := l.start(ctx, "metadata", "--admin-listen", admin)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	t, err := d.Tenant(ctx, "bench@example.com", tree)
	if err != nil {
		return s, err
	}
	mixed, err := newMixedTraffic(ctx, l, d, t)
	if err != nil {
		return s, err
	}
	noop, err := startNoop(ctx, filepath.Join(d.Data, "tls"))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, noop.stop()) }()

	var ours, bare sample
	for round := range l.rounds + 1 {
		b, err := requestsPerSecond(ctx, "https://"+noop.addr, t.Key, "-s", mixed.script)
		if err != nil {
			return s, err
		}
		r, err := mixed.requestsPerSecond(ctx)
		if err != nil {
			return s, err
		}
		if round > 0 {
			ours, bare = append(ours, r), append(bare, b)
		}
	}
	profile, err := profileUnderLoad(ctx, d, mixed, admin, filepath.Join(l.dir, "metadata.pprof"))
	if err != nil {
		return s, err
	}
	s.add("`GET /bundles/:id` a second", ours.show("%.0f"), "")
	s.add("no-op handler on a bare TLS server, a second", bare.show("%.0f"), "")
	s.add("share of the bare server", ours.over(bare).show("%.2f"), "at least 0.30")
	s.note("wrk with one thread and 32 connections over HTTP/1.1, %d s a turn; client and server share the cores. %d bundles of one account are asked for in turn, while another client acknowledges one bundle a second.", loadSeconds, mixedBundles)
	s.note("Where the time of the server goes (`go tool pprof -top -cum`, share of the samples):\n\n```\n%s\n```", profile)
	return s, nil
}

var perSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

func requestsPerSecond(ctx context.Context, url, key string, flags ...string) (float64, error) {
	args := append(flags, "-t1", "-c32", fmt.Sprintf("-d%ds", loadSeconds))
	if key != "" {
		args = append(args, "-H", "Authorization: Bearer "+key)
	}
	out, err := exec.CommandContext(ctx, "wrk", append(args, url)...).CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("wrk: %w: %s", err, out)
	}
	if bytes.Contains(out, []byte("Non-2xx")) || bytes.Contains(out, []byte("Socket errors")) {
		return 0, fmt.Errorf("wrk saw errors: %s", out)
	}
	found := perSecond.FindSubmatch(out)
	if found == nil {
		return 0, fmt.Errorf("wrk printed no rate: %s", out)
	}
	return strconv.ParseFloat(string(found[1]), 64)
}

// nextPath makes wrk ask for one path after the other. The requests are written
// once: what wrk needs for itself is missing to the server.
const nextPath = `
local n, requests = 0, {}
init = function()
  for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path) end
end
request = function()
  n = n % #requests + 1
  return requests[n]
end
`

// mixedTraffic is the load on a server: requests for many bundles in turn, and
// now and then an acknowledgement.
type mixedTraffic struct {
	server  daemon
	tenant  harness.Tenant
	script  string   // of wrk
	pending []string // bundles to acknowledge
}

// newMixedTraffic gives the tenant its bundles, as records alone: nobody asks
// for their archives.
func newMixedTraffic(ctx context.Context, l *lab, d daemon, t harness.Tenant) (_ *mixedTraffic, err error) {
	m := &mixedTraffic{server: d, tenant: t, script: filepath.Join(l.dir, "mixed.lua")}
	store, err := sqlite.Open(ctx, filepath.Join(d.Data, "svcd.db"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	var script strings.Builder
	err = store.Tx(ctx, func(r svc.Records) error {
		account, err := r.Accounts().ByEmail(ctx, "bench@example.com")
		if err != nil {
			return err
		}
		made, err := r.Bundles().Get(ctx, account.ID, t.BundleID)
		if err != nil {
			return err
		}
		for i := range mixedBundles + (l.rounds+2)*2*loadSeconds {
			b := made
			b.ID = svc.NewBundleID(made.CreatedAt)
			b.Blob = "bundles/" + b.ID + ".zip"
			if err := r.Bundles().Insert(ctx, b); err != nil {
				return err
			}
			if i < mixedBundles {
				_, _ = fmt.Fprintf(&script, "%q,\n", "/bundles/"+b.ID)
			} else {
				m.pending = append(m.pending, b.ID)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	text := "local paths = {\n" + script.String() + "}\n" + nextPath
	return m, os.WriteFile(m.script, []byte(text), 0o600)
}

func (m *mixedTraffic) requestsPerSecond(ctx context.Context) (float64, error) {
	acknowledging, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.acknowledge(acknowledging) }()
	rate, err := requestsPerSecond(ctx, m.server.Base, m.tenant.Key, "-s", m.script)
	stop()
	return rate, errors.Join(err, <-ended)
}

// acknowledge acknowledges one bundle a second until the context ends.
func (m *mixedTraffic) acknowledge(ctx context.Context) error {
	every := time.NewTicker(time.Second)
	defer every.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-every.C:
		}
		if len(m.pending) == 0 {
			return errors.New("there is no bundle left to acknowledge")
		}
		path := "/bundles/" + m.pending[0] + "/ack"
		m.pending = m.pending[1:]
		if err := m.server.expect(context.WithoutCancel(ctx), m.tenant, http.MethodPost, path, http.StatusOK, io.Discard); err != nil {
			return err
		}
	}
}

// profileUnderLoad takes a processor profile while wrk runs, and keeps the lines
// that tell the parts of a request apart.
func profileUnderLoad(ctx context.Context, d daemon, mixed *mixedTraffic, admin, file string) (string, error) {
	done := make(chan error, 1)
	go func() {
		_, err := mixed.requestsPerSecond(ctx)
		done <- err
	}()
	url := fmt.Sprintf("http://%s/debug/pprof/profile?seconds=%d", admin, loadSeconds-1)
	out, err := exec.CommandContext(ctx, "curl", "-sSf", "-o", file, url).CombinedOutput()
	if err = errors.Join(err, <-done); err != nil {
		return "", fmt.Errorf("profile: %w: %s", err, out)
	}
	top, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=400", d.Program, file).Output()
	if err != nil {
		return "", err
	}
	parts := []string{
		"net/http.(*conn).serve", "net/http.(*conn).readRequest", "crypto/tls.(*Conn).Read", "crypto/tls.(*Conn).Write",
		"internal/httpd", "internal/accounts", "internal/sqlite", "database/sql.(*Stmt)", "log/slog.(*Logger)", "encoding/json",
		"runtime.gcBgMarkWorker", "runtime.mallocgc", "syscall.Syscall",
	}
	var kept []string
	for line := range strings.Lines(string(top)) {
		for _, p := range parts {
			if strings.Contains(line, p) {
				kept = append(kept, strings.TrimRight(line, "\n"))
				break
			}
		}
		if len(kept) == 30 {
			break
		}
	}
	return strings.Join(kept, "\n"), nil
}

// noopServer is the peer, in a process of its own.
type noopServer struct {
	cmd  *exec.Cmd
	addr string
}

func startNoop(ctx context.Context, tlsDir string) (*noopServer, error) {
	addr, err := freeAddress(ctx)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, noopServerArg, "-listen", addr,
		"-cert", filepath.Join(tlsDir, "leaf.pem"), "-key", filepath.Join(tlsDir, "leaf-key.pem"))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &noopServer{cmd: cmd, addr: addr}
	for range 200 {
		c, err := (&net.Dialer{Timeout: 50 * time.Millisecond}).DialContext(ctx, "tcp", addr)
		if err == nil {
			return n, c.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, errors.Join(errors.New("the bare server does not listen"), n.stop())
}

func (n *noopServer) stop() error {
	err := n.cmd.Process.Kill()
	_ = n.cmd.Wait() // it was killed: its exit status says only that
	return err
}

func serveNoop(args []string) error {
	flags := flag.NewFlagSet(noopServerArg, flag.ContinueOnError)
	listen := flags.String("listen", "", "address")
	cert := flags.String("cert", "", "certificate")
	key := flags.String("key", "", "its key")
	if err := flags.Parse(args); err != nil {
		return err
	}
	server := &http.Server{
		Addr:              *listen,
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	return server.ListenAndServeTLS(*cert, *key)
}

// freeAddress finds a loopback port that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
