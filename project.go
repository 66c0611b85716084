package svc

import (
	"context"
	"crypto/sha256"
	"time"
)

// Project is persisted files and the architecture state from which bundles are
// made again.
type Project struct {
	ID        string // proj_…
	AccountID string
	Name      string
	CreatedAt time.Time
	UpdatedAt time.Time
	// Revision counts the states the project has had; 0 is a project without
	// files. A new state is written only over the revision it was made from.
	Revision int64
	Pack     Pack
	// State is the architecture state: the decisions that are locked.
	State map[string]string
	// Memory is the project's memory document, MemoryRevision how often it was revised.
	Memory         string
	MemoryRevision int
}

// Pack is the immutable archive that holds one state of a project: the same
// bytes that a bundle of this state delivers.
type Pack struct {
	Blob   string // empty: no files yet
	Extent Extent // of the files, unpacked; the manifest is not one of them
	Size   int64  // of the archive
	SHA256 [sha256.Size]byte
}

// Projects are the steps on projects.
type Projects interface {
	// Insert adds a project. ErrConflict when the id is taken, ErrNotFound when
	// the account is gone.
	Insert(ctx context.Context, p Project) error
	// Get returns a project of the account. ErrNotFound.
	Get(ctx context.Context, accountID, id string) (Project, error)
	// List returns the projects of an account, newest first. It leaves Memory
	// empty: that may be large, and a list has no use for it.
	List(ctx context.Context, accountID string, after *Cursor, limit int) ([]Project, error)
	// Advance replaces pack, state, memory, name and UpdatedAt of a project whose
	// revision is p.Revision-1, and makes the revision p.Revision. ErrConflict
	// when the revision is another, ErrNotFound when the project is gone.
	Advance(ctx context.Context, p Project) error
	// Delete removes a project with its bundles and runs, and enters every blob
	// that they pointed at into the ledger as garbage due at the given time.
	// ErrNotFound.
	Delete(ctx context.Context, accountID, id string, garbageDue time.Time) error
}
