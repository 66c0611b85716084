package svc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Blobs keep bytes under keys. A key is lower-case letters, digits, '-', '_',
// '.' and '/', chosen by the caller and written once; writing a key that holds
// something replaces it whole. What a reader sees while its blob is being
// replaced is undefined; no caller does that but with the same bytes.
type Blobs interface {
	// Create begins a blob. It becomes visible, whole and durable, with Commit.
	Create(ctx context.Context, key string) (BlobWriter, error)
	// Open begins to read a blob. A reader that is open when the blob is deleted
	// can be read to its end. ErrNotFound.
	Open(ctx context.Context, key string) (BlobReader, error)
	// Delete removes a blob; one that is not there is no error.
	Delete(ctx context.Context, key string) error
	// Ping says whether the store can be used.
	Ping(ctx context.Context) error
}

// maxBlobKey is how long a key may be: as long as a file name on every file system in
// use.
const maxBlobKey = 255

// CheckBlobKey refuses what is no key, and what could mean something to a file
// system or to a store that keeps objects as files.
func CheckBlobKey(key string) error {
	if key == "" || len(key) > maxBlobKey {
		return fmt.Errorf("a blob key has 1 to %d characters, this one %d", maxBlobKey, len(key))
	}
	for _, c := range []byte(key) {
		switch {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9', c == '-', c == '_', c == '.', c == '/':
		default:
			return fmt.Errorf("a blob key has lower-case letters, digits, '-', '_', '.' and '/', not %q", c)
		}
	}
	for part := range strings.SplitSeq(key, "/") {
		if part == "" || part == "." || part == ".." {
			return fmt.Errorf("a part of a blob key may not be %q", part)
		}
	}
	return nil
}

// BlobWriter writes one blob. Exactly one of Commit and Abort ends it; Abort
// after Commit does nothing, so that it can be deferred.
type BlobWriter interface {
	io.Writer
	Commit() error
	Abort()
}

// BlobReader reads one blob. Seeking is cheap and reading is sequential: an
// adapter may open a connection at the first Read after a Seek. A reader may
// implement io.ReaderAt as well; a caller that needs it and does not find it
// copies the blob to a file first.
type BlobReader interface {
	io.ReadSeekCloser
	Size() int64
}

// BlobCopier is an extra that Blobs may have: Copy puts the bytes of one blob
// under another key, as durably as Commit and without passing them through the
// caller. ErrNotFound when there is nothing to copy.
type BlobCopier interface {
	Copy(ctx context.Context, from, to string) error
}

// BlobsDeleter is an extra that Blobs may have: DeleteAll deletes many blobs in few
// requests. It gives the keys of those that are left, and the first reason.
type BlobsDeleter interface {
	DeleteAll(ctx context.Context, keys []string) (left []string, err error)
}

// BlobLedger is the part of the records that knows of blobs which no record
// points at: those about to be written (intents) and those no longer wanted
// (garbage). The sweep reads nothing but the ledger.
type BlobLedger interface {
	// Intend announces that a blob will be written and pointed at before the
	// given time. It precedes the first byte. An intent announced again is
	// prolonged; ErrConflict when the key is garbage. It may be put off.
	Intend(ctx context.Context, key string, until time.Time) error
	// Fulfil removes an intent, in the transaction that begins to point at the
	// blob. ErrConflict when the intent is gone: the sweep has taken the blob.
	Fulfil(ctx context.Context, key string) error
	// Discard enters a blob as garbage that may be deleted from the given time
	// on. An intent for it is replaced. It may be put off.
	Discard(ctx context.Context, key string, due time.Time) error
	// DiscardAll enters many blobs.
	DiscardAll(ctx context.Context, keys []string, due time.Time) error
	// Collect turns intents whose time is over into garbage, and returns up to
	// limit keys of garbage that is due, the longest due first. They stay in the
	// ledger until Forget, and are due again at the end of the lease: others who
	// collect get other keys.
	Collect(ctx context.Context, now, lease time.Time, limit int) ([]string, error)
	// Forget removes garbage that has been deleted.
	Forget(ctx context.Context, keys []string) error
}

// Abandon gives up a blob that was announced, in a transaction: the intent
// becomes garbage that is due at the given time. When there is no intent any
// more it does nothing, for then either a record points at the blob, as after a
// commit whose success was not heard of, or the sweep has it.
func Abandon(ctx context.Context, l BlobLedger, key string, due time.Time) error {
	if err := l.Fulfil(ctx, key); errors.Is(err, ErrConflict) {
		return nil
	} else if err != nil {
		return err
	}
	return l.Discard(ctx, key, due)
}
