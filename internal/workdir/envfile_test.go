package workdir

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

func TestPortInEnv(t *testing.T) {
	for name, test := range map[string]struct {
		text, template string
		want           int
	}{
		"plain":                      {"A=1\nPORT=4000\nB=2\n", "PORT={port}", 4000},
		"commented out":              {"# PORT=3000\n#PORT=9999\n", "PORT={port}", 0},
		"commented out, then set":    {"# PORT=3000\n#PORT=9999\nPORT=4000\n", "PORT={port}", 4000},
		"double quotes":              {`PORT="4000"`, "PORT={port}", 4000},
		"single quotes":              {"PORT='4000' # mine", "PORT={port}", 4000},
		"quotes in the template":     {"PORT=4000", `PORT="{port}"`, 4000},
		"spaces and export":          {"export PORT = 4000", "PORT={port}", 4000},
		"comment behind":             {"PORT=4000 # not 3000", "PORT={port}", 4000},
		"last one counts":            {"PORT=4000\nPORT=5000\n", "PORT={port}", 5000},
		"another name":               {"DB_PORT=4000\n", "PORT={port}", 0},
		"carriage returns":           {"PORT=4000\r\nB=2\r\n", "PORT={port}", 4000},
		"byte order mark":            {"\ufeffPORT=4000\n", "PORT={port}", 4000},
		"inside an address":          {`URL="http://localhost:4000/x"`, "URL=http://localhost:{port}/", 4000},
		"a part of a line":           {"URL='http://localhost:4000/x'", "localhost:{port}", 4000},
		"a part in a comment":        {"# localhost:3000\nURL=x # localhost:3000\n", "localhost:{port}", 0},
		"two addresses that differ":  {"A=localhost:4000\nB=localhost:5000\n", "localhost:{port}", 0},
		"two addresses that agree":   {"A=localhost:4000\nB=localhost:4000\n", "localhost:{port}", 4000},
		"in a value of several line": {"TEXT=\"one\nPORT=3000\n\"\nPORT=4000\n", "PORT={port}", 4000},
		"quote that does not end":    {"TEXT=\"one\nPORT=4000\n", "PORT={port}", 4000},
		"not a number":               {"PORT=4000x\n", "PORT={port}", 0},
		"too large":                  {"PORT=70000\n", "PORT={port}", 0},
		"empty":                      {"PORT=\n", "PORT={port}", 0},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := portInEnv(test.text, test.template)
			if got != test.want && ok || ok != (test.want != 0) {
				t.Errorf("%d, %v, want %d", got, ok, test.want)
			}
		})
	}
}

// TestTheUsersEnvWins: the number that the user wrote into .env is the one for
// every file, whatever an earlier pull had given.
// Promise: ports-env
func TestTheUsersEnvWins(t *testing.T) {
	ports := []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{
		{Path: ".env", Template: "PORT={port}"}, {Path: ".env.test", Template: "PORT={port}"}, {Path: "a", Template: "p={port};"},
	}}}
	bring := func(more string) *bundlezip.Archive {
		return archive(t, ports,
			sf{Path: ".env", MergeStrategy: bundlezip.EnvMerge, Content: text("PORT=3000\n")},
			sf{Path: ".env.test", MergeStrategy: bundlezip.EnvMerge, Content: text("PORT=3000\n")},
			sf{Path: "a", Content: text("p=3000;" + more)})
	}
	b := newFixture(t)
	b.taken[3000] = true
	b.pull(bundle1, bring(""))
	if got := b.tree()["a"]; got != "p=3001;" {
		t.Fatalf("a = %q", got)
	}
	type said struct {
		Type     EntryType
		From, To int
		Path     string
	}
	about := func(l Log) (out []said) {
		for _, e := range l.Entries {
			if e.Name == "web" {
				out = append(out, said{e.Type, e.From, e.To, e.Path})
			}
		}
		return out
	}
	b.put(".env", "PORT=\"4000\"\n")
	log := b.pull(bundle2, bring("2"))
	if got := b.tree()["a"]; got != "p=4000;2" {
		t.Errorf("a = %q", got)
	}
	if diff := cmp.Diff([]said{{Type: PortConflictResolved, From: 3000, To: 4000}}, about(log)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	if got := b.tree()[".env.test"]; got != "PORT=4000\n" {
		t.Errorf("a number that a pull had given did not follow: .env.test = %q", got)
	}
	// Another number of the user's stays, and is named.
	b.put(".env.test", "PORT=5000\n")
	log = b.pull(numbered(4), bring("4"))
	want := []said{{Type: ConflictEntry, Path: ".env.test"}, {Type: PortConflictResolved, From: 3000, To: 4000}}
	if diff := cmp.Diff(want, about(log)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
	// Back at the declared number, files that stay may have the earlier one.
	tree{".env": "PORT=3000\n", ".env.test": "PORT=3000\n"}.write(t, b.dir)
	log = b.pull(bundle3, bring("3"))
	if got := b.tree()["a"]; got != "p=3000;3" {
		t.Errorf("a = %q", got)
	}
	if diff := cmp.Diff([]said{{Type: PortConflictResolved, From: 4000, To: 3000}}, about(log)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}
