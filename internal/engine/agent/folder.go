package agent

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-pkgs/gitignore"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/secrets"
)

const (
	// maxFile is the largest file that is taken: the most that a repackaged
	// project may have in all.
	maxFile = 26214400
	// maxEntries is how much of a folder is looked at.
	maxEntries = 50_000
	// maxDepth is how deep folders are looked into: each step down costs the
	// server something, and nothing the agent.
	maxDepth  = 64
	maxIgnore = 1 << 20
)

// made are folders that tools make beside what people write: no project needs them
// delivered, whether its .gitignore names them or not.
var made = []string{"node_modules", "__pycache__", ".venv", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".gradle"}

// entry is a file as a look into the folder finds it.
type entry struct {
	size     int64
	modified time.Time
	mode     fs.FileMode
}

// look is what a folder holds at one moment.
type look struct {
	files map[string]entry
	left  []string // what is left out, folders with a slash at the end
	// unread is why something was passed over; nil: nothing was.
	unread error
}

var errCrowded = errors.New("the folder holds too much to be looked through")

// lookAt lists the files of a folder that a project may have. known says which
// files and folders the project has already: they count, whatever .gitignore says.
func lookAt(root *os.Root, known func(name string, folder bool) bool) (look, error) {
	found := look{files: map[string]entry{}}
	var ignored gitignore.Matcher
	seen := 0
	err := fs.WalkDir(root.FS(), ".", func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			if name == "." {
				return err
			}
			found.unread = err
			return nil // while the agent is at work, things go
		}
		if seen++; seen > maxEntries {
			return errCrowded
		}
		if name == "." {
			readIgnore(root, &ignored, "")
			return nil
		}
		folder := e.IsDir()
		out := strings.EqualFold(e.Name(), ".git") || !known(name, folder) &&
			(strings.Count(name, "/") >= maxDepth || ignored.MatchPath(name, folder) || folder && slices.Contains(made, e.Name()) || secrets.KeyPlace(e.Name()))
		switch {
		case out && folder:
			found.left = append(found.left, name+"/")
			return fs.SkipDir
		case folder:
			readIgnore(root, &ignored, name)
			return nil
		case out, !e.Type().IsRegular(), !fits(name):
			found.left = append(found.left, name)
			return nil
		}
		found.add(name, e)
		return nil
	})
	return found, err
}

// fits says whether a bundle can hold a path.
func fits(name string) bool { return bundlezip.CheckPath(name) == nil }

// leaves says whether something lies at the place of a file, or of a folder above
// it, and is left out.
func (l *look) leaves() func(name string) bool {
	left := map[string]bool{}
	for _, name := range l.left {
		left[strings.TrimSuffix(name, "/")] = true
	}
	return func(name string) bool {
		for ; name != "."; name = path.Dir(name) {
			if left[name] {
				return true
			}
		}
		return false
	}
}

// add takes up a file, unless it has gone meanwhile.
func (l *look) add(name string, e fs.DirEntry) {
	info, err := e.Info()
	switch {
	case err != nil:
		l.unread = err
	case info.Size() > maxFile:
		l.left = append(l.left, name)
	default:
		l.files[name] = entry{info.Size(), info.ModTime(), info.Mode().Perm()}
	}
}

// readIgnore takes up the .gitignore of a folder, if it has one that can be read.
func readIgnore(root *os.Root, m *gitignore.Matcher, folder string) {
	if text, _, err := sandbox.ReadRegular(root, path.Join(folder, ".gitignore"), maxIgnore); err == nil {
		m.AddPatterns(text, folder)
	}
}
