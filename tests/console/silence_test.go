package console

import (
	"os"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/engines"
	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
)

// A connection can stay open and carry nothing. The page says so, with the time at
// which it last heard anything, and goes on by itself when there is something to hear.
// Promise: console-silence
func TestASilentConnectionIsSaidAndTakenUpAgain(t *testing.T) {
	t.Parallel() // it waits more than it works
	command, gate := engines.Gated(t)
	address := lasting(t)
	way, err := faultproxy.Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := way.Close(); err != nil {
			t.Error(err)
		}
	})
	i := startOne(t, t.TempDir()+"/data", "--engine", "exec", "--engine-command", command, "--listen", address, "--base-url", "https://"+way.Address())
	b := i.browse()
	b.setUp(i.setUpLink())
	b.generate("a program that does nothing", "Generation")
	b.see("#tree [data-path='main.go']")
	b.eval("window.samePage = 'yes'")

	// The page notes when it says so; how busy this machine is does not count.
	b.eval(`new MutationObserver(() => { window.said ??= Date.now(); }).observe(document.getElementById("lost"), { attributeFilter: ["hidden"] }); 0`)
	way.Set(faultproxy.Fault{Silent: true})
	since := time.Now()
	b.visible("lost")
	if took := b.eval("(window.said - new Date(document.getElementById('lost-since').dateTime)) <= 20000"); took != "true" {
		t.Errorf("a silent connection was said at %s", b.eval("new Date(window.said) + ', after a last word at ' + document.getElementById('lost-since').dateTime"))
	}
	last, err := time.Parse(time.RFC3339, b.eval("document.getElementById('lost-since').dateTime"))
	if early := since.Sub(last); err != nil || early > 15*time.Second || last.After(time.Now()) {
		t.Errorf("the last word came %s before the silence (%v)", early, err)
	}
	b.look("generation-silent")
	if err := os.WriteFile(gate, nil, 0o600); err != nil { // the run goes on, unheard
		t.Fatal(err)
	}
	way.Set(faultproxy.Fault{})
	b.see("#pull-line")
	if b.eval("window.samePage") != "yes" {
		t.Error("the page was loaded anew")
	}
	if got, want := b.eval("document.querySelector('#text').textContent"), "package main\n\nfunc main() {}\n"; got != want {
		t.Errorf("the file is %q, want %q", got, want)
	}
	if b.eval("document.getElementById('lost').hidden") != "true" {
		t.Error("the page still says that nothing is heard")
	}
	b.forgive("ERR_") // the browser may tell of connections that it gave up
}
