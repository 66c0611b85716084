package httpd

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// exchange is one request and its answer, as the log and the metrics see them.
type exchange struct {
	http.ResponseWriter
	requestID string
	route     string // pattern, without the path of the base URL
	keyPrefix string // the public part of the key that was accepted
	call      *Call  // nil where no key is asked for
	badPrefix string // the public part of one that has a key's form and was refused
	status    int    // 0: no answer yet
	bytes     int64
	failure   error // what the handler returned
	idle      bool  // a browser asks by itself; nobody did anything
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader notes the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write counts the bytes.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// ReadFrom lets the server move a file in its own way.
func (x *exchange) ReadFrom(r io.Reader) (int64, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	n, err := io.Copy(x.ResponseWriter, r)
	x.bytes += n
	return n, err
}

// statusGone is what the log has for a client that left before its answer.
const statusGone = 499

// finish answers for a handler that panicked, and writes the line of the log.
func (s *server) finish(x *exchange, r *http.Request, start time.Time) {
	cut := false
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler { //nolint:errorlint // it is thrown as it is
			defer panic(p)
		} else {
			x.failure = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			cut = x.status != 0
			if !cut {
				s.writeError(x, r, x.failure)
			}
		}
	}
	status := x.status
	if status == 0 {
		status = http.StatusOK // an empty answer
		if r.Context().Err() != nil {
			status = statusGone
		}
	}
	took := time.Since(start)
	if s.Observer != nil {
		s.Observer.Request(x.route, r.Method, status, took, x.bytes)
	}
	s.log(x, r, status, took)
	if cut {
		// Half an answer must not look like a whole one.
		panic(http.ErrAbortHandler)
	}
}

func (s *server) log(x *exchange, r *http.Request, status int, took time.Duration) {
	level := slog.LevelInfo
	switch {
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	case x.idle && status < http.StatusBadRequest:
		level = slog.LevelDebug
	}
	attrs := make([]slog.Attr, 0, 12)
	attrs = append(attrs,
		slog.String("request_id", x.requestID),
		slog.String("client", clientAddress(r)),
		slog.String("method", r.Method),
		slog.String("route", x.route),
		slog.Int("status", status),
		slog.Int64("bytes", x.bytes),
		slog.Float64("took_ms", float64(took.Microseconds())/1000),
	)
	if x.keyPrefix != "" {
		attrs = append(attrs, slog.String("key", x.keyPrefix))
	}
	attrs = append(attrs, x.subjects(r)...)
	if x.badPrefix != "" {
		attrs = append(attrs, slog.String("refused_key", x.badPrefix))
	}
	if x.failure != nil {
		attrs = append(attrs, slog.String("error", x.failure.Error()))
	}
	// The request may be over; its line is written all the same.
	s.Logger.LogAttrs(context.WithoutCancel(r.Context()), level, "request", attrs...)
}

// subjects are what a request was about, in the words of the records. What has not
// the form of an id is not repeated.
func (x *exchange) subjects(r *http.Request) (attrs []slog.Attr) {
	if x.call == nil || x.keyPrefix == "" {
		return nil
	}
	bundle, run, project := x.call.BundleID, x.call.RunID, r.PathValue("projectId")
	switch {
	case strings.HasPrefix(x.route, api.RouteBundles+"/"):
		bundle = r.PathValue("id")
	case strings.HasPrefix(x.route, api.RouteGenerations+"/"):
		run = r.PathValue("id")
	}
	attrs = append(attrs, slog.String("account", x.call.AccountID()))
	if svc.ValidProjectID(project) {
		attrs = append(attrs, slog.String("project", project))
	}
	if svc.ValidBundleID(bundle) {
		attrs = append(attrs, slog.String("bundle", bundle))
	}
	if svc.ValidGenerationID(run) {
		attrs = append(attrs, slog.String("run", run))
	}
	return attrs
}

// clientAddress is who asked, without the port: behind a trusted proxy, whom it
// speaks for.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
