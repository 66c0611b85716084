// Package fsblob keeps bytes in a folder, by the contract of [svc.Blobs].
//
// Its invariants:
//
//   - A blob is written to a staging file, synced, renamed into its place, and the
//     place is synced: what can be seen is whole, and survives a power cut.
//   - A blob lies in one of 256 folders, chosen by a hash of its key; they are
//     all made when the store is opened. No folder grows large, and no write
//     has to make one.
//   - Nothing outside the folder is ever touched: keys are checked, and every
//     path is opened through [os.Root].
//   - A staging file belongs to a living store, which holds a lock for as long as
//     it lives. What lies there without a lock is left from a crash, and the
//     next store to be opened removes it, whoever else is at work.
//   - A deletion is synced as well, although the ledger in the database would do
//     it again: the ledger forgets a blob once Delete has returned. A file that
//     a power cut brought back after that would be known to nobody, and the
//     archive of an acknowledged bundle would stay for ever.
package fsblob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
)

const (
	folderMode = 0o700
	fileMode   = 0o600
)

// Store keeps blobs in a folder.
type Store struct {
	root    *os.Root
	staging *stagingDir
	fsync   syncFunc
	full    diskfull.Recent
}

// syncFunc makes a file or a folder durable: (*os.File).Sync, but for the tests
// that cut the power.
type syncFunc func(*os.File) error

var (
	_ svc.Blobs      = (*Store)(nil)
	_ svc.BlobCopier = (*Store)(nil)
)

// Open opens the folder, makes it when there is none, and removes what crashes
// have left half written in it. Several stores may have the folder open at once.
func Open(dir string) (*Store, error) {
	s, err := open(dir, (*os.File).Sync)
	if err != nil {
		return nil, fmt.Errorf("open the blob folder %s: %w", dir, err)
	}
	return s, nil
}

func open(dir string, fsync syncFunc) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := makeFolders(dir, fsync); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{root: root, fsync: fsync}
	if err = s.makeShards(); err == nil {
		s.staging, err = openStagingDir(root, dir)
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

// Close gives up the store's place for half-written files. Readers that are
// open stay so.
func (s *Store) Close() error {
	return errors.Join(s.staging.close(s.root), s.root.Close())
}

// Open implements [svc.Blobs]. The reader is also an io.ReaderAt and an
// io.WriterTo.
func (s *Store) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	r, err := s.openBlob(ctx, key)
	if err != nil {
		return nil, fmt.Errorf("open the blob %q: %w", key, err)
	}
	return r, nil
}

func (s *Store) openBlob(ctx context.Context, key string) (*reader, error) {
	_, path, err := locate(key)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.openFile(path)
}

func (s *Store) openFile(path string) (*reader, error) {
	f, err := s.root.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, svc.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &reader{File: f, size: info.Size()}, nil
}

// reader is an open file that knows its size. A deleted file can be read to its
// end by whoever has it open.
type reader struct {
	*os.File
	size int64
}

func (r *reader) Size() int64 { return r.size }

// Delete implements [svc.Blobs].
func (s *Store) Delete(ctx context.Context, key string) error {
	shard, path, err := locate(key)
	if err != nil {
		return fmt.Errorf("delete the blob %q: %w", key, err)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	// One that is not there may have been removed a moment ago by a process
	// that died before it could sync: hence the sync in either case.
	if err := s.root.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete the blob %q: %w", key, err)
	}
	if err := s.sync(shard); err != nil {
		return fmt.Errorf("delete the blob %q: %w", key, err)
	}
	return nil
}

// Ping implements [svc.Blobs]: it makes a staging file and removes it. A disk that had no
// room for a blob lately cannot be used: there is room for an empty file in most.
func (s *Store) Ping(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	f, name, err := s.staging.create(s.root)
	if err != nil {
		return fmt.Errorf("the blob folder %s cannot be written: %w", s.root.Name(), err)
	}
	return errors.Join(f.Close(), s.root.Remove(name), s.full.Err())
}

// sync makes what was renamed into a folder, or removed from it, durable.
func (s *Store) sync(folder string) error {
	f, err := s.root.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(s.fsync(f), f.Close())
}
