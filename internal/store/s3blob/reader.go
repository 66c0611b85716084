package s3blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/minio/minio-go/v7"

	svc "github.com/bundle-delivery/svc"
)

const (
	// resumptions is how often a GET that broke is taken up again before any
	// more bytes have come.
	resumptions = 4
	// resumptionsInAll is how often that is done for one reader, however many
	// bytes come in between.
	resumptionsInAll = 32
	// stall is how long a GET may give nothing before it is taken to be broken.
	stall = 15 * time.Second
	// skip is how far ahead a reader reads on rather than asking anew.
	skip = 64 << 10
)

// reader is an open blob: a GET that goes on, and a place in the blob.
type reader struct {
	store *Store
	ctx   context.Context //nolint:containedctx // reading belongs to the Open that was given it
	key   string
	name  string
	size  int64
	etag  string
	at    int64              // where the next Read reads
	body  io.ReadCloser      // nil: no GET goes on
	end   context.CancelFunc // of that GET
	next  int64              // what body gives next
	broke int                // how many GETs broke
	done  bool
}

// Open implements [svc.Blobs]. The context is that of all reading.
func (s *Store) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	name, err := s.name(key)
	if err != nil {
		return nil, fmt.Errorf("open the blob %q: %w", key, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := &reader{store: s, ctx: ctx, key: key, name: name}
	if err := r.get(); err != nil {
		return nil, fmt.Errorf("open the blob %q: %w", key, err)
	}
	return r, nil
}

// get sends a GET from the reader's place on; a later one of the same version.
func (r *reader) get() error {
	var options minio.GetObjectOptions
	if r.etag != "" {
		if err := options.SetMatchETag(r.etag); err != nil {
			return err
		}
	}
	if r.at > 0 {
		if err := options.SetRange(r.at, 0); err != nil {
			return err
		}
	}
	ctx, end := context.WithCancel(r.ctx)
	body, info, _, err := r.store.core.GetObject(ctx, r.store.bucket, r.name, options)
	if err != nil {
		end()
		return explain(r.ctx, err)
	}
	if r.etag == "" {
		r.etag, r.size = info.ETag, info.Size
	}
	r.body, r.end, r.next = body, end, r.at
	return nil
}

// pull reads from the GET that goes on, which ends when nothing comes.
func (r *reader) pull(p []byte) (int, error) {
	silent := time.AfterFunc(r.store.stall, r.end)
	defer silent.Stop()
	return r.body.Read(p)
}

func (r *reader) Size() int64 { return r.size }

// Seek implements io.Seeker. It sends nothing.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.size
	default:
		return 0, fmt.Errorf("seek in the blob %q: there is no place to start from with number %d", r.key, whence)
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek in the blob %q: before its beginning", r.key)
	}
	r.at = offset
	return offset, nil
}

// Read implements io.Reader. A GET that breaks is taken up again.
func (r *reader) Read(p []byte) (int, error) {
	if r.done {
		return 0, fmt.Errorf("read the blob %q: the reader is closed", r.key)
	}
	if r.at >= r.size {
		return 0, io.EOF
	}
	if len(p) == 0 {
		return 0, nil
	}
	var broken error
	for range resumptions {
		if r.broke > resumptionsInAll {
			break
		}
		if err := r.approach(); err != nil {
			r.broke++
			if errors.Is(err, svc.ErrNotFound) || r.ctx.Err() != nil {
				return 0, fmt.Errorf("read the blob %q: %w", r.key, err)
			}
			broken = err
			continue
		}
		n, err := r.pull(p[:min(int64(len(p)), r.size-r.at)])
		r.at, r.next = r.at+int64(n), r.next+int64(n)
		if err != nil {
			r.hangUp()
			if r.at < r.size { // not the end; the next Read goes on from here
				r.broke++
			}
		}
		if n > 0 {
			return n, nil
		}
		if broken = err; r.ctx.Err() != nil {
			break
		}
	}
	if broken == nil || errors.Is(broken, io.EOF) {
		broken = io.ErrUnexpectedEOF
	}
	if r.broke > resumptionsInAll {
		broken = fmt.Errorf("the store broke off %d times: %w", r.broke, broken)
	}
	return 0, fmt.Errorf("read the blob %q: %w", r.key, explain(r.ctx, broken))
}

// approach makes body give the byte at the reader's place next.
func (r *reader) approach() error {
	if r.body != nil && r.next < r.at && r.at-r.next <= skip {
		n, err := io.CopyN(io.Discard, readerFunc(r.pull), r.at-r.next)
		r.next += n
		if err != nil {
			r.hangUp()
			r.broke++
		}
	}
	if r.body != nil && r.next == r.at {
		return nil
	}
	r.hangUp()
	return r.get()
}

// readerFunc is an io.Reader.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// hangUp ends the GET that goes on. What it says to that changes nothing.
func (r *reader) hangUp() {
	if r.body != nil {
		_ = r.body.Close()
		r.end()
		r.body = nil
	}
}

// Close ends the reading.
func (r *reader) Close() error {
	r.done = true
	r.hangUp()
	return nil
}
