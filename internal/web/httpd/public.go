package httpd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/api/openapi"
)

// publicRoutes registers what needs no key.
func (s *server) publicRoutes() error {
	document, err := openapi.Document(strings.TrimRight(s.BaseURL, "/"))
	if err != nil {
		return err
	}
	get := func(handle http.HandlerFunc) methods {
		return methods{http.MethodGet: {Handle: func(w http.ResponseWriter, r *http.Request, _ *Call) error {
			handle(w, r)
			return nil
		}}}
	}
	s.public(api.RouteHealth, get(func(w http.ResponseWriter, _ *http.Request) {
		writeBody(w, http.StatusOK, []byte(`{"status":"ok"}`+"\n"))
	}))
	s.public(api.RouteReady, methods{http.MethodGet: {Handle: s.ready}})
	s.public(api.RouteOpenAPI, get(fixedText("application/json", document)))
	s.public(api.RouteManifest, get(fixedText("application/schema+json", bundlezip.Schema())))
	if s.Authority != nil {
		s.public(api.RouteAuthority, get(fixedText("application/pem-certificate-chain", s.Authority)))
	}
	if s.SigningKeys != nil {
		s.public(api.RouteSigningKeys, methods{http.MethodGet: {Handle: s.signingKeys}})
	}
	s.public("/schemas/", nil)
	s.public("/schemas", nil) // the mux would redirect it
	toConsole := get(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, s.prefix+api.RouteConsole, http.StatusFound)
	})
	s.public("/{$}", toConsole)
	if s.prefix != "" {
		s.public("", toConsole)
	}
	bare := strings.TrimSuffix(api.RouteConsole, "/")
	if s.Console == nil {
		s.public(api.RouteConsole, nil)
		s.public(bare, nil)
		return nil
	}
	s.public(bare, toConsole)
	console := http.StripPrefix(s.prefix, s.Console)
	s.mux.HandleFunc(s.prefix+api.RouteConsole, func(w http.ResponseWriter, r *http.Request) {
		if x, ok := w.(*exchange); ok {
			x.route = api.RouteConsole
			if strings.HasSuffix(r.URL.Path, "/stream") {
				x.route = api.RouteConsole + "generations/{id}/stream" // not to be timed with pages
			}
			x.idle = asksByItself(r, strings.TrimPrefix(r.URL.Path, s.prefix+api.RouteConsole))
		}
		console.ServeHTTP(w, r)
	})
	return nil
}

// asksByItself says that a browser loads what a page of the console is made of, or
// looks whether it has changed. Only the overview is asked for by people as well.
func asksByItself(r *http.Request, path string) bool {
	if r.Method != http.MethodGet {
		return false
	}
	return strings.HasPrefix(path, "static/") || path == "steps" || path == "" && r.Header.Get("Hx-Request") != "" ||
		strings.HasPrefix(path, "generations/") && strings.HasSuffix(path, "/bundle")
}

// public registers a path that anybody may ask for; without methods it leads
// nowhere.
func (s *server) public(pattern string, handlers methods) {
	allow := handlers.allow()
	s.mux.HandleFunc(s.prefix+pattern, func(w http.ResponseWriter, r *http.Request) {
		x, _ := w.(*exchange)
		x.route = pattern
		if err := s.serve(x, r, &Call{RequestID: x.requestID}, handlers, allow); err != nil {
			s.writeError(x, r, err)
		}
	})
}

// fixedText serves one text that does not change while the server runs.
func fixedText(contentType string, text []byte) http.HandlerFunc {
	sum := sha256.Sum256(text)
	etag := `"` + hex.EncodeToString(sum[:16]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", contentType)
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("ETag", etag)
		// It is given whole, whatever range is asked for.
		// Documentation viewers on other sites may read it; nothing in it is secret.
		h.Set("Access-Control-Allow-Origin", "*")
		if hasTag(r.Header.Values("If-None-Match"), etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		h.Set("Content-Length", strconv.Itoa(len(text)))
		_, _ = w.Write(text) // whoever has left misses nothing
	}
}

// hasTag says whether a list of entity tags has this one, or stands for any.
func hasTag(lists []string, etag string) bool {
	for tag := range strings.SplitSeq(strings.Join(lists, ","), ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// signingKeys asks anew each time: who comes has often just seen a key that is new.
func (s *server) signingKeys(w http.ResponseWriter, r *http.Request, _ *Call) error {
	keys, err := s.SigningKeys(r.Context())
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, keys)
}

// readyTimeout is how long each check may take: balancers wait two seconds.
const readyTimeout = time.Second

// ready asks every check and names those that fail, without their causes. It is
// about this process: what all share is shown and turns none of them away.
func (s *server) ready(w http.ResponseWriter, r *http.Request, call *Call) error {
	failures := make([]error, len(s.Ready))
	var asking sync.WaitGroup
	for i, check := range s.Ready {
		asking.Go(func() {
			ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
			defer cancel()
			failures[i] = check.Ask(ctx)
		})
	}
	asking.Wait()
	health := api.Health{Status: "ok", Checks: map[string]string{}}
	status := http.StatusOK
	for i, check := range s.Ready {
		health.Checks[check.Name] = "ok"
		if failures[i] == nil {
			continue
		}
		health.Checks[check.Name] = "unavailable"
		if check.Own {
			health.Status, status = "unavailable", http.StatusServiceUnavailable
		} else if health.Status == "ok" {
			health.Status = "degraded"
		}
		s.Logger.LogAttrs(r.Context(), slog.LevelWarn, "a check of readiness failed", slog.String("request_id", call.RequestID),
			slog.String("check", check.Name), slog.String("error", failures[i].Error()))
	}
	if s.Draining != nil && s.Draining() {
		health.Status, status = "draining", http.StatusServiceUnavailable
	}
	return writeJSON(w, status, health)
}
