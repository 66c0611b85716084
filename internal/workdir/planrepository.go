package workdir

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// ErrRepository says that a pull would make a folder a Git repository without .git,
// or would write into one: the next git command there would run programs that the
// repository's config and hooks name.
var ErrRepository = errors.New("a Git repository without .git")

// checkRepositories refuses a plan that completes a Git repository without .git from
// what it brings and what lies here, and one that writes into such a repository. Git
// repositories into which the plan writes nothing do no harm. What the plan deletes
// counts as well: a pull that dies between its steps leaves both.
func (pl *planner) checkRepositories() error {
	type folder struct {
		write
		name, place string
	}
	var folders []folder
	seen := map[string]bool{}                           // files and folders that are brought
	brought := map[string]bundlezip.RepositoryEntries{} // by place
	places := map[string]string{}
	for _, w := range pl.writes {
		for name := w.path; name != "." && !seen[displayName(w.base, name)]; name = path.Dir(name) {
			seen[displayName(w.base, name)] = true
			in := path.Dir(name)
			place, known := places[displayName(w.base, in)]
			if !known {
				place = pl.placeOf(w.base, in)
				places[displayName(w.base, in)] = place
				folders = append(folders, folder{w, in, place})
			}
			brought[place] = brought[place].With(path.Base(name))
		}
	}
	for _, f := range folders {
		here, err := pl.repositoryEntries(f.base, f.name)
		if err != nil {
			return err
		}
		if all := here | brought[f.place]; all.Repository() {
			return repositoryError(f.write, f.name, here.Repository())
		}
	}
	return nil
}

func repositoryError(w write, folder string, before bool) error {
	shown, file := displayName(w.base, folder), displayName(w.base, w.path)
	if folder == "." {
		shown = "this folder"
		if w.base == bundlezip.Home {
			shown = "the home folder"
		}
	}
	next := "nothing was written; move HEAD, objects, refs or commondir away from there, or pull into an empty folder"
	if before {
		return fmt.Errorf("%s is %w, and the bundle writes %s into it; %s", shown, ErrRepository, file, next)
	}
	return fmt.Errorf("the bundle's %s makes %s %w, together with what lies there; %s", file, shown, ErrRepository, next)
}

// placeOf gives the folded place of a folder on this machine: a bundle can reach the
// same folder from the project and from the home folder.
func (pl *planner) placeOf(base bundlezip.Base, folder string) string {
	root := pl.folder.dir
	if base == bundlezip.Home {
		root = pl.folder.env.Home
	}
	return bundlezip.FoldName(filepath.ToSlash(filepath.Join(root, filepath.FromSlash(folder))))
}

// repositoryEntries gives what a folder holds of a repository, together with folders
// whose paths differ from it only in case: elsewhere they are one folder.
func (pl *planner) repositoryEntries(base bundlezip.Base, folder string) (bundlezip.RepositoryEntries, error) {
	twins := []string{"."}
	if folder != "." {
		for _, part := range append(parentFolders(folder), folder) {
			var next []string
			for _, twin := range twins {
				names, err := pl.namesIn(base, twin)
				if err != nil && !errors.Is(err, ErrNotPlain) {
					return 0, err
				}
				for _, name := range names[bundlezip.FoldName(path.Base(part))] {
					next = append(next, path.Join(twin, name))
				}
			}
			twins = next
		}
	}
	var entries bundlezip.RepositoryEntries
	for _, twin := range twins {
		names, err := pl.namesIn(base, twin)
		if err != nil && !errors.Is(err, ErrNotPlain) {
			return 0, err
		}
		for name := range names {
			entries = entries.With(name)
		}
	}
	return entries, nil
}
