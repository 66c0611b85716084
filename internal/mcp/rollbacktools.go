package mcp

import (
	"context"
	"errors"
	"fmt"

	"github.com/bundle-delivery/svc/internal/workdir"
)

type previewRollbackIn struct {
	BundleID string `json:"bundle_id,omitempty" jsonschema:"the bundle of the last pull; without it whichever that is"`
}

type rollbackPreview struct {
	BundleID  string   `json:"bundle_id"`
	ProjectID string   `json:"project_id"`
	Digest    string   `json:"digest,omitempty" jsonschema:"for rollback: it does exactly this, or nothing"`
	Refused   []string `json:"refused,omitempty" jsonschema:"why this server will not carry the rollback out"`
	Restored  []string `json:"restored" jsonschema:"files that get back what they held before the pull"`
	Deleted   []string `json:"deleted" jsonschema:"files that the pull made"`
	Edited    []string `json:"edited,omitempty" jsonschema:"those of the files above that were changed after the pull: what they hold now is kept in .svc/trash"`
	Left      []string `json:"left,omitempty" jsonschema:"files that stay as they are"`
	Notes     []string `json:"notes,omitempty"`
	Next      string   `json:"next"`
}

type rollbackIn struct {
	BundleID string `json:"bundle_id" jsonschema:"the bundle_id of the preview"`
	Digest   string `json:"digest" jsonschema:"the digest of the preview"`
}

type rolledBack struct {
	BundleID  string   `json:"bundle_id"`
	Restored  []string `json:"restored"`
	Deleted   []string `json:"deleted"`
	Preserved []string `json:"preserved" jsonschema:"where edits are kept, and files that were left as they are"`
	Notes     []string `json:"notes,omitempty"`
	Next      string   `json:"next"`
}

func (s *Server) addRollbackTools() {
	addTool(s, tool{
		name: "preview_rollback", title: "Preview a rollback", kind: readsOnly, offline: true,
		about: "Shows what taking back the last pull of this folder would do. Writes nothing. Gives the digest that rollback needs.",
	}, s.previewRollback)
	addTool(s, tool{
		name: "rollback", title: "Take a pull back", kind: changes, offline: true,
		about: "Takes the last pull of this folder back, exactly as preview_rollback showed it: restores what the pull changed, deletes what it made, keeps later edits under .svc/trash. Version control is not touched. Needs the preview's digest; refuses if anything has changed since.",
	}, s.rollback)
}

func (s *Server) previewRollback(_ context.Context, _ call, in previewRollbackIn) (rollbackPreview, error) {
	var out rollbackPreview
	err := s.inFolder(func(folder *workdir.Folder) error {
		id := in.BundleID
		if id == "" {
			var err error
			if id, err = folder.LastBundle(); err != nil {
				return err
			}
		}
		id, err := checkBundleID(id)
		if err != nil {
			return err
		}
		shown, err := folder.PreviewRollback(id)
		if err != nil {
			return err
		}
		out = rollbackPreview{
			BundleID: shown.BundleID, ProjectID: line(shown.ProjectID), Restored: lines(shown.Restored), Deleted: lines(shown.Deleted),
			Edited: lines(shown.Edited), Left: lines(shown.Left), Notes: lines(shown.Notes),
		}
		if why := homeRollback(shown); why != "" {
			out.Refused, out.Next = []string{why}, "This server will not carry the rollback out: tell the person why."
			return nil
		}
		out.Digest = shown.Digest
		out.Next = "Show the person what matters of this. To carry out exactly this: rollback with this bundle_id and digest. The bundle's archive is gone from the service; export makes a fresh one."
		return nil
	})
	return out, err
}

// homeRollback says why a rollback is for a person to make, or nothing.
func homeRollback(shown workdir.RollbackPreview) string {
	if len(shown.HomeFiles) == 0 {
		return ""
	}
	return fmt.Sprintf("The pull changed files in the home folder (%s), which this server never touches. If the person wants it taken back, they run svc rollback %s here, in a terminal.", listed(shown.HomeFiles), shown.BundleID)
}

func (s *Server) rollback(_ context.Context, _ call, in rollbackIn) (rolledBack, error) {
	id, err := checkBundleID(in.BundleID)
	if err == nil && in.Digest == "" {
		err = errors.New("rollback needs the digest of a preview: call preview_rollback first, and show the person what it says")
	}
	if err != nil {
		return rolledBack{}, err
	}
	var out rolledBack
	err = s.inFolder(func(folder *workdir.Folder) error {
		shown, err := folder.PreviewRollback(id)
		if err != nil {
			return err
		}
		if why := homeRollback(shown); why != "" {
			return errors.New(why)
		}
		log, notes, err := folder.RollbackAsShown(id, in.Digest)
		if err != nil {
			return err
		}
		out = rolledBack{
			BundleID: log.BundleID, Restored: lines(log.Restored), Deleted: lines(log.Deleted), Preserved: lines(log.Preserved), Notes: lines(notes),
			Next: "The pull is taken back. history shows whether there are earlier ones.",
		}
		return nil
	})
	return out, err
}
