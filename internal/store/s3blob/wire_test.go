package s3blob_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/testkit/s3test"
)

// wire is a proxy before the store that notes requests, and spoils some.
type wire struct {
	address string
	mu      sync.Mutex
	seen    []string
	// cut is how many more answers end after some of their bytes, refuse how
	// many more requests are answered with 503.
	cut, refuse int
	// complete spoils requests that complete an upload.
	complete spoiling
}

type spoiling int

const (
	unspoiled  spoiling = iota
	loseAnswer          // of the first one, which does its work; then forgetAll
	forgetAll           // there is no such upload, the store says
)

func newWire(t *testing.T, server *s3test.Server, bucket string) *wire {
	t.Helper()
	target, err := url.Parse(server.Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // it is part of the signature
		},
	}
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		cut, refuse := w.note(r)
		spoiled := unspoiled
		if r.Method == http.MethodPost && r.URL.Query().Has("uploadId") {
			spoiled = w.completion()
		}
		switch {
		case spoiled == loseAnswer:
			proxy.ServeHTTP(httptest.NewRecorder(), r)
			panic(http.ErrAbortHandler)
		case spoiled == forgetAll:
			rw.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(rw, "<Error><Code>NoSuchUpload</Code></Error>")
		case refuse:
			rw.WriteHeader(http.StatusServiceUnavailable)
		case cut:
			proxy.ServeHTTP(&scissors{ResponseWriter: rw, left: 200 << 10}, r)
		default:
			proxy.ServeHTTP(rw, r)
		}
	}))
	t.Cleanup(front.Close)
	w.address = strings.Replace(server.Bucket(t, bucket), server.Endpoint, front.URL, 1)
	return w
}

func (w *wire) note(r *http.Request) (cut, refuse bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, r.Method)
	if w.refuse > 0 {
		w.refuse--
		return false, true
	}
	if cut = w.cut > 0 && r.Method == http.MethodGet; cut {
		w.cut--
	}
	return cut, false
}

// completion tells how to spoil a request that completes an upload.
func (w *wire) completion() spoiling {
	w.mu.Lock()
	defer w.mu.Unlock()
	how := w.complete
	if how == loseAnswer {
		w.complete = forgetAll
	}
	return how
}

func (w *wire) spoilCompletion(how spoiling) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.complete = how
}

// since gives the requests since it was asked last.
func (w *wire) since() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.seen
	w.seen = nil
	return seen
}

func (w *wire) spoil(cut, refuse int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.refuse = cut, refuse
}

// scissors cut the connection after some bytes.
type scissors struct {
	http.ResponseWriter
	left int
}

func (s *scissors) Write(p []byte) (int, error) {
	if len(p) > s.left {
		panic(http.ErrAbortHandler)
	}
	s.left -= len(p)
	return s.ResponseWriter.Write(p)
}

