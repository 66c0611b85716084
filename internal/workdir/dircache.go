package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// dirCache keeps the folder of the last file open, so that the next one in it
// costs one question to the system instead of one for every part of its path.
// What was open stays inside the tree even if somebody puts a link in its place
// meanwhile.
//
// It is for a stretch of work in which nobody but its user makes folders.
type dirCache struct {
	disk disk
	name string
	root *os.Root // nil: there is no such folder
	open bool     // name and root mean something
}

// folder gives the folder at a path, opened without following a link, or nil if
// there is none.
func (c *dirCache) folder(name string) (*os.Root, error) {
	if c.open && c.name == name {
		return c.root, nil
	}
	if err := c.close(); err != nil {
		return nil, err
	}
	root, err := c.disk.openFolder(name)
	if err != nil {
		return nil, err
	}
	c.name, c.root, c.open = name, root, true
	return root, nil
}

// close closes the folder that is open.
func (c *dirCache) close() error {
	root := c.root
	c.root, c.open = nil, false
	if root == nil || root == c.disk.root {
		return nil
	}
	return root.Close()
}

// lookFile is disk.lookFile.
func (c *dirCache) lookFile(name string) (found, error) {
	root, err := c.folder(path.Dir(name))
	if err != nil || root == nil {
		return found{}, err
	}
	info, err := root.Lstat(path.Base(name))
	f, err := classify(name, info, err)
	if err == nil && f.folder {
		err = inTheWayError{name: name, folder: true}
	}
	return f, err
}

// openFolder opens a folder below the root; nil if there is none. The top of
// the tree is the root itself.
func (d disk) openFolder(name string) (*os.Root, error) {
	if name == "." {
		return d.root, nil
	}
	f, err := d.look(name)
	switch {
	case err != nil:
		return nil, err
	case !f.exists:
		return nil, nil
	case !f.folder:
		return nil, inTheWayError{name: name}
	}
	root, err := d.root.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	// A link that took the folder's place since is not what was looked at.
	if info, err := root.Stat("."); err != nil || !os.SameFile(info, f.info) {
		return nil, errors.Join(err, fmt.Errorf("%w (%s)", ErrChanged, name), root.Close())
	}
	return root, nil
}

// dirCaches are those of the project and of the home folder.
type dirCaches struct {
	folder        *Folder
	project, home dirCache
}

func (s *dirCaches) at(base bundlezip.Base) *dirCache {
	c := &s.project
	if base == bundlezip.Home {
		c = &s.home
	}
	c.disk = s.folder.site(base)
	return c
}

func (s *dirCaches) close() error { return errors.Join(s.project.close(), s.home.close()) }
