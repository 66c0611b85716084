package svc

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"
)

// ErrNoAssembler is what an [Assembler] returns when no process plays that role,
// or none answers in time. The work may be asked for again.
var ErrNoAssembler = errors.New("no assembler can be reached")

// Assembly asks for the archive of a pack under a key that the caller has
// chosen and announced in the ledger. Doing it twice does no harm.
type Assembly struct {
	Pack     Pack
	Target   string
	Deadline time.Time
}

// Assembled tells what lies under the target.
type Assembled struct {
	Size   int64
	SHA256 [sha256.Size]byte
}

// Assembler turns packs into archives. ErrNotFound when the pack is gone (the
// project has moved on: look again), ErrNoAssembler, or another error.
type Assembler interface {
	Assemble(ctx context.Context, a Assembly) (Assembled, error)
}