func put(t *testing.T, s svc.Blobs, key string, content []byte) {
	t.Helper()
	w, err := s.Create(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

func TestOnTheWire(t *testing.T) {
	server := s3test.Start(t)
	w := newWire(t, server, "wire")
	s := openAt(t, w.address)
	content := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB

	t.Run("a small blob is one PUT", func(t *testing.T) {
		w.since()
		put(t, s, "packs/small", content)
		if diff := cmp.Diff([]string{"PUT"}, w.since()); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("a download is one GET, also when its size is looked for first", func(t *testing.T) {
		w.since()
		rec := httptest.NewRecorder()
		r, err := s.Open(t.Context(), "packs/small")
		if err != nil {
			t.Fatal(err)
		}
		http.ServeContent(rec, httptest.NewRequest(http.MethodGet, "/", http.NoBody), "x.zip", svcTime, r)
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(rec.Body.Bytes(), content) {
			t.Error("other bytes")
		}
		if diff := cmp.Diff([]string{"GET"}, w.since()); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("many blobs are deleted in one request", func(t *testing.T) {
		keys := []string{"packs/never-there"}
		for i := range 20 {
			keys = append(keys, fmt.Sprint("packs/many/", i))
			put(t, s, keys[i+1], []byte("x"))
		}
		w.since()
		if left, err := s.DeleteAll(t.Context(), keys); err != nil || len(left) != 0 {
			t.Errorf("%v are left: %v", left, err)
		}
		if diff := cmp.Diff([]string{"POST"}, w.since()); diff != "" {
			t.Error(diff)
		}
		for _, key := range keys {
			if _, err := s.Open(t.Context(), key); !errors.Is(err, svc.ErrNotFound) {
				t.Errorf("%s: %v", key, err)
			}
		}
	})

	t.Run("a GET that is cut off is taken up where it broke", func(t *testing.T) {
		w.since()
		w.spoil(3, 0)
		r, err := s.Open(t.Context(), "packs/small")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, content) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
		if diff := cmp.Diff([]string{"GET", "GET", "GET", "GET"}, w.since()); diff != "" {
			t.Error(diff)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	})

	t.Run("a store that refuses for a moment is asked again", func(t *testing.T) {
		w.spoil(0, 2)
		put(t, s, "packs/patience", content)
	})

	t.Run("an upload that is aborted leaves nothing", func(t *testing.T) {
		big, err := s.Create(t.Context(), "packs/big")
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if _, err := big.Write(content); err != nil {
				t.Fatal(err)
			}
		}
		if n := server.Uploads(t, "wire"); n != 1 {
			t.Errorf("%d uploads are under way, want 1", n)
		}
		big.Abort()
		if n := server.Uploads(t, "wire"); n != 0 {
			t.Errorf("%d uploads are left", n)
		}
	})

	big := bytes.Repeat(content, 10) // more than a part
	upload := func(t *testing.T, key string) error {
		t.Helper()
		up, err := s.Create(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		defer up.Abort()
		if _, err := up.Write(big); err != nil {
			t.Fatal(err)
		}
		return up.Commit()
	}

	t.Run("an upload is complete although the answer to that was lost", func(t *testing.T) {
		w.spoilCompletion(loseAnswer)
		defer w.spoilCompletion(unspoiled)
		if err := upload(t, "packs/lost-answer"); err != nil {
			t.Fatal(err)
		}
		r, err := s.Open(t.Context(), "packs/lost-answer")
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(r)
		if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(got, big) {
			t.Errorf("%d bytes, %v", len(got), err)
		}
	})

	t.Run("an upload that the store has dropped fails, and not as a blob that is gone", func(t *testing.T) {
		other := bytes.Clone(big)
		other[0]++
		put(t, s, "packs/other", other) // an object of that name and size
		w.spoilCompletion(forgetAll)
		defer w.spoilCompletion(unspoiled)
		for _, key := range []string{"packs/dropped", "packs/other"} {
			if err := upload(t, key); err == nil || errors.Is(err, svc.ErrNotFound) || !strings.Contains(err.Error(), "write it anew") {
				t.Errorf("%s: error %v", key, err)
			}
		}
	})

	t.Run("after a deletion another place cannot be read, and says so", func(t *testing.T) {
		put(t, s, "packs/gone", content)
		r, err := s.Open(t.Context(), "packs/gone")
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Delete(t.Context(), "packs/gone"); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Seek(-10, io.SeekEnd); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 10)); !errors.Is(err, svc.ErrNotFound) {
			t.Errorf("error %v, want not found", err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Read(make([]byte, 10)); err == nil {
			t.Error("a closed reader reads")
		}
	})

	t.Run("a prefix keeps services in one bucket apart", func(t *testing.T) {
		one, two := openAt(t, strings.Replace(w.address, "?", "/one?", 1)), openAt(t, strings.Replace(w.address, "?", "/two?", 1))
		put(t, one, "packs/a", []byte("one"))
		if _, err := two.Open(t.Context(), "packs/a"); !errors.Is(err, svc.ErrNotFound) {
			t.Errorf("error %v, want not found", err)
		}
	})

	t.Run("a bucket that does not exist, and wrong keys, are refused at the start", func(t *testing.T) {
		if _, err := s3blob.Open(t.Context(), strings.Replace(w.address, "wire", "other", 1)); err == nil || !strings.Contains(err.Error(), "there is no bucket other") {
			t.Errorf("error %v", err)
		}
		t.Setenv("AWS_SECRET_ACCESS_KEY", "wrong-secret")
		if _, err := s3blob.Open(t.Context(), w.address); err == nil || !strings.Contains(err.Error(), "refuses the keys") || strings.Contains(err.Error(), "wrong-secret") {
			t.Errorf("error %v", err)
		}
	})
}
