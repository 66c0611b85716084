package pack_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

func paths(m bundlezip.Manifest) (out []string) {
	for _, f := range m.Files {
		out = append(out, f.Path)
	}
	return out
}

func describe(t *testing.T, dir string, rules pack.ImportRules) bundlezip.Manifest {
	t.Helper()
	m, _, err := (&pack.Packager{}).DescribeImport(t.Context(), svc.Account{}, dir, pack.ImportOptions{Rules: rules})
	must.Do(t, err)
	return m
}

// TestImportHonoursGitignore: what is imported is what git would add.
// Promise: import-folder
func TestImportHonoursGitignore(t *testing.T) {
	needs.Program(t, "git", "install git")
	dir := tree(t, map[string]string{
		".gitignore": ".env\n/dist/\n*.log\n!keep.log\nbuild\n**/tmp/*.txt\n\\#x\n", "a.go": "", ".env": "SECRET=mine", "dist/x": "", "sub/dist/x": "",
		"x.log": "", "keep.log": "", "sub/keep.log": "", "sub/build/y": "", "sub/tmp/a.txt": "", "sub/tmp/a.md": "", "#x": "",
		"sub/.gitignore": "*.go\n!main.go\n", "sub/other.go": "", "sub/main.go": "", "sub/deep/other.go": "", "other.go": "",
	})
	git := exec.CommandContext(t.Context(), "sh", "-c", "git init -q . && git -c core.excludesFile=/dev/null ls-files --cached --others --exclude-standard")
	git.Dir = dir
	out, err := git.Output()
	must.Do(t, err)
	want := strings.Fields(string(out))
	slices.Sort(want)
	if diff := cmp.Diff(want, paths(describe(t, dir, pack.ImportRules{}))); diff != "" {
		t.Errorf("files (-git +import):\n%s", diff)
	}
}

// TestImportHonoursGitignoreAbove: a part of a repository is what git would add of it.
// Promise: import-folder
func TestImportHonoursGitignoreAbove(t *testing.T) {
	needs.Program(t, "git", "install git")
	repository := tree(t, map[string]string{
		".gitignore": ".env\n*.log\n/sub/secret\n/secret2\n/dist/\n", "sub/.gitignore": "*.tmp\n!x.log\n",
		"sub/app/a.go": "", "sub/app/.env": "SECRET=mine", "sub/app/x.log": "", "sub/app/y.log": "", "sub/app/z.tmp": "", "sub/app/secret2": "",
		"sub/app/.gitignore": "!kept.tmp\n/own\n", "sub/app/kept.tmp": "", "sub/app/own": "", "sub/app/in/own": "", "sub/secret": "", "dist/page": "",
		"plain/app/a.go": "", "plain/app/x.log": "", "plain/.gitignore/none": "", "plain/app/deep/a.go": "", "plain/app/deep/x.log": "",
	})
	git := exec.CommandContext(t.Context(), "sh", "-c", "git init -q . && cd sub/app && git -c core.excludesFile=/dev/null ls-files --cached --others --exclude-standard")
	git.Dir = repository
	out, err := git.Output()
	must.Do(t, err)
	want := strings.Fields(string(out))
	slices.Sort(want)
	if diff := cmp.Diff(want, paths(describe(t, filepath.Join(repository, "sub", "app"), pack.ImportRules{}))); diff != "" {
		t.Errorf("files (-git +import):\n%s", diff)
	}
	// Rules hold beyond folders that have none, or something else in the place of theirs.
	if got := paths(describe(t, filepath.Join(repository, "plain", "app", "deep"), pack.ImportRules{})); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("below folders without rules: %v", got)
	}
	// What is named is meant, whatever git thinks of it.
	if got := paths(describe(t, filepath.Join(repository, "dist"), pack.ImportRules{})); !slices.Equal(got, []string{"page"}) {
		t.Errorf("an ignored folder that is named: %v", got)
	}
}

// TestImportWaitsForGenerations: a state under a run would take away what it makes.
// Promise: import-folder
func TestImportWaitsForGenerations(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	p, _ := w.Project(a, deliverytest.Files(map[string]string{"old.txt": "old"}))
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: a.ID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: w.Clock.Now()}
	must.Do(t, w.Store.Runs().Insert(t.Context(), run))
	dir := tree(t, map[string]string{"new.txt": "new"})
	_, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{ProjectID: p.ID})
	if e, ok := errors.AsType[*svc.Error](err); !ok || e.Code != svc.CodeProjectBusy || e.GenerationID != run.ID || !strings.Contains(e.Message, run.ID) {
		t.Errorf("%v", err)
	}
	now, err := w.Store.Projects().Get(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if now.Revision != p.Revision {
		t.Errorf("revision %d", now.Revision)
	}
	if _, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{}); err != nil { // another project is not concerned
		t.Error(err)
	}
}

