package agent

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/text/ignore"
	"github.com/bundle-delivery/svc/internal/text/secrets"
)

const (
	// maxFile is the largest file that is taken: the most that a repackaged
	// project may have in all.
	maxFile = 26214400
	// maxEntries is how much of a folder is looked at.
	maxEntries = 50_000
	// maxDepth is how deep folders are looked into: each step down costs the
	// server something, and nothing the agent.
	maxDepth = 64
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

// Why a look is given up.
var (
	errCrowded = errors.New("the folder holds too much to be looked through")
	errSlow    = errors.New("the folder takes too long to be looked through; remove patterns from .gitignore, or files")
)

// lookAt lists the files of a folder that a project may have. known reports whether
// the project has a file or folder already: those count, whatever .gitignore says.
// A look ends with its context, and after most. An [ignore.LimitError] is returned
// where .gitignore files cost too much to be honoured.
func lookAt(ctx context.Context, most time.Duration, root *os.Root, known func(name string, folder bool) bool) (look, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, most, errSlow)
	defer cancel()
	l := looker{ctx: ctx, root: root, known: known, found: look{files: map[string]entry{}}}
	err := fs.WalkDir(boundedFS{root.FS(), root}, ".", l.visit)
	return l.found, err
}

// looker is a look that is under way.
type looker struct {
	ctx     context.Context //nolint:containedctx // that of this look alone
	root    *os.Root
	known   func(name string, folder bool) bool
	ignored ignore.Rules
	seen    int
	found   look
}

// visit is an fs.WalkDirFunc.
func (l *looker) visit(name string, e fs.DirEntry, err error) error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	if err != nil {
		if name == "." || errors.Is(err, errCrowded) {
			return err
		}
		l.found.unread = err
		return nil // while the agent is at work, things go
	}
	if l.seen++; l.seen > maxEntries {
		return errCrowded
	}
	if name == "." {
		return l.readIgnore("")
	}
	folder := e.IsDir()
	out, err := l.leavesOut(name, e)
	switch {
	case err != nil:
		return err
	case out && folder:
		l.found.left = append(l.found.left, name+"/")
		return fs.SkipDir
	case folder:
		return l.readIgnore(name)
	case out, !e.Type().IsRegular(), !fits(name):
		l.found.left = append(l.found.left, name)
		return nil
	}
	l.found.add(name, e)
	return nil
}

// leavesOut reports whether a file or folder is left out by its name or place.
func (l *looker) leavesOut(name string, e fs.DirEntry) (bool, error) {
	folder := e.IsDir()
	switch {
	case strings.EqualFold(e.Name(), ".git"):
		return true, nil
	case l.known(name, folder):
		return false, nil
	case strings.Count(name, "/") >= maxDepth, len(name) > bundlezip.MaxPath, folder && slices.Contains(made, e.Name()), secrets.KeyPlace(e.Name()):
		return true, nil
	}
	return l.ignored.Match(l.ctx, name, folder)
}

// readIgnore adds the .gitignore of a folder. One that is no plain file is not
// read, as Git does not read it.
func (l *looker) readIgnore(folder string) error {
	name := path.Join(folder, ignore.Name)
	text, _, err := sandbox.ReadRegular(l.root, name, ignore.MaxFile)
	switch {
	case err == nil:
		return l.ignored.Add(text, folder, name)
	case errors.Is(err, sandbox.ErrLarge):
		return ignore.TooLarge(name)
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, sandbox.ErrIrregular):
		l.found.unread = err
	}
	return nil
}

// boundedFS is a folder that others write to.
type boundedFS struct {
	fs.FS
	root *os.Root
}

// ReadDir implements [fs.ReadDirFS]. It lists no folder that holds more than is
// looked at (errCrowded), and waits for no pipe that took a folder's place.
func (f boundedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	dir, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = dir.Close() }() // it was only read
	entries, err := dir.ReadDir(maxEntries + 1)
	switch {
	case errors.Is(err, io.EOF):
		err = nil // it is empty
	case len(entries) > maxEntries:
		return nil, errCrowded
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
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
