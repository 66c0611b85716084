package checker_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// liar is a small service that keeps every promise but one.
type liar struct {
	lie string // the promise that is broken

	mu       sync.Mutex
	made     int
	bundles  map[string]*liarsBundle
	answers  map[string][]byte // by key
	admitted map[string]int    // by account and operation; a test is over in a minute
	runs     map[string]liarsRun
}

type liarsRun struct{ bundle, project string }

type liarsBundle struct {
	owner, id, acked string
	archive          []byte
}

const (
	liarsFile = "a.txt"
	liarsText = "what the archive holds"
)

// late is no lie: the service took each run up twice before it asked the engine.
const late = "late"

func newLiar(t *testing.T, lie string) *httptest.Server {
	t.Helper()
	l := &liar{
		lie: lie, bundles: map[string]*liarsBundle{}, answers: map[string][]byte{}, admitted: map[string]int{}, runs: map[string]liarsRun{},
	}
	l.bundles["first"] = &liarsBundle{owner: "ada", id: "first", archive: archive(t)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /projects/{id}/bundles/repackage", l.idempotent(l.repackage))
	mux.HandleFunc("POST /generations", l.idempotent(l.generate))
	mux.HandleFunc("POST /projects/{id}/generations", l.idempotent(l.generate))
	mux.HandleFunc("GET /bundles/{id}", l.bundle)
	mux.HandleFunc("GET /bundles/{id}/download", l.download)
	mux.HandleFunc("POST /bundles/{id}/ack", l.acknowledge)
	mux.HandleFunc("GET /bundles/latest", l.latest)
	mux.HandleFunc("GET /bundles", l.list)
	mux.HandleFunc("GET /projects", func(w http.ResponseWriter, _ *http.Request) { say(w, 200, map[string]any{}) })
	mux.HandleFunc("GET /generations/{id}", l.record)
	mux.HandleFunc("POST /generations/{id}/cancel", l.record) // every run is over
	mux.HandleFunc("GET /generations/{id}/stream", l.stream)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		defer l.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server
}

func archive(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create(liarsFile)
	if err == nil {
		_, err = f.Write([]byte(liarsText))
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func account(r *http.Request) string {
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
}

func say(w http.ResponseWriter, status int, body map[string]any) {
	w.WriteHeader(status)
	_, _ = w.Write(encode(body))
}

func encode(plain map[string]any) []byte {
	text, err := json.Marshal(plain)
	if err != nil {
		panic(err)
	}
	return text
}

func refuse(w http.ResponseWriter, status int, code string, more ...string) {
	body := map[string]any{"code": code, "error": "no", "requestId": "req"}
	for i := 0; i+1 < len(more); i += 2 {
		body[more[i]] = more[i+1]
	}
	w.Header().Set("Retry-After", "1")
	say(w, status, body)
}

func (l *liar) full(r *http.Request, op string, limit int) bool {
	at := account(r) + op
	if l.lie != "limits" && l.admitted[at] >= limit || l.lie == "refusals" {
		return true
	}
	l.admitted[at]++
	return false
}

// idempotent gives a key's answer again.
func (l *liar) idempotent(work func(http.ResponseWriter, *http.Request) (int, map[string]any)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		key := account(r) + r.Header.Get("Idempotency-Key")
		if text, known := l.answers[key]; known && l.lie != "keys" {
			w.Header().Set("Idempotency-Replayed", "true")
			if strings.HasSuffix(r.URL.Path, "/generations") {
				w.WriteHeader(http.StatusAccepted)
			}
			_, _ = w.Write(text)
			return
		}
		status, body := work(w, r)
		if body == nil {
			return
		}
		l.answers[key] = encode(body)
		say(w, status, body)
	}
}

func (l *liar) pack(r *http.Request) *liarsBundle {
	l.made++
	b := &liarsBundle{owner: account(r), id: fmt.Sprintf("bundle-%d", l.made), archive: l.bundles["first"].archive}
	l.bundles[b.id] = b
	return b
}

func (l *liar) repackage(w http.ResponseWriter, r *http.Request) (int, map[string]any) {
	if l.full(r, "repackage", 3) {
		refuse(w, http.StatusTooManyRequests, "TOO_MANY_REQUESTS")
		return 0, nil
	}
	if l.lie == "failures" {
		refuse(w, http.StatusServiceUnavailable, "UNAVAILABLE")
		return 0, nil
	}
	if l.lie == "surplus" {
		l.pack(r)
	}
	b := l.pack(r)
	return http.StatusOK, map[string]any{"bundleId": b.id, "fileCount": 1, "totalSizeBytes": len(b.archive)}
}

func (l *liar) generate(_ http.ResponseWriter, r *http.Request) (int, map[string]any) {
	b := l.pack(r)
	run := "gen-" + b.id
	project := cmp.Or(r.PathValue("id"), "proj-"+b.id)
	l.runs[run] = liarsRun{b.id, project}
	return http.StatusAccepted, map[string]any{"generationId": run, "projectId": project}
}

// find answers for a bundle that cannot be had.
func (l *liar) find(w http.ResponseWriter, r *http.Request) *liarsBundle {
	b := l.bundles[r.PathValue("id")]
	if b == nil || l.lie == "losses" && b.id != "first" {
		refuse(w, http.StatusNotFound, "BUNDLE_NOT_FOUND")
		return nil
	}
	if b.acked != "" && l.lie != "deletions" {
		refuse(w, http.StatusGone, "BUNDLE_DOWNLOADED", "bundleId", b.id, "downloadedAt", b.acked)
		return nil
	}
	return b
}

func (l *liar) bundle(w http.ResponseWriter, r *http.Request) {
	if b := l.find(w, r); b != nil {
		say(w, http.StatusOK, map[string]any{"bundleId": b.id})
	}
}

func (l *liar) download(w http.ResponseWriter, r *http.Request) {
	b := l.bundles[r.PathValue("id")]
	// Bytes that were left behind, and are found where no record is asked.
	left := l.lie == "downloads" && b != nil && b.acked != ""
	if !left && l.full(r, "download", 10) {
		refuse(w, http.StatusTooManyRequests, "TOO_MANY_REQUESTS")
		return
	}
	if !left {
		b = l.find(w, r)
	}
	if b == nil {
		return
	}
	sum := sha256.Sum256(b.archive)
	w.Header().Set("Repr-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	if l.lie == "bytes" {
		_, _ = w.Write([]byte("other"))
	}
	_, _ = w.Write(b.archive)
}

func (l *liar) acknowledge(w http.ResponseWriter, r *http.Request) {
	b := l.bundles[r.PathValue("id")]
	if b.acked == "" || l.lie == "times" {
		l.made++
		b.acked = fmt.Sprintf("%s-%d", time.Now().UTC().Format(time.DateTime), l.made)
	}
	said := b.acked
	if l.lie == "acknowledgements" {
		b.acked = ""
	}
	say(w, http.StatusOK, map[string]any{"bundleId": b.id, "status": "downloaded", "downloadedAt": said})
}

func (l *liar) latest(w http.ResponseWriter, _ *http.Request) {
	refuse(w, http.StatusNotFound, "BUNDLE_NOT_FOUND")
}

func (l *liar) list(w http.ResponseWriter, r *http.Request) {
	var page []map[string]any
	for _, b := range l.bundles {
		if b.owner == account(r) {
			page = append(page, map[string]any{"bundleId": b.id})
		}
	}
	say(w, http.StatusOK, map[string]any{"bundles": page})
}

func (l *liar) record(w http.ResponseWriter, r *http.Request) {
	body := map[string]any{"status": "succeeded", "bundleId": l.runs[r.PathValue("id")].bundle}
	if l.lie == "records" {
		body = map[string]any{"status": "failed", "error": map[string]any{"code": "INTERNAL", "message": "no"}}
	}
	say(w, http.StatusOK, body)
}

func (l *liar) stream(w http.ResponseWriter, r *http.Request) {
	run := l.runs[r.PathValue("id")]
	b := l.bundles[run.bundle]
	sum := sha256.Sum256(b.archive)
	text := liarsText
	if l.lie == "files" {
		text = "something else"
	}
	attempt := "1"
	if l.lie == late {
		attempt = "2"
	}
	token := encode(map[string]any{"v": 1, "file": liarsFile, "attempt": 1, "offset": 0, "delta": text})
	events := []string{
		"event: tool_status\ndata: {\"v\":1,\"action\":\"plan\",\"status\":\"started\",\"run_attempt\":" + attempt + "}\n\n",
		fmt.Sprintf("event: token\ndata: %s\n\n", token),
		"event: cost_summary\ndata: {\"v\":1,\"model\":\"m\",\"input_tokens\":1,\"output_tokens\":1,\"estimated_cost_usd\":0}\n\n",
		fmt.Sprintf("event: bundle_ready\ndata: {\"v\":1,\"bundle_id\":%q,\"project_id\":%q,\"file_count\":1,\"total_size_bytes\":%d,\"sha256\":\"%x\",\"expires_at\":\"\"}\n\n",
			b.id, run.project, len(b.archive), sum),
	}
	if r.Header.Get("Last-Event-ID") == fmt.Sprint(len(events)) && l.lie != "endings" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	for i, e := range events {
		if l.lie == "gaps" && i == 1 {
			continue
		}
		_, _ = fmt.Fprintf(w, "id: %d\n%s", i+1, e)
	}
}
