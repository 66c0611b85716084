package s3blob

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/minio/minio-go/v7"

	svc "github.com/bundle-delivery/svc"
)

// Name says which place this is, without keys.
func (s *Store) Name() string {
	return "s3://" + s.bucket + "/" + s.prefix + " at " + s.core.EndpointURL().Host
}

// CheckEmpty says whether there is nothing in the bucket, below the prefix.
// svc.ErrConflict, with the name of an object, when not.
func (s *Store) CheckEmpty(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing
	objects := s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true, MaxKeys: 1})
	first, some := <-objects
	switch {
	case !some:
		return nil
	case first.Err != nil:
		return fmt.Errorf("list the bucket %s: %w", s.bucket, explain(ctx, first.Err))
	}
	return fmt.Errorf("%w: the bucket %s holds %s", svc.ErrConflict, s.bucket, first.Key)
}

// Keys tells the key of every blob below the prefix. Objects that are none, such
// as those of another service with a longer prefix, are passed over.
func (s *Store) Keys(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel() // ends the listing
		for object := range s.core.Client.ListObjects(ctx, s.bucket, minio.ListObjectsOptions{Prefix: s.prefix, Recursive: true}) {
			if object.Err != nil {
				yield("", fmt.Errorf("list the bucket %s: %w", s.bucket, explain(ctx, object.Err)))
				return
			}
			key, ours := s.key(object.Key)
			if ours && !yield(key, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil { // then the listing may have ended early
			yield("", err)
		}
	}
}

// key is the key of the blob that an object holds, if it holds one.
func (s *Store) key(object string) (key string, ours bool) {
	name := strings.TrimPrefix(object, s.prefix)
	key = strings.ReplaceAll(name, "!", "/")
	back, err := s.name(key)
	return key, err == nil && back == object
}
