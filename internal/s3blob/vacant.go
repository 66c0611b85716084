package s3blob

import (
	"context"
	"fmt"

	"github.com/minio/minio-go/v7"

	svc "github.com/bundle-delivery/svc"
)

// Name says which place this is, without keys.
func (s *Store) Name() string {
	return "s3://" + s.bucket + "/" + s.prefix + " at " + s.core.EndpointURL().Host
}

// Vacant says whether there is nothing in the bucket, below the prefix.
// svc.ErrConflict, with the name of an object, when not.
func (s *Store) Vacant(ctx context.Context) error {
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
