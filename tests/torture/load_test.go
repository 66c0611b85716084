package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// patience bounds a request: one that repeats the key of a request which died
// with the server waits for its lease, which is longer than a round.
const patience = 2 * time.Second

// heard is what clients were told, and so what must hold.
type heard struct {
	mu sync.Mutex
	// bundles that were announced, by id, with their owner.
	bundles map[string]string
	// acknowledged bundles, with the time that the answer gave.
	acknowledged map[string]string
	// keys of idempotent requests that were sent, with the bundle they were
	// answered with, or "".
	keys map[idempotencyKey]string
	// admitted requests, for each account and operation.
	admitted map[window][]span
	problems []string
	requests int
	kinds    map[string]int
}

type idempotencyKey struct{ accountID, key string }

type window struct{ accountID, op string }

// span is when a request was sent and answered: the server admitted it in between.
type span struct{ sent, answered time.Time }

func newHeard() *heard {
	return &heard{
		bundles: map[string]string{}, acknowledged: map[string]string{},
		keys: map[idempotencyKey]string{}, admitted: map[window][]span{}, kinds: map[string]int{},
	}
}

func (h *heard) created(accountID, bundleID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bundles[bundleID] = accountID
}

func (h *heard) problem(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems = append(h.problems, fmt.Sprintf(format, args...))
}

func (h *heard) summary() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return fmt.Sprintf("%d answers %v: %d bundles announced, %d acknowledged, %d idempotency keys",
		h.requests, h.kinds, len(h.bundles), len(h.acknowledged), len(h.keys))
}

// lacks says what a campaign has yet to see: one whose clients got nowhere would
// prove nothing.
func (h *heard) lacks() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, kind := range []string{"POST 200", "GET 200"} {
		if h.kinds[kind] < *kills {
			return fmt.Sprintf("only %d answers %q", h.kinds[kind], kind)
		}
	}
	if len(h.acknowledged) == 0 {
		return "nothing was ever acknowledged"
	}
	return ""
}

// answer is what a request came back with.
type answer struct {
	status   int
	body     []byte
	replayed bool
	span     span
}

// send makes one request; false when the server died before it had answered.
func (w *world) send(ctx context.Context, d *harness.Server, t tenant, method, path string, header ...string) (answer, bool) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, d.Base+path, nil)
	if err != nil {
		w.heard.problem("%v", err)
		return answer{}, false
	}
	req.Header.Set("Authorization", "Bearer "+t.key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	a := answer{span: span{sent: time.Now()}}
	resp, err := d.Client.Do(req)
	if err != nil {
		return a, false
	}
	defer func() { _ = resp.Body.Close() }()
	a.span.answered = time.Now()
	if a.body, err = io.ReadAll(resp.Body); err != nil {
		return a, false
	}
	a.status, a.replayed = resp.StatusCode, resp.Header.Get("Idempotency-Replayed") == "true"
	w.heard.mu.Lock()
	w.heard.requests++
	w.heard.kinds[fmt.Sprintf("%s %d", method, a.status)]++
	w.heard.mu.Unlock()
	if a.status >= http.StatusInternalServerError {
		w.heard.problem("%s %s answered %d: %s", method, path, a.status, a.body)
	}
	return a, true
}

// client works until the server is gone.
func (w *world) client(ctx context.Context, d *harness.Server, random *rand.Rand) {
	for ctx.Err() == nil {
		t := w.accounts[random.IntN(len(w.accounts))]
		switch n := random.IntN(10); {
		case n < 4:
			w.repackage(ctx, d, t, random)
		case n < 6:
			w.download(ctx, d, t)
		default:
			w.acknowledge(ctx, d, t)
		}
	}
}

func (w *world) repackage(ctx context.Context, d *harness.Server, t tenant, random *rand.Rand) {
	// A few keys for each account, so that clients meet and repeat each other,
	// also across a kill.
	key := idempotencyKey{t.accountID, fmt.Sprintf("key-%d-%d", time.Now().Unix()/20, random.IntN(3))}
	w.heard.mu.Lock()
	if _, known := w.heard.keys[key]; !known {
		w.heard.keys[key] = ""
	}
	w.heard.mu.Unlock()
	a, ok := w.send(ctx, d, t, http.MethodPost, "/projects/"+t.projectID+"/bundles/repackage", "Idempotency-Key", key.key)
	if !ok || a.status != http.StatusOK {
		return
	}
	var made struct {
		BundleID string `json:"bundleId"`
	}
	if err := json.Unmarshal(a.body, &made); err != nil || made.BundleID == "" {
		w.heard.problem("repackage answered %s", a.body)
		return
	}
	w.heard.mu.Lock()
	defer w.heard.mu.Unlock()
	w.heard.bundles[made.BundleID] = t.accountID
	if first := w.heard.keys[key]; first != "" && first != made.BundleID {
		w.heard.problems = append(w.heard.problems, fmt.Sprintf("one idempotency key gave bundles %s and %s", first, made.BundleID))
	}
	w.heard.keys[key] = made.BundleID
	if !a.replayed {
		at := window{t.accountID, "repackage"}
		w.heard.admitted[at] = append(w.heard.admitted[at], a.span)
	}
}

func (w *world) download(ctx context.Context, d *harness.Server, t tenant) {
	id := w.somePending(t)
	if id == "" {
		return
	}
	a, ok := w.send(ctx, d, t, http.MethodGet, "/bundles/"+id+"/download")
	if !ok || a.status == http.StatusTooManyRequests {
		return
	}
	w.heard.mu.Lock()
	at := window{t.accountID, "download"}
	w.heard.admitted[at] = append(w.heard.admitted[at], a.span)
	w.heard.mu.Unlock()
	if a.status == http.StatusOK && !bytes.HasPrefix(a.body, []byte("PK\x03\x04")) {
		w.heard.problem("download of %s is no archive", id)
	}
}

func (w *world) acknowledge(ctx context.Context, d *harness.Server, t tenant) {
	id := w.somePending(t)
	if id == "" {
		return
	}
	a, ok := w.send(ctx, d, t, http.MethodPost, "/bundles/"+id+"/ack")
	if !ok || a.status != http.StatusOK {
		return
	}
	var done struct {
		DownloadedAt string `json:"downloadedAt"`
	}
	if err := json.Unmarshal(a.body, &done); err != nil || done.DownloadedAt == "" {
		w.heard.problem("acknowledgement answered %s", a.body)
		return
	}
	w.heard.mu.Lock()
	defer w.heard.mu.Unlock()
	if first, again := w.heard.acknowledged[id]; again && first != done.DownloadedAt {
		w.heard.problems = append(w.heard.problems, fmt.Sprintf("bundle %s was acknowledged at %s, then at %s", id, first, done.DownloadedAt))
	}
	w.heard.acknowledged[id] = done.DownloadedAt
}

// somePending picks a bundle of the account that was not acknowledged yet, as
// far as the clients know.
func (w *world) somePending(t tenant) string {
	w.heard.mu.Lock()
	defer w.heard.mu.Unlock()
	for id, owner := range w.heard.bundles {
		if _, done := w.heard.acknowledged[id]; owner == t.accountID && !done {
			return id
		}
	}
	return ""
}
