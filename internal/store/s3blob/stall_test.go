package s3blob

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// A GET that gives a part and then nothing is taken up by another.
func TestASilentGetIsTakenUpAgain(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
	half := len(content) / 2
	var gets atomic.Int64
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		switch {
		case r.Method == http.MethodHead: // whether there is a bucket
		case gets.Add(1) == 1:
			w.Header().Set("Content-Length", fmt.Sprint(len(content)))
			_, _ = w.Write(content[:half])
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done() // the reader has hung up
		default: // the second, and further ones where this machine was silent for as long
			at := 0
			if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &at); err != nil || at < half || r.Header.Get("If-Match") != `"one"` {
				t.Errorf("asked for %q of version %q, want what follows on %d bytes of the same", r.Header.Get("Range"), r.Header.Get("If-Match"), half)
				at = half
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, len(content)-1, len(content)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(content[at:])
		}
	}))
	defer store.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "some")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := Open(t.Context(), "s3://bucket?region=here&endpoint="+store.URL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "packs/a")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := io.CopyN(&got, r, int64(half)); err != nil {
		t.Fatal(err)
	}
	s.stall = 500 * time.Millisecond // from here on nothing comes
	if _, err := io.Copy(&got, r); err != nil || !bytes.Equal(got.Bytes(), content) {
		t.Errorf("%d bytes were read (%v), want %d", got.Len(), err, len(content))
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if gets.Load() < 2 {
		t.Errorf("%d GETs were sent", gets.Load())
	}
}

// A store that gives a byte with each GET and then breaks off is left alone in
// the end, although there is always some progress.
func TestAReaderDoesNotResumeForEver(t *testing.T) {
	const size = 10 * resumptionsInAll
	var gets atomic.Int64
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Last-Modified", "Mon, 02 Jan 2006 15:04:05 GMT")
		if r.Method == http.MethodHead { // whether there is a bucket
			return
		}
		gets.Add(1)
		at := 0
		if from := r.Header.Get("Range"); from != "" {
			if _, err := fmt.Sscanf(from, "bytes=%d-", &at); err != nil {
				t.Errorf("the range %q: %v", from, err)
			}
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", at, size-1, size))
		}
		w.Header().Set("Content-Length", fmt.Sprint(size-at))
		if at > 0 {
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write([]byte("x"))
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}))
	defer store.Close()
	t.Setenv("AWS_ACCESS_KEY_ID", "some")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	s, err := Open(t.Context(), "s3://bucket?region=here&endpoint="+store.URL)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Open(t.Context(), "packs/a")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	if err == nil || len(got) != resumptionsInAll+1 || gets.Load() != resumptionsInAll+1 {
		t.Errorf("%d bytes were read with %d GETs (%v)", len(got), gets.Load(), err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}
