package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// manyFiles is a bundle of so many small files.
func manyFiles(t *testing.T, n int) []byte {
	t.Helper()
	state := bundlezip.State{ProjectID: hostileProject}
	for i := range n {
		state.Put(bundlezip.StateFile{Path: fmt.Sprintf("file%03d.txt", i), Content: bundlezip.Bytes([]byte("x\n"))})
	}
	var zip bytes.Buffer
	if _, err := bundlezip.Write(&zip, state); err != nil {
		t.Fatal(err)
	}
	return zip.Bytes()
}

// TestTerminalsAreShownTheShortFormFirst: a terminal shows what fits on it and says how
// to see the rest; --verbose and a pipe show everything.
// Promise: client-lists
func TestTerminalsAreShownTheShortFormFirst(t *testing.T) {
	server := newHostileServer(t)
	env := hostileEnv(t, server.URL, writeCA(t, server.Server))
	list := `{"bundles":[` + recordJSON + `]}`
	server.say(map[string]answer{
		"/bundles": {200, nil, document(list)},
		"/bundles/" + hostileBundle + "/download": {200, map[string]string{"ETag": `"x"`}, manyFiles(t, 60)},
		"/bundles/" + hostileBundle + "/ack":      {200, nil, document(`{"bundleId":"` + hostileBundle + `","status":"downloaded","downloadedAt":"2026-01-01T00:00:00.000Z"}`)},
	})
	settle(t)
	for _, tt := range []struct {
		args        string
		lines       int    // on a terminal that asks for nothing more
		summary     string // which is there in every case
		long        string // what only the long form has
		shortInPipe bool
	}{
		{args: "pull --dry-run " + hostileBundle, lines: 23, summary: "create    file000.txt", long: "create    file059.txt"},
		{args: "pull " + hostileBundle, lines: 4 /* one: it is not signed */, summary: "60 created", long: "create    file059.txt", shortInPipe: true},
		{args: "rollback " + hostileBundle, lines: 22, summary: "60 files deleted", long: "deleted    file059.txt"},
		{args: "list --project any", lines: 1, summary: hostileBundle, long: hostileProject},
	} {
		t.Run(strings.Fields(tt.args)[0], func(t *testing.T) {
			run := func(tty bool, more ...string) string {
				t.Helper()
				got := speak(t, env, tty, append(strings.Fields(tt.args), more...))
				got.out = own.ReplaceAllString(got.out, "")
				if got.code != exitOK || !strings.Contains(got.out, tt.summary) {
					t.Fatalf("%v, exit %d:\n%s%s", more, got.code, got.out, got.err)
				}
				if strings.HasPrefix(tt.args, "pull "+hostileBundle) || strings.HasPrefix(tt.args, "rollback") {
					again := map[string]string{"pull": "rollback", "rollback": "pull"}[strings.Fields(tt.args)[0]]
					if back := speak(t, env, false, []string{again, hostileBundle}); back.code != exitOK {
						t.Fatalf("%+v", back)
					}
				}
				return got.out
			}
			short := run(true)
			if strings.Contains(short, tt.long) || strings.Count(short, "\n") > tt.lines {
				t.Errorf("on a terminal, %d lines:\n%s", strings.Count(short, "\n"), short)
			}
			if tt.lines > 20 && !strings.Contains(short, "more; --verbose shows them all") {
				t.Errorf("it does not say how to see the rest:\n%s", short)
			}
			if long := run(true, "--verbose"); !strings.Contains(long, tt.long) {
				t.Errorf("with --verbose:\n%s", long)
			}
			if piped := run(false); strings.Contains(piped, tt.long) == tt.shortInPipe {
				t.Errorf("in a pipe:\n%s", piped)
			}
			if strings.HasPrefix(tt.args, "pull "+hostileBundle) { // the rollback begins with a pull
				if back := speak(t, env, false, []string{"pull", hostileBundle}); back.code != exitOK {
					t.Fatalf("%+v", back)
				}
			}
		})
	}
	if _, err := os.Stat("file000.txt"); err != nil {
		t.Error(err)
	}
}
