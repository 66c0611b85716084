package delivery

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
)

// pushing is a [job].
type pushing struct {
	Push
	service *Service
	changes string      // digest of the changes
	project svc.Project // as it was when the work was taken up
	draft   *pack.Draft // of the next state; nil: the push changes nothing
	made    svc.Push
}

func (p *pushing) claim(ctx context.Context, r svc.Records, _, _ time.Time) (made *svc.Push, err error) {
	p.draft = nil
	if p.project, err = p.service.project(ctx, r, p.AccountID, p.ProjectID); err != nil {
		return nil, err
	}
	return p.judge(ctx, r, p.project)
}

// judge looks at the project in a transaction: the push may have been made already,
// or cannot be made, which is an error that is kept; neither means that it can.
func (p *pushing) judge(ctx context.Context, r svc.Records, project svc.Project) (*svc.Push, error) {
	limit, actual := p.service.Limits.Project, svc.Extent{Files: len(p.Changes.Files), Bytes: p.Changes.Bytes}
	if actual.Files > limit.Files || actual.Bytes > limit.Bytes || p.Changes.TooLarge() {
		return nil, pushTooLarge(limit, actual)
	}
	last := project.LastPush()
	if last != nil && last.Base == p.Base && last.Changes == p.changes {
		return last, nil
	}
	run, active, err := pack.ActiveRun(ctx, r, p.AccountID, p.ProjectID)
	if err != nil {
		return nil, err
	}
	if active {
		return nil, projectBusy(run)
	}
	switch state := project.Pack.State(); state {
	case p.Base:
		return nil, nil
	case "":
		return nil, projectEmpty()
	default:
		waiting, err := r.Bundles().Latest(ctx, p.AccountID, p.ProjectID)
		if err != nil && !errors.Is(err, svc.ErrNotFound) {
			return nil, fmt.Errorf("look for a bundle of project %s: %w", p.ProjectID, err)
		}
		if err != nil || waiting.SHA256 != project.Pack.SHA256 {
			waiting = svc.Bundle{}
		}
		return nil, projectMoved(p.ProjectID, state, waiting.ID)
	}
}

// work writes the pack of the next state. A pack that is gone is an outcome: the
// project has moved on.
func (p *pushing) work(ctx context.Context) error {
	packs := pack.Packager{Store: p.service.Store, Blobs: p.service.Blobs}
	source, err := packs.Open(ctx, p.project)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.ErrConflict
	}
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	next, files, err := nextState(source, p.Push)
	if err != nil {
		return err
	}
	p.made = svc.Push{Base: p.Base, State: p.Base, Changes: p.changes, Files: files}
	if len(files) == 0 {
		return nil
	}
	p.draft, err = packs.DraftState(ctx, p.project, pack.Content{
		State: next, Memory: p.project.Memory, MemoryRevision: p.project.MemoryRevision, Push: &p.made,
		Provenance: svc.Provenance{Origin: svc.OriginPush},
	})
	if errors.Is(err, bundlezip.ErrInvalid) {
		err = invalidPush(err)
	}
	return err
}

// nextState applies a push to a project's present state, and tells what it changes.
// Of a file that is known only the content changes.
func nextState(source *pack.Source, q Push) (bundlezip.State, []svc.PushedFile, error) {
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

// commit makes the state, if the project has not moved and no run has come.
func (p *pushing) commit(ctx context.Context, r svc.Records) (svc.Push, error) {
	project, err := p.service.project(ctx, r, p.AccountID, p.ProjectID)
	if err != nil {
		return svc.Push{}, err
	}
	if project.Revision != p.project.Revision {
		return svc.Push{}, svc.ErrConflict
	}
	if _, err := p.judge(ctx, r, project); err != nil {
		return svc.Push{}, err
	}
	if p.draft != nil {
		now, err := r.Now(ctx)
		if err != nil {
			return svc.Push{}, err
		}
		next, err := p.draft.CommitState(ctx, r, now)
		if err != nil {
			return svc.Push{}, err
		}
		return *next.Push, nil
	}
	made := p.made
	made.At = project.UpdatedAt
	return made, nil
}

func (p *pushing) committed(svc.Push) {}

// release discards the draft. A project that has moved meanwhile is judged anew.
func (p *pushing) release(ctx context.Context, r svc.Records, now time.Time, failed error) (made *svc.Push, outcome, err error) {
	if p.draft != nil {
		if err := p.draft.Abandon(ctx, r, now); err != nil {
			return nil, nil, err
		}
	}
	if !errors.Is(failed, svc.ErrConflict) {
		return nil, failed, nil
	}
	project, err := p.service.project(ctx, r, p.AccountID, p.ProjectID)
	if err == nil {
		made, err = p.judge(ctx, r, project)
	}
	if err != nil && !keptOutcome(err) {
		return nil, nil, err
	}
	return made, err, nil
}
