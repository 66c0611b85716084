package migrate

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Records is the database that records are moved to.
type Records interface {
	// Loaded says whether the records of an origin are there.
	Loaded(ctx context.Context, origin string) (bool, error)
	// CheckEmpty returns svc.ErrConflict when there is anything.
	CheckEmpty(ctx context.Context) error
	// Load fills an empty database, all or nothing. svc.ErrConflict as CheckEmpty.
	Load(ctx context.Context, origin string, fill func(svc.Loader) error) error
}

// Blobs is the store that blobs are moved to.
type Blobs interface {
	svc.Blobs
	// CheckEmpty returns svc.ErrConflict when there is anything.
	CheckEmpty(ctx context.Context) error
	// Keys tells the key of every blob, in any order. Blobs that were told may
	// be deleted meanwhile.
	Keys(ctx context.Context) iter.Seq2[string, error]
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

	// Sealed says that an earlier try sealed the source and that nobody has seen
	// how it ended: its records may be there, or on their way.
	Sealed bool
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
	// Removed is how many an earlier try had copied that nothing needs any more.
	Removed int64 `json:"removed,omitempty"`
}

// EventSummary counts events.
type EventSummary struct {
	Runs   int64 `json:"runs"`
	Events int64 `json:"events"`
	// Partial is how many runs were left out because the beginning of their
	// log had been dropped already.
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
	if err := m.To.CheckEmpty(ctx); err != nil {
		return sum, occupied("database", err)
	}
	tables, err := m.From.Tables(ctx)
	if err != nil {
		return sum, err
	}
	resumed, err := m.claim(ctx)
	if err != nil {
		return sum, err
	}
	if err := m.moveBlobs(ctx, &sum.Blobs); err != nil {
		return sum, err
	}
	if resumed {
		if err := m.prune(ctx, &sum.Blobs); err != nil {
			return sum, err
		}
	}
	if m.FromEvents != nil && m.ToEvents != nil {
		if err := m.moveEvents(ctx, &sum.Events); err != nil {
			return sum, err
		}
	}
	if err := m.Seal(); err != nil {
		return sum, err
	}
	if arrived, err := m.load(ctx, tables, &sum); err != nil {
		return sum, occupied("database", err)
	} else if arrived {
		sum = Summary{Already: true}
	}
	return sum, m.release(ctx)
}

// load moves the records. It says whether those of an earlier try had arrived
// just before.
func (m *Move) load(ctx context.Context, tables []svc.Table, sum *Summary) (arrived bool, err error) {
	entered := false // then the target is locked and empty
	filled := false  // from then on nobody knows but the target
	err = m.To.Load(ctx, m.Origin, func(l svc.Loader) error {
		entered = true
		if err := sameTables(ctx, tables, l); err != nil {
			return err
		}
		sum.Tables, sum.Replaced = nil, 0
		for _, t := range tables {
			if err := m.moveTable(ctx, t, l, sum); err != nil {
				return fmt.Errorf("move the table %s: %w", t.Name, err)
			}
		}
		filled = true
		return nil
	})
	switch {
	case err == nil || filled:
		return false, err
	case entered || !m.Sealed: // nothing of this source is there, nor on its way
		return false, errors.Join(err, m.Unseal())
	}
	return m.lookForEarlier(ctx, err)
}

// askTime bounds the question whether records arrived.
const askTime = 10 * time.Second

// lookForEarlier asks what became of the records that an earlier try sent last,
// when this one could not even begin. The source is unsealed only if it is sure
// that they are not there and will not be: the target was looked into under its
// lock, which a transaction on its way would have held.
func (m *Move) lookForEarlier(ctx context.Context, cause error) (arrived bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), askTime)
	defer cancel()
	loaded, err := m.To.Loaded(ctx, m.Origin)
	switch {
	case err != nil:
		return false, errors.Join(cause, err)
	case loaded:
		return true, nil
	case errors.Is(cause, svc.ErrConflict):
		return false, errors.Join(cause, m.Unseal())
	}
	return false, cause
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
