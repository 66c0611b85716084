package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/store/fsblob"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/store/s3blob"
	"github.com/bundle-delivery/svc/internal/store/sqlite"
)

// storage is where records and bytes are kept.
type storage struct {
	store svc.Store
	blobs blobStore
}

// blobStore are bytes that have to be closed.
type blobStore interface {
	svc.Blobs
	Close() error
}

// openStorage opens what the settings name: in the data folder, or elsewhere.
func openStorage(ctx context.Context, s *settings, dir datadir.Dir) (*storage, error) {
	store, err := openStore(ctx, s.databaseURL, dir)
	if err != nil {
		return nil, err
	}
	blobs, err := openBlobs(ctx, s.blobURL, dir)
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return &storage{store: store, blobs: blobs}, nil
}

func openStore(ctx context.Context, address string, dir datadir.Dir) (svc.Store, error) {
	if address != "" {
		return postgres.Open(ctx, address)
	}
	if err := dir.RefuseMoved(); err != nil {
		return nil, err
	}
	store, err := sqlite.Open(ctx, dir.Database())
	if err != nil {
		return nil, fmt.Errorf("database %s: %w", dir.Database(), err)
	}
	return store, nil
}

func openBlobs(ctx context.Context, address string, dir datadir.Dir) (blobStore, error) {
	if address != "" {
		return s3blob.Open(ctx, address)
	}
	blobs, err := fsblob.Open(dir.Blobs())
	if err != nil {
		return nil, fmt.Errorf("archives in %s: %w", dir.Blobs(), err)
	}
	return blobs, nil
}

func (s *storage) close() error {
	return errors.Join(s.blobs.Close(), s.store.Close())
}

// checkStorage refuses addresses that cannot be understood. They are read here
// and not as flags, whose errors repeat what was given: it may hold a password.
func (s *settings) checkStorage() error {
	if s.databaseURL != "" {
		if err := postgres.Check(s.databaseURL); err != nil {
			return usagef("--database-url: %w", err)
		}
	}
	if s.blobURL != "" {
		if err := s3blob.Check(s.blobURL); err != nil {
			return usagef("--blob-url: %w", err)
		}
	}
	return nil
}

// warnOfUnsharedStorage says what a second process would not share: it would look well, and
// lose events and archives to its users.
func (s *settings) warnOfUnsharedStorage(log *slog.Logger) {
	if s.databaseURL == "" {
		return
	}
	var own []string
	if s.blobURL == "" {
		own = append(own, "--blob-url")
	}
	if s.natsURL == "" {
		own = append(own, "--nats-url")
	}
	if len(own) > 0 {
		log.Warn("only the records are shared: start no second process on them before these are set, too", "missing", own)
	}
}