// TestImportRefusesRepositoriesWithoutDotGit names each file that would complete one,
// and imports nothing.
// Promise: push-no-repository
func TestImportRefusesRepositoriesWithoutDotGit(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"the root":  {map[string]string{"HEAD": "x", "config": "x", "objects/x": "x", "refs/x": "x"}, "makes the root a Git repository"},
		"a folder":  {map[string]string{"vendor/x/head": "x", "vendor/x/Objects/x": "x", "vendor/x/refs": "x"}, `makes the folder "vendor/x" a Git repository`},
		"commondir": {map[string]string{"x/HEAD": "x", "x/commondir": "../y"}, `makes the folder "x" a Git repository`},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, test.files)
			for _, dry := range []bool{false, true} {
				var err error
				if dry {
					_, _, err = w.Packager.DescribeImport(t.Context(), a, dir, pack.ImportOptions{})
				} else {
					_, err = w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{})
				}
				if e, ok := errors.AsType[*svc.Error](err); !ok || e.Code != svc.CodeInvalidRequest || !strings.Contains(e.Message, test.says) || !strings.Contains(e.Message, "--leave-out") {
					t.Errorf("%v", err)
				}
			}
		})
	}
	dir := tree(t, map[string]string{"HEAD": "x", "a": "x", "fixture/HEAD": "x", "fixture/objects/x": "x", "fixture/refs/x": "x"})
	if _, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{Rules: pack.ImportRules{LeaveOut: []string{"fixture/"}}}); err != nil {
		t.Error(err)
	}
}

// Promise: import-folder
func TestImportRules(t *testing.T) {
	dir := tree(t, map[string]string{
		pack.RulesFile: `
leave_out = ["drafts/", "*.tmp"]
[[files]]
match = "config/*.json"
merge_strategy = "deep_merge"
destination_type = "global_config"
[[files]]
match = "NOTES.md"
merge_strategy = "create_only"
[[ports]]
name = "web"
port = 3000
uses = [{path = "port.txt", template = "p={port}"}]
`,
		"config/a.json": "{}", "config/deep/b.json": "{}", "NOTES.md": "n", "drafts/x": "", "a.tmp": "", ".env.test": "", "port.txt": "p=3000\nq=3000\n", "main.go": "",
	})
	placed := func(m bundlezip.Manifest) map[string]string {
		out := map[string]string{}
		for _, f := range m.Files {
			out[f.Path] = string(f.DestinationType) + " " + string(f.MergeStrategy)
		}
		return out
	}
	m := describe(t, dir, pack.ImportRules{})
	want := map[string]string{
		"config/a.json": "global_config deep_merge", "config/deep/b.json": "project three_way", "NOTES.md": "project create_only",
		".env.test": "global_config env_merge", "port.txt": "project three_way", "main.go": "project three_way",
	}
	if diff := cmp.Diff(want, placed(m)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	port, err := pack.ParsePortRule("web=3000@port.txt@q={port}")
	must.Do(t, err)
	m = describe(t, dir, pack.ImportRules{
		LeaveOut: []string{"main.go"},
		Files:    []pack.FileRule{{Match: "NOTES.md", MergeStrategy: bundlezip.Overwrite}, {Match: "*", DestinationType: bundlezip.Project}},
		Ports:    []bundlezip.Port{port},
	})
	want = map[string]string{
		"config/a.json": "project deep_merge", "config/deep/b.json": "project three_way", "NOTES.md": "project overwrite",
		".env.test": "project env_merge", "port.txt": "project three_way",
	}
	if diff := cmp.Diff(want, placed(m)); diff != "" {
		t.Errorf("files with more rules (-want +got):\n%s", diff)
	}
	ports := []bundlezip.Port{{Name: "web", Port: 3000, Uses: []bundlezip.PortUse{{Path: "port.txt", Template: "p={port}"}, {Path: "port.txt", Template: "q={port}"}}}}
	if diff := cmp.Diff(ports, m.Ports); diff != "" {
		t.Errorf("ports (-want +got):\n%s", diff)
	}
	port.Port, port.Uses[0].Path = 4000, "a.txt"
	m = describe(t, tree(t, map[string]string{pack.RulesFile: "[[ports]]\nname = \"web\"\nport = 3000\nuses = [{path = \"a.txt\", template = \"p={port}\"}]", "a.txt": "q=4000"}), pack.ImportRules{Ports: []bundlezip.Port{port}})
	if len(m.Ports) != 1 || m.Ports[0].Port != 4000 || len(m.Ports[0].Uses) != 1 {
		t.Errorf("a flag with another number: %+v", m.Ports)
	}
}

// Promise: import-folder
func TestImportRefusesRulesThatMeanNothing(t *testing.T) {
	for name, test := range map[string]struct{ rules, want string }{
		"unknown field":    {`leaveout = ["x"]`, "leaveout"},
		"no TOML":          {`leave_out = [`, pack.RulesFile},
		"unknown strategy": {"[[files]]\nmatch = \"a\"\nmerge_strategy = \"replace\"", "merge_strategy"},
		"port in no file":  {"[[ports]]\nname = \"web\"\nport = 1\nuses = [{path = \"b\", template = \"{port}\"}]", "not a file"},
		"matches nothing":  {"[[files]]\nmatch = \"b\"\nmerge_strategy = \"replace\"", "merge_strategy"},
		"two numbers":      {"[[ports]]\nname = \"web\"\nport = 1\n[[ports]]\nname = \"web\"\nport = 2", "1 and as 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := tree(t, map[string]string{"a": "1", pack.RulesFile: test.rules})
			_, _, err := (&pack.Packager{}).DescribeImport(t.Context(), svc.Account{}, dir, pack.ImportOptions{})
			if svc.CodeOf(err) != svc.CodeInvalidRequest || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v", err)
			}
		})
	}
	for _, text := range []string{"", "web", "web=3000", "web=x@a@{port}", "web=3000@a", "web=3000x@a@{port}"} {
		if _, err := pack.ParsePortRule(text); err == nil {
			t.Errorf("%q is a port", text)
		}
	}
}

