// Package backup writes everything that a service keeps in its data folder into
// one file, while the service runs, and makes a data folder of such a file.
//
// Its invariants:
//
//   - A backup is the records of one moment with every blob that they point at in
//     that moment. Blobs are never changed; those that are deleted while the
//     backup is written are held until it is done.
//   - Nothing in a backup is believed: every blob is compared with what its
//     record says, the database with the file's own list and with itself, and
//     the end of the file has to be there. What is written is checked before it
//     is called a backup, and what is restored before it is called a data folder.
//   - The file is a tar: backup.json, the database and other small files as that
//     lists them, blobs sorted by key, end.json.
//   - Memory does not grow with what is kept, apart from the small files.
package backup

import (
	"context"
	"iter"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// The names in a backup.
const (
	headName = "backup.json"
	endName  = "end.json"
	blobsDir = "blobs/"
	// Database is the name of the database.
	Database = "svcd.db"
)

// format is the number of the form that is written, and the only one read.
const format = 1

// head is the first entry of a backup.
type head struct {
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"createdAt"`
	Program   string    `json:"program"`
	Files     []file    `json:"files"`
}

// file is one of the files that come before the blobs.
type file struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 []byte `json:"sha256"`
}

// end is the last entry of a backup: whoever finds it has found all.
type end struct {
	Blobs int64 `json:"archives"`
	Bytes int64 `json:"bytes"`
}

// Summary says what a backup holds.
type Summary struct {
	CreatedAt time.Time
	Program   string // the version that wrote it
	Blobs     int64
	Bytes     int64 // of the blobs
}

// Records are those of a running service.
type Records interface {
	// Blobs tells every blob that a record points at, sorted by key.
	Blobs(ctx context.Context) iter.Seq2[svc.BlobRef, error]
	// CopyTo writes the records of one moment to a new file, and tells in that
	// moment which blobs they point at.
	CopyTo(ctx context.Context, path string, pin func(iter.Seq2[svc.BlobRef, error]) error) error
}

// Copy is a database file that was opened to be looked into.
type Copy interface {
	Check(ctx context.Context) error
	Blobs(ctx context.Context) iter.Seq2[svc.BlobRef, error]
	Close() error
}

// OpenCopy opens a database file.
type OpenCopy func(ctx context.Context, path string) (Copy, error)

// Hold keeps blobs readable that are deleted meanwhile.
type Hold interface {
	// Add holds a blob. svc.ErrNotFound.
	Add(ctx context.Context, key string) error
	// Open reads one that is held. svc.ErrNotFound.
	Open(ctx context.Context, key string) (svc.BlobReader, error)
}
