package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// nearby looks at files folder by folder. The folder of the last file stays
// open, so that the next one in it costs one question to the system instead of
// one for every part of its path. What was open stays inside the tree even if
// somebody puts a link in its place meanwhile.
//
// It is for a stretch of work in which nobody but its user makes folders.
type nearby struct {
	disk disk
	name string
	root *os.Root // nil: there is no such folder
	held bool     // name and root mean something

	// The folder as a file, where the system has calls that need one.
	file   *os.File
	number int
}

// folder gives the folder at a path, opened without following a link, or nil if
// there is none.
func (n *nearby) folder(name string) (*os.Root, error) {
	if n.held && n.name == name {
		return n.root, nil
	}
	if err := n.forget(); err != nil {
		return nil, err
	}
	root, err := n.disk.openFolder(name)
	if err != nil {
		return nil, err
	}
	n.name, n.root, n.held = name, root, true
	return root, nil
}

// forget closes the folder that is held.
func (n *nearby) forget() error {
	root, file := n.root, n.file
	n.root, n.file, n.held = nil, nil, false
	var err error
	if file != nil {
		err = file.Close()
	}
	if root != nil && root != n.disk.root {
		err = errors.Join(err, root.Close())
	}
	return err
}

// lookFile is disk.lookFile.
func (n *nearby) lookFile(name string) (found, error) {
	root, err := n.folder(path.Dir(name))
	if err != nil || root == nil {
		return found{}, err
	}
	info, err := root.Lstat(path.Base(name))
	f, err := classify(name, info, err)
	if err == nil && f.folder {
		err = folderInTheWay(name)
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
		return nil, notPlain(name)
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

// surveyor is nearby in both trees.
type surveyor struct {
	folder        *Folder
	project, home nearby
}

func (s *surveyor) at(base bundlezip.Base) *nearby {
	n := &s.project
	if base == bundlezip.Home {
		n = &s.home
	}
	n.disk = s.folder.site(base)
	return n
}

func (s *surveyor) forget() error { return errors.Join(s.project.forget(), s.home.forget()) }
