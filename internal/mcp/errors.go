package mcp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// errOtherPull says that a pull would do something else than what was shown.
var errOtherPull = errors.New("nothing was written: this is not what preview_pull showed. The folder, the bundle, a port that is in use here, or on_conflict differs. Call preview_pull again, show the person what it says now, and pull with the digest that it gives")

// advise puts an error into words that an agent can act on.
func advise(err error) string {
	if answer, ok := errors.AsType[*client.StatusError](err); ok {
		return adviseStatus(answer, err)
	}
	text := printable.Indented(visible(err.Error()))
	if _, ok := errors.AsType[*client.NetworkError](err); ok {
		return text + "\nThe service cannot be reached. Try again later; if it goes on, ask the person to run svc doctor in a terminal."
	}
	if open, ok := errors.AsType[*workdir.UnfinishedError](err); ok { // nobody has shown the agent what finishing it would do
		return fmt.Sprintf("a %s of bundle %s was interrupted in this folder, and has to be finished by a person: ask them to run svc pull %s or svc rollback %s here, in a terminal", open.Kind, open.BundleID, open.BundleID, open.BundleID)
	}
	if found, ok := errors.AsType[*pull.SecretsError](err); ok {
		text = fmt.Sprintf("nothing was sent, for these look like secrets:\n  %s\nTell the person: secrets belong into variables of the environment. If they are none, the person can push them in a terminal", strings.Join(found.Found, "\n  "))
		return printable.Indented(visible(text))
	}
	switch {
	case errors.Is(err, workdir.ErrNoLog):
		return "Nothing was pulled into this folder, or it was taken back: there is no " + workdir.LogName + " here. Pull a bundle first: preview_pull, then pull."
	case errors.Is(err, workdir.ErrConflicts):
		return text + "\nNothing was written. Choose another on_conflict: keep, theirs or markers."
	case errors.Is(err, workdir.ErrOtherRollback):
		return text + ". Call preview_rollback again, show the person what it says now, and use the digest that it gives."
	case errors.Is(err, workdir.ErrOtherBundle):
		return text + ". Call history to see the pulls of this folder."
	}
	return text
}

// adviseStatus is advise for what the service answered.
func adviseStatus(answer *client.StatusError, err error) string {
	e := answer.Err
	advice := []string{printable.Indented(visible(e.Message))}
	say := func(format string, args ...any) { advice = append(advice, fmt.Sprintf(format, args...)) }
	if limit, ok := errors.AsType[*client.LimitError](err); ok {
		say("It will work again at %s, in about %s.", limit.At.UTC().Format(time.RFC3339), time.Until(limit.At).Round(time.Second))
	}
	switch answer.Status {
	case http.StatusUnauthorized:
		say("Ask the person to store a valid API key with svc auth in a terminal, and to start this server again. Never ask them to tell you the key.")
	case http.StatusNotFound:
		say("Call bundles or projects to see which there are.")
	case http.StatusGone:
		project := ""
		if e.Bundle != nil {
			project = " with project_id " + line(e.Bundle.ProjectID)
		}
		say("The bundle was acknowledged or has expired, so that its archive is gone. Call export%s for a fresh one, then preview_pull with the bundle_id that it gives.", project)
	default:
		if e.Hint != "" {
			say("%s", printable.Quoted(visible(e.Hint)))
		}
	}
	if e.Code == svc.CodeProjectBusy && e.GenerationID != "" {
		say("Call run_status with generation_id %s until that run has ended.", line(e.GenerationID))
	}
	if e.Limit != nil && e.Actual != nil {
		say("limit: %d files, %d bytes; actual: %d files, %d bytes", e.Limit.Files, e.Limit.Bytes, e.Actual.Files, e.Actual.Bytes)
	}
	if answer.Status >= http.StatusInternalServerError && answer.RequestID != "" {
		say("Try again later. The operator can look for request id %s.", line(answer.RequestID))
	}
	return strings.Join(advice, "\n")
}
