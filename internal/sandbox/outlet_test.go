//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// Promise: sandbox-egress
func TestAnOutletIsTheOnlyWayOut(t *testing.T) {
	s, err := New(Config{})
	if err != nil {
		t.Skip(err)
	}
	o, err := s.NewOutlet()
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "heard %s", r.URL.Path)
	})}
	served := make(chan struct{})
	go func() { _ = server.Serve(o); close(served) }()
	t.Cleanup(func() {
		_ = server.Close()
		<-served
		_ = o.Close()
	})
	hungUp := false
	forward := o.Forward("127.0.0.1:3128")
	forward.HangUp = func() { hungUp = true }
	b := open(t, Spec{Forward: forward})
	for range 2 { // each command has a forwarder
		r := python(t, b, `
import socket, urllib.request
print(urllib.request.urlopen("http://127.0.0.1:3128/x").read().decode())
try:
    socket.create_connection(("127.0.0.1", 3129), 5)
except OSError as e:
    print("refused")`)
		if string(r.Output) != "heard /x\nrefused\n" {
			t.Errorf("%+v %q", r, r.Output)
		}
	}
	if r := run(t, b, "exit 9"); r.Exit != 9 {
		t.Errorf("the exit is %d", r.Exit)
	}
	if r := run(t, b, "kill -KILL $$"); r.Exit != 128+9 || hungUp {
		t.Errorf("the exit is %d, hung up: %v", r.Exit, hungUp)
	}
	if b.Close(); !hungUp {
		t.Error("the box has ended, and nobody was told")
	}
}
