package httpd_test

import (
	"crypto/sha256"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

func TestABundleIsDeliveredOverHTTP2AsWell(t *testing.T) {
	w := deliverytest.New(t)
	account := w.Account("ada@example.com")
	key := w.Key(account)
	_, b := w.Project(account, deliverytest.Files(map[string]string{"noise.bin": noise(1 << 20)}))
	server := httptest.NewUnstartedServer(nil)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	handler, err := httpd.New(httpd.Config{Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: server.URL})
	must.Do(t, err)
	server.Config.Handler = handler

	ask := func(method, path string) (*http.Response, []byte) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		must.Do(t, err)
		request.Header.Set("Authorization", "Bearer "+key)
		response, err := server.Client().Do(request)
		must.Do(t, err)
		body, err := io.ReadAll(response.Body)
		must.Do(t, errors.Join(err, response.Body.Close()))
		if response.ProtoMajor != 2 || response.StatusCode != http.StatusOK {
			t.Fatalf("%s: %s %d: %s", path, response.Proto, response.StatusCode, body)
		}
		return response, body
	}
	ask(http.MethodGet, bundlePath(b))
	_, archive := ask(http.MethodGet, downloadPath(b))
	if sha256.Sum256(archive) != b.SHA256 {
		t.Error("the archive arrived damaged")
	}
	head, _ := ask(http.MethodHead, downloadPath(b))
	if head.ContentLength != b.Size {
		t.Errorf("Content-Length %d", head.ContentLength)
	}
	ask(http.MethodPost, ackPath(b))
}
