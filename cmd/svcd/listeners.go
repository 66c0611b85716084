package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/url"
	"os"
	"sync"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/certs"
	"github.com/bundle-delivery/svc/internal/web/edge"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// listeners are the listeners of the process and the servers behind them.
type listeners struct {
	base      *url.URL // nil without the api role
	address   string   // of the HTTPS listener
	caFile    string   // what clients have to trust; empty with an own certificate
	log       *slog.Logger
	endpoints []*endpoint
	ended     sync.WaitGroup
}

// endpoint is a listener with its server.
type endpoint struct {
	name     string
	listener net.Listener
	server   *http.Server
}

// openListeners opens every listener that the settings ask for, or none.
func openListeners(s *settings, dir datadir.Dir, p *components, log *slog.Logger) (*listeners, error) {
	f := &listeners{log: log}
	err := f.open(s, dir, p)
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

func (f *listeners) open(s *settings, dir datadir.Dir, p *components) error {
	if s.plays(roleAPI) {
		if err := f.openAPI(s, dir, p); err != nil {
			return err
		}
	}
	if s.adminListen == "" {
		return nil
	}
	admin, err := f.listen("admin", "admin-listen", s.adminListen)
	if err != nil {
		return err
	}
	admin.server = f.newServer(adminHandler(p), p)
	return nil
}

func (f *listeners) openAPI(s *settings, dir datadir.Dir, p *components) error {
	secure, err := f.listen("https", "listen", s.listen)
	if err != nil {
		return err
	}
	f.base, f.address = s.baseFor(secure.listener.Addr()), secure.listener.Addr().String()
	certificates, err := f.tlsConfig(s, dir, secure.listener.Addr(), p)
	if err != nil {
		return err
	}
	handler, err := p.handler(f.base, f.caFile)
	if err != nil {
		return err
	}
	secure.server = f.newServer(handler, p)
	secure.server.TLSConfig = certificates
	proxies := edge.Proxies(s.trustedProxy)
	if s.announced {
		secure.listener = proxies.ProxyProtocol(secure.listener, p.turnedAway)
	}
	secure.listener = edge.TLSOnly(secure.listener, f.base.String(), p.turnedAway)
	if s.proxyListen == "" {
		return nil
	}
	plain, err := f.listen("proxy", "proxy-listen", s.proxyListen)
	if err != nil {
		return err
	}
	plain.server = f.newServer(proxies.Handler(handler, f.base.String(), p.turnedAway), p)
	plain.listener = edge.StallTimeout(proxies.Listener(plain.listener, p.turnedAway))
	return nil
}

// listen opens a listener; flag is the setting that an error names.
func (f *listeners) listen(name, flag, address string) (*endpoint, error) {
	listener, err := edge.Listen(context.Background(), address)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", flag, err)
	}
	d := &endpoint{name: name, listener: listener}
	f.endpoints = append(f.endpoints, d)
	return d, nil
}

func (f *listeners) newServer(h http.Handler, p *components) *http.Server {
	return edge.NewServer(h, edge.ErrorLog(f.log), p.turnedAway)
}

// turnedAway notes what was refused before any handler saw it.
func (p *components) turnedAway(r edge.Refusal) {
	p.metrics.TurnedAway(r.Reason)
	p.log.Info("refused at the door", "reason", r.Reason, "request_id", r.RequestID, "client", r.Remote)
}

// tlsConfig shows the operator's certificate, one of an ACME authority, or one of
// the local authority.
func (f *listeners) tlsConfig(s *settings, dir datadir.Dir, listener net.Addr, p *components) (*tls.Config, error) {
	if s.tlsCert != "" {
		own, err := certs.OpenFiles(s.tlsCert, s.tlsKey, time.Now, f.log)
		if err != nil {
			return nil, err
		}
		p.metrics.WatchCertificate(own.NotAfter)
		return certs.Config(own.GetCertificate), nil
	}
	local, err := certs.OpenLocal(dir.TLS(), f.base.Hostname(), time.Now, f.log)
	if err != nil {
		return nil, err
	}
	if len(s.acme.domains) > 0 {
		return f.openACME(s, listener, local, p)
	}
	f.caFile = local.AuthorityFile()
	p.metrics.WatchCertificate(local.NotAfter)
	return certs.Config(local.GetCertificate), nil
}

