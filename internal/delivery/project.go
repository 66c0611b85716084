package delivery

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

// Project returns a project. CodeProjectNotFound.
func (s *Service) Project(ctx context.Context, accountID, id string) (svc.Project, error) {
	return s.project(ctx, s.Store, accountID, id)
}

// OpenProject opens the files of a project as it stands, for reading. The caller
// closes them. CodeProjectNotFound.
func (s *Service) OpenProject(ctx context.Context, accountID, id string) (svc.Project, *pack.Source, error) {
	packs := pack.Packager{Store: s.Store, Blobs: s.Blobs}
	for tries := 0; ; tries++ {
		p, err := s.project(ctx, s.Store, accountID, id)
		if err != nil {
			return svc.Project{}, nil, err
		}
		files, err := packs.Open(ctx, p)
		if errors.Is(err, svc.ErrNotFound) && tries == 0 {
			continue // the project moved on between record and bytes
		}
		if err != nil {
			return svc.Project{}, nil, fmt.Errorf("open project %s: %w", id, err)
		}
		return p, files, nil
	}
}

// OpenPrevious opens the files of the state before a project's present one. The
// caller closes them. ErrNotFound when they are not kept, or not any more.
func (s *Service) OpenPrevious(ctx context.Context, p svc.Project) (*pack.Source, error) {
	packs := pack.Packager{Store: s.Store, Blobs: s.Blobs}
	return packs.OpenPrevious(ctx, p)
}

// PreviousUntil tells until when the state before a project's present one is kept at
// most; zero: there is none, or it is not kept.
func (s *Service) PreviousUntil(p svc.Project) time.Time {
	if made := p.StateProvenance(); made == nil || made.BasePack == "" {
		return time.Time{}
	}
	return p.UpdatedAt.Add(pack.PreviousLife)
}

// DeleteProject removes a project with its bundles and runs; the bytes go with
// the next sweep. CodeProjectNotFound.
func (s *Service) DeleteProject(ctx context.Context, accountID, id string) error {
	if !svc.ValidProjectID(id) {
		return projectNotFound()
	}
	err := s.Store.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		return r.Projects().Delete(ctx, accountID, id, now)
	})
	if errors.Is(err, svc.ErrNotFound) {
		return projectNotFound()
	}
	if err != nil {
		return fmt.Errorf("delete project %s: %w", id, err)
	}
	return nil
}

// maxProjectName is the length of a project's name, in characters.
const maxProjectName = 80

// RenameProject gives a project another name. CodeInvalidRequest with the field,
// CodeProjectNotFound.
func (s *Service) RenameProject(ctx context.Context, accountID, id, name string) error {
	name = strings.TrimSpace(name)
	if name == "" || utf8.RuneCountInString(name) > maxProjectName || !utf8.ValidString(name) || strings.ContainsFunc(name, printable.Steers) {
		return svc.Invalid("name", "A project needs a name of 1 to %d characters, in a line and without control characters.", maxProjectName)
	}
	if !svc.ValidProjectID(id) {
		return projectNotFound()
	}
	err := s.Store.Projects().Rename(ctx, accountID, id, name)
	if errors.Is(err, svc.ErrNotFound) {
		return projectNotFound()
	}
	if err != nil {
		return fmt.Errorf("rename project %s: %w", id, err)
	}
	return nil
}

// Standing is how much of its limits an account is using.
type Standing struct {
	Downloads, Repackages int // in the window that ends now
	PendingBytes          int64
	Limits                Limits
}

// Standing tells how much of its limits an account is using.
func (s *Service) Standing(ctx context.Context, accountID string) (Standing, error) {
	out := Standing{Limits: s.Limits}
	err := s.Store.Tx(ctx, func(r svc.Records) error {
		a, err := r.Accounts().Get(ctx, accountID)
		if err != nil {
			return err
		}
		out.PendingBytes = a.PendingBytes
		if out.Downloads, err = s.recent(ctx, r, accountID, svc.OpDownload); err != nil {
			return err
		}
		out.Repackages, err = s.recent(ctx, r, accountID, svc.OpRepackage)
		return err
	})
	if err != nil {
		return Standing{}, fmt.Errorf("read the standing of %s: %w", accountID, err)
	}
	return out, nil
}

// recent counts the admissions that the window still holds.
func (s *Service) recent(ctx context.Context, r svc.Records, accountID string, op svc.Operation) (int, error) {
	w, err := r.Windows().Lock(ctx, accountID, op)
	if err != nil {
		return 0, err
	}
	return countAfter(w.Admitted, w.Now.Add(-s.Limits.Window)), nil
}

func countAfter(times []time.Time, start time.Time) int {
	n := 0
	for _, t := range times {
		if t.After(start) {
			n++
		}
	}
	return n
}
