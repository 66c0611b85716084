package main

import (
	"errors"
	"fmt"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// recoverFolder finishes what an earlier command could not. It needs no
// network, and so nothing that fails there keeps a folder half done.
func (a *app) recoverFolder(folder *workdir.Folder) error {
	done, err := folder.Recover()
	if err == nil && done.Kind != "" {
		a.note("An interrupted %s of bundle %s was finished first.", done.Kind, done.BundleID)
	}
	return err
}

// checkFinished is an error if a pull or rollback in the folder waits to be finished:
// until then the folder is neither what it was nor what it will be.
func checkFinished(folder *workdir.Folder) error {
	open, err := folder.Unfinished()
	if err != nil || open.Kind == "" {
		return err
	}
	way := "svc pull or svc rollback " + open.BundleID + " finishes it"
	if open.Kind == "pull" {
		way = "svc pull finishes it, svc rollback " + open.BundleID + " takes it back"
	}
	return fmt.Errorf("a %s of bundle %s was interrupted in this folder; %s", open.Kind, open.BundleID, way)
}

// settledFolder opens the folder for a command that tells what is in it.
func (a *app) settledFolder() (*workdir.Folder, error) {
	folder, err := a.folder()
	if err != nil {
		return nil, err
	}
	if err := checkFinished(folder); err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	return folder, nil
}

// warnOfInterruption is for commands that are not about the folder.
func (a *app) warnOfInterruption() {
	folder, err := a.folder()
	if err != nil {
		return
	}
	defer folder.Close() //nolint:errcheck // only looked at
	if err := checkFinished(folder); err != nil {
		a.warn("Beware: %s.", err)
	}
}
