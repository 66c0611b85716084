package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// flagChange gives the reasons for which a change of a file is flagged.
func flagChange(c workdir.FileChange) []string {
	var why []string
	if reason := flagPath(c.Name); reason != "" {
		why = append(why, reason)
	}
	name := strings.TrimSuffix(c.Name, workdir.NewSuffix)
	read := installScripts(bundlezip.FoldName(path.Base(name)))
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
			why = append(why, fmt.Sprintf("the script %s is run when packages are installed: %s", line(script), shown))
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

// installScripts gives what reads the scripts out of a package's description, or nil
// where a file is none.
func installScripts(base string) func([]byte) (scripts, error) {
	switch base {
	case "package.json":
		return scriptsOfJSON("preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare", "dependencies", "pnpm:devPreinstall")
	case "composer.json":
		return scriptsOfJSON("pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd", "pre-autoload-dump", "post-autoload-dump",
			"post-root-package-install", "post-create-project-cmd", "pre-package-install", "post-package-install")
	case "pyproject.toml":
		return scriptsOfPython
	case "cargo.toml":
		return scriptsOfRust
	}
	return nil
}

func scriptsOfJSON(names ...string) func([]byte) (scripts, error) {
	return func(text []byte) (scripts, error) {
		var described map[string]json.RawMessage // Go would take "Scripts" for "scripts"
		if err := json.Unmarshal(text, &described); err != nil {
			return nil, err
		}
		var all map[string]json.RawMessage
		if raw, ok := described["scripts"]; ok {
			if err := json.Unmarshal(raw, &all); err != nil {
				return nil, err
			}
		}
		found := scripts{}
		for _, name := range names {
			if raw, ok := all[name]; ok {
				found[name] = string(raw)
			}
		}
		return found, nil
	}
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
