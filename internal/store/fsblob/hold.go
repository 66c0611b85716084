package fsblob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"

	svc "github.com/bundle-delivery/svc"
)

// Hold keeps blobs readable that are deleted meanwhile: each has another name on
// the store's staging folder, and goes with it.
type Hold struct {
	store  *Store
	folder string
}

// Hold begins to hold blobs.
func (s *Store) Hold() (*Hold, error) {
	h := &Hold{store: s, folder: s.staging.name()}
	if err := s.root.Mkdir(h.folder, folderMode); err != nil {
		return nil, fmt.Errorf("make room to hold blobs: %w", s.explain(err))
	}
	return h, nil
}

// Add holds a blob; one that is held already stays so. svc.ErrNotFound when
// there is none.
func (h *Hold) Add(ctx context.Context, key string) error {
	_, source, err := locate(key)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = h.store.root.Link(source, h.name(source))
	}
	switch {
	case err == nil, errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		err = svc.ErrNotFound
	}
	return fmt.Errorf("hold the blob %q: %w", key, h.store.explain(err))
}

func (h *Hold) name(source string) string { return h.folder + "/" + path.Base(source) }

// Open reads a blob that is held. svc.ErrNotFound.
func (h *Hold) Open(_ context.Context, key string) (svc.BlobReader, error) {
	_, source, err := locate(key)
	if err != nil {
		return nil, fmt.Errorf("open the held blob %q: %w", key, err)
	}
	r, err := h.store.openFile(h.name(source))
	if err != nil {
		return nil, fmt.Errorf("open the held blob %q: %w", key, err)
	}
	return r, nil
}

// Close lets go of all of them.
func (h *Hold) Close() error { return h.store.root.RemoveAll(h.folder) }
