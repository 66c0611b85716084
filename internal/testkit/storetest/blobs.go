package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// BlobStore makes a new, empty store of bytes and returns how to open it. The
// bytes go when the test ends.
type BlobStore func(t *testing.T) OpenBlobs

// OpenBlobs opens the store. It may be called again while it is open: each is
// like another process. What it returns is closed by the adapter's test, where
// it needs closing.
type OpenBlobs func(t *testing.T) svc.Blobs

// Blobs tests an adapter of bytes.
func Blobs(t *testing.T, store BlobStore) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, OpenBlobs)
	}{
		{"gives back what was written, of any size", blobsKept},
		{"shows nothing before the commit", blobsCommit},
		{"shows nothing after an abort", blobsAbort},
		{"replaces a blob whole", blobsReplaced},
		{"says of a key that holds nothing that it is not found", blobsMissing},
		{"deletes, and deletes again", blobsDeleted},
		{"lets a reader finish a deleted blob", blobsReadOn},
		{"seeks", blobsSeek},
		{"accepts every character of a key, and no other", blobsKeys},
		{"takes many writers at once", blobsConcurrent},
		{"can be used", blobsPing},
		{"copies by itself, if it can", blobsCopied},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, store(t)) })
	}
}

// noise is n bytes that no compression hides.
func noise(seed uint64, n int) []byte {
	b := make([]byte, n)
	_, _ = rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)}).Read(b) // never fails
	return b
}

func put(t *testing.T, s svc.Blobs, key string, content []byte) {
	t.Helper()
	w := must.Get(s.Create(t.Context(), key))(t)
	defer w.Abort()
	gives(t, "bytes written", len(content))(w.Write(content))
	must.Do(t, w.Commit())
}

func get(t *testing.T, s svc.Blobs, key string) []byte {
	t.Helper()
	r := must.Get(s.Open(t.Context(), key))(t)
	content := must.Get(io.ReadAll(r))(t)
	wantSame(t, "size", r.Size(), int64(len(content)))
	must.Do(t, r.Close())
	return content
}

func wantContent(t *testing.T, s svc.Blobs, key string, want []byte) {
	t.Helper()
	if got := get(t, s, key); !bytes.Equal(got, want) {
		t.Errorf("%q holds %d bytes that are not the %d written", key, len(got), len(want))
	}
}

func wantMissing(t *testing.T, s svc.Blobs, key string) {
	t.Helper()
	r, err := s.Open(t.Context(), key)
	wantErr(t, "open "+key, err, svc.ErrNotFound)
	if err == nil {
		_ = r.Close()
	}
}

func blobsKept(t *testing.T, open OpenBlobs) {
	s := open(t)
	for _, size := range []int{0, 1, 4096, 128<<10 - 1, 128 << 10, 1<<20 + 7, 12 << 20} {
		key, content := fmt.Sprintf("packs/%d.zip", size), noise(1, size)
		put(t, s, key, content)
		wantContent(t, s, key, content)
		wantContent(t, open(t), key, content)
	}
}

func blobsCommit(t *testing.T, open OpenBlobs) {
	s, other := open(t), open(t)
	content := noise(2, 300<<10)
	w := must.Get(s.Create(t.Context(), "packs/a"))(t)
	defer w.Abort()
	for chunk := content; len(chunk) > 0; chunk = chunk[min(len(chunk), 999):] {
		must.Get(w.Write(chunk[:min(len(chunk), 999)]))(t)
	}
	wantMissing(t, s, "packs/a")
	wantMissing(t, other, "packs/a")
	must.Do(t, w.Commit())
	wantContent(t, other, "packs/a", content)
	w.Abort() // does nothing now
	wantContent(t, s, "packs/a", content)
	if err := w.Commit(); err == nil {
		t.Error("a second commit succeeds")
	}
	if _, err := w.Write([]byte("more")); err == nil {
		t.Error("a write after the commit succeeds")
	}
	wantContent(t, s, "packs/a", content)
}

func blobsAbort(t *testing.T, open OpenBlobs) {
	s := open(t)
	w := must.Get(s.Create(t.Context(), "packs/a"))(t)
	must.Get(w.Write(noise(3, 300<<10)))(t)
	w.Abort()
	w.Abort()
	wantMissing(t, s, "packs/a")
	if err := w.Commit(); err == nil {
		t.Error("a commit after an abort succeeds")
	}
	wantMissing(t, s, "packs/a")
}

func blobsReplaced(t *testing.T, open OpenBlobs) {
	s := open(t)
	long, short := noise(4, 200<<10), noise(5, 100)
	put(t, s, "packs/a", long)
	w := must.Get(s.Create(t.Context(), "packs/a"))(t)
	defer w.Abort()
	must.Get(w.Write(short))(t)
	wantContent(t, s, "packs/a", long)
	must.Do(t, w.Commit())
	wantContent(t, s, "packs/a", short)

	w = must.Get(s.Create(t.Context(), "packs/a"))(t)
	w.Abort()
	wantContent(t, s, "packs/a", short)
}

func blobsMissing(t *testing.T, open OpenBlobs) {
	s := open(t)
	put(t, s, "packs/a/b", []byte("x"))
	for _, key := range []string{"packs/none", "packs", "packs/a", "packs/a/b/c", "packs/a/bb"} {
		wantMissing(t, s, key)
	}
}

func blobsDeleted(t *testing.T, open OpenBlobs) {
	s := open(t)
	put(t, s, "packs/a", []byte("a"))
	put(t, s, "packs/b", []byte("b"))
	for range 2 {
		must.Do(t, s.Delete(t.Context(), "packs/a"))
		wantMissing(t, s, "packs/a")
		wantMissing(t, open(t), "packs/a")
	}
	wantContent(t, s, "packs/b", []byte("b"))
	put(t, s, "packs/a", []byte("again"))
	wantContent(t, s, "packs/a", []byte("again"))
}

