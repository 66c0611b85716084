package svc

import (
	"context"
	"crypto/sha256"
	"iter"
	"time"
)

// Table is a table of the records as a dump has it: whatever the database calls
// its types, a value is nil, an int64, a string or a []byte. A truth value is 0
// or 1, a list of numbers is JSON.
type Table struct {
	Name    string
	Columns []string // sorted
}

// BlobRef is a blob that a record points at, and what it has to hold.
type BlobRef struct {
	Key    string
	Size   int64
	SHA256 [sha256.Size]byte
	Owner  string // the bundle or project, for people
}

// Dump is all the records at one moment, to be moved to another database. It is
// used by one goroutine at a time; while it is open nobody changes the records.
type Dump interface {
	// Tables names the tables, an owner before what it owns. Those that tell of
	// the database itself and not of the service are left out.
	Tables(ctx context.Context) ([]Table, error)
	// Rows reads a table, in no order. The slice is the caller's until the next.
	Rows(ctx context.Context, t Table) iter.Seq2[[]any, error]
	// Blobs tells every blob that a record points at, sorted by key.
	Blobs(ctx context.Context) iter.Seq2[BlobRef, error]
	// Runs tells the runs that have not ended or ended after the given time,
	// each as its last worker.
	Runs(ctx context.Context, since time.Time) iter.Seq2[RunClaim, error]
	// Close lets others change the records again.
	Close() error
}

// Loader fills an empty database in one transaction.
type Loader interface {
	// Tables names the tables there are, as Dump does.
	Tables(ctx context.Context) ([]Table, error)
	// Put inserts rows of a table.
	Put(ctx context.Context, t Table, rows iter.Seq2[[]any, error]) error
	// Rows reads back what was inserted, in no order.
	Rows(ctx context.Context, t Table) iter.Seq2[[]any, error]
}
