//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"io"
	"net"
)

// Box is a sandbox that runs; here there is none.
type Box struct{}

var errNotHere = errors.New("there are sandboxes only on Linux (amd64, arm64)")

// Open starts a box.
func (s *Sandbox) Open(context.Context, Spec) (*Box, error) { return nil, errNotHere }

// Unpack puts files into a box.
func (b *Box) Unpack(context.Context, string, io.Reader, int64) error { return errNotHere }

// Run runs a command.
func (b *Box) Run(context.Context, Command) (Result, error) { return Result{}, errNotHere }

// Close ends the box.
func (b *Box) Close() {}

// Outlet is a socket of the host that boxes can be led to.
type Outlet struct{ net.Listener }

// NewOutlet makes a socket.
func (s *Sandbox) NewOutlet() (*Outlet, error) { return nil, errNotHere }

// Forward leads a box to the socket.
func (o *Outlet) Forward(string) *Forward { return nil }

// Collected is a file that comes out of a box.
type Collected struct {
	Path       string
	Size       int64
	Executable bool
	Content    io.Reader
}

// Extent bounds what comes out of a box.
type Extent struct {
	Files int
	Bytes int64
}

// Collect reads the files of a folder.
func (b *Box) Collect(context.Context, string, Extent, func(Collected) error) ([]string, error) {
	return nil, errNotHere
}

// Close removes the socket.
func (o *Outlet) Close() error { return errNotHere }