// TestImportIntoAProject: the folder is the project's next state, and its only one.
// Promise: import-folder
func TestImportIntoAProject(t *testing.T) {
	w := deliverytest.New(t)
	a := w.Account("ada@example.com")
	content := deliverytest.Files(map[string]string{"old.txt": "old"})
	content.State.Architecture, content.Memory, content.MemoryRevision = map[string]string{"language": "go"}, "remember", 3
	p, first := w.Project(a, content)
	dir := tree(t, map[string]string{"new.txt": "new"})
	done, err := w.Packager.ImportDir(t.Context(), a, dir, pack.ImportOptions{ProjectID: p.ID})
	must.Do(t, err)
	if done.Project.ID != p.ID || done.Project.Revision != p.Revision+1 || done.Project.Name != p.Name || done.Bundle.ID == first.ID {
		t.Errorf("%+v", done)
	}
	now, err := w.Store.Projects().Get(t.Context(), a.ID, p.ID)
	must.Do(t, err)
	if now.Memory != "remember" || now.MemoryRevision != 3 || now.State["language"] != "go" {
		t.Errorf("%+v", now)
	}
	archive := read(t, w, done.Bundle.Blob)
	opened, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	must.Do(t, err)
	if got := paths(opened.Manifest()); !slices.Equal(got, []string{"new.txt"}) || opened.Manifest().Architecture["language"] != "go" {
		t.Errorf("%v", opened.Manifest())
	}
	m, _, err := w.Packager.DescribeImport(t.Context(), a, dir, pack.ImportOptions{ProjectID: p.ID})
	must.Do(t, err)
	if diff := cmp.Diff(opened.Manifest().Files, m.Files); diff != "" {
		t.Errorf("described (-delivered +described):\n%s", diff)
	}
	if _, err := w.Packager.ImportDir(t.Context(), w.Account("eve@example.com"), dir, pack.ImportOptions{ProjectID: p.ID}); svc.CodeOf(err) != svc.CodeProjectNotFound {
		t.Errorf("another account: %v", err)
	}
	if _, _, err := w.Packager.DescribeImport(t.Context(), w.Account("bob@example.com"), dir, pack.ImportOptions{ProjectID: p.ID}); svc.CodeOf(err) != svc.CodeProjectNotFound {
		t.Errorf("another account's, described: %v", err)
	}
}
