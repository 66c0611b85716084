package workdir

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"syscall"
)

// Change is one change to a file system that is about to happen.
type Change struct {
	Op   string // mkdir, create, write, rename, remove, sync
	Path string
}

// Fault is asked before every change. An error stops that change and every one
// after it, as the death of the process would.
type Fault func(Change) error

// syncFunc waits until a file is on the disk: its content, the names in it if it
// is a folder, or everything on the file system that it belongs to.
type syncFunc func(f *os.File, everything bool) error

// hook is asked before every change and remembers the first refusal.
type hook struct {
	fault   Fault
	stopped error
	sync    syncFunc
}

func (h *hook) allow(op, name string) error {
	if h.stopped != nil {
		return h.stopped
	}
	if h.fault != nil {
		h.stopped = h.fault(Change{Op: op, Path: name})
	}
	return h.stopped
}

// disk is a folder tree, and the only way in which this package changes one.
// Paths are slash-separated and relative; nothing is reached through a symbolic
// link.
type disk struct {
	root *os.Root
	hook *hook
}

// ErrNotPlain is matched by errors that say that something in the folder is a
// symbolic link, a device or otherwise not what a bundle may write through.
var ErrNotPlain = errors.New("is in the way")

// inTheWay says what stands where something else belongs.
func inTheWay(name, what string) error {
	return fmt.Errorf("%s %w: %s; move it away and try again", name, ErrNotPlain, what)
}

// FullError says that a disk has no room left.
type FullError struct {
	Dir string // the folder in which something was to be written
	Err error
}

// Error gives what failed.
func (e *FullError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *FullError) Unwrap() error { return e.Err }

// wrote marks the failure of a change for want of room.
func (d disk) wrote(err error) error {
	if err != nil && IsFull(err) {
		return &FullError{Dir: d.root.Name(), Err: err}
	}
	return err
}

// IsFull says whether an error is for want of room on a disk.
func IsFull(err error) bool {
	const windowsDiskFull = syscall.Errno(112)
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}

// found is what stands at a path.
type found struct {
	exists bool
	folder bool
	info   fs.FileInfo
}

// look says what stands at a path. A symbolic link anywhere on the way, or
// anything but a regular file or a folder, is ErrNotPlain.
func (d disk) look(name string) (found, error) {
	for end := 0; end < len(name); {
		next := strings.IndexByte(name[end:], '/')
		last := next < 0
		if last {
			next = len(name) - end
		}
		part := name[:end+next]
		end += next + 1
		info, err := d.root.Lstat(part)
		f, err := classify(part, info, err)
		switch {
		case err != nil || !f.exists || last:
			return f, err
		case !f.folder:
			return found{}, inTheWayError{name: part}
		}
	}
	return found{exists: true, folder: true}, nil
}

// classify says what was found at a path, given what the system answered.
func classify(name string, info fs.FileInfo, err error) (found, error) {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found{}, nil
	case err != nil:
		return found{}, err
	case info.Mode().IsRegular():
		return found{exists: true, info: info}, nil
	case info.IsDir():
		return found{exists: true, folder: true, info: info}, nil
	case info.Mode()&fs.ModeSymlink != 0:
		return found{}, inTheWay(name, "it is a symbolic link, and svc does not write through links")
	}
	return found{}, inTheWay(name, "it is neither a file nor a folder")
}

// inTheWayError is an ErrNotPlain about what is plain, and in the wrong place.
type inTheWayError struct {
	name   string
	folder bool // it is a folder, and a file belongs there
}

func (e inTheWayError) Error() string {
	if e.folder {
		return inTheWay(e.name, "a folder stands where a file belongs").Error()
	}
	return inTheWay(e.name, "a file stands where a folder belongs").Error()
}

func (e inTheWayError) Is(target error) bool { return target == ErrNotPlain }

// lookFile is look for a path at which only a file may stand.
func (d disk) lookFile(name string) (found, error) {
	f, err := d.look(name)
	if err == nil && f.folder {
		err = inTheWayError{name: name, folder: true}
	}
	return f, err
}

