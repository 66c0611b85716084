package edge

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"
)

// Promise: slow-reader-memory
func TestTheSystemKeepsLittleForWhoeverDoesNotRead(t *testing.T) {
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	near, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = near.Close() }()
	if err := near.(*net.TCPConn).SetReadBuffer(64 << 10); err != nil { //nolint:forcetypeassert // it is TCP
		t.Fatal(err)
	}
	far, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = far.Close() }()
	if err := far.SetWriteDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	taken, err := far.Write(make([]byte, 64<<20))
	if !errors.Is(err, os.ErrDeadlineExceeded) || taken > 2*unsentBytes {
		t.Errorf("%d bytes were taken for a client that reads nothing (%v)", taken, err)
	}
}
