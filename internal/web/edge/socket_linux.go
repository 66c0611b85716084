package edge

import (
	"errors"
	"syscall"
)

// tcpNotSentLowat is TCP_NOTSENT_LOWAT, which package syscall does not have.
const tcpNotSentLowat = 25

// boundUnsent tells a listener; its connections have it from there.
func boundUnsent(_, _ string, c syscall.RawConn) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpNotSentLowat, unsentBytes)
	})
	return errors.Join(err, failed)
}