// open opens the file at a path.
func (d disk) open(name string) (*os.File, fs.FileInfo, error) {
	f, err := d.lookFile(name)
	if err == nil && !f.exists {
		err = &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return nil, nil, err
	}
	file, err := d.root.Open(name)
	return file, f.info, err
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

// digest gives the SHA-256 of the file at a path, or "" if there is none.
func (d disk) digest(name string) (string, error) {
	file, _, err := d.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // only read
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", fmt.Errorf("read %s: %w", name, err)
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// read gives the content of a small file. More than limit bytes are an error.
func (d disk) read(name string, limit int64) ([]byte, error) {
	file, _, err := d.open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, nil
}

// parents makes the folders above a path.
func (d disk) parents(name string) error {
	if f, err := d.look(path.Dir(name)); err != nil || f.folder {
		return err
	}
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if err := d.mkdir(name[:i]); err != nil {
			return err
		}
	}
	return nil
}

// mkdir makes one folder unless it is there.
func (d disk) mkdir(name string) error { return d.mkdirWith(name, 0o777) }

// mkdirPrivate is mkdir for a folder that is nobody else's business.
func (d disk) mkdirPrivate(name string) error { return d.mkdirWith(name, 0o700) }

func (d disk) mkdirWith(name string, bits fs.FileMode) error {
	f, err := d.look(name)
	switch {
	case err != nil:
		return err
	case f.folder:
		return nil
	case f.exists:
		return inTheWayError{name: name}
	}
	if err := d.hook.allow("mkdir", name); err != nil {
		return err
	}
	return d.wrote(d.root.Mkdir(name, bits))
}

// perm is the permission of a new file. Exact ones are set whatever the umask.
type perm struct {
	bits  fs.FileMode
	exact bool
}

// create writes a new file and gives its digest. Its folder must be there.
func (d disk) create(name string, p perm, content io.Reader) (digest string, err error) {
	hash := sha256.New()
	err = d.createWith(name, p, func(file *os.File) error {
		_, err := io.Copy(io.MultiWriter(file, hash), content)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)), err
}

// createWith makes a new file and has it filled.
func (d disk) createWith(name string, p perm, fill func(*os.File) error) (err error) {
	folder, err := d.openFolder(path.Dir(name))
	if err != nil {
		return err
	}
	if folder == nil {
		return &fs.PathError{Op: "create", Path: name, Err: fs.ErrNotExist}
	}
	if folder != d.root {
		defer func() { err = errors.Join(err, folder.Close()) }()
	}
	if err := d.hook.allow("create", name); err != nil {
		return err
	}
	file, err := folder.OpenFile(path.Base(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, p.bits)
	if err != nil {
		return d.wrote(err)
	}
	defer func() { err = d.wrote(errors.Join(err, file.Close())) }()
	if err := d.hook.allow("write", name); err != nil {
		return err
	}
	if p.exact {
		if err := file.Chmod(p.bits); err != nil {
			return err
		}
	}
	if err := fill(file); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// copyFile copies a file with its permissions and its time, and gives the digest of
// the copy. It is never a link: a program that writes into the old file, or
// through another name of it, must not reach the copy.
func (d disk) copyFile(from, to string) (digest string, err error) {
	source, info, err := d.open(from)
	if err != nil {
		return "", err
	}
	defer source.Close() //nolint:errcheck // only read
	if digest, err = d.create(to, perm{bits: info.Mode().Perm(), exact: true}, source); err != nil {
		return "", err
	}
	return digest, d.root.Chtimes(to, info.ModTime(), info.ModTime())
}

// rename moves a file, over another one if there is one.
func (d disk) rename(from, to string) error {
	for _, name := range []string{from, to} {
		if _, err := d.lookFile(name); err != nil {
			return err
		}
	}
	return d.move(from, to)
}

// move is rename for files that were just looked at.
func (d disk) move(from, to string) error {
	if err := d.parents(to); err != nil {
		return err
	}
	if err := d.hook.allow("rename", to); err != nil {
		return err
	}
	return d.wrote(d.root.Rename(from, to))
}

// remove deletes a file, or a folder that is empty. What is not there is no
// error.
func (d disk) remove(name string) error {
	f, err := d.look(name)
	if err != nil || !f.exists {
		return err
	}
	if err := d.hook.allow("remove", name); err != nil {
		return err
	}
	return d.root.Remove(name)
}

// removeEmpty deletes a folder if nothing is in it.
func (d disk) removeEmpty(name string) error {
	f, err := d.look(name)
	if err != nil || !f.folder {
		return nil //nolint:nilerr // what is no folder is not ours to remove
	}
	names, err := d.list(name)
	if err != nil || len(names) > 0 {
		return err
	}
	return d.remove(name)
}

// list gives the names in a folder, sorted; none if there is no such folder.
func (d disk) list(name string) ([]string, error) {
	f, err := d.look(name)
	if err != nil || !f.folder {
		return nil, err
	}
	entries, err := fs.ReadDir(d.root.FS(), name)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}

// removeTree deletes a folder with all in it. Links are removed, not followed.
func (d disk) removeTree(name string) error {
	f, err := d.look(name)
	if err != nil {
		return err
	}
	if !f.exists {
		return nil
	}
	if f.folder {
		entries, err := fs.ReadDir(d.root.FS(), name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			inner := path.Join(name, e.Name())
			if e.IsDir() {
				err = d.removeTree(inner)
			} else if err = d.hook.allow("remove", inner); err == nil {
				err = d.root.Remove(inner)
			}
			if err != nil {
				return err
			}
		}
	}
	return d.remove(name)
}

// replace puts a small file in place as a whole: the old content or the new one
// is there at any moment, and the new one is on the disk when it returns.
func (d disk) replace(name, temp string, p perm, content io.Reader) error {
	if err := d.remove(temp); err != nil {
		return err
	}
	if err := d.parents(temp); err != nil {
		return err
	}
	if _, err := d.create(temp, p, content); err != nil {
		return err
	}
	if err := d.syncFile(temp); err != nil {
		return err
	}
	if err := d.rename(temp, name); err != nil {
		return err
	}
	return d.syncFolder(path.Dir(name))
}

func (d disk) syncFile(name string) error { return d.syncPath(name, os.O_RDWR) }

// syncFolder makes the names in a folder durable.
func (d disk) syncFolder(name string) error { return d.syncPath(name, os.O_RDONLY) }

func (d disk) syncPath(name string, flag int) error {
	if err := d.hook.allow("sync", name); err != nil {
		return err
	}
	file, err := d.root.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return d.wrote(errors.Join(d.hook.sync(file, false), file.Close()))
}
