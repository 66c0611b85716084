package httpd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// BenchmarkGetBundle is the path of GET /bundles/{id} without a network: what
// the handler itself costs.
func BenchmarkGetBundle(b *testing.B) {
	w := deliverytest.New(b)
	account := w.Account("ada@example.com")
	key := w.Key(account)
	_, bundle := w.Project(account, deliverytest.Files(demo))
	if err := w.Accounts.WriteUses(b.Context()); err != nil {
		b.Fatal(err)
	}
	h, err := httpd.New(httpd.Config{Delivery: w.Delivery, Accounts: w.Accounts, BaseURL: "https://svc.example"})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := httptest.NewRequest(http.MethodGet, "/bundles/"+bundle.ID, nil)
		r.Header.Set("Authorization", "Bearer "+key)
		answer := discard{header: http.Header{}}
		h.ServeHTTP(&answer, r)
		if answer.status != http.StatusOK {
			b.Fatalf("status %d", answer.status)
		}
	}
}

// BenchmarkDownload is the path of an archive of 4 MiB, without a network.
func BenchmarkDownload(b *testing.B) {
	w := deliverytest.New(b)
	account := w.Account("ada@example.com")
	_, bundle := w.Project(account, deliverytest.Files(map[string]string{"noise.bin": noise(4 << 20)}))
	b.SetBytes(bundle.Size)
	for b.Loop() {
		w.Clock.Advance(w.Limits.Window)
		d, err := w.Delivery.Download(b.Context(), account.ID, bundle.ID)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d.Content); err != nil {
			b.Fatal(err)
		}
		if err := d.Content.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// discard is a ResponseWriter that keeps only the status.
type discard struct {
	header http.Header
	status int
}

func (d *discard) Header() http.Header { return d.header }

func (d *discard) WriteHeader(status int) { d.status = status }

func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
