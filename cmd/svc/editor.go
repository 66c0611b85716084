package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// editing is set while an editor has the terminal: Ctrl-C belongs to it then.
var editing atomic.Bool

// errUnchanged is the error of an edit that changed nothing.
var errUnchanged = errors.New("nothing was changed, so nothing was started")

// notSent is the line of an edited file from which on it is help.
const notSent = "# ---- what follows is help and is not sent ----"

// editSpec lets the user edit a spec, and returns what they made of it. The hints are shown
// below the text.
func editSpec(ctx context.Context, a *app, text string, hints ...string) (_ string, err error) {
	dir, err := os.MkdirTemp("", "svc-spec-") // editors leave files of their own beside it
	if err != nil {
		return "", fmt.Errorf("the spec needs a temporary file, in a folder that TMPDIR can name: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	text = strings.TrimSpace(printable.Text(text)) + "\n"
	help := "\n" + notSent + "\n"
	for _, hint := range append(hints, notationHelp...) {
		for line := range strings.Lines(printable.Text(hint)) {
			help += "# " + strings.TrimRight(line, "\n") + "\n"
		}
	}
	file := filepath.Join(dir, "project.spec")
	if err := os.WriteFile(file, []byte(text+help), 0o600); err != nil {
		return "", err
	}
	if err := runEditor(ctx, a, file); err != nil {
		return "", err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the edited spec: %w", err)
	}
	edited, _, _ := strings.Cut(string(content), notSent)
	edited = strings.TrimSpace(edited) + "\n"
	switch {
	case !utf8.ValidString(edited):
		return "", errors.New("the editor saved the spec in an encoding other than UTF-8, so nothing was started")
	case isBlank(edited):
		return "", errors.New("the spec is empty, so nothing was started")
	case edited == text:
		return "", errUnchanged
	}
	return edited, nil
}

// runEditor runs the user's editor on a file, with the terminal.
func runEditor(ctx context.Context, a *app, file string) error {
	name, args, err := editorCommand(a.Getenv, file)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // it is the user's own editor
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Second
	// The question stands there as well; the standard output may lead to a file.
	cmd.Stdin, cmd.Stdout, cmd.Stderr = fileOf(a.In), a.Err, a.Err
	editing.Store(true)
	err = cmd.Run()
	editing.Store(false)
	exit, ended := errors.AsType[*exec.ExitError](err)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case ended && interrupted(exit.ProcessState):
		return context.Canceled
	case ended:
		return fmt.Errorf("the editor failed with %w, so nothing was started", err)
	case err != nil:
		return fmt.Errorf("start the editor: %w; name another one in VISUAL or EDITOR", err)
	}
	return nil
}

// fileOf returns the file that an input is. An editor with another input would wait
// for it also after its own end.
func fileOf(in io.Reader) io.Reader {
	if file, ok := in.(*os.File); ok {
		return file
	}
	return nil
}

// interrupted reports whether Ctrl-C ended a program, or a shell whose program it ended.
func interrupted(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT || state.ExitCode() == exitInterrupted
}

// editorCommand returns the command that edits a file: VISUAL, EDITOR, or an editor
// that the system has.
func editorCommand(getenv func(string) string, file string) (name string, args []string, err error) {
	for _, variable := range []string{"VISUAL", "EDITOR"} {
		if editor := strings.TrimSpace(getenv(variable)); editor != "" {
			name, args = editorLine(editor, file)
			return name, args, nil
		}
	}
	usual := []string{"vi", "nano"}
	if runtime.GOOS == "windows" {
		usual = []string{"notepad"}
	}
	for _, editor := range usual {
		if found, err := exec.LookPath(editor); err == nil {
			return found, []string{file}, nil
		}
	}
	return "", nil, fmt.Errorf("there is no editor: name one in VISUAL or EDITOR (looked for %s)", strings.Join(usual, " and "))
}

// editorLine reads an editor with its arguments, such as "code --wait".
func editorLine(editor, file string) (name string, args []string) {
	if runtime.GOOS != "windows" {
		// With exec no shell is left that Ctrl-C would end. env allows variables before
		// the program.
		return "sh", []string{"-c", `exec env ` + editor + ` "$@"`, editor, file}
	}
	if found, err := exec.LookPath(strings.Trim(editor, `"`)); err == nil { // a path with spaces
		return found, []string{file}
	}
	words := strings.Fields(editor)
	return words[0], append(words[1:], file)
}
