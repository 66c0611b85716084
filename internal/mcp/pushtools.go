package mcp

import (
	"cmp"
	"context"
	"errors"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// errOtherPush says that a push would send something else than what was shown.
var errOtherPush = errors.New("nothing was sent: this is not what preview_push showed, for files in the folder have changed since, or there was a pull or a push. Call preview_push again, show the person what it says now, and push with the digest that it gives")

type previewPushIn struct{}

type pushPreview struct {
	ProjectID string   `json:"project_id"`
	Changed   []string `json:"changed"`
	Added     []string `json:"added"`
	Deleted   []string `json:"deleted"`
	NotPlain  []string `json:"not_plain,omitempty" jsonschema:"links and folders where files were: they are not sent"`
	Digest    string   `json:"digest,omitempty" jsonschema:"for push: it sends exactly this, or nothing"`
	Notes     []string `json:"notes,omitempty"`
	Next      string   `json:"next"`
}

type pushIn struct {
	Digest string `json:"digest" jsonschema:"the digest of the preview"`
}

type pushed struct {
	ProjectID string   `json:"project_id"`
	State     string   `json:"state"`
	Changed   int      `json:"changed"`
	Added     int      `json:"added"`
	Deleted   int      `json:"deleted"`
	PushedAt  string   `json:"pushed_at"`
	Notes     []string `json:"notes,omitempty"`
}

func (s *Server) addPushTools() {
	addTool(s, tool{
		name: "preview_push", title: "Preview a push", kind: readsOnly, offline: true,
		about: "Shows which edits of this folder's project a push would send: files of the project that were changed or deleted since the last pull. New files, and files that look like secrets, are never sent by this server. Gives the digest that push needs.",
	}, s.previewPush)
	addTool(s, tool{
		name: "push", title: "Push edits to the project", kind: changes,
		about: "Sends the edits of this folder to its project at the service, exactly as preview_push showed them, so that the next run sees them. Needs the preview's digest; refuses if anything has changed since.",
	}, s.push)
}

func (s *Server) previewPush(ctx context.Context, _ call, _ previewPushIn) (pushPreview, error) {
	var out pushPreview
	var notes []string
	err := s.inFolder(func(folder *workdir.Folder) error {
		p, err := s.session(folder, &notes).PreparePush(ctx, pull.PushOptions{DryRun: true})
		if err != nil {
			return err
		}
		out, err = showPush(p.Plan)
		return err
	})
	out.Notes = notes
	return out, err
}

func showPush(plan *workdir.PushPlan) (out pushPreview, err error) {
	changed, added := plan.Paths()
	out = pushPreview{
		ProjectID: line(plan.ProjectID), Changed: lines(changed), Added: lines(added), Deleted: lines(plan.Deleted), NotPlain: lines(plan.NotPlain),
		Next: "There is nothing to push: the files of the project are as the last pull or push left them.",
	}
	if !plan.Empty() {
		out.Next = "Show the person what would be sent (diff shows the lines). To send exactly this: push with this digest."
		out.Digest, err = plan.Digest()
	}
	return out, err
}

func (s *Server) push(ctx context.Context, _ call, in pushIn) (pushed, error) {
	var out pushed
	err := s.inFolder(func(folder *workdir.Folder) error {
		var notes []string
		p, err := s.session(folder, &notes).PreparePush(ctx, pull.PushOptions{})
		if err != nil {
			return err
		}
		if digest, err := p.Plan.Digest(); err != nil || p.Plan.Empty() || digest != in.Digest {
			return cmp.Or(err, errOtherPush)
		}
		sent, err := p.Send(ctx)
		out = pushed{
			ProjectID: line(sent.ProjectID), State: sent.State, Changed: sent.Changed, Added: sent.Added, Deleted: sent.Deleted,
			PushedAt: svc.FormatTime(sent.At), Notes: notes,
		}
		return err
	})
	return out, err
}
