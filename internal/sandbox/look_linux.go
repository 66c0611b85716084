//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/bundle-delivery/svc/internal/sandbox/proctree"
)

// Look gives a folder below Work as the processes of the box see it, also while a
// command runs. What lies there is the doing of those processes: nothing in it
// leads out of the folder, but a name may stand for something else from one look
// to the next. [ReadRegular] reads files of it. The folder is closed by the
// caller, and the memory of the box is not free before that.
func (b *Box) Look(dir string) (*os.Root, error) {
	if b.shell == nil {
		return nil, ErrGone
	}
	err := errors.New("nothing runs in it")
	for _, pid := range proctree.Descendants(b.cmd.Process.Pid) {
		var all, work *os.Root
		if all, err = os.OpenRoot(fmt.Sprintf("/proc/%d/root", pid)); err != nil {
			continue // it has ended, or may not be looked at
		}
		// Not the path as a whole: a link in the place of the folder would be
		// followed from the root of the host.
		work, err = all.OpenRoot(relative(dir))
		_ = all.Close() // nothing was written through it
		if err == nil {
			return work, nil
		}
	}
	return nil, fmt.Errorf("look into a sandbox: %w", err)
}

func relative(dir string) string { return dir[1:] }

// ReadRegular reads a file of a folder that others write to, if it is a regular
// one and has at most so many bytes. ErrIrregular, ErrLarge.
func ReadRegular(root *os.Root, name string, most int64) ([]byte, os.FileInfo, error) {
	info, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrIrregular
	}
	// It may be another by now: a pipe is not waited for, a link not followed.
	f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err = f.Stat()
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular():
		return nil, nil, ErrIrregular
	case info.Size() > most:
		return nil, info, ErrLarge
	}
	content, err := readAtMost(f, most)
	return content, info, err
}
