package fsblob

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	svc "github.com/bundle-delivery/svc"
)

// bufferSize makes few system calls of the many small writes of an archive.
const bufferSize = 128 << 10

// Create implements [svc.Blobs]. The writer is also an io.ReaderFrom: what
// comes from another file is copied by the kernel.
func (s *Store) Create(ctx context.Context, key string) (svc.BlobWriter, error) {
	shard, path, err := locate(key)
	if err != nil {
		return nil, fmt.Errorf("create the blob %q: %w", key, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, name, err := s.staging.create(s.root)
	if err != nil {
		return nil, fmt.Errorf("create the blob %q: %w", key, s.explain(err))
	}
	return &writer{ctx: ctx, store: s, key: key, shard: shard, path: path, temp: name, file: f, buf: bufio.NewWriterSize(f, bufferSize)}, nil
}

// writer writes one blob to a staging file. After a failure it only fails.
type writer struct {
	ctx   context.Context //nolint:containedctx // ends the writes of the Create that made it, as io.Writer has no other way
	store *Store
	key   string
	shard string // folder of the path
	path  string // of the blob
	temp  string // path of the staging file
	file  *os.File
	buf   *bufio.Writer
	done  bool
}

var _ io.ReaderFrom = (*writer)(nil)

var errEnded = errors.New("the blob was committed or aborted before")

func (w *writer) Write(p []byte) (int, error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	n, err := w.buf.Write(p)
	return n, w.explain(err)
}

// ReadFrom implements io.ReaderFrom.
func (w *writer) ReadFrom(r io.Reader) (int64, error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	n, err := w.buf.ReadFrom(r)
	return n, w.explain(err)
}

func (w *writer) usable() error {
	if w.done {
		return w.explain(errEnded)
	}
	return w.ctx.Err()
}

// Commit implements [svc.BlobWriter].
func (w *writer) Commit() error {
	if err := w.usable(); err != nil {
		return err
	}
	defer w.Abort() // removes the staging file where it has not become the blob
	if err := w.buf.Flush(); err != nil {
		return w.explain(err)
	}
	if err := w.store.fsync(w.file); err != nil {
		return w.explain(err)
	}
	if err := w.store.root.Rename(w.temp, w.path); err != nil {
		return w.explain(err)
	}
	return w.explain(w.store.sync(w.shard))
}

// Abort implements [svc.BlobWriter].
func (w *writer) Abort() {
	if w.done {
		return
	}
	w.done = true
	// Neither failure concerns the caller: nothing reads the file, and the next
	// store to be opened removes what is left.
	_ = w.file.Close()
	_ = w.store.root.Remove(w.temp)
}

func (w *writer) explain(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("write the blob %q: %w", w.key, w.store.explain(err))
}

// explain adds to an error what to do about it.
func (s *Store) explain(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.full.Note()
		return fmt.Errorf("the disk of the blobs is full; make room and try again: %w: %w", svc.ErrUnavailable, err)
	}
	if errors.Is(err, syscall.EIO) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	}
	return err
}

// Copy puts the bytes of one blob under another key without reading them: both
// names lead to the same file, which is never changed. It is as durable as
// Commit. svc.ErrNotFound when there is no blob to copy.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	if err := s.link(ctx, from, to); err != nil {
		return fmt.Errorf("copy the blob %q to %q: %w", from, to, err)
	}
	return nil
}

func (s *Store) link(ctx context.Context, from, to string) error {
	_, source, err := locate(from)
	if err != nil {
		return err
	}
	shard, target, err := locate(to)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	temp := s.staging.name()
	if err := s.root.Link(source, temp); errors.Is(err, fs.ErrNotExist) {
		return svc.ErrNotFound
	} else if err != nil {
		return s.explain(err)
	}
	// Renaming a file over another name of itself does nothing and leaves both,
	// so the staging name is removed whatever happened.
	err = s.root.Rename(temp, target)
	if gone := s.root.Remove(temp); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	if err != nil {
		return s.explain(err)
	}
	return s.sync(shard)
}
