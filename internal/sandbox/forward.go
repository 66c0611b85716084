package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// Forward leads from a port of the box's own loopback to a socket of the host:
// a network namespace has no other way out. The commands of the box run below a
// forwarder, which is this program once more: see [Inside].
type Forward struct {
	// Socket is the Unix socket on the host. The user of the box must be able to
	// reach it, and nobody else should.
	Socket string
	// Listen is the address inside, such as 127.0.0.1:3128.
	Listen string
	// Program is the executable that calls [Inside] first of all, as the user of
	// the box can read it.
	Program string
	// HangUp is called when the box ends that is led out; nil: nobody waits for it.
	HangUp func()
}

// hangUp says that the box has ended, or never began.
func (f *Forward) hangUp() {
	if f != nil && f.HangUp != nil {
		f.HangUp()
	}
}

const (
	forwarderName = "svcd-sandbox-forwarder"
	insideProgram = "/run/svc/" + forwarderName
	insideSocket  = "/run/svc/out.sock"
)

func (f *Forward) mounts() []string {
	return []string{"--ro-bind", f.Program, insideProgram, "--ro-bind", f.Socket, insideSocket}
}

// under gives the words of a command that runs below the forwarder.
func (f *Forward) under(args []string) []string {
	return append([]string{insideProgram, f.Listen, insideSocket}, args...)
}

// Inside makes this process the forwarder of a box, if args (os.Args) ask for
// that, and returns with what it is to exit with. A program that is named in
// [Forward.Program] calls it first of all.
func Inside(args []string) (code int, asked bool) {
	if len(args) < 4 || args[0] != insideProgram {
		return 0, false
	}
	code, err := forward(args[1], args[2], args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "sandbox:", err)
		return 126, true
	}
	return code, true
}

// forward runs a command while it passes on what arrives at an address.
func forward(listen, socket string, args []string) (int, error) {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return 0, err
	}
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM) // they are for the command
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go pass(c, socket)
		}
	}()
	cmd := exec.Command(args[0], args[1:]...) //nolint:gosec // running what was asked for is the purpose
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			return 128 + int(status.Signal()), nil
		}
		return exit.ExitCode(), nil
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return 127, nil
	}
	return 0, err
}

// pass copies both ways until both sides have said all.
func pass(from net.Conn, socket string) {
	defer func() { _ = from.Close() }() // both ways are done
	to, err := net.Dial("unix", socket) //nolint:gosec // the socket that this process was started for
	if err != nil {
		return
	}
	defer func() { _ = to.Close() }() // both ways are done
	var both sync.WaitGroup
	both.Go(func() { copyHalf(to, from) })
	both.Go(func() { copyHalf(from, to) })
	both.Wait()
}

func copyHalf(to, from net.Conn) {
	_, _ = io.Copy(to, from) // the other side sees the end, however it came
	if half, ok := to.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it may be gone already
	}
}
