package main

import (
	"errors"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/bundle-delivery/svc/internal/workdir"
	"github.com/bundle-delivery/svc/internal/workdir/pull"
)

// folder opens the current folder.
func (a *app) folder() (*workdir.Folder, error) {
	return workdir.Open(".", workdir.Env{Home: a.home(), Version: programVersion()})
}

// inFolder opens the current folder for use.
func (a *app) inFolder(use func(*workdir.Folder) error) (err error) {
	folder, err := a.folder()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	return use(folder)
}

// session works in a folder, and tells the user about it.
func (a *app) session(folder *workdir.Folder) *pull.Session {
	return &pull.Session{Folder: folder, Connect: a.client, Keys: a.keyring(), Tell: a.tell, Progress: a.progress(time.Now)}
}

// keyring is where the user's client keeps the signing keys of services.
func (a *app) keyring() pull.Keyring {
	keys := pull.Keyring{Given: func() (string, error) { return a.Getenv(pull.KeyVariable), a.checkNotEmpty(pull.KeyVariable) }}
	if config, err := a.configPath(); err == nil { // without a home folder every meeting is the first
		keys.Dir = filepath.Join(filepath.Dir(config), "signing-keys")
	}
	return keys
}

// tell prints a note of a session.
func (a *app) tell(n pull.Note) {
	a.term.clear()
	switch {
	case a.quiet && !n.Warning:
	case n.Word == "":
		a.warn("%s", n.Text)
	case n.Warning:
		a.warnStep(yellow, n.Word, n.Text)
	default:
		a.warnStep(green, n.Word, n.Text)
	}
}

// newProject is what --project says instead of an id where the folder would tell one;
// pull.AnyProject is the other such word.
const newProject = "new"

// projectHere is the project that was named, or that the last pull into this folder was
// of, or "". A folder that cannot be read, or that another user's svc wrote, tells none.
func projectHere(a *app, named, none string) string {
	if named == none {
		return ""
	}
	if named != "" {
		return named
	}
	err := a.inFolder(func(folder *workdir.Folder) (err error) {
		a.remembered, err = folder.Project()
		return err
	})
	if err != nil {
		return ""
	}
	return a.remembered
}

// addProjectFlag adds --project, with its completion.
func addProjectFlag(a *app, cmd *cobra.Command, project *string, about string) {
	cmd.Flags().StringVar(project, "project", "", about)
	_ = cmd.RegisterFlagCompletionFunc("project", a.completeProjects) // the flag is there
}

// warnOfInterruption is for commands that are not about the folder.
func warnOfInterruption(a *app) {
	_ = a.inFolder(func(folder *workdir.Folder) error { // a folder that cannot be opened has nothing in it
		if err := folder.CheckFinished(); err != nil {
			a.warn("Beware: %s.", err)
		}
		return nil
	})
}
