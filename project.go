package svc

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	// Push is the push that made the state, or nil. A program that knows nothing of
	// pushes leaves it when it makes the next state: LastPush tells whether it holds.
	Push *Push
	// Provenance is where the state comes from, or nil. StateProvenance tells whether
	// it holds, for the same reason.
	Provenance *Provenance
}

// LastPush is the push that made the project's state, or nil if none did.
func (p Project) LastPush() *Push {
	if p.Push == nil || p.Push.State != p.Pack.State() {
		return nil
	}
	return p.Push
}

// Push is a change of a project's files that came from a folder, and not from a run.
type Push struct {
	// Base and State are the states before and after, as Pack.State has them.
	Base  string `json:"base"`
	State string `json:"state"`
	// Changes is the digest of what was asked, the same for the same changes.
	Changes string       `json:"changes"`
	At      time.Time    `json:"at"`
	Files   []PushedFile `json:"files"`
}

// PushedFile is one file that a push changed.
type PushedFile struct {
	Path   string     `json:"path"`
	Change FileChange `json:"change"`
	// Before and After are the sizes of its content.
	Before int64 `json:"before,omitempty"`
	After  int64 `json:"after,omitempty"`
}

// FileChange says what became of a file.
type FileChange string

// The changes.
const (
	FileChanged FileChange = "changed"
	FileAdded   FileChange = "added"
	FileDeleted FileChange = "deleted"
)

// Count tells how many files a push changed in one way.
func (p Push) Count(c FileChange) int {
	n := 0
	for _, f := range p.Files {
		if f.Change == c {
			n++
		}
	}
	return n
}

// Pack is the immutable archive that holds one state of a project: the same
// bytes that a bundle of this state delivers.
type Pack struct {
	Blob   string // empty: no files yet
	Extent Extent // of the files, unpacked; the manifest is not one of them
	Size   int64  // of the archive
	SHA256 [sha256.Size]byte
}

// State is the name of the state that the pack holds: the SHA-256 of the archive, in
// hexadecimal, or nothing where there are no files.
func (p Pack) State() string {
	if p.Blob == "" {
		return ""
	}
	return hex.EncodeToString(p.SHA256[:])
}

// Projects are the steps on projects.
type Projects interface {
	// Insert adds a project. ErrConflict when the id is taken, ErrNotFound when
	// the account is gone.
	Insert(ctx context.Context, p Project) error
	// Get returns a project of the account. ErrNotFound.
	Get(ctx context.Context, accountID, id string) (Project, error)
	// List returns the projects of an account, newest first. It leaves Memory,
	// Push and Provenance empty: they may be large, and a list has no use for them.
	List(ctx context.Context, accountID string, after *Cursor, limit int) ([]Project, error)
	// Rename gives a project of the account another name. ErrNotFound.
	Rename(ctx context.Context, accountID, id, name string) error
	// Advance replaces pack, state, memory, push, provenance and UpdatedAt of a project
	// whose revision is p.Revision-1, and makes the revision p.Revision; the name too,
	// unless p has none. ErrConflict
	// when the revision is another, ErrNotFound when the project is gone.
	Advance(ctx context.Context, p Project) error
	// Delete removes a project with its bundles and runs, and enters every blob
	// that they pointed at into the ledger as garbage due at the given time, the one
	// of the state before included.
	// ErrNotFound.
	Delete(ctx context.Context, accountID, id string, garbageDue time.Time) error
}
