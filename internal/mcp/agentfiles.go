package mcp

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// The reasons for which a file is flagged.
const (
	forAgents     = "tells coding agents what to do, or which programs to start"
	forEditors    = "tells editors and shells what to run when the folder is opened"
	forHooks      = "is run by version control or by a build service"
	forPackages   = "is run, or says what is run, when packages are installed"
	forInstalled  = "replaces an installed package, whose code runs when the project's own tools do"
	forHidden     = "is a dot file or lies in a dot folder: programs may obey it, and listings hide it"
	forCapitals   = "has a name in capitals, as the files have that coding agents obey"
	forSettings   = "holds settings that programs read when they start"
	forShortNames = "may be the short name of another file on Windows"
)

// harmless are the only dot files that are not flagged. What else begins with a dot is
// flagged, whether or not a program is known that obeys it.
var harmless = []string{
	".gitignore", ".gitattributes", ".dockerignore", ".editorconfig", ".npmignore", ".prettierignore",
	".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".env.example", ".nvmrc", ".python-version",
}

// harmlessCapitals are the texts for people whose names are in capitals.
var harmlessCapitals = []string{"README", "CHANGELOG", "LICENSE", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT", "NOTICE"}

// flagPath returns the reason for which a place in a project is flagged, or nothing.
// Harmless names count as they are written. Other names count as any file system may
// take them, without case.
func flagPath(name string) string {
	name = besideOf(name)
	given, folded := strings.Split(name, "/"), strings.Split(bundlezip.FoldName(name), "/")
	last := len(given) - 1
	forms := false // in .github/ISSUE_TEMPLATE, whose files a web site shows to people
	for i, folder := range folded[:last] {
		if i+1 < last && given[i] == ".github" && given[i+1] == "ISSUE_TEMPLATE" {
			forms = true
			continue
		}
		if why := flagFolder(folder, folded[i+1]); why != "" {
			return why
		}
	}
	if slices.Contains(harmless, given[last]) {
		return ""
	}
	if why := flagName(folded[last]); why != "" {
		return why
	}
	if !forms && inCapitals(given[last]) {
		return forCapitals
	}
	return ""
}

// besideOf returns the name of the file that an incoming text lies beside, or the name
// itself.
func besideOf(name string) string {
	return strings.TrimSuffix(strings.ReplaceAll(name+"/", workdir.NewSuffix+"/", "/"), "/")
}

// flagFolder returns the reason for which everything in a folder is flagged, or in what
// lies in it under the name next.
func flagFolder(folder, next string) string {
	switch folder {
	case "node_modules", "venv", "virtualenv", "site-packages", "__pypackages__":
		return forInstalled
	case ".claude", ".cursor", ".opencode", ".codex", ".gemini", ".windsurf", ".clinerules", ".continue", ".kiro", ".roo",
		".agents", ".rules", ".junie", ".openhands", ".qwen", ".crush":
		return forAgents
	case ".vscode", ".devcontainer", ".zed", ".idea", ".idx":
		return forEditors
	case ".husky", ".githooks", ".circleci", ".buildkite", ".woodpecker", ".semaphore", ".teamcity", ".tekton":
		return forHooks
	case ".cargo", ".mvn", ".yarn":
		return forPackages
	case ".venv":
		return forInstalled
	case "mise":
		if strings.HasPrefix(next, "config.") && path.Ext(next) == ".toml" {
			return forEditors
		}
	case ".github", ".gitea", ".forgejo":
		switch next {
		case "workflows", "actions":
			return forHooks
		case "instructions", "prompts", "agents", "chatmodes", "skills", "hooks", "copilot-instructions.md":
			return forAgents
		}
	}
	return flagUnknown(folder)
}

// flagUnknown returns the reason for a folder or file of whose name nothing else is
// known.
func flagUnknown(folded string) string {
	switch {
	case bundlezip.LooksShort(folded):
		return forShortNames
	case strings.HasPrefix(folded, "."):
		return forHidden
	}
	return ""
}

// flagName returns the reason for which a file of a name is flagged, wherever it lies.
func flagName(folded string) string {
	switch folded {
	case ".mcp.json", "mcp.json", "opencode.json", "opencode.jsonc", "crush.json", "copilot-instructions.md",
		".cursorrules", ".windsurfrules", ".clinerules", ".rules", ".aider.conf.yml":
		return forAgents
	case ".envrc", ".devcontainer.json", ".gitpod.yml", ".exrc", ".nvimrc", ".nvim.lua", ".vimrc", ".dir-locals.el", ".dir-locals-2.el", ".gdbinit", ".lldbinit":
		return forEditors
	case ".gitlab-ci.yml", ".gitlab-ci.yaml", "jenkinsfile", "azure-pipelines.yml", "azure-pipelines.yaml", ".travis.yml", ".travis.yaml", ".drone.yml", ".drone.yaml",
		".woodpecker.yml", ".woodpecker.yaml", "bitbucket-pipelines.yml", "appveyor.yml", ".appveyor.yml", ".cirrus.yml", ".cirrus.star", "codemagic.yaml",
		"buildspec.yml", "buildspec.yaml", "cloudbuild.yml", "cloudbuild.yaml", "cloudbuild.json":
		return forHooks
	case ".pre-commit-config.yaml", ".pre-commit-config.yml", "lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".lefthook.yaml", "lefthook.toml", ".lefthook.toml",
		"lefthook.json", ".lefthook.json", ".overcommit.yml", ".simple-git-hooks.json", ".simple-git-hooks.js", ".simple-git-hooks.cjs":
		return forHooks
	case "binding.gyp", ".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", ".yarnrc.yml", ".yarnrc", ".pnp.cjs", ".pnp.loader.mjs", "bunfig.toml",
		"setup.py", "setup.cfg", "pdm_build.py", "hatch_build.py", "hatch.toml", "build.rs", "extconf.rb",
		"gemfile", "gems.rb", "podfile", "mix.exs", "conanfile.py", "package.swift", "makefile.pl", "build.pl", "setup.hs", "setup.lhs",
		"package.json5", "package.yaml", "brewfile", "shard.yml", "rebar.config", "rebar.config.script", "dub.json", "dub.sdl", "project.clj":
		return forPackages
	case venvMark:
		return forInstalled
	case ".env":
		return forSettings
	}
	stem, extension := strings.TrimSuffix(folded, path.Ext(folded)), path.Ext(folded)
	first, _, _ := strings.Cut(folded, ".")
	switch {
	case extension == ".code-workspace":
		return forEditors
	case extension == ".toml" && (first == "mise" || strings.HasPrefix(folded, ".mise.")):
		return forEditors
	case isScript(extension) && slices.Contains([]string{"eslint.config", "prettier.config", "stylelint.config", ".eslintrc", ".prettierrc", ".stylelintrc"}, stem):
		return forEditors
	case slices.Contains([]string{".gemspec", ".podspec", ".nimble", ".rockspec", ".opam"}, extension):
		return forPackages
	case extension == ".md" && slices.Contains(agentTexts, first):
		return forAgents
	}
	return flagUnknown(folded)
}

// agentTexts are the files that agents are known to obey. Where file names ignore
// case, agents.md is AGENTS.md.
var agentTexts = []string{
	"agent", "agents", "claude", "codex", "crush", "gemini", "knowledge", "opencode", "qwen", "replit", "skill", "warp",
}

func isScript(extension string) bool {
	return slices.Contains([]string{".js", ".cjs", ".mjs", ".ts", ".cts", ".mts"}, extension)
}

// inCapitals reports whether a file has a name as agents' files have it: a text whose
// letters are all capitals, and that is not for people by its name.
func inCapitals(name string) bool {
	stem := name[:len(name)-len(path.Ext(name))]
	return strings.EqualFold(path.Ext(name), ".md") && !slices.Contains(harmlessCapitals, stem) &&
		strings.ContainsFunc(stem, unicode.IsUpper) && !strings.ContainsFunc(stem, unicode.IsLower)
}
