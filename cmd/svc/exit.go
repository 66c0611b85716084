package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/text/printable"
	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// The exit codes, all of them.
const (
	exitOK          = 0
	exitUser        = 1   // the request was wrong or refused
	exitNetwork     = 2   // the network or the server failed
	exitInterrupted = 130 // Ctrl-C
)

// exitCode chooses the exit code for the error of a command.
func exitCode(command string, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) {
		return exitInterrupted
	}
	if run, ok := errors.AsType[*generate.Failed](err); ok {
		if run.Code == "UPSTREAM_OUTAGE" || run.Code == "INTERNAL" {
			return exitNetwork
		}
		return exitUser
	}
	if _, ok := errors.AsType[*client.NetworkError](err); ok {
		return exitNetwork
	}
	switch status := client.StatusOf(err); {
	case status == http.StatusGone:
		return exitOK
	case status == http.StatusBadGateway && command == "export":
		return exitUser
	case status >= http.StatusInternalServerError:
		return exitNetwork
	}
	return exitUser
}

// aboutRoom says what to do about a disk that is full, and what was left as it was.
func (a *app) aboutRoom(err error) string {
	full, ok := errors.AsType[*workdir.FullError](err)
	switch {
	case errors.Is(err, pull.ErrTempFull):
		return "\nThe disk of " + printable.Line(os.TempDir()) + " is full, where a bundle is kept while it is applied. This folder is as it was. Make room there, or name another folder with TMPDIR."
	case !ok:
		return ""
	case errors.Is(err, workdir.ErrCommitted):
		return "\nThe disk of " + printable.Line(full.Dir) + " is full. What was there before is kept in .svc. Make room, and run the command again: it goes on from here."
	}
	return "\nThe disk of " + printable.Line(full.Dir) + " is full. This folder is as it was, and nothing was acknowledged. Make room, and run the command again."
}

// finish says what went wrong and gives the exit code.
func (a *app) finish(cmd *cobra.Command, err error) int {
	a.term.clear()
	if errors.Is(err, syscall.EPIPE) && !errors.As(err, new(*client.NetworkError)) {
		return exitOK // whoever read the output has had enough
	}
	code := exitCode(cmd.Name(), err)
	if err == nil {
		return code
	}
	if code == exitInterrupted {
		a.warn("svc: interrupted")
		return code
	}
	prefix := "svc: "
	if code == exitOK {
		prefix = "The service says: "
	}
	a.warn("%s%s", prefix, a.explain(err))
	return code
}

// explain puts an error into words that say what to do next.
func (a *app) explain(err error) shown {
	if unreadable, ok := errors.AsType[*unreadableError](err); ok {
		return unreadable.explain()
	}
	if refused, ok := errors.AsType[*generate.Refusal](err); ok {
		return (&unreadableError{Refusal: refused}).explain()
	}
	answer, ok := errors.AsType[*client.StatusError](err)
	if !ok {
		return shown(printable.Indented(err.Error()) + a.aboutRoom(err))
	}
	e := answer.Err
	lines := []string{printable.Indented(e.Message)}
	if limit, ok := errors.AsType[*client.LimitError](err); ok {
		lines = append(lines, "It will work again at "+limit.At.Local().Format("2006-01-02 15:04:05")+" ("+time.Until(limit.At).Round(time.Second).String()+" from now).")
	}
	advice := a.advice(answer)
	lines = append(lines, advice...)
	// What the service says of HTTP helps nobody who is told a command. Why it refuses a key
	// it may say all the same, and whoever else has answered what that was.
	if e.Hint != "" && (len(advice) == 0 || answer.Status == http.StatusUnauthorized || answer.Status == http.StatusGone && e.Bundle == nil) {
		lines = append(lines, printable.Quoted(e.Hint))
	}
	if e.Limit != nil && e.Actual != nil {
		lines = append(lines, fmt.Sprintf("limit:  %d files, %d bytes\nactual: %d files, %d bytes", e.Limit.Files, e.Limit.Bytes, e.Actual.Files, e.Actual.Bytes))
	}
	if answer.Status >= http.StatusInternalServerError && answer.RequestID != "" {
		lines = append(lines, "Tell the operator this request id: "+printable.Line(answer.RequestID))
	}
	return shown(strings.Join(lines, "\n"))
}

// advice says which commands help where the service has refused something. There is none
// where this client knows none.
func (a *app) advice(answer *client.StatusError) []string {
	e := answer.Err
	switch {
	case answer.Status == http.StatusUnauthorized:
		return []string{"Make a key in the console and store it with: svc auth --api-key <key>"}
	case answer.Status == http.StatusNotFound && a.remembered != "":
		return []string{"Project " + a.remembered + " is the one that was pulled into this folder: svc export makes a fresh bundle of it; for another project say --project."}
	case answer.Status == http.StatusGone:
		project := "<project-id>"
		if e.Bundle != nil {
			project = printable.ShellWord(printable.Line(e.Bundle.ProjectID))
		}
		return []string{"For a fresh bundle run: svc export " + project, "and pull what it names: svc pull <bundle-id>"}
	}
	switch e.Code {
	case svc.CodeBundleNotFound:
		return []string{"svc list --project any shows the bundles of this account, svc export <project-id> makes one."}
	case svc.CodeProjectNotFound:
		return []string{"svc list --project any shows the bundles of this account with their projects."}
	case svc.CodeGenerationNotFound:
		return []string{"svc generate starts a run and names it."}
	case svc.CodeUnavailable, svc.CodeAssemblyUnavailable:
		return []string{"Nothing is lost. Run the command again in a moment."}
	default:
		return nil
	}
}
