package mcp

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// The reasons for which a file is flagged.
const (
	forAgents   = "tells coding agents what to do, or which programs to start"
	forEditors  = "tells editors and shells what to run when the folder is opened"
	forHooks    = "is run by version control or by a build service"
	forPackages = "is run, or says what is run, when packages are installed"
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
		case ".husky", ".githooks", ".circleci", ".buildkite", ".woodpecker", ".semaphore", ".teamcity", ".tekton":
			return forHooks
		case ".cargo", ".mvn", ".yarn":
			return forPackages
		}
		return ""
	}
	switch name {
	case ".mcp.json", "agents.md", "agents.override.md", "claude.md", "claude.local.md", "gemini.md", "opencode.json", "opencode.jsonc",
		".cursorrules", ".windsurfrules", ".clinerules", ".aider.conf.yml", "copilot-instructions.md":
		return forAgents
	case ".envrc", ".devcontainer.json", "mise.toml", ".mise.toml", ".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".dir-locals.el", ".dir-locals-2.el", ".gdbinit", ".lldbinit":
		return forEditors
	case ".gitlab-ci.yml", ".gitlab-ci.yaml", "jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml", ".travis.yaml", ".drone.yml", ".drone.yaml",
		".woodpecker.yml", ".woodpecker.yaml", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", ".cirrus.star", "codemagic.yaml",
		"buildspec.yml", "buildspec.yaml", "cloudbuild.yml", "cloudbuild.yaml", "cloudbuild.json":
		return forHooks
	case ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", ".lefthook.toml",
		"lefthook.json", ".lefthook.json", ".overcommit.yml", ".simple-git-hooks.json", ".simple-git-hooks.js", ".simple-git-hooks.cjs":
		return forHooks
	case "binding.gyp", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", ".yarnrc.yml", ".yarnrc", ".pnp.cjs", ".pnp.loader.mjs", "bunfig.toml",
		"setup.py", "setup.cfg", "pdm_build.py", "hatch_build.py", "build.rs", "extconf.rb":
		return forPackages
	}
	if strings.HasSuffix(name, ".code-workspace") {
		return forEditors
	}
	return ""
}

// forgeFolder gives the reason for which a folder below .github, or below the one that
// another forge has in its place, is obeyed.
func forgeFolder(name string) string {
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
		if (c == ".github" || c == ".gitea" || c == ".forgejo") && i+2 < len(components) {
			if why := forgeFolder(components[i+1]); why != "" {
				return why
			}
		}
	}
	return ""
}
