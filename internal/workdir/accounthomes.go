package workdir

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// accountHomes asks the system, not the environment, for home folders that a
// project folder could lie in: that of the user and that of the folder's owner.
func accountHomes(dir string) []string {
	var out []string
	if u, err := user.Current(); err == nil {
		out = append(out, u.HomeDir)
	}
	if info, err := os.Stat(dir); err == nil {
		if home := ownerHome(info); home != "" {
			out = append(out, home)
		}
	}
	return out
}

// realFolders resolves folders and leaves out what is not there.
func realFolders(folders []string) []string {
	var out []string
	for _, folder := range folders {
		if !filepath.IsAbs(folder) {
			continue
		}
		folder, err := filepath.EvalSymlinks(folder)
		if err == nil && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// checkHomePlaces refuses a project file that lies at a place of a home folder
// that no bundle may change. Where no home folder is known, the project root
// could be one.
func (f *Folder) checkHomePlaces(name string) error {
	if len(f.homes) == 0 {
		if err := bundlezip.CheckHomePath(name); err != nil {
			return fmt.Errorf("%w; no home folder is known, so this folder could be one: set HOME to yours and try again", err)
		}
		return nil
	}
	for _, home := range f.homes {
		rel, err := filepath.Rel(home, filepath.Join(f.dir, filepath.FromSlash(name)))
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		if err := bundlezip.CheckHomePath(filepath.ToSlash(rel)); err != nil {
			return err
		}
	}
	return nil
}

// HoldsHome says whether a home folder, of the user or of the folder's owner, is this
// folder or lies in it, and which.
func (f *Folder) HoldsHome() (home string, found bool) {
	for _, home := range f.homes {
		if rel, err := filepath.Rel(f.dir, home); err == nil && filepath.IsLocal(rel) {
			return home, true
		}
	}
	return "", false
}
