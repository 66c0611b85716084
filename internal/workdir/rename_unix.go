//go:build unix

package workdir

import (
	"os"
	"path"

	"golang.org/x/sys/unix"
)

// move renames a file between the two folders that are open: only the last part
// of each path is looked up.
func (p *placer) move(from, to string) error {
	source, err := p.sources.descriptor()
	if err != nil {
		return err
	}
	target, err := p.targets.descriptor()
	if err != nil {
		return err
	}
	if err := unix.Renameat(source, path.Base(from), target, path.Base(to)); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// descriptor is the number under which the system knows the folder that is held.
func (n *nearby) descriptor() (int, error) {
	if n.file == nil {
		file, err := n.root.Open(".")
		if err != nil {
			return 0, err
		}
		n.file, n.number = file, int(file.Fd())
	}
	return n.number, nil
}
