//go:build amd64 || arm64

package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Outlet is a socket of the host that boxes can be led to.
type Outlet struct {
	net.Listener
	dir     string
	lock    *os.File // says that dir is in use
	socket  string
	program string
	user    *identity
	branch  bool // the folder and the program are another's
}

// NewOutlet makes a socket that the user of the boxes can reach and nobody else,
// beside this program as that user can run it. It removes what processes that were
// killed have left of theirs.
func (s *Sandbox) NewOutlet() (*Outlet, error) {
	_ = removeDeadOutlets() // what cannot be removed is tried again at the next start
	dir, lock, err := makeOutletDir()
	if err != nil {
		return nil, fmt.Errorf("make a folder for a socket: %w", err)
	}
	o := &Outlet{dir: dir, lock: lock, user: s.user}
	if err := o.fill(); err != nil {
		return nil, errors.Join(err, o.removeDir())
	}
	return o, nil
}

func (o *Outlet) fill() (err error) {
	if o.program, err = readableProgram(); err != nil || o.user != nil {
		// It may lie where that user cannot go, or have been replaced.
		o.program = filepath.Join(o.dir, "svcd")
		err = copyProgram(o.program)
	}
	if err == nil && o.user != nil {
		// The folder is that user's; what lies in it is not.
		err = errors.Join(os.Chown(o.dir, -1, int(o.user.gid)), os.Chmod(o.dir, 0o710)) //nolint:gosec // for this group to pass through
	}
	if err != nil {
		return err
	}
	return o.listen("out.sock")
}

// listen makes the socket.
func (o *Outlet) listen(name string) (err error) {
	o.socket = filepath.Join(o.dir, name)
	if o.Listener, err = net.Listen("unix", o.socket); err != nil {
		return err
	}
	if o.user != nil {
		if err = os.Chmod(o.socket, 0o777); err != nil { //nolint:gosec // the folder is closed to others
			return errors.Join(err, o.Listener.Close())
		}
	}
	return nil
}

// Branch makes another socket beside this one, for one box alone. It is closed
// before this one.
func (o *Outlet) Branch() (*Outlet, error) {
	b := &Outlet{dir: o.dir, program: o.program, user: o.user, branch: true}
	if err := b.listen(rand.Text() + ".sock"); err != nil {
		return nil, fmt.Errorf("make a socket for a sandbox: %w", err)
	}
	return b, nil
}

// readableProgram is where this program lies, if it can be read there.
func readableProgram() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	return name, f.Close()
}

// copyProgram copies what runs here, also when the file has been replaced since.
func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()                                 // it was only read
	w, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755) //nolint:gosec // it is to be run
	if err != nil {
		return err
	}
	_, err = io.Copy(w, from)
	return errors.Join(err, w.Close())
}

// Forward leads a box to the socket from an address of its loopback.
func (o *Outlet) Forward(listen string) *Forward {
	return &Forward{Socket: o.socket, Listen: listen, Program: o.program}
}

// Close removes the socket. It may be called more than once, as by a server that
// serves it.
func (o *Outlet) Close() error {
	err := o.Listener.Close()
	if errors.Is(err, net.ErrClosed) {
		err = nil // who served it has closed it
	}
	if o.branch {
		return err
	}
	return errors.Join(err, o.removeDir())
}

// removeDir removes the folder, if it was not removed before.
func (o *Outlet) removeDir() error {
	err := os.RemoveAll(o.dir)
	if closed := o.lock.Close(); !errors.Is(closed, os.ErrClosed) {
		err = errors.Join(err, closed)
	}
	return err
}
