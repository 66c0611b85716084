package mcp

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// flagChange returns the reasons for which a change of a file is flagged.
func flagChange(c workdir.FileChange) []string {
	var why []string
	if reason := flagPath(c.Name); reason != "" {
		why = append(why, reason)
	}
	read := installScripts(bundlezip.FoldName(path.Base(besideOf(c.Name))))
	if read == nil || c.Deleted {
		return why
	}
	after, err := scriptsIn(c.After, read)
	if err != nil {
		return append(why, fmt.Sprintf("may hold scripts that are run when packages are installed: it cannot be read (%s)", line(err.Error())))
	}
	before, err := scriptsIn(c.Before, read)
	if err != nil {
		before = nil // all that it holds then is new
	}
	for _, script := range slices.Sorted(maps.Keys(after)) {
		if text := after[script]; before[script] != text {
			shown, _ := cut(line(text), 300)
			why = append(why, fmt.Sprintf("%s is run, or decides what is run, when packages are installed: %s", line(script), shown))
		}
	}
	return why
}

// scripts are what a package manager runs by itself, by the names that the description
// of a package has for them.
type scripts map[string]string

func scriptsIn(content func() ([]byte, error), read func([]byte) (scripts, error)) (scripts, error) {
	text, err := content()
	if err != nil || len(text) == 0 {
		return nil, err
	}
	return read(text)
}

// installScripts returns the function that reads the scripts out of a package's
// description, or nil where a file is none.
func installScripts(base string) func([]byte) (scripts, error) {
	switch base {
	case "package.json":
		return scriptsOfNode
	case "composer.json":
		return scriptsOfPHP
	case "pnpm-workspace.yaml", "pnpm-workspace.yml":
		return scriptsOfWorkspace
	case "pyproject.toml":
		return scriptsOfPython
	case "cargo.toml":
		return scriptsOfRust
	case "rust-toolchain.toml", "rust-toolchain":
		return scriptsOfToolchain
	}
	return nil
}

// builders are the build backends that run nothing of a project but what its
// description or a file of a name that is flagged tells them to.
var builders = []string{
	"setuptools.build_meta", "hatchling.build", "poetry.core.masonry.api", "flit_core.buildapi", "pdm.backend", "uv_build",
}

// pythonHooks are the places at which they are told to.
var pythonHooks = []string{
	"build-system.backend-path", "tool.setuptools.cmdclass", "tool.setuptools_scm.git_describe_command", "tool.setuptools_scm.scm.git.describe_command",
	"tool.poetry.build", "tool.pdm.build.custom-hook", "tool.pdm.build.run-setuptools", "tool.pdm.build.setup-script",
	"tool.hatch.build.hooks", "tool.hatch.metadata.hooks", "tool.hatch.version.raw-options",
}

// scriptsOfPython reads what an installer of Python packages runs out of the project:
// a backend in the project itself, or one that is not known, and the hooks of others.
func scriptsOfPython(text []byte) (scripts, error) {
	described, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	found := scripts{}
	if backend := at(described, "build-system", "build-backend"); backend != nil && !slices.Contains(builders, fmt.Sprint(backend)) {
		found["build-system.build-backend"] = fmt.Sprint(backend)
	}
	for _, place := range pythonHooks {
		found.take(described, strings.Split(place, ".")...)
	}
	required, _ := at(described, "build-system", "requires").([]any)
	for _, one := range required {
		if text := fmt.Sprint(one); strings.ContainsAny(text, "@/") { // an address, or a folder of the project
			found["build-system.requires"] = text
		}
	}
	dynamic, _ := at(described, "tool", "setuptools", "dynamic").(map[string]any)
	for field := range dynamic {
		found.take(described, "tool", "setuptools", "dynamic", field, "attr") // which is imported
	}
	for _, tool := range []string{"hatch", "pdm"} {
		if source := at(described, "tool", tool, "version", "source"); source == "code" || source == "call" {
			found.take(described, "tool", tool, "version")
		}
	}
	targets, _ := at(described, "tool", "hatch", "build", "targets").(map[string]any)
	for target := range targets {
		found.take(described, "tool", "hatch", "build", "targets", target, "hooks")
	}
	return found, nil
}

// scriptsOfRust reads what cargo runs while it builds: the build script, wherever it
// lies, and macros.
func scriptsOfRust(text []byte) (scripts, error) {
	described, err := readTOML(text)
	if err != nil {
		return nil, err
	}
	found := scripts{}
	if at(described, "package", "build") != false {
		found.take(described, "package", "build")
	}
	for _, name := range []string{"proc-macro", "proc_macro"} {
		if at(described, "lib", name) != false {
			found.take(described, "lib", name)
		}
	}
	return found, nil
}

// scriptsOfToolchain reads the folder out of which a project wants cargo and rustc to be
// run. A file of the old form is the name of a release.
func scriptsOfToolchain(text []byte) (scripts, error) {
	described, err := readTOML(text)
	if err != nil && !strings.ContainsAny(string(text), "[=/") {
		return scripts{}, nil
	}
	if err != nil {
		return nil, err
	}
	found := scripts{}
	found.take(described, "toolchain", "path")
	return found, nil
}

func readTOML(text []byte) (described map[string]any, err error) {
	err = toml.Unmarshal(text, &described)
	return described, err
}

// at gives the value at a place, or nil.
func at(described map[string]any, place ...string) any {
	var value any = described
	for _, name := range place {
		table, _ := value.(map[string]any)
		value = table[name]
	}
	return value
}

func (s scripts) take(described map[string]any, place ...string) {
	if value := at(described, place...); value != nil {
		s[strings.Join(place, ".")] = fmt.Sprint(value)
	}
}
