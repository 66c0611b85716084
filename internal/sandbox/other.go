//go:build !linux || !(amd64 || arm64)

package sandbox

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
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

// Branch makes another socket.
func (o *Outlet) Branch() (*Outlet, error) { return nil, errNotHere }

// Look gives a folder of a box.
func (b *Box) Look(string) (*os.Root, error) { return nil, errNotHere }

// ReadRegular reads a file of a folder that others write to.
func ReadRegular(*os.Root, string, int64) ([]byte, os.FileInfo, error) { return nil, nil, errNotHere }

// Close removes the socket.
func (o *Outlet) Close() error { return errNotHere }
