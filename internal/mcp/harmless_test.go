package mcp

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// TestWhatAnAttackerFoundIsFlagged holds the files that an attacker brought past an
// earlier list of dangerous names.
// Promise: mcp-flagged
func TestWhatAnAttackerFoundIsFlagged(t *testing.T) {
	for name, want := range map[string]string{
		"AGENT.md":                         forAgents,
		"QWEN.md":                          forAgents,
		"CRUSH.md":                         forAgents,
		".agents/skills/x/SKILL.md":        forAgents,
		".rules":                           forAgents,
		".junie/guidelines.md":             forAgents,
		".openhands/setup.sh":              forAgents,
		".github/hooks/pre.json":           forAgents,
		".gitpod.yml":                      forEditors,
		".idx/dev.nix":                     forEditors,
		"mise.local.toml":                  forEditors,
		".venv/bin/activate":               forInstalled,
		"node_modules/.bin/tsc":            forInstalled,
		"web/node_modules/left-pad/x.js":   forInstalled,
		".eslintrc.js":                     forEditors,
		"hatch.toml":                       forPackages,
		"Gemfile":                          forPackages,
		"venv/lib/python3.13/x.py":         forInstalled,
		"tools/site-packages/x.pth":        forInstalled,
		"env/pyvenv.cfg":                   forInstalled,
		"agent.md":                         forAgents, // AGENT.md where names ignore case
		"Claude.md":                        forAgents,
		"claude.anything.md":               forAgents,
		"docs/ORDERS.md":                   forCapitals,
		"ORDERS.MD":                        forCapitals,
		"README_FIRST.md":                  forCapitals,
		".unheard-of":                      forHidden,
		"a/.unheard-of/b":                  forHidden,
		".github/CODEOWNERS":               forHidden,
		".github/ISSUE_TEMPLATE/.claude/x": forAgents,
		".GitIgnore":                       forHidden,
		".gitignore/x":                     forHidden,
		".gitignore.d/x":                   forHidden,
		".env":                             forSettings,
		".env.local":                       forHidden,
		".envrc.example":                   forHidden,
		".node_modules/x":                  forHidden,
		"NODE_M~1/x.js":                    forShortNames,
		"Node_Modules/x.js":                forInstalled,
		"node_modules.svc.new/x.js":        forInstalled,
		"eslint.config.mjs":                forEditors,
		"a.gemspec":                        forPackages,
		"crush.json":                       forAgents,
		"mise/config.toml":                 forEditors,
		"mise/config.local.toml":           forEditors,
		"package.yaml":                     forPackages, // of pnpm, in the place of package.json
		"shard.yml":                        forPackages,
		"rebar.config.script":              forPackages,
		"dub.json":                         forPackages,
		"project.clj":                      forPackages,
		"Brewfile":                         forPackages,
		"a.nimble":                         forPackages,
		"a.rockspec":                       forPackages,
		"a.opam":                           forPackages,
	} {
		if got := flagPath(name); got != want {
			t.Errorf("%s is flagged as %q, want %q", name, got, want)
		}
	}
}

// Promise: mcp-flagged
func TestTheHarmlessIsNotFlagged(t *testing.T) {
	for _, name := range []string{
		".gitignore", ".gitattributes", ".dockerignore", ".editorconfig", ".npmignore", ".prettierignore", ".prettierrc", ".prettierrc.json",
		".prettierrc.yaml", ".env.example", ".nvmrc", ".python-version", "web/.gitignore", ".gitignore.svc.new",
		".github/ISSUE_TEMPLATE/bug.yml", ".github/ISSUE_TEMPLATE/BUG.md", ".github/ISSUE_TEMPLATE/deep/er.md",
		"README.md", "CHANGELOG.md", "LICENSE.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "NOTICE.md", "docs/README.md",
		"README", "LICENSE", "Makefile", "Dockerfile", "ORDERS.txt", "2030.md", "docs/Orders.md", "env/prod.tf", "src/env/config.ts",
		"src/agent.go", "docs/agents-and-tools.md", "mise/x.toml", "vite.config.ts", "lib/x.rb", "go.mod", "tsconfig.json",
	} {
		if why := flagPath(name); why != "" {
			t.Errorf("%s is flagged as %q", name, why)
		}
	}
}

// Promise: mcp-flagged
func TestVirtualEnvironmentsOfAnyNameAreFlagged(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "mine"), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "mine", venvMark), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	v := findVenvs(dir, []workdir.FileChange{{Name: "a/Env/pyvenv.CFG"}})
	for name, want := range map[string]bool{
		"mine/bin/activate": true, "mine/Scripts/python.exe": true, "mine/lib/python3.13/os.py": true, "mine/notes.txt": false,
		"a/env/lib64/x.py": true, "a/env/x.py": false, "other/bin/run": false, "bin/run": false, "mine": false,
	} {
		if got := v.holds(name); got != want {
			t.Errorf("%s is of a virtual environment: %v, want %v", name, got, want)
		}
	}
}

