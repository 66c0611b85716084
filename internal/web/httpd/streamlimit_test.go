package httpd_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// leave opens a stream that can be left.
func (w *works) openAndLeave(path string) (leave func()) {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url+path, nil)
	must.Do(w.t, err)
	req.Header.Set("Authorization", "Bearer "+w.key)
	resp, err := w.client.Do(req)
	must.Do(w.t, err)
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("got %s", resp.Status)
	}
	return func() {
		cancel()
		_ = resp.Body.Close()
	}
}

// Promise: stream-limit
func TestAnAccountHasSoManyStreamsOpen(t *testing.T) {
	w := newWorks(t, func(l *generation.Limits) { l.AccountStreams = 2 })
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	stream := "/generations/" + queued.GenerationID + "/stream"
	leave := w.openAndLeave(stream)
	defer w.openAndLeave(stream)()
	runs := func() int {
		t.Helper()
		all, err := w.Store.Runs().List(t.Context(), svc.RunQuery{AccountID: w.account.ID, Limit: 10})
		must.Do(t, err)
		return len(all)
	}

	refused := w.do(http.MethodGet, stream)
	refused.failure(http.StatusTooManyRequests, svc.CodeTooManyStreams)
	if wait, err := strconv.Atoi(refused.header.Get("Retry-After")); err != nil || wait < 1 {
		t.Errorf("Retry-After is %q", refused.header.Get("Retry-After"))
	}
	w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`), "Accept", "text/event-stream").
		failure(http.StatusTooManyRequests, svc.CodeTooManyStreams)
	if n := runs(); n != 1 {
		t.Errorf("%d runs were accepted", n)
	}
	w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted)

	// Others have their own.
	mine := w.key
	w.key = w.Key(w.Account("eve@example.com"))
	theirs := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	w.openAndLeave("/generations/" + theirs.GenerationID + "/stream")()
	w.key = mine

	leave()
	again := time.NewTicker(5 * time.Millisecond) // until the server has noticed
	defer again.Stop()
	for w.do(http.MethodHead, stream).status != http.StatusOK {
		select {
		case <-again.C:
		case <-t.Context().Done():
			t.Fatal("a stream that was left counts for ever")
		}
	}
	w.openAndLeave(stream)()
}
