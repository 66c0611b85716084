package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
)

// noopServerArg makes this program serve an empty handler instead.
const noopServerArg = "noop-server"

const loadSeconds = 4

// benchMetadata compares a metadata request, key check included, with a handler
// that does nothing on a bare TLS server: what is left of the requests per
// second is what authentication, the query, the log line and the headers leave.
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
	noop, err := startNoop(ctx, filepath.Join(d.Data, "tls"))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, noop.stop()) }()

	var ours, bare sample
	for round := range l.rounds + 1 {
		b, err := requestsPerSecond(ctx, "https://"+noop.addr+"/", "")
		if err != nil {
			return s, err
		}
		r, err := requestsPerSecond(ctx, d.Base+"/bundles/"+t.BundleID, t.Key)
		if err != nil {
			return s, err
		}
		if round > 0 {
			ours, bare = append(ours, r), append(bare, b)
		}
	}
	profile, err := profileUnderLoad(ctx, d, t, admin, filepath.Join(l.dir, "metadata.pprof"))
	if err != nil {
		return s, err
	}
	s.add("`GET /bundles/:id` a second", ours.show("%.0f"), "")
	s.add("no-op handler on a bare TLS server, a second", bare.show("%.0f"), "")
	s.add("share of the bare server", ours.over(bare).show("%.2f"), "at least 0.4")
	s.note("wrk with one thread and 32 connections over HTTP/1.1, %d s a turn; client and server share the cores. One bundle is asked for again and again, as by a client that polls, while nobody writes: so SQLite is asked whether anything changed, and key and bundle come from memory.", loadSeconds)
	s.note("Where the time of the server goes (`go tool pprof -top -cum`, share of the samples):\n\n```\n%s\n```", profile)
	return s, nil
}

var perSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

func requestsPerSecond(ctx context.Context, url, key string) (float64, error) {
	args := []string{"-t1", "-c32", fmt.Sprintf("-d%ds", loadSeconds)}
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

// profileUnderLoad takes a processor profile while wrk runs, and keeps the lines
// that tell the parts of a request apart.
func profileUnderLoad(ctx context.Context, d daemon, t harness.Tenant, admin, file string) (string, error) {
	done := make(chan error, 1)
	go func() {
		_, err := requestsPerSecond(ctx, d.Base+"/bundles/"+t.BundleID, t.Key)
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
