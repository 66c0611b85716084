package main

import (
	"log/slog"
	"net"
	"testing"

	"github.com/bundle-delivery/svc/internal/needs"
	"github.com/bundle-delivery/svc/internal/sandbox"
)

// The places at the relay are counted by socket: each box has its own.
// Promise: sandbox-egress
func TestEverySandboxHasItsOwnWayOut(t *testing.T) {
	s, err := sandbox.New(sandbox.Config{})
	if err != nil {
		needs.Missing(t, "%v: install bubblewrap", err)
	}
	out := &trials{sandbox: s, log: slog.New(slog.DiscardHandler)}
	if err := out.openWay([]string{"registry.example"}, out.log); err != nil {
		t.Fatal(err)
	}
	first, err := out.way()
	if err != nil {
		t.Fatal(err)
	}
	second, err := out.way()
	if err != nil {
		t.Fatal(err)
	}
	if first.Socket == second.Socket {
		t.Error("two sandboxes share a socket")
	}
	first.HangUp()
	c, err := net.Dial("unix", second.Socket)
	if err != nil {
		t.Fatalf("the end of one is the end of the other: %v", err)
	}
	_ = c.Close()
	out.hangUp()
	out.serving.Wait()
	if _, err := net.Dial("unix", first.Socket); err == nil {
		t.Error("a way out outlives its sandbox")
	}
	if err := out.outlet.Close(); err != nil {
		t.Error(err)
	}
}
