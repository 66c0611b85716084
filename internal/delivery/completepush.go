package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/packaging"
)

// completePush writes the next state and commits it. From here on the work no longer
// depends on the caller: if it hangs up, its retry finds the answer.
func (s *Service) completePush(ctx context.Context, p *pushing) (Answered, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pushTime)
	defer cancel()
	draft, made, err := s.draftPush(ctx, p)
	if err == nil {
		var done Answered
		if done, err = s.commitPush(ctx, p, draft, made); err == nil {
			return done, nil
		}
	}
	done, releaseErr := s.releasePush(ctx, p, err)
	if done != nil {
		return *done, nil
	}
	if releaseErr != nil && !errors.Is(err, errTakenOver) {
		err = withCause(err, releaseErr) // what the lease holds is let go by time
	}
	return Answered{}, err
}

// draftPush writes the pack of the next state; a push that changes nothing has no
// draft. A pack that is gone is an outcome: the project has moved on.
func (s *Service) draftPush(ctx context.Context, p *pushing) (*packaging.Draft, svc.Push, error) {
	packs := packaging.Packager{Store: s.store, Blobs: s.blobs}
	source, err := packs.Open(ctx, p.project)
	if errors.Is(err, svc.ErrNotFound) {
		return nil, svc.Push{}, svc.ErrConflict
	}
	if err != nil {
		return nil, svc.Push{}, err
	}
	defer func() { _ = source.Close() }() // it was only read
	next, files, err := nextState(source, p.Push)
	if err != nil {
		return nil, svc.Push{}, err
	}
	push := svc.Push{Base: p.Base, State: p.Base, Changes: p.changes, Files: files}
	if len(files) == 0 {
		return nil, push, nil
	}
	draft, err := packs.DraftState(ctx, p.project, packaging.Content{
		State: next, Memory: p.project.Memory, MemoryRevision: p.project.MemoryRevision, Push: &push,
		Provenance: svc.Provenance{Origin: svc.OriginPush},
	})
	if errors.Is(err, bundlezip.ErrInvalid) {
		err = invalidPush(err)
	}
	return draft, push, err
}

// nextState applies a push to a project's present state, and tells what it changes.
// Of a file that is known only the content changes.
func nextState(source *packaging.Source, q Push) (bundlezip.State, []svc.PushedFile, error) {
	next := source.State()
	next.Architecture = source.Manifest().Architecture
	known := map[string]bundlezip.File{}
	for _, f := range source.Manifest().Files {
		if f.Base == bundlezip.ProjectRoot {
			known[f.Path] = f
		}
	}
	var made []svc.PushedFile
	for _, f := range q.Changes.Files {
		before, there := known[f.Path]
		file := bundlezip.StateFile{Path: f.Path, Mode: f.Mode, Content: q.Changes.Content(f)}
		change := svc.PushedFile{Path: f.Path, Change: svc.FileAdded, Before: before.Size, After: f.Size}
		if there {
			if before.SHA256 == f.SHA256 {
				continue
			}
			file.DestinationType, file.MergeStrategy, file.Mode = before.DestinationType, before.MergeStrategy, before.Mode
			change.Change = svc.FileChanged
		}
		next.Put(file)
		made = append(made, change)
	}
	for _, path := range q.Deleted {
		if next.Remove(bundlezip.ProjectRoot, path) {
			made = append(made, svc.PushedFile{Path: path, Change: svc.FileDeleted, Before: known[path].Size})
		}
	}
	var err error
	next.Ports, err = remainingPorts(next.Ports, q, made)
	return next, made, err
}