// handler is the whole interface, the console included.
func (p *components) handler(base *url.URL, caFile string) (http.Handler, error) {
	authority, fingerprint, err := readAuthority(caFile)
	if err != nil {
		return nil, err
	}
	if err := p.openConsole(base, fingerprint); err != nil {
		return nil, err
	}
	return httpd.New(httpd.Config{
		Console: p.console, Authority: authority,
		Delivery: p.delivery, Accounts: p.accounts, BaseURL: base.String(),
		Logger: p.log, Observer: p.metrics,
		Routes:   httpd.NewGenerations(p.runs, base.String(), p.streams).Routes(),
		Ready:    append([]httpd.Check{{Name: "schema", Ask: p.schemaUnderstood, Own: true}}, p.sharedParts()...),
		Draining: p.draining.Load, SigningKeys: p.signer.Published, SpecOf: specOf,
	})
}

// specOf returns the spec of a project of the template engine. It is empty for projects
// of other engines, and for those that this version cannot change.
func specOf(state map[string]string) string {
	s, found, err := spec.FromState(state)
	if !found || err != nil {
		return ""
	}
	return s.String()
}

// readAuthority gives the local authority in PEM, and the SHA-256 by which people
// know it; nothing where there is none.
func readAuthority(file string) (text []byte, fingerprint string, err error) {
	if file == "" {
		return nil, "", nil
	}
	if text, err = os.ReadFile(file); err != nil {
		return nil, "", fmt.Errorf("read the local authority: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, "", fmt.Errorf("the local authority in %s is no certificate", file)
	}
	return text, fmt.Sprintf("%x", sha256.Sum256(block.Bytes)), nil
}

// sharedParts are what all processes of a service need.
func (p *components) sharedParts() []httpd.Check {
	return []httpd.Check{
		{Name: "records", Ask: p.recordsReady},
		{Name: "bytes", Ask: p.storage.blobs.Ping},
		{Name: "events", Ask: p.bus.Ping},
	}
}

// schemaUnderstood says whether a newer program has changed the schema so that this
// one cannot go on. A database that does not answer says nothing about that.
func (p *components) schemaUnderstood(ctx context.Context) error {
	if err := p.storage.store.Ping(ctx); errors.Is(err, svc.ErrConflict) {
		return err
	}
	return nil
}

// recordsReady asks the records, and opens and ends a transaction: a database that
// can only be read serves nobody, since downloads and acknowledgements write.
func (p *components) recordsReady(ctx context.Context) error {
	if err := p.storage.store.Ping(ctx); err != nil {
		return err
	}
	if err := p.storage.store.Tx(ctx, func(r svc.Records) error { _, err := r.Now(ctx); return err }); err != nil {
		return fmt.Errorf("open a transaction: %w", err)
	}
	return nil
}

// adminHandler is for the operator's eyes: nothing in it asks for a key.
func adminHandler(p *components) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", p.metrics.Handler())
	// A process without the api role has no other place to say that it lives.
	mux.HandleFunc("GET "+api.RouteHealth, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"status":"ok"}`+"\n") // whoever has left misses nothing
	})
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}

// start serves on every listener and returns the first failure.
func (f *listeners) start() <-chan error {
	failed := make(chan error, len(f.endpoints))
	for _, d := range f.endpoints {
		f.log.Info("listening", "on", d.name, "address", d.listener.Addr().String())
		f.ended.Go(func() {
			if err := edge.Serve(d.server, d.listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("%s: %w", d.name, err)
			}
		})
	}
	return failed
}

// shutDown stops accepting everywhere and waits for the requests that are under
// way; those that are not done when the context ends are cut off.
func (f *listeners) shutDown(ctx context.Context) error {
	var draining sync.WaitGroup
	failures := make([]error, len(f.endpoints))
	for i, d := range f.endpoints {
		draining.Go(func() {
			if failures[i] = d.server.Shutdown(ctx); failures[i] != nil {
				failures[i] = errors.Join(fmt.Errorf("%s: %w", d.name, failures[i]), d.server.Close())
			}
		})
	}
	draining.Wait()
	f.ended.Wait()
	return errors.Join(failures...)
}

// close closes listeners that were never served.
func (f *listeners) close() error {
	var err error
	for _, d := range f.endpoints {
		err = errors.Join(err, d.listener.Close())
	}
	return err
}
