// Package assemble makes the archive of a bundle from the pack of its project: the
// work of the assembler role.
//
// An archive has the bytes of its pack, so assembling is copying, and a store
// that can copy by itself is left to it. On the way the pack is verified: its size
// and digest are in the records, and the copy becomes visible only if what was read
// is what was recorded. A pack that rotted on its disk is an error here, and never
// a bundle.
//
// Memory does not grow with the pack, and nothing is committed after the
// deadline: by then the caller may have given the target up.
package assemble

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"

	svc "github.com/bundle-delivery/svc"
)

// ErrCorrupt says that the bytes of a pack are not those that were recorded.
// Asking again does not help.
var ErrCorrupt = errors.New("the pack is not what was recorded")

// Local assembles in this process, from blobs to blobs.
type Local struct {
	Blobs svc.Blobs
}

var _ svc.Assembler = Local{}

// copySize is large enough that reading, digesting and writing dominate, and
// small enough that many assemblies at once stay cheap.
const copySize = 128 << 10

var copyBuffers = sync.Pool{New: func() any {
	buffer := make([]byte, copySize)
	return &buffer
}}

// Assemble copies the pack to the target. ErrNotFound when the pack is gone,
// ErrCorrupt when its bytes are wrong; a deadline that has passed is the error
// of its context.
func (l Local) Assemble(ctx context.Context, a svc.Assembly) (svc.Assembled, error) {
	if !a.Deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, a.Deadline)
		defer cancel()
	}
	if err := ctx.Err(); err != nil {
		return svc.Assembled{}, fmt.Errorf("assemble %s: %w", a.Target, err)
	}
	source, err := l.Blobs.Open(ctx, a.Pack.Blob)
	if err != nil {
		return svc.Assembled{}, fmt.Errorf("open pack %s: %w", a.Pack.Blob, err)
	}
	// Closing a reader that was read to its end can lose nothing.
	defer func() { _ = source.Close() }()

	if copier, ok := l.Blobs.(svc.BlobCopier); ok {
		made, err := l.copyInStore(ctx, copier, source, a)
		if err == nil || errors.Is(err, ErrCorrupt) || errors.Is(err, svc.ErrNotFound) || ctx.Err() != nil {
			return made, err
		}
		// A store may be unable to copy by itself, for instance on a file system
		// without links. Then the bytes go through this process.
		if _, err := source.Seek(0, io.SeekStart); err != nil {
			return svc.Assembled{}, fmt.Errorf("read pack %s again: %w", a.Pack.Blob, err)
		}
	}
	return l.stream(ctx, source, a)
}

// copyInStore verifies the pack and has the store copy it.
func (l Local) copyInStore(ctx context.Context, copier svc.BlobCopier, source io.Reader, a svc.Assembly) (svc.Assembled, error) {
	made, err := copyVerified(ctx, io.Discard, source, a)
	if err != nil {
		return svc.Assembled{}, err
	}
	if err := copier.Copy(ctx, a.Pack.Blob, a.Target); err != nil {
		return svc.Assembled{}, fmt.Errorf("copy pack %s: %w", a.Pack.Blob, err)
	}
	return made, nil
}

// stream copies the pack through this process.
func (l Local) stream(ctx context.Context, source io.Reader, a svc.Assembly) (svc.Assembled, error) {
	target, err := l.Blobs.Create(ctx, a.Target)
	if err != nil {
		return svc.Assembled{}, fmt.Errorf("create archive %s: %w", a.Target, err)
	}
	defer target.Abort()
	made, err := copyVerified(ctx, target, source, a)
	if err != nil {
		return svc.Assembled{}, err
	}
	if err := target.Commit(); err != nil {
		return svc.Assembled{}, fmt.Errorf("commit archive %s: %w", a.Target, err)
	}
	return made, nil
}

// copyVerified copies a pack, if its bytes are those that were recorded.
func copyVerified(ctx context.Context, target io.Writer, source io.Reader, a svc.Assembly) (svc.Assembled, error) {
	sum := sha256.New()
	size, err := copyUntil(ctx, io.MultiWriter(sum, target), source)
	if err != nil {
		return svc.Assembled{}, fmt.Errorf("copy pack %s: %w", a.Pack.Blob, err)
	}
	made := svc.Assembled{Size: size, SHA256: [sha256.Size]byte(sum.Sum(nil))}
	if made.Size != a.Pack.Size || made.SHA256 != a.Pack.SHA256 {
		return svc.Assembled{}, fmt.Errorf("%w: %s has %d bytes with digest %x, expected %d with %x",
			ErrCorrupt, a.Pack.Blob, made.Size, made.SHA256, a.Pack.Size, a.Pack.SHA256)
	}
	if err := ctx.Err(); err != nil {
		return svc.Assembled{}, fmt.Errorf("assemble %s: %w", a.Target, err)
	}
	return made, nil
}

// copyUntil copies all of source unless the context ends before.
func copyUntil(ctx context.Context, target io.Writer, source io.Reader) (int64, error) {
	pooled, _ := copyBuffers.Get().(*[]byte)
	defer copyBuffers.Put(pooled)
	buffer := *pooled
	var total int64
	for {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := source.Read(buffer)
		if n > 0 {
			written, werr := target.Write(buffer[:n])
			total += int64(written)
			if werr != nil {
				return total, werr
			}
		}
		if errors.Is(err, io.EOF) {
			return total, nil
		}
		if err != nil {
			return total, err
		}
	}
}
