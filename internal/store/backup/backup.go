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
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/datadir"
)

// The names in a backup.
const (
	headName = "backup.json"
	endName  = "end.json"
	blobsDir = "blobs/"
	database = "svcd.db"
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

// Folder is a data folder of which backups are made.
type Folder struct {
	Dir datadir.Dir
	// WithoutTLS leaves out the certificates and their keys.
	WithoutTLS bool
	Program    string // the version that writes
	Note       Note
}

// Note writes an entry into the audit log of a store.
type Note func(context.Context, svc.Store, svc.AuditEntry) error
