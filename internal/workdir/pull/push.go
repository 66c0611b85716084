package pull

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/secrets"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// PushOptions are the choices for a push.
type PushOptions struct {
	Add          []string // files and folders that are sent as well
	AllowSecrets bool
	DryRun       bool // send nothing
}

// PreparedPush is a push that is planned and may be sent.
type PreparedPush struct {
	Plan *workdir.PushPlan

	session *Session
}

// SecretsError is the error of a push of what looks like secrets.
type SecretsError struct {
	Found []string // a line for each
}

// Error returns what was found, and what to do about it.
func (e *SecretsError) Error() string {
	return fmt.Sprintf("nothing was sent, for these look like secrets:\n  %s\nPut them into variables of the environment; or, if they are none, push with --allow-secrets", strings.Join(e.Found, "\n  "))
}

// PreparePush finishes what earlier commands left unfinished, and plans a push. For a dry
// run it only plans, without the network, and refuses a folder in which something is
// unfinished. It refuses what must not be sent: files with open conflicts, and with a
// [SecretsError] what looks like secrets.
func (s *Session) PreparePush(ctx context.Context, opts PushOptions) (*PreparedPush, error) {
	if err := s.ready(opts.DryRun); err != nil {
		return nil, err
	}
	if !opts.DryRun {
		if err := s.connect(); err != nil {
			return nil, err
		}
		if err := s.finishPush(ctx); err != nil {
			return nil, err
		}
	}
	plan, err := s.Folder.PlanPush(opts.Add)
	if err != nil {
		return nil, err
	}
	if len(plan.Unresolved) > 0 {
		return nil, fmt.Errorf("these files have conflicts that are not resolved: %s; the incoming text lies beside each as *%s: take from it what you want, delete it, and push again",
			strings.Join(plan.Unresolved, ", "), workdir.NewSuffix)
	}
	if len(plan.NotPlain) > 0 {
		s.warn("Not sent, for they are no plain files any more: %s. The project keeps what it has of them.", strings.Join(plan.NotPlain, ", "))
	}
	if plan.Reserved {
		s.note("Not sent: %s. The project keeps what it has of it.", workdir.ErrReserved)
	}
	if !opts.AllowSecrets {
		if found := secretsIn(plan); len(found) > 0 {
			return nil, &SecretsError{found}
		}
	}
	return &PreparedPush{Plan: plan, session: s}, nil
}

// secretsIn names what must not leave this machine unasked.
func secretsIn(plan *workdir.PushPlan) []string {
	var found []string
	for _, f := range plan.Files {
		if kind, secret := secrets.FileName(f.Path); secret {
			found = append(found, f.Path+": "+kind)
			continue
		}
		for _, s := range secrets.FindInFile(f.Path, f.Content) {
			found = append(found, fmt.Sprintf("%s:%d: %s", f.Path, s.Line, s.Kind))
		}
	}
	return found
}

// Send sends what was planned, and notes in the folder what came of it.
func (p *PreparedPush) Send(ctx context.Context) (client.Pushed, error) {
	s := p.session
	note, err := client.Changes{Base: p.Plan.Base, Deleted: p.Plan.Deleted}.Note()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return client.Pushed{}, err
	}
	pushing, err := s.Folder.Push(p.Plan, s.client.BaseURL(), client.NewKey(), note)
	if err != nil {
		return client.Pushed{}, err
	}
	pushed, err := s.settlePush(ctx, pushing)
	if err == nil {
		s.Tell(Note{Word: "pushed", Text: fmt.Sprintf("%d changed, %d added, %d deleted in project %s", pushed.Changed, pushed.Added, pushed.Deleted, pushed.ProjectID)})
	}
	return pushed, err
}

// settlePush sends a push and ends it in the folder, one way or the other.
func (s *Session) settlePush(ctx context.Context, p *workdir.Pushing) (client.Pushed, error) {
	pushed, err := s.client.Push(ctx, p.ProjectID(), p.Archive, p.Key())
	if err == nil {
		return pushed, p.Answered(pushed.State, pushed.At)
	}
	if refusedForGood(err) {
		if answer, ok := errors.AsType[*client.StatusError](err); ok {
			answer.Err.Hint = cmp.Or(whatToDoAboutPush(answer.Err, p.ProjectID()), answer.Err.Hint)
		}
		return pushed, errors.Join(err, p.Refused())
	}
	s.warn("It is not known whether the push arrived; the next svc push or svc pull finds out.")
	return pushed, errors.Join(err, p.Leave())
}

// refusedForGood says whether the service has answered that it did not take a push.
func refusedForGood(err error) bool {
	status := client.StatusOf(err)
	return status >= http.StatusBadRequest && status < http.StatusInternalServerError && status != http.StatusTooManyRequests && status != http.StatusUnauthorized
}

// finishPush finds out what became of a push that was not answered, by sending it
// again: the service knows whether it has taken it.
func (s *Session) finishPush(ctx context.Context) error {
	pushing, err := s.Folder.UnansweredPush(s.client.BaseURL())
	if err != nil || pushing == nil {
		return err
	}
	pushed, err := s.settlePush(ctx, pushing)
	switch status := client.StatusOf(err); {
	case err == nil:
		s.note("An interrupted push to project %s was finished first: its state is %s.", pushed.ProjectID, pushed.State)
		return nil
	case status == http.StatusConflict, status == http.StatusNotFound:
		// The project has gone on, or is gone, since the push was sent: it may have been
		// taken, and forgotten since.
		s.warn("Whether an interrupted push to project %s was taken before is not known: %s Your files are as they were.", pushing.ProjectID(), firstLine(err))
		return nil
	case refusedForGood(err):
		s.warn("An interrupted push to project %s was not taken: %s Your files are as they were.", pushing.ProjectID(), firstLine(err))
		return nil
	}
	return err
}

// whatToDoAboutPush says how to go on after a push was refused.
func whatToDoAboutPush(e *svc.Error, projectID string) string {
	switch e.Code {
	case svc.CodeProjectMoved:
		if e.BundleID != "" {
			return fmt.Sprintf("Somebody else has changed it. To merge that with your edits: svc pull %s, then svc push again.", e.BundleID)
		}
		return fmt.Sprintf("Somebody else has changed it. To merge that with your edits: svc export %s, svc pull what it prints, then svc push again.", projectID)
	case svc.CodeProjectBusy:
		return fmt.Sprintf("To see it end: svc watch %s. Then pull its bundle, which keeps your edits, and push again.", e.GenerationID)
	default:
		return ""
	}
}
