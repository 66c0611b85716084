package edge

import (
	"context"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"testing"
)

// A request whose body nobody reads, as when its key is refused, costs nobody the
// connection.
func TestAConnectionOutlivesABodyThatNobodyReads(t *testing.T) {
	var said strings.Builder
	server := httptest.NewUnstartedServer(nil)
	server.Config = NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "2")
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, "no")
	}), log.New(&said, "", 0))
	server.Start()
	for n := range 20 {
		reused := false
		ctx := httptrace.WithClientTrace(context.WithoutCancel(t.Context()), &httptrace.ClientTrace{
			GotConn: func(c httptrace.GotConnInfo) { reused = c.Reused },
		})
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(`{"prompt":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatalf("request %d: %v", n+1, err)
		}
		text, err := io.ReadAll(resp.Body)
		if err != nil || string(text) != "no" {
			t.Fatalf("request %d is answered %q (%v)", n+1, text, err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if n > 0 && !reused {
			t.Errorf("request %d needed another connection", n+1)
		}
	}
	server.Close()
	if said.Len() > 0 {
		t.Errorf("the server said %.300s", said.String())
	}
}
