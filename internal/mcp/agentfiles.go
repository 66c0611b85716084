package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// The reasons for which a file is flagged.
const (
	forAgents   = "tells coding agents what to do, or which programs to start"
	forEditors  = "tells editors and shells what to run when the folder is opened"
	forHooks    = "is run by version control or by a build service"
	forPackages = "is run when packages are installed"
	shortName   = "may be the short name of another file on Windows"
)

// obeyed gives the reason for which a file or folder of a name is obeyed by programs,
// wherever in the tree it lies. Names are folded.
func obeyed(name string, folder bool) string {
	if folder {
		switch name {
		case ".claude", ".cursor", ".opencode", ".codex", ".gemini", ".windsurf", ".clinerules", ".continue", ".kiro", ".roo":
			return forAgents
		case ".vscode", ".devcontainer", ".zed", ".idea":
			return forEditors
		case ".husky", ".githooks", ".circleci":
			return forHooks
		}
		return ""
	}
	switch name {
	case ".mcp.json", "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "opencode.json", "opencode.jsonc",
		".cursorrules", ".windsurfrules", ".clinerules", ".aider.conf.yml", "copilot-instructions.md":
		return forAgents
	case ".envrc", ".devcontainer.json":
		return forEditors
	case ".gitlab-ci.yml", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml":
		return forHooks
	case "binding.gyp", ".pnpmfile.cjs", ".pnpmfile.mjs", "setup.py", ".yarnrc.yml", ".yarnrc":
		return forPackages
	}
	return ""
}

// githubFolders are the folders below .github whose files are obeyed.
func githubFolder(name string) string {
	switch name {
	case "workflows", "actions":
		return forHooks
	case "instructions", "prompts", "agents", "chatmodes", "skills":
		return forAgents
	}
	return ""
}

// flagPath gives the reason for which a place in a project is flagged, or nothing.
// File systems differ in what they hold for the same name; the strictest counts.
func flagPath(name string) string {
	name = strings.TrimSuffix(name, workdir.NewSuffix)
	components := strings.Split(bundlezip.FoldName(name), "/")
	for i, c := range components {
		if bundlezip.LooksShort(c) {
			return shortName
		}
		last := i == len(components)-1
		if why := obeyed(c, !last); why != "" {
			return why
		}
		if c == ".github" && i+2 < len(components) {
			if why := githubFolder(components[i+1]); why != "" {
				return why
			}
		}
	}
	return ""
}

// installScripts are the scripts that package managers run by themselves.
func installScripts(base string) []string {
	switch base {
	case "package.json":
		return []string{"preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies", "pnpm:devPreinstall"}
	case "composer.json":
		return []string{
			"pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd", "pre-autoload-dump", "post-autoload-dump",
			"post-root-package-install", "post-create-project-cmd", "pre-package-install", "post-package-install",
		}
	}
	return nil
}

// flagChange gives the reasons for which a change of a file is flagged.
func flagChange(c workdir.FileChange) []string {
	var why []string
	if reason := flagPath(c.Name); reason != "" {
		why = append(why, reason)
	}
	name := strings.TrimSuffix(c.Name, workdir.NewSuffix)
	scripts := installScripts(bundlezip.FoldName(path.Base(name)))
	if scripts == nil || c.Deleted {
		return why
	}
	after, err := scriptsIn(c.After, scripts)
	if err != nil {
		return append(why, fmt.Sprintf("may hold scripts that are run when packages are installed: it cannot be read (%s)", line(err.Error())))
	}
	before, err := scriptsIn(c.Before, scripts)
	if err != nil {
		before = nil // all that it holds then is new
	}
	for _, script := range slices.Sorted(maps.Keys(after)) {
		if text := after[script]; before[script] != text {
			shown, _ := cut(line(text), 300)
			why = append(why, fmt.Sprintf("the script %s is run when packages are installed: %s", line(script), shown))
		}
	}
	return why
}

// scriptsIn reads the named scripts out of a package's description.
func scriptsIn(content func() ([]byte, error), names []string) (map[string]string, error) {
	text, err := content()
	if err != nil || len(text) == 0 {
		return nil, err
	}
	var described map[string]json.RawMessage // Go would take "Scripts" for "scripts"
	if err := json.Unmarshal(text, &described); err != nil {
		return nil, err
	}
	var scripts map[string]json.RawMessage
	if raw, ok := described["scripts"]; ok {
		if err := json.Unmarshal(raw, &scripts); err != nil {
			return nil, err
		}
	}
	found := map[string]string{}
	for _, name := range names {
		if raw, ok := scripts[name]; ok {
			found[name] = string(raw)
		}
	}
	return found, nil
}
