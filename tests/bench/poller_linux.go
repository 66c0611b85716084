package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// poller says which of many sockets have something to read.
type poller struct {
	fd     int
	events [256]syscall.EpollEvent
}

func newPoller() (*poller, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	return &poller{fd: fd}, err
}

// add has a socket watched.
func (p *poller) add(s *socket) error {
	return syscall.EpollCtl(p.fd, syscall.EPOLL_CTL_ADD, s.fd, &syscall.EpollEvent{Events: syscall.EPOLLIN | syscall.EPOLLRDHUP, Fd: int32(s.fd)})
}

// wait calls back for each socket that is ready, and returns when it has, or
// when none was for the given time.
func (p *poller) wait(d time.Duration, ready func(fd int)) error {
	n, err := syscall.EpollWait(p.fd, p.events[:], int(d/time.Millisecond))
	if err == syscall.EINTR {
		return nil
	}
	if err != nil {
		return fmt.Errorf("wait for sockets: %w", err)
	}
	for _, e := range p.events[:n] {
		ready(int(e.Fd))
	}
	return nil
}

func (p *poller) close() error { return syscall.Close(p.fd) }

// socket is a connection that Go's own network poller does not know: it would
// wake a thread for it, beside the one that waits here. It is enough of a
// net.Conn for a TLS client.
type socket struct {
	fd      int
	polled  bool // reads do not wait
	drained bool // the last read took all there was
}

var _ net.Conn = (*socket)(nil)

// notYet is the answer of a socket that has nothing to read. A TLS connection
// goes on after an error of this kind.
type notYet struct{}

func (notYet) Error() string   { return "there is nothing to read yet" }
func (notYet) Timeout() bool   { return true }
func (notYet) Temporary() bool { return true }

// dialSocket connects as Go does and takes the socket over. Reads and writes
// wait as long as patience.
func dialSocket(address string, patience time.Duration) (*socket, error) {
	conn, err := net.DialTimeout("tcp", address, patience)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // the copy stays open
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return nil, fmt.Errorf("%s is reached by a %T", address, conn)
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &socket{fd: -1}
	if controlErr := raw.Control(func(fd uintptr) { s.fd, err = syscall.Dup(int(fd)) }); controlErr != nil || err != nil {
		return nil, errors.Join(controlErr, err)
	}
	limit := syscall.NsecToTimeval(int64(patience))
	if err := errors.Join(
		syscall.SetsockoptTimeval(s.fd, syscall.SOL_SOCKET, syscall.SO_RCVTIMEO, &limit),
		syscall.SetsockoptTimeval(s.fd, syscall.SOL_SOCKET, syscall.SO_SNDTIMEO, &limit),
		syscall.SetNonblock(s.fd, false),
	); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// unblock lets reads wait no more.
func (s *socket) unblock() error {
	s.polled = true
	return syscall.SetNonblock(s.fd, true)
}

// Read is net.Conn.
func (s *socket) Read(p []byte) (int, error) {
	if s.drained {
		return 0, notYet{}
	}
	for {
		n, err := syscall.Read(s.fd, p)
		switch {
		case err == syscall.EINTR:
		case err == syscall.EAGAIN:
			return 0, notYet{}
		case err != nil:
			return 0, fmt.Errorf("read: %w", err)
		case n == 0:
			return 0, io.EOF
		default:
			s.drained = s.polled && n < len(p)
			return n, nil
		}
	}
}

// Write is net.Conn.
func (s *socket) Write(p []byte) (int, error) {
	for sent := 0; sent < len(p); {
		n, err := syscall.Write(s.fd, p[sent:])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return sent, fmt.Errorf("write: %w", err)
		}
		sent += n
	}
	return len(p), nil
}

// Close is net.Conn.
func (s *socket) Close() error { return syscall.Close(s.fd) }

// LocalAddr is net.Conn.
func (*socket) LocalAddr() net.Addr { return &net.TCPAddr{} }

// RemoteAddr is net.Conn.
func (*socket) RemoteAddr() net.Addr { return &net.TCPAddr{} }

// SetDeadline is net.Conn. Patience was chosen when dialling.
func (*socket) SetDeadline(time.Time) error { return nil }

// SetReadDeadline is net.Conn.
func (*socket) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline is net.Conn.
func (*socket) SetWriteDeadline(time.Time) error { return nil }