// Promise: mcp-flagged
func TestManifestsAreReadForWhatTheyRun(t *testing.T) {
	for name, tc := range map[string]struct {
		file, text string
		want       string // in the flags; nothing is flagged if it is empty
	}{
		"npm, an address as packageManager":   {"package.json", `{"packageManager": "yarn@https://evil.example/yarn.js"}`, "evil.example"},
		"npm, a folder as packageManager":     {"package.json", `{"packageManager": "file:./x.js"}`, "packageManager"},
		"npm, packageManager":                 {"package.json", `{"packageManager": "pnpm@9.1.0+sha512.abc0"}`, ""},
		"npm, bun's trusted":                  {"package.json", `{"trustedDependencies": ["evil"]}`, "trustedDependencies"},
		"npm, hooks":                          {"package.json", `{"simple-git-hooks": {"pre-commit": "x"}}`, "simple-git-hooks"},
		"npm, pnpm builds":                    {"package.json", `{"pnpm": {"onlyBuiltDependencies": ["evil"]}}`, "pnpm.onlyBuiltDependencies"},
		"npm, pnpm, unknown":                  {"package.json", `{"pnpm": {"unheardOf": 1}}`, "pnpm.unheardOf"},
		"npm, pnpm overrides":                 {"package.json", `{"pnpm": {"overrides": {"a": "1"}}}`, ""},
		"pnpm, packages":                      {"pnpm-workspace.yaml", "# ours\npackages:\n- 'a/*'\n\n  # b\n- b\ncatalog:\n  react: ^19\n", ""},
		"pnpm, configDependencies":            {"pnpm-workspace.yaml", "packages:\n- a\nconfigDependencies:\n  evil: 1.0.0+sha512-x\n", "configDependencies"},
		"pnpm, onlyBuiltDependencies":         {"pnpm-workspace.yaml", "onlyBuiltDependencies: [evil]\n", "evil"},
		"pnpm, patchedDependencies":           {"sub/pnpm-workspace.yaml", "patchedDependencies:\n  a: p.patch\n", "p.patch"},
		"pnpm, all of it indented":            {"pnpm-workspace.yaml", "  packages: [a]\n  nodeOptions: --require ./x.js\n", "nodeOptions"},
		"pnpm, in braces":                     {"pnpm-workspace.yaml", "{packages: [a], scriptShell: ./x}", "scriptShell"},
		"pnpm, in quotes":                     {"pnpm-workspace.yaml", "packages: [a]\n\"script\\u0053hell\": ./x\n", "./x"},
		"pnpm, with other ends of lines":      {"pnpm-workspace.yaml", "packages: [a]\rscriptShell: ./x\r", "scriptShell"},
		"pnpm, a second document":             {"pnpm-workspace.yaml", "packages: [a]\n---\n  scriptShell: ./x\n", "scriptShell"},
		"composer, another event":             {"composer.json", `{"scripts": {"pre-file-download": "x"}}`, "pre-file-download"},
		"composer, every command":             {"composer.json", `{"scripts": {"pre-command-run": "x"}}`, "pre-command-run"},
		"composer, init":                      {"composer.json", `{"scripts": {"init": "x"}}`, "the script init"},
		"composer, plugins":                   {"composer.json", `{"config": {"allow-plugins": {"evil/x": true}}}`, "evil/x"},
		"composer, a script of a name":        {"composer.json", `{"scripts": {"test": "phpunit"}}`, ""},
		"python, requires an address":         {"pyproject.toml", "[build-system]\nrequires = [\"x @ https://evil.example/x.whl\"]\n", "evil.example"},
		"python, requires a release":          {"pyproject.toml", "[build-system]\nrequires = [\"hatchling>=1\"]\n", ""},
		"rust, a toolchain of the project":    {"rust-toolchain.toml", "[toolchain]\npath = \"tools\"\n", "toolchain.path"},
		"rust, a toolchain without an ending": {"rust-toolchain", "[toolchain]\npath = \"tools\"\n", "toolchain.path"},
		"rust, a release":                     {"rust-toolchain", "stable\n", ""},
	} {
		got := flagChange(workdir.FileChange{
			Name:   tc.file,
			Before: func() ([]byte, error) { return nil, nil },
			After:  func() ([]byte, error) { return []byte(tc.text), nil },
		})
		if (len(got) > 0) != (tc.want != "") || !strings.Contains(strings.Join(got, "\n"), tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}

// Promise: mcp-allowed
func TestOnlyFlaggedFilesCanBeAllowed(t *testing.T) {
	flags := flagged{reasons: map[string][]string{".env": {forSettings}}, refused: map[string]bool{"AGENTS.md": true, ".envrc": true}}
	for _, names := range [][]string{{"a.txt"}, {".env"}, {"agents.md"}, {"./AGENTS.md"}, {"*"}, {""}, {"AGENTS.md", "AGENTS.md"}} {
		some := flagged{refused: map[string]bool{"AGENTS.md": true, ".envrc": true}}
		if err := some.allow(names); err == nil || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("%q: %v", names, err)
		}
	}
	if err := flags.allow([]string{"AGENTS.md"}); err != nil || !maps.Equal(flags.refused, map[string]bool{".envrc": true}) {
		t.Errorf("%v, left %v", err, flags.refused)
	}
}
