package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/bundle-delivery/svc/internal/fsblob"
	"github.com/bundle-delivery/svc/internal/sqlite"
)

// storage is where records and bytes are kept.
type storage struct {
	store *sqlite.Store
	blobs *fsblob.Store
}

func openStorage(ctx context.Context, dir dataDir) (*storage, error) {
	store, err := sqlite.Open(ctx, dir.database())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", dir.database(), err)
	}
	blobs, err := fsblob.Open(dir.blobs())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("archives in %s: %w", dir.blobs(), err), store.Close())
	}
	return &storage{store: store, blobs: blobs}, nil
}

func (s *storage) close() error {
	return errors.Join(s.blobs.Close(), s.store.Close())
}
