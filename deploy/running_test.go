//go:build unix

package deploy

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// built makes the server once for all tests.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "svc-deploy-")
	if err != nil {
		return "", err
	}
	return harness.Build(context.Background(), dir)
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path)) // nothing in it is needed
	}
	os.Exit(code)
}

func program(t *testing.T) string {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var exportedLine = regexp.MustCompile(`^([a-z_0-9]+)(?:\{(.*)\})? `)

// exportedMetrics runs the server, does everything with it that it counts, and
// gives the names that /metrics shows with their labels.
func exportedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	admin := freeAddresses(t, 1)[0]
	d, err := harness.Start(context.WithoutCancel(t.Context()), program(t), filepath.Join(t.TempDir(), "data"), "--admin-listen", admin)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	})
	use(t, d)
	found := map[string][]string{}
	for line := range strings.Lines(get(t, "http://"+admin+"/metrics")) {
		m := exportedLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
			if !slices.Contains(found[m[1]], l[1]) {
				found[m[1]] = append(found[m[1]], l[1])
			}
		}
		if found[m[1]] == nil {
			found[m[1]] = []string{}
		}
	}
	return found
}

// use has every counter count.
func use(t *testing.T, d *harness.Server) {
	t.Helper()
	tree := t.TempDir()
	if err := os.WriteFile(filepath.Join(tree, "a.txt"), []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	tenant, err := d.Tenant(t.Context(), "ada@example.com", tree)
	if err != nil {
		t.Fatal(err)
	}
	do := func(want int, method, path string, header ...string) {
		t.Helper()
		if status, err := d.Do(t.Context(), tenant.Key, method, path, io.Discard, header...); err != nil || status != want {
			t.Fatalf("%s %s: %d, %v", method, path, status, err)
		}
	}
	bundle, repackage := "/bundles/"+tenant.BundleID, "/projects/"+tenant.ProjectID+"/bundles/repackage"
	for range 10 {
		do(200, http.MethodGet, bundle+"/download")
	}
	do(429, http.MethodGet, bundle+"/download")
	do(200, http.MethodPost, repackage, "Idempotency-Key", "again")
	do(200, http.MethodPost, repackage, "Idempotency-Key", "again")
	do(200, http.MethodPost, bundle+"/ack")
	_ = get(t, strings.Replace(d.Base, "https://", "http://", 1)) // plain HTTP is turned away
	generate(t, d, tenant.Key)
}

// generate runs one generation to its end.
func generate(t *testing.T, d *harness.Server, key string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Base+"/generations", strings.NewReader(`{"prompt":"a todo list API in Go"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := d.Client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	said, err := io.ReadAll(resp.Body)
	if err != nil || !bytes.Contains(said, []byte("event: bundle_ready")) {
		t.Fatalf("the generation ended with %v:\n%s", err, said)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func freeAddresses(t *testing.T, n int) []string {
	t.Helper()
	free, err := toolbox.FreeAddresses(n)
	if err != nil {
		t.Fatal(err)
	}
	return free
}
