package workdir

import (
	"path"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// beside gives the file or folder whose name differs only in case from one that the plan
// makes, or "". On a file system that ignores case the two would be one, so somebody
// who shares the project with such a machine should know. What goes with this pull does
// not count.
func (pl *planner) beside(base bundlezip.Base, name string) (string, error) {
	for _, part := range append(parentFolders(name), name) {
		folder := path.Dir(part)
		names, err := pl.namesIn(base, folder)
		if err != nil || names == nil {
			return "", err // a folder that is made anew holds nothing
		}
		present := false
		for _, other := range names[bundlezip.FoldName(path.Base(part))] {
			if other == path.Base(part) {
				present = true
				continue
			}
			if twin := path.Join(folder, other); !pl.free(base, twin) {
				return displayName(base, twin), nil
			}
		}
		if !present {
			return "", nil
		}
	}
	return "", nil
}

// namesIn gives the names in a folder by their folded form, nil if there is none. Each
// folder is read once.
func (pl *planner) namesIn(base bundlezip.Base, folder string) (map[string][]string, error) {
	id := displayName(base, folder)
	if names, known := pl.names[id]; known {
		return names, nil
	}
	list, err := pl.folder.site(base).list(folder)
	if err != nil {
		return nil, err
	}
	var names map[string][]string
	if len(list) > 0 {
		names = make(map[string][]string, len(list))
	}
	for _, name := range list {
		folded := bundlezip.FoldName(name)
		names[folded] = append(names[folded], name)
	}
	pl.names[id] = names
	return names, nil
}
