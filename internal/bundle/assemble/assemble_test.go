package assemble_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/assemble"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func setUp(t *testing.T, content []byte) (*fsblob.Store, svc.Assembly) {
	t.Helper()
	blobs, err := fsblob.Open(t.TempDir())
	must.Do(t, err)
	t.Cleanup(func() { must.Do(t, blobs.Close()) })
	put(t, blobs, "packs/p.zip", content)
	return blobs, svc.Assembly{
		Pack:     svc.Pack{Blob: "packs/p.zip", Size: int64(len(content)), SHA256: sha256.Sum256(content)},
		Target:   "bundles/b.zip",
		Deadline: time.Now().Add(time.Hour),
	}
}

func put(t *testing.T, blobs svc.Blobs, key string, content []byte) {
	t.Helper()
	w, err := blobs.Create(t.Context(), key)
	must.Do(t, err)
	_, err = w.Write(content)
	must.Do(t, errors.Join(err, w.Commit()))
}

func absent(t *testing.T, blobs svc.Blobs, key string) {
	t.Helper()
	if _, err := blobs.Open(t.Context(), key); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("something became visible under %s: %v", key, err)
	}
}

// withoutCopy is a store that cannot copy by itself, and failingCopy one that
// finds out when it is asked.
type withoutCopy struct{ svc.Blobs }

type failingCopy struct{ svc.Blobs }

func (failingCopy) Copy(context.Context, string, string) error {
	return errors.New("no links on this file system")
}

func TestAnArchiveHasTheBytesOfItsPack(t *testing.T) {
	for name, adapt := range map[string]func(svc.Blobs) svc.Blobs{
		"copied by the store":        func(b svc.Blobs) svc.Blobs { return b },
		"copied through the process": func(b svc.Blobs) svc.Blobs { return withoutCopy{b} },
		"after the store failed":     func(b svc.Blobs) svc.Blobs { return failingCopy{b} },
	} {
		t.Run(name, func(t *testing.T) {
			content := bytes.Repeat([]byte("bundle "), 100_000)
			blobs, work := setUp(t, content)
			for range 2 { // twice does no harm
				made, err := assemble.Local{Blobs: adapt(blobs)}.Assemble(t.Context(), work)
				must.Do(t, err)
				if made.Size != work.Pack.Size || made.SHA256 != work.Pack.SHA256 {
					t.Errorf("%+v", made)
				}
			}
			// The archive is its own: the pack may go.
			must.Do(t, blobs.Delete(t.Context(), work.Pack.Blob))
			r, err := blobs.Open(t.Context(), work.Target)
			must.Do(t, err)
			got, err := io.ReadAll(r)
			must.Do(t, errors.Join(err, r.Close()))
			if !bytes.Equal(got, content) {
				t.Error("the bytes differ")
			}
		})
	}
}

func TestACorruptPackIsAnErrorAndNothingBecomesVisible(t *testing.T) {
	for name, rotten := range map[string][]byte{
		"one bit":   []byte("content of the pacj"),
		"too short": []byte("content of the pac"),
		"too long":  []byte("content of the pack and more"),
		"empty":     {},
	} {
		t.Run(name, func(t *testing.T) {
			blobs, work := setUp(t, []byte("content of the pack"))
			put(t, blobs, work.Pack.Blob, rotten)
			if _, err := (assemble.Local{Blobs: blobs}).Assemble(t.Context(), work); !errors.Is(err, assemble.ErrCorrupt) {
				t.Errorf("got %v", err)
			}
			absent(t, blobs, work.Target)
		})
	}
}

func TestAPackThatIsGoneIsNotFound(t *testing.T) {
	blobs, work := setUp(t, []byte("x"))
	must.Do(t, blobs.Delete(t.Context(), work.Pack.Blob))
	if _, err := (assemble.Local{Blobs: blobs}).Assemble(t.Context(), work); !errors.Is(err, svc.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	absent(t, blobs, work.Target)
}

func TestNothingIsCommittedAfterTheDeadline(t *testing.T) {
	blobs, work := setUp(t, []byte("x"))
	work.Deadline = time.Now().Add(-time.Second)
	if _, err := (assemble.Local{Blobs: blobs}).Assemble(t.Context(), work); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	absent(t, blobs, work.Target)
}

// lateBlobs end the context while the pack is being read, or with its last byte.
type lateBlobs struct {
	svc.Blobs
	stop  context.CancelFunc
	atEnd bool
}

type lateReader struct {
	svc.BlobReader
	stop  context.CancelFunc
	atEnd bool
}

func (b lateBlobs) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	r, err := b.Blobs.Open(ctx, key)
	return lateReader{r, b.stop, b.atEnd}, err
}

func (r lateReader) Read(p []byte) (int, error) {
	n, err := r.BlobReader.Read(p)
	if !r.atEnd || errors.Is(err, io.EOF) {
		r.stop()
	}
	return n, err
}

func TestAnAssemblyThatIsGivenUpCommitsNothing(t *testing.T) {
	for name, atEnd := range map[string]bool{"half way": false, "at the end": true} {
		t.Run(name, func(t *testing.T) {
			blobs, work := setUp(t, bytes.Repeat([]byte("x"), 1<<20))
			ctx, stop := context.WithCancel(t.Context())
			late := lateBlobs{blobs, stop, atEnd}
			if _, err := (assemble.Local{Blobs: late}).Assemble(ctx, work); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			absent(t, blobs, work.Target)
		})
	}
}

// full is a store that takes nothing new.
type full struct{ svc.Blobs }

func (full) Create(context.Context, string) (svc.BlobWriter, error) { return nil, svc.ErrUnavailable }

func TestAStoreThatTakesNothingIsAnError(t *testing.T) {
	blobs, work := setUp(t, []byte("x"))
	if _, err := (assemble.Local{Blobs: full{blobs}}).Assemble(t.Context(), work); !errors.Is(err, svc.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	absent(t, blobs, work.Target)
}
