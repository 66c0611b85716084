package validate

import (
	"net"
	"testing"

	"github.com/bundle-delivery/svc/internal/sandbox/egress"
)

// The places at the relay are counted by socket: each box has its own.
// Promise: sandbox-egress
func TestEverySandboxHasItsOwnWayOut(t *testing.T) {
	v := New(Config{Level: Test, Sandbox: boxes(t)})
	out, err := egress.New(egress.Config{Hosts: []string{"registry.example"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.LeadOut(out); err != nil {
		t.Fatal(err)
	}
	first, err := v.config.Way()
	if err != nil {
		t.Fatal(err)
	}
	second, err := v.config.Way()
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
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := net.Dial("unix", first.Socket); err == nil {
		t.Error("a way out outlives its sandbox")
	}
}
