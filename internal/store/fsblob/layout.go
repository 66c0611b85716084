package fsblob

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	svc "github.com/bundle-delivery/svc"
)

const (
	shards = 256
	// slash stands for '/' in file names; no key has it.
	slash = ","
)

// locate tells where the blob of a key lies: the folder, and the path of the
// file in it.
func locate(key string) (shard, path string, err error) {
	if err := svc.CheckBlobKey(key); err != nil {
		return "", "", err
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(key)) // a hash takes everything
	shard = shardName(int(h.Sum32() % shards))
	return shard, shard + "/" + strings.ReplaceAll(key, "/", slash), nil
}

func shardName(n int) string { return fmt.Sprintf("%02x", n) }

// makeShards makes the folders that blobs lie in, where they are missing.
func (s *Store) makeShards() error {
	made := false
	for n := range shards {
		switch err := s.root.Mkdir(shardName(n), folderMode); {
		case err == nil:
			made = true
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	if !made {
		return nil
	}
	return s.sync(".")
}

// makeFolders makes a folder and the ones above it, and syncs each that has
// gained one.
func makeFolders(dir string, fsync syncFunc) error {
	err := os.Mkdir(dir, folderMode)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist) && filepath.Dir(dir) != dir:
		if err := makeFolders(filepath.Dir(dir), fsync); err != nil {
			return err
		}
		if err := os.Mkdir(dir, folderMode); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	case err != nil:
		return err
	}
	parent, err := os.Open(filepath.Dir(dir))
	if err != nil {
		return err
	}
	return errors.Join(fsync(parent), parent.Close())
}
