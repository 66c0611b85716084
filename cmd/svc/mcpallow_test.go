package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
)

// needAllow are the files of a preview that a person has to allow.
func (r answered) needAllow() (names []string) {
	items, _ := r.fields["files"].([]any)
	for _, item := range items {
		f, _ := item.(map[string]any)
		if needs, _ := f["needs_allow"].(bool); needs {
			name, _ := f["path"].(string)
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// flagsOf are the reasons for which a preview flags a file.
func (r answered) flagsOf(name string) string {
	items, _ := r.fields["files"].([]any)
	for _, item := range items {
		f, _ := item.(map[string]any)
		if f["path"] == name {
			var all []string
			reasons, _ := f["flags"].([]any)
			for _, reason := range reasons {
				text, _ := reason.(string)
				all = append(all, text)
			}
			return strings.Join(all, "; ")
		}
	}
	return ""
}

// agentFilesAreAllowedOneByOne: what a person allows is files of one preview, and of no
// other.
func agentFilesAreAllowedOneByOne(t *testing.T, s *stage) {
	files := map[string]string{"README.md": "# Demo\n", "AGENT.md": "Obey.\n", ".gitpod.yml": "tasks: []\n", "node_modules/a/x.js": "1\n", ".gitignore": "x\n"}
	a := newAgent(t, s, files)
	id := a.tenant.BundleID
	shown := a.call("preview_pull", nil)
	digest, all := shown.field("digest"), []string{".gitpod.yml", "AGENT.md", "node_modules/a/x.js"}
	if !slices.Equal(shown.needAllow(), all) || digest == "" || !strings.Contains(shown.field("next"), "Only if the person says so") {
		t.Fatalf("the preview is %s", shown.text)
	}
	with := func(allow ...string) arguments {
		return arguments{"bundle_id": id, "digest": digest, "allow": append([]string{}, allow...)}
	}
	a.refused("pull", with("AGENT.md", ".gitpod.yml"), "nothing was written", "node_modules/a/x.js")
	a.refused("pull", with(append(slices.Clone(all), "README.md")...), "nothing was written", "is no file with needs_allow")

	// The word is about these files with these contents, in this folder.
	const changed = "this is not what preview_pull showed"
	state := func(agent, more string) bundlezip.State {
		state := bundlezip.State{Files: []bundlezip.StateFile{
			stateFile(".gitignore", "x\n"), stateFile(".gitpod.yml", "tasks: []\n"), stateFile("AGENT.md", agent), stateFile("README.md", "# Demo\n"), stateFile("node_modules/a/x.js", "1\n"),
		}}
		if more != "" {
			state.Files = append(state.Files, stateFile(more, "more\n"))
		}
		return state
	}
	a.swap(state("Obey me instead.\n", ""))
	a.refused("pull", with(all...), changed)
	a.swapBack()
	a.swap(state("Obey.\n", "venv/bin/python"))
	a.refused("pull", with(append(slices.Clone(all), "venv/bin/python")...), changed)
	a.swapBack()
	a.write("AGENT.md", "Mine.\n")
	a.refused("pull", with(all...), changed)
	a.remove("AGENT.md")
	if got := a.between.count("ack"); got != 0 {
		t.Errorf("a refused pull was acknowledged %d times", got)
	}

	a.call("pull", with(all...))
	if a.file("AGENT.md") != "Obey.\n" || a.file("node_modules/a/x.js") != "1\n" {
		t.Error("what is allowed is not there")
	}
	// It is no word for the next bundle.
	id = a.call("export", arguments{"project_id": a.tenant.ProjectID}).field("bundle_id")
	a.swap(bundlezip.State{Files: []bundlezip.StateFile{stateFile("README.md", "# Demo\n")}})
	a.refused("pull", with(all...), changed)
}

// mergedSettingsAreShown: a merge of .env adds keys and changes none.
func mergedSettingsAreShown(t *testing.T, s *stage) {
	a := newAgent(t, s, map[string]string{".env": "PORT=1\nNEW=1\n", "sub/.env": "A=1\n", "a.txt": "a\n"})
	a.write(".env", "PORT=2\n")
	shown := a.call("preview_pull", nil)
	if got := shown.needAllow(); len(got) != 0 || !strings.Contains(shown.flagsOf(".env"), "settings") || !strings.Contains(shown.flagsOf("sub/.env"), "settings") {
		t.Errorf("the preview needs a word for %q: %s", got, shown.text)
	}
	a.pull(a.tenant.BundleID)
	if got := a.file(".env"); !strings.Contains(got, "PORT=2\n") || !strings.Contains(got, "NEW=1\n") {
		t.Errorf(".env is %q", got)
	}
	// To replace it is another thing than to add to it.
	fresh := a.call("export", arguments{"project_id": a.tenant.ProjectID}).field("bundle_id")
	replaced := stateFile(".env", "PORT=3\n")
	replaced.MergeStrategy = bundlezip.Overwrite
	a.swap(bundlezip.State{Files: []bundlezip.StateFile{replaced, stateFile("a.txt", "a\n"), stateFile("sub/.env", "A=1\n")}})
	if r := a.call("preview_pull", arguments{"bundle_id": fresh}); !slices.Equal(r.needAllow(), []string{".env"}) {
		t.Errorf("the preview is %s", r.text)
	}
}

// TestProjectsOfEachKindAreFlaggedForAReason pulls what the engine of templates makes of
// each kind, as an agent does, and says which of its files a person has to allow.
// Promise: mcp-generated
func TestProjectsOfEachKindAreFlaggedForAReason(t *testing.T) {
	buildAgentProgram(t)
	s := &stage{service: cluster.ServiceForTest(t, "--engine", "template", "--validate", "syntax")}
	needs := map[string]string{
		".github/workflows/ci.yml": "is run by version control or by a build service",
		".vscode/settings.json":    "tells editors and shells what to run when the folder is opened",
	}
	for name, prompt := range map[string]string{
		"service in Go":         "a REST API for books in Go with SQLite",
		"service in Python":     "a bookmarks API in Python",
		"service in TypeScript": "a REST API for books in TypeScript with Postgres",
		"web site":              "a web site for a bakery in Bristol",
	} {
		t.Run(name, func(t *testing.T) {
			a := newAgent(t, s, map[string]string{"a.txt": "a\n"})
			made := a.call("generate", arguments{"prompt": prompt, "wait_seconds": 120})
			shown := a.call("preview_pull", arguments{"bundle_id": made.field("bundle_id")})
			got := shown.needAllow()
			for _, file := range got {
				if why, known := needs[file]; !known || shown.flagsOf(file) != why {
					t.Errorf("%s is flagged as %q, want %q", file, shown.flagsOf(file), why)
				}
			}
			if len(got) != len(needs) {
				t.Errorf("a word is needed for %q, want %d files", got, len(needs))
			}
			for _, file := range shown.names("files", "path") {
				why := shown.flagsOf(file)
				if _, known := needs[file]; !known && why != "" && file != ".env" {
					t.Errorf("%s is flagged as %q", file, why)
				}
			}
			wanted := arguments{"bundle_id": made.field("bundle_id"), "digest": shown.field("digest")}
			a.refused("pull", wanted, "nothing was written", ".github/workflows/ci.yml")
			wanted["allow"] = got
			a.call("pull", wanted)
			if a.file(".github/workflows/ci.yml") == "-" || a.file("README.md") == "-" {
				t.Error("the project is not there")
			}
		})
	}
}
