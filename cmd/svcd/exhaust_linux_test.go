package main

import (
	"crypto/tls"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// greedy is an agent whose processes open more connections to the relay than the
// server may open files, and keep them. It says so when no more are answered.
const greedy = `import os, select, socket, time
done, told = os.pipe()
for process in range(4):
    if os.fork() == 0:
        all = []
        for i in range(1300):
            c = socket.socket(socket.AF_UNIX)
            c.settimeout(2)
            try:
                c.connect("/run/svc/out.sock")
                c.sendall(b"GET http://nobody.example/ HTTP/1.1\r\nHost: nobody.example\r\n\r\n")
            except OSError:
                break
            all.append(c)
        poll = select.poll()
        for c in all:
            poll.register(c, select.POLLIN)
        while True:
            ready = poll.poll(2000)
            if not ready:
                break
            for fd, _ in ready:
                poll.unregister(fd)
        os.write(told, b"x")
        time.sleep(1000)
for process in range(4):
    os.read(done, 1)
print("held", flush=True)
time.sleep(1000)
`

// A sandbox that opens as many connections as it can leaves files for everybody
// else: clients are accepted, and what serves them opens files.
// Promise: sandbox-connections
func TestConnectionsOfASandboxLeaveFilesForClients(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	const python = "/usr/bin/python3" // as sandboxes see it
	if _, err := os.Stat(python); err != nil {
		needs.Missing(t, "there is no python3 of the system: %v", err)
	}
	agent := filepath.Join(t.TempDir(), "agent.py")
	if err := os.WriteFile(agent, []byte(greedy), 0o644); err != nil {
		t.Fatal(err)
	}
	for folder := filepath.Dir(agent); folder != os.TempDir() && folder != "/"; folder = filepath.Dir(folder) {
		if err := os.Chmod(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(t.TempDir(), "data")
	serve := program(t, "serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--engine", "agent", "--engine-command", python+" "+agent)
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -n 4096 && exec "$0" "$@"`}, serve.Args...)...)
	cmd.Env = serve.Env
	i := killable(t, cmd, dir)
	key := i.account(email)
	queued := i.send("POST", "/generations", key, `{"prompt":"x"}`)
	run := "/generations/" + queued.field(t, "generationId")
	stream := i.open("GET", run+"/stream", key, "")
	held := func(e wireEvent) bool { return e.data["detail"] == "held" }
	if events := readEvents(t, stream.Body, held); !slices.ContainsFunc(events, held) {
		t.Fatalf("the agent is told of as %+v\n%s", events, i.log)
	}
	_ = stream.Body.Close()

	other := i.account("other@example.com")
	for range 100 { // each over a connection of its own, which is kept
		client := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, i.base+"/projects", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+other)
		answer, err := client.Do(request)
		if err != nil {
			t.Fatalf("another account is not served: %v\n%s", err, i.log)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Fatalf("another account gets %s", answer.Status)
		}
	}
	i.want(http.StatusOK, "", http.MethodPost, run+"/cancel", key)
	if strings.Contains(i.log.String(), "too many open files") {
		t.Errorf("files ran out:\n%s", i.log)
	}
}

// A service that was killed leaves its ways out of sandboxes, and a copy of its
// program, in the temporary folder; the next start removes them.
// Promise: sandbox-ends
func TestTheNextStartRemovesTheOutletsOfAKilledService(t *testing.T) {
	t.Parallel()
	needs.Program(t, "bwrap", "install bubblewrap")
	data, temp := filepath.Join(t.TempDir(), "data"), t.TempDir()
	serve := func() *instance {
		cmd := program(t, "serve", "--data-dir", data, "--listen", "127.0.0.1:0", "--engine", "agent", "--engine-command", "sh -c true", "--sandbox-hosts", "registry.example")
		cmd.Env = append(cmd.Env, "TMPDIR="+temp)
		return killable(t, cmd, data)
	}
	outlets := func() []string {
		all, err := filepath.Glob(filepath.Join(temp, "svc-outlet-*"))
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	i := serve()
	before := outlets()
	i.end()
	serve()
	after := outlets()
	if len(before) != 2 || len(after) != 2 || slices.ContainsFunc(after, func(name string) bool { return slices.Contains(before, name) }) {
		t.Errorf("before %q, after %q", before, after)
	}
}
