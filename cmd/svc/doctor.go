package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/leaks"
)

func newDoctorCommand(a *app) *cobra.Command {
	var generation string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Find out why svc does not work here",
		Long: `Looks at the credentials, the address, the proxy, the TLS chain, the clock, the
key, how the path to the service treats streams, and this folder, where it looks
for API keys of the service in files and in the last commits. Says for each what
is wrong and what to do. Changes nothing.`,
		Example: `  svc doctor
  svc doctor --api-url https://svc.example.com --ca-file ca.pem
  svc doctor --generation gen_7h2k9q4w1x8c5v3b6n0m   # does its stream come through?`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), a, generation) },
	}
	cmd.Flags().StringVar(&generation, "generation", "", "a run whose stream is opened, to see whether something on the way keeps it back")
	return cmd
}

// examination is one run of the doctor.
type examination struct {
	*app
	stored stored
	base   *url.URL
	failed int
	err    error
}

// report prints one finding.
func (x *examination) report(ok bool, what, finding string) bool {
	mark := x.term.paint(green, "ok  ")
	if !ok {
		mark = x.term.paint(red, "FAIL")
		x.failed++
	}
	x.err = errors.Join(x.err, x.print("%s  %-11s  %s\n", mark, what, finding))
	return ok
}

func runDoctor(ctx context.Context, a *app, generation string) error {
	x := &examination{app: a}
	if x.credentials() && x.address() {
		x.proxy()
		if x.connection(ctx) {
			if x.key(ctx) {
				x.stream(ctx, generation)
			}
		}
	}
	x.permissions()
	x.leakedKeys(ctx)
	switch {
	case x.err != nil:
		return x.err
	case x.failed > 0:
		return fmt.Errorf("%s found", count(x.failed, "problem"))
	}
	return nil
}

func (x *examination) credentials() bool {
	s, err := x.app.credentials(x.tell)
	x.stored = s
	if err != nil {
		return x.report(false, "credentials", err.Error())
	}
	prefix, _ := svc.ParseKey(s.APIKey)
	return x.report(true, "credentials", "key svc_"+prefix+"_…")
}

func (x *examination) address() bool {
	base, err := client.ParseBaseURL(x.stored.APIURL)
	if err != nil {
		return x.report(false, "address", err.Error())
	}
	x.base = base
	return x.report(true, "address", base.String())
}

func (x *examination) proxy() {
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: x.base})
	switch {
	case err != nil:
		x.report(false, "proxy", fmt.Sprintf("HTTPS_PROXY cannot be understood: %v", err))
	case proxy != nil:
		x.report(true, "proxy", "through "+proxy.Redacted()+"; set NO_PROXY="+x.base.Hostname()+" to go around it")
	default:
		x.report(true, "proxy", "none")
	}
}

// maxClockSkew is how far clocks may differ before certificates and logs suffer.
const maxClockSkew = 5 * time.Minute

// connection asks the service whether it is ready: this shows name, route, TLS
// and clock.
func (x *examination) connection(ctx context.Context) bool {
	c, err := client.New(client.Options{BaseURL: x.stored.APIURL, APIKey: x.stored.APIKey, CAFile: x.stored.CAFile})
	if err != nil {
		return x.report(false, "connection", err.Error())
	}
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	resp, err := c.Probe(ctx, api.RouteReady)
	if err != nil {
		if errors.Is(err, context.Canceled) {
			x.err = err
			return false
		}
		finding := err.Error()
		var dns *net.DNSError
		if errors.As(err, &dns) {
			finding += "; is the name spelled right?"
		}
		return x.report(false, "connection", finding)
	}
	if resp.TLS != nil && len(resp.TLS.PeerCertificates) > 0 {
		leaf := resp.TLS.PeerCertificates[0]
		x.report(true, "tls", fmt.Sprintf("%s, certificate of %s, valid until %s", tls.VersionName(resp.TLS.Version), leaf.Issuer.CommonName, leaf.NotAfter.UTC().Format(time.DateOnly)))
	} else {
		x.report(true, "tls", "none: plain http on this machine")
	}
	if at, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
		skew := time.Since(at).Round(time.Second)
		finding := fmt.Sprintf("differs from the server's by %s", skew.Abs())
		if skew.Abs() > maxClockSkew {
			finding += "; set it right, or certificates will be refused"
		}
		x.report(skew.Abs() <= maxClockSkew, "clock", finding)
	}
	if resp.Header.Get("X-Request-Id") == "" {
		x.report(false, "service", "what answers there is not the service; is the path of the address right?")
		return false
	}
	return x.report(resp.Status == http.StatusOK, "service", "readiness: "+http.StatusText(resp.Status))
}

