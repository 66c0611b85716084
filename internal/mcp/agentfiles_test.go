package mcp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// Promise: mcp-flagged
func TestPlacesThatAreObeyedAreFlagged(t *testing.T) {
	for name, want := range map[string]string{
		".mcp.json":                       forAgents,
		".claude/settings.json":           forAgents,
		"packages/a/.claude/hooks/x.sh":   forAgents,
		".cursor/rules/a.mdc":             forAgents,
		".vscode/tasks.json":              forEditors,
		".envrc":                          forEditors,
		"deep/down/.envrc":                forEditors,
		".husky/pre-commit":               forHooks,
		".github/workflows/ci.yml":        forHooks,
		".github/copilot-instructions.md": forAgents,
		".github/instructions/go.md":      forAgents,
		"AGENTS.md":                       forAgents,
		"docs/AGENTS.md":                  forAgents,
		"CLAUDE.md":                       forAgents,
		"opencode.json":                   forAgents,
		"binding.gyp":                     forPackages,
		"setup.py":                        forPackages,
		"crates/a/build.rs":               forPackages,
		".npmrc":                          forPackages,
		"sub/.npmrc":                      forPackages,
		"bunfig.toml":                     forPackages,
		"setup.cfg":                       forPackages,
		"pdm_build.py":                    forPackages,
		"ext/x/extconf.rb":                forPackages,
		".cargo/config.toml":              forPackages,
		".mvn/extensions.xml":             forPackages,
		".yarn/plugins/a.cjs":             forPackages,
		"demo.code-workspace":             forEditors,
		".code-workspace":                 forEditors,
		"mise.toml":                       forEditors,
		".exrc":                           forEditors,
		".dir-locals.el":                  forEditors,
		"Jenkinsfile":                     forHooks,
		"azure-pipelines.yml":             forHooks,
		".travis.yml":                     forHooks,
		".gitlab-ci.yml":                  forHooks,
		".circleci/config.yml":            forHooks,
		".buildkite/pipeline.yml":         forHooks,
		".drone.yml":                      forHooks,
		"bitbucket-pipelines.yml":         forHooks,
		"appveyor.yml":                    forHooks,
		".cirrus.yml":                     forHooks,
		"cloudbuild.yaml":                 forHooks,
		"buildspec.yml":                   forHooks,
		".pre-commit-config.yaml":         forHooks,
		"lefthook.yml":                    forHooks,
		".forgejo/workflows/ci.yml":       forHooks,
		".gitea/workflows/ci.yml":         forHooks,

		// as file systems may take them
		"agents.MD":              forAgents,
		".Claude/settings.json":  forAgents,
		"JENKINSFILE":            forHooks,
		"x.Code-Workspace":       forEditors,
		".npmrc.svc.new":         forPackages,
		".GITHUB/Workflows/x":    forHooks,
		".cl\u200baude/settings": forAgents,
		"AGENT\u017f.md":         forAgents, // a long s, which folds to s
		"CLAUDE~1/settings.json": forShortNames,
		"AGENTS.md.svc.new":      forAgents,

		"README.md":           "",
		"src/agents.go":       "",
		"claude/settings.txt": "",
		"workflows/ci.yml":    "",
		"package.json":        "",
		"pyproject.toml":      "",
		"Cargo.toml":          "",
		"docs/build.rst":      "",
		"src/rebuild.rs":      "",
		"code-workspace.md":   "",
		"jenkinsfile/x.md":    "",
		"npmrc":               "",
		"my.envrc":            "",
		"a~b.txt":             "",
		"vscode/tasks.json":   "",
	} {
		if got := flagPath(name); got != want {
			t.Errorf("%s is flagged as %q, want %q", name, got, want)
		}
	}
}

