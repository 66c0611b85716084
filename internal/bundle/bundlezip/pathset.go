package bundlezip

import (
	"iter"
	"slices"
	"strings"
)

// CheckPaths checks each path and that all of them can lie in one folder, on
// any file system: none twice, none equal to another but for case or
// normalisation, none a file where another has a folder, and no folder, the root
// included, that Git takes for a repository. The error is a *PathError.
func CheckPaths(paths []string) error {
	return checkSet(slices.Values(paths), MaxPath)
}

func checkSet(paths iter.Seq[string], limit int) error {
	set := pathSet{names: map[string]spelling{}, repositories: map[string]RepositoryEntries{}}
	for path := range paths {
		if err := checkName(path, limit); err != nil {
			return err
		}
		if err := set.add(path); err != nil {
			return err
		}
	}
	return nil
}

// pathSet is a set of paths that can lie in one folder.
type pathSet struct {
	// names has, for each folded name in use, how it was spelled and whether it is a
	// folder.
	names map[string]spelling
	// repositories has the entries that Git looks for, by folded folder; "" is the root.
	repositories map[string]RepositoryEntries
}

type spelling struct {
	name   string
	folder bool
}

func (s pathSet) add(path string) error {
	if err := s.claim(path, path, false); err != nil {
		return err
	}
	for folder := path; ; {
		cut := strings.LastIndexByte(folder, '/')
		if cut < 0 {
			return nil
		}
		folder = folder[:cut]
		if seen, ok := s.names[FoldName(folder)]; ok && seen.folder && seen.name == folder {
			return nil // then its parents are known as well
		}
		if err := s.claim(path, folder, true); err != nil {
			return err
		}
	}
}

func (s pathSet) claim(path, name string, folder bool) error {
	key := FoldName(name)
	seen, taken := s.names[key]
	if !taken {
		s.names[key] = spelling{name: name, folder: folder}
		return s.checkRepository(path, name, key)
	}
	refuse := func(reason string) error { return &PathError{Path: path, Reason: reason} }
	switch {
	case folder && !seen.folder:
		return refuse("needs a folder where another path has the file " + seen.name)
	case seen.folder && !folder:
		return refuse("is a file where another path has the folder " + seen.name)
	case seen.name != name:
		return refuse("differs only in case or Unicode form from " + seen.name)
	case !folder:
		return refuse("is there twice")
	}
	return nil
}

// checkRepository refuses a new entry that completes a repository. key is its folded
// name.
func (s pathSet) checkRepository(path, name, key string) error {
	folder := key[:max(strings.LastIndexByte(key, '/'), 0)]
	entry := entryOf(strings.TrimPrefix(key[len(folder):], "/"))
	if entry == 0 {
		return nil
	}
	entries := s.repositories[folder] | entry
	s.repositories[folder] = entries
	if !entries.Repository() {
		return nil
	}
	return &PathError{Path: path, Reason: repositoryReason(name[:max(strings.LastIndexByte(name, '/'), 0)])}
}
