package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
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
func benchMetadata(ctx context.Context, e *env) (s section) {
	tree := e.tree("small", 5, 5000)
	d := e.server(ctx, "metadata")
	t := tenant(ctx, &d.Service, "bench", tree)
	mixed := newMixedTraffic(ctx, e, d, t)
	noop := startNoop(ctx, e, filepath.Join(d.Data, "tls"))
	var ours, bare sample
	e.inRounds(func(_ int, keep func(*sample, float64)) {
		keep(&bare, must(requestsPerSecond(ctx, "https://"+noop, t.Key, "-s", mixed.script)))
		keep(&ours, must(mixed.requestsPerSecond(ctx)))
	})
	s.add("`GET /bundles/:id` a second", ours.show("%.0f"), "")
	s.add("no-op handler on a bare TLS server, a second", bare.show("%.0f"), "")
	s.add("share of the bare server", ours.over(bare).show("%.2f"), "at least 0.30")
	s.note("wrk with one thread and 32 connections over HTTP/1.1, %d s a turn; client and server share the cores. %d bundles of one account are asked for in turn, while another client acknowledges one bundle a second.", loadSeconds, mixedBundles)
	return s
}

var perSecond = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)

func requestsPerSecond(ctx context.Context, url, key string, flags ...string) (float64, error) {
	args := append([]string{"-t1", "-c32", fmt.Sprintf("-d%ds", loadSeconds)}, flags...)
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
func newMixedTraffic(ctx context.Context, e *env, d daemon, t harness.Tenant) *mixedTraffic {
	m := &mixedTraffic{server: d, tenant: t, script: filepath.Join(e.dir, "mixed.lua")}
	store := must(sqlite.Open(ctx, filepath.Join(d.Data, "svcd.db")))
	defer func() { check(store.Close()) }()
	var script strings.Builder
	check(store.Tx(ctx, func(r svc.Records) error {
		account := must(r.Accounts().ByEmail(ctx, "bench@example.com"))
		made := must(r.Bundles().Get(ctx, account.ID, t.BundleID))
		for i := range mixedBundles + (e.rounds+2)*2*loadSeconds {
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
	}))
	check(os.WriteFile(m.script, []byte("local paths = {\n"+script.String()+"}\n"+nextPath), 0o600))
	return m
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

// startNoop runs the peer in a process of its own and gives its address.
func startNoop(ctx context.Context, e *env, tlsDir string) string {
	address, self := must(toolbox.FreeAddress()), must(os.Executable())
	p := &harness.Process{
		Name: noopServerArg, Address: address, LogFile: filepath.Join(e.dir, "noop.log"), Ready: harness.Listening("tcp", address),
		Command: func() *exec.Cmd {
			return exec.Command(self, noopServerArg, address, filepath.Join(tlsDir, "leaf.pem"), filepath.Join(tlsDir, "leaf-key.pem"))
		},
	}
	e.later(p.Kill)
	check(p.Start(ctx))
	return address
}

// serveNoop is the peer: its arguments are address, certificate and key.
func serveNoop(args []string) error {
	server := &http.Server{
		Addr:              args[0],
		Handler:           http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}),
		ReadHeaderTimeout: 10 * time.Second,
	}
	return server.ListenAndServeTLS(args[1], args[2])
}
