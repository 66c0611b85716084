package svc

import (
	"context"
	"crypto/sha256"
	"time"
)

// BundleStatus is where a bundle stands.
type BundleStatus string

// The states of a bundle. Only an acknowledgement or the clean-up job leads out
// of pending_download, and nothing leads back.
const (
	BundlePending    BundleStatus = "pending_download"
	BundleDownloaded BundleStatus = "downloaded"
	BundleExpired    BundleStatus = "expired"
)

// Valid says whether s is one of the states.
func (s BundleStatus) Valid() bool {
	return s == BundlePending || s == BundleDownloaded || s == BundleExpired
}

// Bundle is an archive that waits to be fetched, or the memory of one.
type Bundle struct {
	ID           string // a UUID
	AccountID    string
	ProjectID    string
	GenerationID string // the run that made it; empty for a repackaged or imported one
	Status       BundleStatus
	FileCount    int
	Size         int64 // of the archive
	SHA256       [sha256.Size]byte
	Blob         string // key of the archive; empty once it is deleted
	CreatedAt    time.Time
	ExpiresAt    time.Time // when the clean-up job may take it
	DownloadedAt time.Time // zero unless downloaded
	ExpiredAt    time.Time // zero unless expired
}

// BundleQuery selects bundles of one account, newest first.
type BundleQuery struct {
	AccountID string
	ProjectID string       // empty: of all projects
	Status    BundleStatus // empty: in all states
	After     *Cursor      // nil: from the newest
	Limit     int
}

// Cursor is a place in a listing that goes by creation time, then by id, both
// falling.
type Cursor struct {
	CreatedAt time.Time
	ID        string
}

// BundleTally counts the bundles in one state and the bytes of their archives
// (the bytes that are kept: zero for states without an archive).
type BundleTally struct {
	Status BundleStatus
	Count  int64
	Bytes  int64
}

// Bundles are the steps on bundles. Those that change the state also keep
// Account.PendingBytes and the tally.
type Bundles interface {
	// Insert adds a bundle in BundlePending. ErrConflict when the id is taken,
	// ErrNotFound when the account has no such project. It may be put off.
	Insert(ctx context.Context, b Bundle) error
	// Get returns a bundle of the account. ErrNotFound.
	Get(ctx context.Context, accountID, id string) (Bundle, error)
	// Latest returns the newest bundle in BundlePending of the account, or of
	// one of its projects when projectID is not empty. ErrNotFound.
	Latest(ctx context.Context, accountID, projectID string) (Bundle, error)
	// List returns the bundles that the query selects.
	List(ctx context.Context, q BundleQuery) ([]Bundle, error)
	// Acknowledge turns a pending bundle to BundleDownloaded and clears its
	// Blob. It returns the bundle as it was before the step; a bundle in
	// another state is left as it is. ErrNotFound.
	Acknowledge(ctx context.Context, accountID, id string, at time.Time) (before Bundle, err error)
	// Expire turns up to limit pending bundles whose ExpiresAt is not after now
	// to BundleExpired, the longest due first, clears their Blobs, enters these in
	// the ledger as garbage that is due, and returns the bundles as they were. Those
	// that somebody else is changing at the moment are passed over.
	Expire(ctx context.Context, now time.Time, limit int) (before []Bundle, err error)
	// Prune removes up to limit bundles that are gone since the given time or longer,
	// the oldest first, and says how many.
	Prune(ctx context.Context, goneBy time.Time, limit int) (int, error)
	// Tally counts the bundles of all accounts by state, at a cost that does
	// not grow with their number. All states are there, in the order above.
	Tally(ctx context.Context) ([]BundleTally, error)
}