// remainingPorts leaves out the places of ports that are no longer there: whoever
// rewrites the line with the number, or deletes its file, takes it in hand.
func remainingPorts(ports []bundlezip.Port, q Push, made []svc.PushedFile) ([]bundlezip.Port, error) {
	contents := map[string][]byte{}
	for _, f := range made {
		contents[f.Path] = nil
	}
	for _, f := range q.Changes.Files {
		used := slices.ContainsFunc(ports, func(p bundlezip.Port) bool {
			return slices.ContainsFunc(p.Uses, func(u bundlezip.PortUse) bool { return u.Path == f.Path })
		})
		if _, changed := contents[f.Path]; !changed || !used || f.Size > bundlezip.MaxPortFile {
			continue
		}
		content, err := q.Changes.ReadFile(f)
		if err != nil {
			return nil, err
		}
		contents[f.Path] = content
	}
	var remaining []bundlezip.Port
	for _, p := range ports {
		p.Uses = slices.DeleteFunc(p.Uses, func(u bundlezip.PortUse) bool {
			content, changed := contents[u.Path]
			if !changed {
				return false
			}
			_, _, err := bundlezip.FindPort(content, u.Template, p.Port)
			return err != nil
		})
		if len(p.Uses) > 0 {
			remaining = append(remaining, p)
		}
	}
	return remaining, nil
}

// commitPush is the second transaction: state and kept answer become true together,
// if the key is still held, the project has not moved and no run has come.
func (s *Service) commitPush(ctx context.Context, p *pushing, draft *packaging.Draft, made svc.Push) (Answered, error) {
	var done *Answered
	err := s.store.Tx(ctx, func(r svc.Records) error {
		known, err := heldKey(ctx, r, p.id(), p.hold)
		if err != nil {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		project, err := s.project(ctx, r, p.AccountID, p.ProjectID)
		if err != nil {
			return err
		}
		if project.Revision != p.project.Revision {
			return svc.ErrConflict
		}
		if _, outcome, err := p.judge(ctx, r, s.limits); err != nil || outcome != nil {
			return errors.Join(err, outcome)
		}
		made := made
		made.At = project.UpdatedAt
		if draft != nil {
			next, err := draft.CommitState(ctx, r, now)
			if err != nil {
				return err
			}
			made = *next.Push
		}
		done, err = s.keepPush(ctx, r, p, known, now, &made, nil)
		return err
	})
	if err != nil {
		if draft != nil {
			err = withCause(err, draft.Discard(ctx))
		}
		return Answered{}, err
	}
	return *done, nil
}

// keptPushOutcome says whether an outcome is one that is kept under its key.
func keptPushOutcome(err error) bool {
	switch svc.CodeOf(err) {
	case svc.CodeProjectMoved, svc.CodeProjectBusy, svc.CodeProjectEmpty, svc.CodeProjectTooLarge:
		return true
	}
	return false
}

// releasePush ends a push that was not made: the key holds the outcome if it is one
// that is kept, and is free for whoever waits if not; a refusal of what was asked
// gives its slot back. A project that has moved meanwhile is judged anew.
func (s *Service) releasePush(ctx context.Context, p *pushing, outcome error) (done *Answered, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTime)
	defer cancel()
	err = s.store.Tx(ctx, func(r svc.Records) error {
		done = nil
		known, err := heldKey(ctx, r, p.id(), p.hold)
		if err != nil {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		if errors.Is(outcome, svc.ErrConflict) {
			if done, err = s.judgeAgain(ctx, r, p, known, now); done != nil || err != nil {
				return err
			}
		}
		if keptPushOutcome(outcome) {
			done, err = s.keepPush(ctx, r, p, known, now, nil, outcome)
			return err
		}
		if svc.CodeOf(outcome) == svc.CodeInvalidRequest {
			if err := s.returnSlot(ctx, r, p.AccountID, svc.OpPush, p.slot); err != nil {
				return err
			}
		}
		return freeKey(ctx, r, known)
	})
	if err != nil {
		return nil, fmt.Errorf("release a push: %w", err)
	}
	return done, nil
}

// judgeAgain is for a push whose project has moved while it was at work.
func (s *Service) judgeAgain(ctx context.Context, r svc.Records, p *pushing, known svc.Idempotency, now time.Time) (*Answered, error) {
	project, err := s.project(ctx, r, p.AccountID, p.ProjectID)
	if err != nil {
		return nil, err
	}
	later := *p
	later.project = project
	made, outcome, err := later.judge(ctx, r, s.limits)
	if err != nil || made == nil && outcome == nil {
		return nil, err
	}
	return s.keepPush(ctx, r, p, known, now, made, outcome)
}