// key says whether the service takes the key: without one no stream is opened.
func (x *examination) key(ctx context.Context) (taken bool) {
	c, err := x.client()
	if err == nil {
		_, err = c.List(ctx, client.ListQuery{Limit: 1})
	}
	if err == nil {
		return x.report(true, "key", "accepted")
	}
	refused := client.StatusOf(err) == http.StatusUnauthorized
	if answer, ok := errors.AsType[*client.StatusError](err); ok && refused {
		answer.Err.Hint = "" // which header it wants is not the person's mistake
	}
	x.report(false, "key", string(x.explain(err)))
	return !refused
}

// streamPatience is how long the first bytes of a stream may take.
const streamPatience = 10 * time.Second

// stream looks whether streams come through. Without a run of the user's it can
// only see that the request for one is passed on, and by whom.
func (x *examination) stream(ctx context.Context, generation string) {
	c, err := x.client()
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, streamPatience)
	defer cancel()
	asked := generation
	if asked == "" {
		asked = "gen_doctor"
	}
	found, err := c.ProbeStream(ctx, asked)
	answer, answered := errors.AsType[*client.StatusError](err)
	between := ""
	if via := found.Header.Get("Via"); via != "" {
		between = "; a proxy stands between (" + via + ")"
	}
	switch {
	case err == nil:
		x.report(true, "stream", "comes through at once"+between)
	case generation == "" && answered && answer.Err.Code == svc.CodeGenerationNotFound:
		x.report(true, "stream", "requests pass; name a run with --generation to see whether its events come at once")
	case answered:
		x.report(false, "stream", string(x.explain(err)))
	default:
		x.report(false, "stream", "nothing came within "+streamPatience.String()+between+"; turn off buffering of text/event-stream in the proxies on the way")
	}
}

// permissions looks at what svc writes: the credentials and this folder.
func (x *examination) permissions() {
	if path, err := x.configPath(); err == nil {
		if info, err := os.Stat(path); err == nil && runtime.GOOS != "windows" {
			open := info.Mode().Perm()&0o077 != 0
			finding := path + " is readable by you alone"
			if open {
				finding = path + " can be read by others; run: chmod 600 " + printable.ShellWord(path)
			}
			x.report(!open, "config", finding)
		}
	}
	err := x.inFolder(func(folder *workdir.Folder) error {
		interrupted, err := folder.Interrupted()
		switch {
		case err != nil:
		case interrupted:
			x.report(false, "folder", "a pull or rollback here was interrupted; the next svc pull or svc rollback finishes it")
		default:
			x.report(true, "folder", filepath.Clean(folder.Dir()))
		}
		return err
	})
	if err != nil {
		x.report(false, "folder", err.Error())
	}
}

// leakedKeys looks for keys of the service where others may read them.
func (x *examination) leakedKeys(ctx context.Context) {
	dir, err := os.Getwd()
	if err != nil {
		return
	}
	inFiles, files := leaks.InFolder(dir)
	inCommits, commits := leaks.InCommits(ctx, dir)
	found := slices.Concat(inFiles, inCommits)
	if len(found) == 0 {
		x.report(true, "leaks", fmt.Sprintf("no API key in %s and %s", count(files, "file"), count(commits, "commit")))
		return
	}
	for _, k := range found[:min(len(found), leaks.MaxShown)] {
		x.report(false, "leaks", k.String())
	}
	address := "the console"
	if x.base != nil {
		address = x.base.String() + strings.TrimSuffix(api.RouteConsole, "/") + "/report-key"
	}
	x.err = errors.Join(x.err, x.print("      %s\n", "Revoke what is found: paste the whole key at "+address+". Taking it out of a file is not enough once it was pushed."))
}
