package egress

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"sync"
	"time"
)

// maxCalls is how many requests one listener serves at a time.
const maxCalls = 64

// headerTime is how long the header of a request may take.
const headerTime = 5 * time.Second

// Serve answers as a proxy at the listener of one box until ctx ends. Everything
// that was passed on is cut off then. handler answers what is no request to a
// proxy; nil: it is refused.
func (r *Relay) Serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	places := make(chan struct{}, maxCalls)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			select {
			case places <- struct{}{}:
				defer func() { <-places }()
			default:
				http.Error(w, "too many calls at a time", http.StatusServiceUnavailable)
				return
			}
			switch {
			case req.Method == http.MethodConnect:
				r.tunnel(ctx, w, req)
			case req.URL.IsAbs():
				r.pass(w, req)
			case handler != nil:
				handler.ServeHTTP(w, req)
			default:
				http.Error(w, "this is a proxy", http.StatusBadRequest)
			}
		}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(r.log.Handler(), slog.LevelWarn),
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() }) // cuts everything off, as it should
	defer stop()
	if err := server.Serve(newBoxListener(listener, r.places)); err != nil && !errors.Is(err, http.ErrServerClosed) && ctx.Err() == nil {
		return err
	}
	return nil
}

// refuse says why a host is not called.
func refuse(w http.ResponseWriter, err error) {
	if errors.Is(err, ErrRefused) {
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	http.Error(w, "this host cannot be reached", http.StatusBadGateway)
}

// tunnel connects a client with a host and passes bytes on until both are done.
func (r *Relay) tunnel(ctx context.Context, w http.ResponseWriter, req *http.Request) {
	to, err := r.Dial(req.Context(), req.Host)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = to.Close() }() // both ways are done
	from, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no tunnel can be made", http.StatusInternalServerError)
		return
	}
	defer func() { _ = from.Close() }() // both ways are done
	defer context.AfterFunc(ctx, func() {
		_ = from.Close() // cut off
		_ = to.Close()   // cut off
	})()
	if _, err := io.WriteString(from, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { half(to, from, buffered) })
	both.Go(func() { half(from, to, to) })
	both.Wait()
}

func half(to, from net.Conn, in io.Reader) {
	_, err := io.Copy(to, in)
	if closer, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		_ = closer.CloseWrite() // it may be gone already
		return
	}
	_ = to.Close()   // cut off
	_ = from.Close() // cut off
}

// pass passes one plain request on.
func (r *Relay) pass(w http.ResponseWriter, req *http.Request) {
	if req.URL.Scheme != "http" {
		refuse(w, ErrRefused)
		return
	}
	out := req.Clone(req.Context())
	out.RequestURI = ""
	for _, name := range []string{"Connection", "Proxy-Connection", "Proxy-Authorization", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade"} {
		out.Header.Del(name)
	}
	if out.URL.Port() == "" {
		out.URL.Host = net.JoinHostPort(out.URL.Hostname(), "80")
	}
	answer, err := r.plain.RoundTrip(out)
	if err != nil {
		refuse(w, err)
		return
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	maps.Copy(w.Header(), answer.Header)
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body) // the client sees that it is cut short
}