// Promise: mcp-flagged
func TestInstallScriptsAreFlagged(t *testing.T) {
	const none = `{"scripts": {"test": "true"}}`
	for name, tc := range map[string]struct {
		file, before, after string
		want                []string // words in the flags
	}{
		"new package":            {"package.json", "", `{"scripts": {"postinstall": "node x.js"}}`, []string{"postinstall", "node x.js"}},
		"prepare":                {"sub/package.json", none, `{"scripts": {"prepare": "husky"}}`, []string{"prepare"}},
		"changed":                {"package.json", `{"scripts": {"install": "a"}}`, `{"scripts": {"install": "b"}}`, []string{"install"}},
		"as it was":              {"package.json", `{"scripts": {"install": "a"}}`, `{"version": "2", "scripts": {"install": "a"}}`, nil},
		"taken out":              {"package.json", `{"scripts": {"install": "a"}}`, none, nil},
		"harmless":               {"package.json", "", none, nil},
		"no scripts":             {"package.json", "", `{"name": "x"}`, nil},
		"another case":           {"Package.JSON", "", `{"scripts": {"preinstall": "a"}}`, []string{"preinstall"}},
		"twice":                  {"package.json", "", `{"scripts": {}, "scripts": {"preinstall": "a"}}`, []string{"preinstall"}},
		"another key":            {"package.json", "", `{"scripts": {"test": "a"}, "Scripts": {"preinstall": "a"}}`, nil},
		"no JSON":                {"package.json", "", "\ufeff{}", []string{"cannot be read"}},
		"no JSON before":         {"package.json", "{", `{"scripts": {"preinstall": "a"}}`, []string{"preinstall"}},
		"no object":              {"package.json", "", `{"scripts": "x"}`, []string{"cannot be read"}},
		"beside":                 {"package.json.svc.new", "", `{"scripts": {"preinstall": "a"}}`, []string{"preinstall"}},
		"composer":               {"composer.json", "", `{"scripts": {"post-install-cmd": ["a"]}}`, []string{"post-install-cmd"}},
		"hostile":                {"package.json", "", "{\"scripts\": {\"preinstall\": \"a\\u001b\u202eb\"}}", []string{"a\\u001b·b"}},
		"python, known backend":  {"pyproject.toml", "", "[build-system]\nrequires = [\"hatchling\"]\nbuild-backend = \"hatchling.build\"\n[project]\nname = \"x\"\n", nil},
		"python, own backend":    {"pyproject.toml", "", "[build-system]\nbuild-backend = \"hatchling.build\"\nbackend-path = [\"tools\"]\n", []string{"build-system.backend-path", "tools"}},
		"python, other backend":  {"sub/pyproject.toml", "", "[build-system]\nbuild-backend = \"mine\"\n", []string{"build-system.build-backend", "mine"}},
		"python, key in quotes":  {"pyproject.toml", "", "build-system.\"backend\\u002dpath\" = [\"tools\"]\n", []string{"backend-path"}},
		"python, hatch":          {"pyproject.toml", "", "[tool.hatch.build.hooks.custom]\n", []string{"tool.hatch.build.hooks"}},
		"python, hatch's wheel":  {"pyproject.toml", "", "[tool.hatch.build.targets.wheel.hooks.custom]\n", []string{"tool.hatch.build.targets.wheel.hooks"}},
		"python, hatch metadata": {"pyproject.toml", "", "[tool.hatch.metadata.hooks.custom]\n", []string{"tool.hatch.metadata.hooks"}},
		"python, hatch version":  {"pyproject.toml", "", "[tool.hatch.version]\nsource = \"code\"\n", []string{"tool.hatch.version"}},
		"python, poetry":         {"pyproject.toml", "", "[tool.poetry]\nbuild = \"build.py\"\n", []string{"tool.poetry.build", "build.py"}},
		"python, pdm":            {"pyproject.toml", "", "[tool.pdm.build]\nrun-setuptools = true\n", []string{"tool.pdm.build"}},
		"python, pdm version":    {"pyproject.toml", "", "[tool.pdm.version]\nsource = \"call\"\n", []string{"tool.pdm.version"}},
		"python, setuptools":     {"pyproject.toml", "", "[tool.setuptools.cmdclass]\ninstall = \"x.y\"\n", []string{"tool.setuptools.cmdclass"}},
		"python, attribute":      {"pyproject.toml", "", "[tool.setuptools.dynamic]\nversion = {attr = \"x.y\"}\n", []string{"tool.setuptools.dynamic.version.attr", "x.y"}},
		"python, as it was":      {"pyproject.toml", "[tool.poetry]\nbuild = \"b.py\"\n", "[tool.poetry]\nname = \"x\"\nbuild = \"b.py\"\n", nil},
		"python, versions":       {"pyproject.toml", "", "[tool.hatch.version]\npath = \"x.py\"\n[tool.pdm]\nversion = {source = \"file\"}\n[tool.setuptools.dynamic]\nreadme = {file = \"a\"}\n", nil},
		"python, scm":            {"pyproject.toml", "", "[tool.setuptools_scm]\ngit_describe_command = \"x\"\n", []string{"git_describe_command"}},
		"python, no TOML":        {"pyproject.toml", "", "[", []string{"cannot be read"}},
		"python, no tables":      {"pyproject.toml", "", "tool = 1\nbuild-system = []\n", nil},
		"rust":                   {"Cargo.toml", "", "[package]\nname = \"x\"\n", nil},
		"rust, build script":     {"Cargo.toml", "", "[package]\nbuild = \"src/main.rs\"\n", []string{"package.build", "src/main.rs"}},
		"rust, none":             {"Cargo.toml", "", "[package]\nbuild = false\n[lib]\nproc-macro = false\n", nil},
		"rust, macros":           {"a/Cargo.toml", "", "[lib]\nproc-macro = true\n", []string{"lib.proc-macro"}},
		"a file of another name": {"other.json", "", `{"scripts": {"preinstall": "a"}}`, nil},
	} {
		c := workdir.FileChange{
			Name:   tc.file,
			Before: func() ([]byte, error) { return []byte(tc.before), nil },
			After:  func() ([]byte, error) { return []byte(tc.after), nil },
		}
		got := flagChange(c)
		if (len(got) > 0) != (len(tc.want) > 0) || slices.ContainsFunc(tc.want, func(word string) bool { return !strings.Contains(strings.Join(got, "\n"), word) }) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	large := workdir.FileChange{
		Name:   "package.json",
		Before: func() ([]byte, error) { return nil, nil },
		After:  func() ([]byte, error) { return nil, workdir.ErrTooLarge },
	}
	if got := flagChange(large); len(got) != 1 || !strings.Contains(got[0], "cannot be read") {
		t.Errorf("too large: %q", got)
	}
	large.Deleted, large.After = true, func() ([]byte, error) { return nil, errors.New("gone") }
	if got := flagChange(large); len(got) != 0 {
		t.Errorf("deleted: %q", got)
	}
}
