package packaging

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-pkgs/gitignore"
)

// ignoreRules are the .gitignore files that say what of a folder is left out: those in
// it, and those above it up to the top of the repository that it lies in.
type ignoreRules struct {
	matcher gitignore.Matcher
	prefix  string // of the folder in its repository
}

// readAbove takes up the rules above a folder. A folder that these leave out as a
// whole was named all the same, so they say nothing about it.
func (r *ignoreRules) readAbove(dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	var above []string // folders, inner ones first
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(at)
		if parent == at {
			return nil // no repository
		}
		above = append(above, parent)
	}
	if len(above) == 0 {
		return nil
	}
	top := above[len(above)-1]
	inner, err := filepath.Rel(top, dir)
	if err != nil {
		return err
	}
	parts := strings.Split(filepath.ToSlash(inner), "/")
	var m gitignore.Matcher
	for i := range parts {
		folder := path.Join(parts[:i]...)
		name := filepath.Join(top, filepath.FromSlash(folder), ".gitignore")
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() <= maxRules {
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			m.AddPatterns(text, folder)
		}
		if m.MatchPath(path.Join(parts[:i+1]...), true) {
			return nil
		}
	}
	r.matcher, r.prefix = m, path.Join(parts...)
	return nil
}

// add takes up the rules that lie in a folder below the one that is imported.
func (r *ignoreRules) add(text []byte, folder string) {
	if folder = path.Join(r.prefix, folder); folder == "." {
		folder = "" // the top of the repository
	}
	r.matcher.AddPatterns(text, folder)
}

// match says whether a path below the folder that is imported is left out.
func (r *ignoreRules) match(name string, isDir bool) bool {
	return r.matcher.MatchPath(path.Join(r.prefix, name), isDir)
}
