package pack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// Source is the present pack of a project, opened to build the next state on.
// It must stay open until the draft made from its State is written. The zero Source
// has no files.
type Source struct {
	archive bundlezip.Archive
	close   func() error
}

// Open opens the pack of a project; one without files gives an empty Source.
// ErrNotFound when the pack is gone: the project has moved on.
func (p *Packager) Open(ctx context.Context, project svc.Project) (*Source, error) {
	if project.Pack.Blob == "" {
		return &Source{close: func() error { return nil }}, nil
	}
	blob, err := p.Blobs.Open(ctx, project.Pack.Blob)
	if err != nil {
		return nil, fmt.Errorf("open the pack of %s: %w", project.ID, err)
	}
	at, size, closeAll, err := randomAccess(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read the pack of %s: %w", project.ID, err)
	}
	archive, err := bundlezip.Open(at, size)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the pack of %s: %w", project.ID, err), closeAll())
	}
	return &Source{archive: *archive, close: closeAll}, nil
}

// OpenPrevious opens the state before the project's present one; the first has an
// empty one before it. ErrNotFound when it is not kept, or not any more.
func (p *Packager) OpenPrevious(ctx context.Context, project svc.Project) (*Source, error) {
	made := project.StateProvenance()
	if made == nil || made.Base != "" && made.BasePack == "" {
		return nil, svc.ErrNotFound
	}
	project.Pack = svc.Pack{Blob: made.BasePack}
	return p.Open(ctx, project)
}

// State is the project's present state; files left in it are copied as they are.
func (s *Source) State() bundlezip.State { return s.archive.State() }

// Manifest describes the present state; it must not be changed.
func (s *Source) Manifest() bundlezip.Manifest { return s.archive.Manifest() }

// OpenFile reads a file of the present state. fs.ErrNotExist.
func (s *Source) OpenFile(base bundlezip.Base, path string) (io.ReadCloser, error) {
	return s.archive.Open(base, path)
}

// Close ends the reading.
func (s *Source) Close() error { return s.close() }

// randomAccess gives a blob that can be read anywhere: itself where the store
// can do that, else a temporary copy. The blob is closed with what it returns,
// or at once on an error.
func randomAccess(ctx context.Context, blob svc.BlobReader) (io.ReaderAt, int64, func() error, error) {
	if at, ok := blob.(io.ReaderAt); ok {
		return at, blob.Size(), blob.Close, nil
	}
	file, err := os.CreateTemp("", "svc-pack-*")
	if err != nil {
		return nil, 0, nil, errors.Join(err, blob.Close())
	}
	// Without a name it goes with the process, however that ends. Where the system
	// keeps the names of open files, it is removed when it is closed.
	remove := file.Close
	if os.Remove(file.Name()) != nil {
		remove = func() error { return errors.Join(file.Close(), os.Remove(file.Name())) }
	}
	size, err := io.Copy(contextWriter{ctx, file}, blob)
	if err = errors.Join(err, blob.Close()); err != nil {
		return nil, 0, nil, errors.Join(err, remove())
	}
	return file, size, remove, nil
}
