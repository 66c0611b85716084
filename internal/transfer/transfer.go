package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Records is the database that records are moved to.
type Records interface {
	// Loaded says whether the records of an origin are there.
	Loaded(ctx context.Context, origin string) (bool, error)
	// Vacant returns svc.ErrConflict when there is anything.
	Vacant(ctx context.Context) error
	// Load fills an empty database, all or nothing. svc.ErrConflict as Vacant.
	Load(ctx context.Context, origin string, fill func(svc.Loader) error) error
}

// Blobs is the store that blobs are moved to.
type Blobs interface {
	svc.Blobs
	// Vacant returns svc.ErrConflict when there is anything.
	Vacant(ctx context.Context) error
}

// Move is what goes from where to where.
type Move struct {
	// Origin names the source. It is the same whenever the move is begun again,
	// and no other source has it.
	Origin string

	From      svc.Dump
	FromBlobs svc.Blobs
	// FromEvents may be nil: then there are none to move.
	FromEvents svc.EventLog
	// Since is how far back events are of interest.
	Since time.Time

	To Records
	// ToBlobs may be nil: then the blobs stay, and are checked where they are.
	ToBlobs Blobs
	// ToEvents may be nil: then the events stay.
	ToEvents svc.EventLog

	// Seal is called when only the records are missing: from then on the source
	// must not be used, because the target may be the truth.
	Seal func() error
	// Unseal is called when the records did not arrive after all, for certain.
	Unseal func() error
	// Report is told how far things are, often. It may be nil.
	Report func(Progress)
}

// Stage is what a move is busy with.
type Stage string

// The stages of a move, in their order.
const (
	StageBlobs   Stage = "archives"
	StageEvents  Stage = "events"
	StageRecords Stage = "records"
)

// Progress is how far a move is.
type Progress struct {
	Stage Stage
	What  string // the table, while records are moved
	Done  int64
	Total int64 // 0 where it is not known
}

// Summary is what was moved and compared.
type Summary struct {
	// Already says that the records had been moved before: nothing was done.
	Already bool         `json:"alreadyMoved,omitempty"`
	Tables  []TableSum   `json:"tables,omitempty"`
	Blobs   BlobSummary  `json:"archives"`
	Events  EventSummary `json:"events"`
	// Replaced is how many texts held something that the target cannot keep.
	Replaced int64 `json:"replacedTexts,omitempty"`
}

// BlobSummary counts blobs.
type BlobSummary struct {
	Count int64 `json:"count"`
	Bytes int64 `json:"bytes"`
	// Found is how many of them were there already, from an earlier try.
	Found int64 `json:"found,omitempty"`
}

// EventSummary counts events.
type EventSummary struct {
	Runs   int64 `json:"runs"`
	Events int64 `json:"events"`
	// Partial is how many runs were left out because the beginning of their
	// story had been forgotten already.
	Partial int64 `json:"partial,omitempty"`
}

// Run moves everything.
func (m *Move) Run(ctx context.Context) (Summary, error) {
	var sum Summary
	loaded, err := m.To.Loaded(ctx, m.Origin)
	if err != nil {
		return sum, err
	}
	if loaded {
		return Summary{Already: true}, m.release(ctx)
	}
	if err := m.To.Vacant(ctx); err != nil {
		return sum, occupied("database", err)
	}
	tables, err := m.From.Tables(ctx)
	if err != nil {
		return sum, err
	}
	if err := m.claim(ctx); err != nil {
		return sum, err
	}
	if err := m.moveBlobs(ctx, &sum.Blobs); err != nil {
		return sum, err
	}
	if m.FromEvents != nil && m.ToEvents != nil {
		if err := m.moveEvents(ctx, &sum.Events); err != nil {
			return sum, err
		}
	}
	if err := m.Seal(); err != nil {
		return sum, err
	}
	filled := false // from then on nobody knows but the target
	err = m.To.Load(ctx, m.Origin, func(l svc.Loader) error {
		if err := sameTables(ctx, tables, l); err != nil {
			return err
		}
		sum.Tables, sum.Replaced = nil, 0
		for _, t := range tables {
			if err := m.moveTable(ctx, t, l, &sum); err != nil {
				return fmt.Errorf("move the table %s: %w", t.Name, err)
			}
		}
		filled = true
		return nil
	})
	if err != nil && !filled {
		err = errors.Join(err, m.Unseal())
	}
	if err != nil {
		return sum, occupied("database", err)
	}
	return sum, m.release(ctx)
}

// sameTables refuses a target whose tables are not the source's.
func sameTables(ctx context.Context, tables []svc.Table, l svc.Loader) error {
	there, err := l.Tables(ctx)
	if err != nil {
		return err
	}
	has := func(in []svc.Table, t svc.Table) bool {
		return slices.ContainsFunc(in, func(o svc.Table) bool { return o.Name == t.Name && slices.Equal(o.Columns, t.Columns) })
	}
	for _, t := range tables {
		if !has(there, t) {
			return fmt.Errorf("the table %s is another one in the target; use the same version of svcd that has used both", t.Name)
		}
	}
	for _, t := range there {
		if !has(tables, t) {
			return fmt.Errorf("the target has a table %s that the source does not have; use the same version of svcd that has used both", t.Name)
		}
	}
	return nil
}

// occupied says what to do about a target that holds something.
func occupied(what string, err error) error {
	if !errors.Is(err, svc.ErrConflict) {
		return err
	}
	return fmt.Errorf("the %s to move to holds something that did not come from here; name an empty one, and start no svcd on it before: %w", what, err)
}

func (m *Move) report(p Progress) {
	if m.Report != nil {
		m.Report(p)
	}
}