func blobsReadOn(t *testing.T, open OpenBlobs) {
	s := open(t)
	content := noise(6, 4<<20)
	put(t, s, "packs/a", content)
	r := must.Get(s.Open(t.Context(), "packs/a"))(t)
	got := make([]byte, len(content))
	must.Get(io.ReadFull(r, got[:100]))(t)
	must.Do(t, s.Delete(t.Context(), "packs/a"))
	must.Get(io.ReadFull(r, got[100:]))(t)
	if !bytes.Equal(got, content) {
		t.Error("the blob changed while it was read")
	}
	must.Do(t, r.Close())
}

func blobsSeek(t *testing.T, open OpenBlobs) {
	s := open(t)
	content := noise(7, 1<<20)
	put(t, s, "packs/a", content)
	r := must.Get(s.Open(t.Context(), "packs/a"))(t)
	defer func() { must.Do(t, r.Close()) }()
	size := int64(len(content))
	steps := []struct {
		offset int64
		whence int
		want   int64
	}{
		{size - 10, io.SeekStart, size - 10},
		{0, io.SeekStart, 0},
		{1000, io.SeekCurrent, 1005}, // five bytes were read after the step before
		{-size / 2, io.SeekEnd, size - size/2},
		{0, io.SeekEnd, size},
	}
	for _, step := range steps {
		at := must.Get(r.Seek(step.offset, step.whence))(t)
		wantSame(t, "place", at, step.want)
		got := make([]byte, 5)
		n, err := io.ReadFull(r, got)
		if at == size {
			wantErr(t, "read at the end", err, io.EOF)
			continue
		}
		must.Do(t, err)
		wantSame(t, "bytes", got[:n], content[at:at+5])
	}
	if ra, ok := r.(io.ReaderAt); ok {
		got := make([]byte, 64)
		_, err := ra.ReadAt(got, 777)
		must.Do(t, err)
		wantSame(t, "bytes in the middle", got, content[777:777+64])
	}
}

func blobsKeys(t *testing.T, open OpenBlobs) {
	s := open(t)
	good := []string{
		"a", "0", "packs/proj_x-1/2.zip", "abcdefghijklmnopqrstuvwxyz0123456789-_./x", "a..b", ".hidden", "x/...",
		"a/b", "a_b", "a-b", "a.b", strings.Repeat("k", 200),
	}
	for i, key := range good {
		put(t, s, key, noise(uint64(i), 50+i))
	}
	for i, key := range good { // no two keys share a place
		wantContent(t, s, key, noise(uint64(i), 50+i))
	}
	for _, key := range []string{
		"", "/", "/etc/passwd", "..", ".", "../x", "a/../b", "a/./b", "a/..", "a//b", "a/", "A", "a b", "a\\b", "a,b", "a\x00b", "ä", "a:b", "a%2fb", "a\nb",
	} {
		if w, err := s.Create(t.Context(), key); err == nil {
			w.Abort()
			t.Errorf("a blob can be created under %q", key)
		}
		if r, err := s.Open(t.Context(), key); err == nil {
			_ = r.Close()
			t.Errorf("a blob can be opened under %q", key)
		}
		if err := s.Delete(t.Context(), key); err == nil {
			t.Errorf("a blob can be deleted under %q", key)
		}
	}
}

func blobsConcurrent(t *testing.T, open OpenBlobs) {
	stores := []svc.Blobs{open(t), open(t)}
	same := noise(99, 100<<10)
	errs := make([]error, 16)
	together(len(errs), func(i int) {
		s, own := stores[i%2], fmt.Sprintf("packs/%d", i)
		errs[i] = errors.Join(write(t, s, own, noise(uint64(i), 50<<10)), write(t, s, "packs/same", same))
	})
	for i, err := range errs {
		must.Do(t, err)
		wantContent(t, stores[0], fmt.Sprintf("packs/%d", i), noise(uint64(i), 50<<10))
	}
	wantContent(t, stores[1], "packs/same", same)
}

// write is put for goroutines, which may not end the test.
func write(t *testing.T, s svc.Blobs, key string, content []byte) error {
	w, err := s.Create(t.Context(), key)
	if err != nil {
		return err
	}
	defer w.Abort()
	if _, err := w.Write(content); err != nil {
		return err
	}
	return w.Commit()
}

func blobsPing(t *testing.T, open OpenBlobs) {
	must.Do(t, open(t).Ping(t.Context()))
}

// blobsCopied tests an extra: a store without it passes.
func blobsCopied(t *testing.T, open OpenBlobs) {
	s := open(t)
	copier, ok := s.(svc.BlobCopier)
	if !ok {
		return
	}
	content := noise(7, 100_000)
	put(t, s, "packs/a", content)
	wantErr(t, "copy of nothing", copier.Copy(t.Context(), "packs/missing", "bundles/b"), svc.ErrNotFound)
	for range 2 { // the second replaces the first
		must.Do(t, copier.Copy(t.Context(), "packs/a", "bundles/a"))
		wantContent(t, open(t), "bundles/a", content)
	}
	put(t, s, "bundles/c", []byte("other bytes"))
	must.Do(t, copier.Copy(t.Context(), "packs/a", "bundles/c"))
	must.Do(t, s.Delete(t.Context(), "packs/a"))
	wantContent(t, s, "bundles/a", content)
	must.Do(t, s.Delete(t.Context(), "bundles/a"))
	wantContent(t, s, "bundles/c", content)
}
