package edge

import (
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

const (
	// stalledBytes is what a client that stops reading may hold of the server's
	// memory, beside the system's buffers.
	stalledBytes = 256 << 10
	// stalledFor is how long they are watched. Streams are cut off before its end.
	stalledFor = 30 * time.Second
)

// resident is the memory of a process.
func resident(t *testing.T, pid int) int64 {
	t.Helper()
	text := must.Get(os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)))(t)
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// account makes an account with a key.
func account(t *testing.T, d *harness.Server, email string) (key string) {
	t.Helper()
	must.Get(d.Admin(t.Context(), "account", "create", "--email", email, "--plan", "developer"))(t)
	return must.Get(d.Admin(t.Context(), "key", "create", "--account", email, "--name", "test"))(t)
}

// generate runs a generation of so many megabytes, follows it to its end on one
// connection, and gives its id.
func generate(t *testing.T, d *harness.Server, key string, megabytes int) (id string) {
	t.Helper()
	r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, d.Base+"/generations",
		strings.NewReader(fmt.Sprintf(`{"prompt":"%d"}`, megabytes))))(t)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Accept", "text/event-stream")
	resp := must.Get(d.Client.Do(r))(t)
	defer func() { _ = resp.Body.Close() }() // it is read to its end
	text := must.Get(io.ReadAll(resp.Body))(t)
	events := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	last := events[len(events)-1]
	if !strings.Contains(last, "event: bundle_ready") {
		t.Fatalf("the run ended with %.500s", last)
	}
	location := resp.Header.Get("Location")
	return location[strings.LastIndex(location, "/")+1:]
}

// stall opens connections that ask for something, see that it comes, and never read
// the rest.
func stall(t *testing.T, d *harness.Server, asks []string) {
	t.Helper()
	transport, ok := d.Client.Transport.(*http.Transport)
	if !ok {
		t.Fatalf("the client has a %T", d.Client.Transport)
	}
	todo := make(chan string, len(asks))
	for _, ask := range asks {
		todo <- ask
	}
	close(todo)
	var opening sync.WaitGroup
	for range 8 {
		opening.Go(func() {
			for ask := range todo {
				c, err := tls.Dial("tcp", strings.TrimPrefix(d.Base, "https://"), transport.TLSClientConfig)
				if err == nil {
					t.Cleanup(func() { _ = c.Close() })
					_, err = io.WriteString(c, ask)
				}
				status := make([]byte, len("HTTP/1.1 200"))
				if err == nil {
					_, err = io.ReadFull(c, status)
				}
				if err != nil || string(status) != "HTTP/1.1 200" {
					t.Errorf("got %q, %v", status, err)
					return
				}
			}
		})
	}
	opening.Wait()
}

func get(path, key string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key + "\r\n\r\n"
}

// watch says how much more memory the server has at most while it is stalled, and
// holds that others are served meanwhile.
func watch(t *testing.T, d *harness.Server, idle int64, others string) (most int64) {
	t.Helper()
	served := make(chan struct{})
	go func() {
		defer close(served)
		generate(t, d, others, 1)
	}()
	slowest, asked := time.Duration(0), 0
	for end := time.Now().Add(stalledFor); time.Now().Before(end); asked++ {
		begun := time.Now()
		status := must.Get(d.Do(t.Context(), others, http.MethodGet, "/bundles", io.Discard))(t)
		if status != http.StatusOK {
			t.Errorf("somebody else got %d", status)
		}
		slowest = max(slowest, time.Since(begun))
		most = max(most, resident(t, d.PID())-idle)
		time.Sleep(100 * time.Millisecond) // between two looks at the memory
	}
	<-served
	t.Logf("%d requests of somebody else were answered meanwhile, the slowest in %v", asked, slowest)
	return most
}

func judge(t *testing.T, idle, more int64, n int) {
	t.Helper()
	each := more / int64(n)
	t.Logf("idle %d MiB, at most %d MiB more: %d KiB for each of %d", idle>>20, more>>20, each>>10, n)
	if each > stalledBytes {
		t.Errorf("a client that does not read holds %d KiB, of %d", each>>10, stalledBytes>>10)
	}
}

// Promise: slow-reader-memory
func TestStalledStreams(t *testing.T) {
	needs.Long(t, "a thousand clients that stop reading")
	const streams = 1000
	d := start(t, "--account-streams", strconv.Itoa(streams))
	key, others := account(t, d, "ada@example.com"), account(t, d, "eve@example.com")
	id := generate(t, d, key, 30)
	begun := time.Now()
	must.Get(d.Do(t.Context(), key, http.MethodGet, "/generations/"+id+"/stream", io.Discard))(t)
	t.Logf("read at once, the run takes %v", time.Since(begun))
	// A server that has done nothing else has the least to begin with.
	if err := d.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := d.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	idle := resident(t, d.PID())
	asks := make([]string, streams)
	for i := range asks {
		asks[i] = get("/generations/"+id+"/stream", key)
	}
	stall(t, d, asks)
	judge(t, idle, watch(t, d, idle, others), streams)
}

// Promise: slow-reader-memory
func TestStalledDownloads(t *testing.T) {
	needs.Long(t, "downloads that nobody reads")
	const accounts, each = 20, 10 // as many as an account has in a minute
	d := start(t)
	others := account(t, d, "eve@example.com")
	tree := t.TempDir()
	noise := make([]byte, 30<<20)
	_, _ = rand.Read(noise)
	if err := os.WriteFile(filepath.Join(tree, "noise.bin"), noise, 0o600); err != nil {
		t.Fatal(err)
	}
	var asks []string
	for n := range accounts {
		tenant := must.Get(d.Tenant(t.Context(), fmt.Sprintf("a%d@example.com", n), tree))(t)
		for range each {
			asks = append(asks, get("/bundles/"+tenant.BundleID+"/download", tenant.Key))
		}
	}
	// What the first run of somebody else takes is not held by those who stall, and
	// they are too few for it not to show.
	fresh := resident(t, d.PID())
	generate(t, d, others, 1)
	idle := resident(t, d.PID())
	t.Logf("the first run takes %d MiB", (idle-fresh)>>20)
	stall(t, d, asks)
	judge(t, idle, watch(t, d, idle, others), len(asks))
}
