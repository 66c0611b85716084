// Package s3blob keeps bytes in a bucket of S3 or of a store that speaks as it
// does, by the contract of [svc.Blobs].
//
// Its invariants:
//
//   - A blob is one object. A small one is one PUT; a larger one goes up in
//     parts while it is written, and the store shows it with the request that
//     completes it. Memory does not grow with the blob.
//   - A blob is read with one GET, which Open sends: it tells whether the blob
//     is there, how large it is, and holds its bytes from then on, so that they
//     can be read to their end when the blob is deleted. Seeking costs nothing;
//     reading at another place costs one more GET, and after a deletion it
//     fails with svc.ErrNotFound.
//   - A GET that is cut off or falls silent is taken up where it broke, of the
//     same version and no other, a bounded number of times in a row and in all.
//     No request waits for a silent store without end.
//   - Slashes of keys become '!' in the names of objects: some stores keep
//     objects in folders, and cannot hold both a and a/b. The prefix of the
//     address stays as it is.
//   - Serving lists nothing: the ledger in the database knows what there is. Only
//     a move into the bucket does, to see that it is empty, and to remove what an
//     interrupted one left.
//
// The bucket keeps no old versions (a deleted archive would live on), and has a
// rule that drops uploads which were never completed, for those of a process
// that died.
package s3blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
)

// Store keeps blobs in a bucket.
type Store struct {
	core      *minio.Core
	transport *http.Transport
	bucket    string
	prefix    string
	partSize  int
	stall     time.Duration
	full      diskfull.Recent
}

var (
	_ svc.Blobs      = (*Store)(nil)
	_ svc.BlobCopier = (*Store)(nil)

	_ svc.BlobsDeleter = (*Store)(nil)
)

// Open opens the bucket that an address such as
// s3://bucket/prefix?endpoint=https://host&region=name&ca=/file.pem names, which
// must exist.
func Open(ctx context.Context, address string) (*Store, error) {
	p, err := parse(address)
	if err != nil {
		return nil, err
	}
	core, transport, err := dial(p)
	if err != nil {
		return nil, fmt.Errorf("open the bucket %s at %s: %w", p.bucket, p.endpoint, err)
	}
	s := &Store{core: core, transport: transport, bucket: p.bucket, prefix: p.prefix, partSize: partSize, stall: stall}
	if err := s.Ping(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close gives up the connections that are idle. Readers that are open stay so.
func (s *Store) Close() error {
	s.transport.CloseIdleConnections()
	return nil
}

// Ping implements [svc.Blobs]: it asks for the bucket. One that had no room for a blob
// lately cannot be used.
func (s *Store) Ping(ctx context.Context) error {
	there, err := s.core.BucketExists(ctx, s.bucket)
	if err != nil {
		return fmt.Errorf("ask for the bucket %s at %s: %w", s.bucket, s.core.EndpointURL().Host, explain(ctx, err))
	}
	if !there {
		return fmt.Errorf("there is no bucket %s at %s; make it, or correct the address", s.bucket, s.core.EndpointURL().Host)
	}
	return s.full.Err()
}

// Delete implements [svc.Blobs].
func (s *Store) Delete(ctx context.Context, key string) error {
	name, err := s.name(key)
	if err != nil {
		return fmt.Errorf("delete the blob %q: %w", key, err)
	}
	err = explain(ctx, s.core.RemoveObject(ctx, s.bucket, name, minio.RemoveObjectOptions{}))
	if err != nil && !errors.Is(err, svc.ErrNotFound) {
		return fmt.Errorf("delete the blob %q: %w", key, err)
	}
	return nil
}

// DeleteAll implements [svc.BlobsDeleter]: one request for up to a thousand blobs.
func (s *Store) DeleteAll(ctx context.Context, keys []string) (left []string, err error) {
	byName := make(map[string]string, len(keys))
	for _, key := range keys {
		name, err := s.name(key)
		if err != nil {
			return keys, fmt.Errorf("delete the blob %q: %w", key, err)
		}
		byName[name] = key
	}
	objects := make(chan minio.ObjectInfo, len(byName))
	for name := range byName {
		objects <- minio.ObjectInfo{Key: name}
	}
	close(objects)
	for failed := range s.core.RemoveObjects(ctx, s.bucket, objects, minio.RemoveObjectsOptions{}) {
		reason := explain(ctx, failed.Err)
		if errors.Is(reason, svc.ErrNotFound) {
			continue
		}
		if err == nil {
			err = fmt.Errorf("delete the blob %q: %w", byName[failed.ObjectName], reason)
		}
		if key, known := byName[failed.ObjectName]; known {
			left = append(left, key)
		} else {
			left = keys // of the request as a whole
		}
	}
	return left, err
}

// Copy implements [svc.BlobCopier]: the store copies by itself. It does so in
// one request, which stores allow up to 5 GiB.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	source, err := s.name(from)
	if err != nil {
		return fmt.Errorf("copy the blob %q: %w", from, err)
	}
	target, err := s.name(to)
	if err != nil {
		return fmt.Errorf("copy a blob to %q: %w", to, err)
	}
	_, err = s.core.Client.CopyObject(ctx,
		minio.CopyDestOptions{Bucket: s.bucket, Object: target},
		minio.CopySrcOptions{Bucket: s.bucket, Object: source})
	if err != nil {
		return fmt.Errorf("copy the blob %q to %q: %w", from, to, s.explainWrite(ctx, err))
	}
	return nil
}

// explainWrite is explain for what was to be kept, and remembers where there was no
// room for it.
func (s *Store) explainWrite(ctx context.Context, err error) error {
	if err != nil && isFull(minio.ToErrorResponse(err)) {
		s.full.Note()
	}
	return explain(ctx, err)
}

// isFull says whether a store has no room, or gives this bucket none.
func isFull(answer minio.ErrorResponse) bool {
	return answer.StatusCode == http.StatusInsufficientStorage || strings.HasSuffix(answer.Code, "QuotaExceeded")
}

// explain turns an error of the store into one that says what it means here.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ended := ctx.Err(); ended != nil {
		if errors.Is(err, ended) {
			return err
		}
		return fmt.Errorf("%w: %w", ended, err)
	}
	if !errors.As(err, new(minio.ErrorResponse)) {
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err) // the way there, not the store, says so
	}
	answer := minio.ToErrorResponse(err)
	switch {
	case answer.Code == minio.NoSuchBucket:
		return fmt.Errorf("the bucket is gone; make it again, or correct the address: %w", err)
	case answer.Code == minio.NoSuchKey, answer.StatusCode == http.StatusNotFound, answer.StatusCode == http.StatusPreconditionFailed:
		return fmt.Errorf("%w: %w", svc.ErrNotFound, err)
	case isFull(answer):
		return fmt.Errorf("the bucket has no room; make some, or raise its quota: %w: %w", svc.ErrUnavailable, err)
	case answer.StatusCode == http.StatusForbidden:
		return fmt.Errorf("the store refuses the keys; correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, "+
			"and let them read, write and delete in the bucket: %w", err)
	case answer.StatusCode >= http.StatusInternalServerError, answer.StatusCode == http.StatusTooManyRequests,
		answer.StatusCode == http.StatusRequestTimeout, answer.StatusCode == 0:
		return fmt.Errorf("%w: %w", svc.ErrUnavailable, err)
	}
	return err
}

// name is the name of the object that holds the blob of a key.
func (s *Store) name(key string) (string, error) {
	if err := svc.CheckBlobKey(key); err != nil {
		return "", err
	}
	return s.prefix + strings.ReplaceAll(key, "/", "!"), nil
}
