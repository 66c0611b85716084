package mcp

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/workdir"
)

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

		// as file systems may take them
		"agents.MD":              forAgents,
		".Claude/settings.json":  forAgents,
		".GITHUB/Workflows/x":    forHooks,
		".cl\u200baude/settings": forAgents,
		"AGENT\u017f.md":         forAgents, // a long s, which folds to s
		"CLAUDE~1/settings.json": shortName,
		"AGENTS.md.svc.new":      forAgents,

		"README.md":           "",
		"src/agents.go":       "",
		"claude/settings.txt": "",
		".github/CODEOWNERS":  "",
		"workflows/ci.yml":    "",
		"package.json":        "",
		"my.envrc":            "",
		"a~b.txt":             "",
		"vscode/tasks.json":   "",
		".cursor":             "", // a file, not the folder
	} {
		if got := flagPath(name); got != want {
			t.Errorf("%s is flagged as %q, want %q", name, got, want)
		}
	}
}

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
