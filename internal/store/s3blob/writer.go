package s3blob

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // stores name objects by it
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"

	svc "github.com/bundle-delivery/svc"
)

const (
	// partSize is how much of a blob is held until it is sent: stores want at
	// least 5 MiB in all parts but the last, and at most 10,000 parts.
	partSize = 8 << 20
	// partTime bounds what is done for one part, all attempts together.
	partTime = time.Minute
	// abortTimeout bounds the request that drops an upload.
	abortTimeout = 10 * time.Second
)

var errOver = errors.New("the blob has been committed or aborted already")

// writer collects a part at a time. It serves one goroutine.
type writer struct {
	store  *Store
	ctx    context.Context //nolint:containedctx // Write and Commit belong to the Create that was given it
	key    string
	name   string
	held   bytes.Buffer
	upload string // empty until there is more than a part
	parts  []minio.CompletePart
	sent   int64 // the size of the parts
	err    error // what ended it
}

// Create implements [svc.Blobs]. The context is that of all writing.
func (s *Store) Create(ctx context.Context, key string) (svc.BlobWriter, error) {
	name, err := s.name(key)
	if err != nil {
		return nil, fmt.Errorf("create the blob %q: %w", key, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &writer{store: s, ctx: ctx, key: key, name: name}, nil
}

func (w *writer) Write(p []byte) (n int, err error) {
	for w.err == nil && len(p) > 0 {
		if w.held.Len() == w.store.partSize { // and more is to come
			if w.err = w.sendPart(); w.err != nil {
				break
			}
		}
		chunk := p[:min(len(p), w.store.partSize-w.held.Len())]
		w.held.Write(chunk)
		n, p = n+len(chunk), p[len(chunk):]
	}
	if w.err != nil {
		return n, fmt.Errorf("write the blob %q: %w", w.key, w.err)
	}
	return n, nil
}

// sendPart sends what is held as the next part.
func (w *writer) sendPart() error {
	ctx, cancel := context.WithTimeout(w.ctx, partTime)
	defer cancel()
	core, bucket := w.store.core, w.store.bucket
	if w.upload == "" {
		upload, err := core.NewMultipartUpload(ctx, bucket, w.name, minio.PutObjectOptions{})
		if err != nil {
			return w.explain(err)
		}
		w.upload = upload
	}
	number := len(w.parts) + 1
	part, err := core.PutObjectPart(ctx, bucket, w.name, w.upload, number,
		bytes.NewReader(w.held.Bytes()), int64(w.held.Len()), minio.PutObjectPartOptions{Sha256Hex: w.sum()})
	if err != nil {
		return w.explain(err)
	}
	w.parts = append(w.parts, minio.CompletePart{PartNumber: number, ETag: part.ETag})
	w.sent += int64(w.held.Len())
	w.held.Reset()
	return nil
}

// sum is the digest of what is held. The store compares: what it keeps is what
// was written here.
func (w *writer) sum() string {
	sum := sha256.Sum256(w.held.Bytes())
	return hex.EncodeToString(sum[:])
}

func (w *writer) Commit() error {
	if w.err == nil {
		w.err = w.finish()
	}
	if w.err != nil {
		return fmt.Errorf("commit the blob %q: %w", w.key, w.err)
	}
	w.upload, w.err = "", errOver
	w.held = bytes.Buffer{}
	return nil
}

func (w *writer) finish() error {
	core, bucket := w.store.core, w.store.bucket
	if w.upload == "" {
		ctx, cancel := context.WithTimeout(w.ctx, partTime)
		defer cancel()
		_, err := core.PutObject(ctx, bucket, w.name, bytes.NewReader(w.held.Bytes()), int64(w.held.Len()), "", w.sum(),
			minio.PutObjectOptions{})
		return w.explain(err)
	}
	if err := w.sendPart(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(w.ctx, partTime)
	defer cancel()
	_, err := core.CompleteMultipartUpload(ctx, bucket, w.name, w.upload, w.parts, minio.PutObjectOptions{})
	if minio.ToErrorResponse(err).Code == minio.NoSuchUpload && w.completed(ctx) {
		return nil
	}
	return w.explain(err)
}

// completed says whether the upload, which is not there any more, has become the
// object: when the answer to its completion is lost, the request is sent again,
// and there is nothing left to complete.
func (w *writer) completed(ctx context.Context) bool {
	there, err := w.store.core.Client.StatObject(ctx, w.store.bucket, w.name, minio.StatObjectOptions{})
	return err == nil && there.Size == w.sent && there.ETag == w.etag()
}

// etag is what stores call an object that was made of these parts: the MD5 of
// theirs, one after the other, and how many they are.
func (w *writer) etag() string {
	var sums []byte
	for _, p := range w.parts {
		sum, err := hex.DecodeString(p.ETag)
		if err != nil {
			return "" // a store with names of its own: none is known to be right
		}
		sums = append(sums, sum...)
	}
	return fmt.Sprintf("%x-%d", md5.Sum(sums), len(w.parts)) //nolint:gosec // it is a name here, and stores choose it so
}

// explain says what an error means for a blob that is written. It was never
// there, so svc.ErrNotFound, which says that a blob is gone, would be wrong.
func (w *writer) explain(err error) error {
	explained := w.store.explainWrite(w.ctx, err)
	if errors.Is(explained, svc.ErrNotFound) {
		return fmt.Errorf("%w: the store has dropped what was sent so far; write it anew: %w", svc.ErrUnavailable, err)
	}
	return explained
}

// Abort drops what was sent. Where that fails, the bucket's rule for uploads
// that were never completed does it later.
func (w *writer) Abort() {
	if w.upload != "" {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ctx), abortTimeout)
		defer cancel()
		_ = w.store.core.AbortMultipartUpload(ctx, w.store.bucket, w.name, w.upload)
		w.upload = ""
	}
	w.held = bytes.Buffer{}
	if w.err == nil {
		w.err = errOver
	}
}
