package s3blob_test

import (
	"encoding/pem"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
)

// A store whose certificate comes from an authority of its operator's own is
// trusted where the address names that authority, and nowhere else.
func TestTheStoreShowsItsCertificate(t *testing.T) {
	server := s3test.Start(t)
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = r.In.Host // it is part of the signature
	}}
	front := httptest.NewUnstartedServer(http.HandlerFunc(proxy.ServeHTTP))
	front.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError) // strangers hang up
	front.StartTLS()
	t.Cleanup(front.Close)
	address := strings.Replace(server.Bucket(t, "sealed"), server.Endpoint, front.URL, 1)
	folder := t.TempDir()
	write := func(name string, content []byte) string {
		t.Helper()
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ca := write("ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: front.Certificate().Raw}))

	put(t, openAt(t, address+"&ca="+ca), "packs/a", []byte("over TLS"))
	for name, tc := range map[string]struct{ address, want string }{
		"an unknown authority": {address, "certificate"},
		"no authority":         {address + "&ca=" + write("empty.pem", nil), "no certificate"},
		"no file":              {address + "&ca=" + filepath.Join(folder, "none"), "none"},
	} {
		if _, err := s3blob.Open(t.Context(), tc.address); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want %q", name, err, tc.want)
		}
	}
}
