//go:build !linux

package main

import (
	"errors"
	"net"
	"time"
)

var errNoPoller = errors.New("streams are measured on Linux only")

// poller is missing here.
type poller struct{}

func newPoller() (*poller, error) { return nil, errNoPoller }

func (*poller) add(*socket) error { return errNoPoller }

func (*poller) wait(time.Duration, func(int)) error { return errNoPoller }

func (*poller) close() error { return nil }

// socket is missing here.
type socket struct {
	net.Conn
	fd      int
	drained bool
}

func (*socket) unblock() error { return errNoPoller }

func dialSocket(string, time.Duration) (*socket, error) { return nil, errNoPoller }
