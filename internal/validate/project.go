package validate

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// project is a part of a tree that has tools of its own.
type project struct {
	dir  string // "." is the root
	kind kind
	// what names a project for which no tool is known here.
	what string
	// loose says that these are files that belong to no project, and others are
	// the folders of those of their kind.
	loose  bool
	others []string
	files  []File // by their names inside the folder
	facts  facts
}

// kind is what a project is written in.
type kind string

const (
	kindGo     kind = "go"
	kindNode   kind = "node"
	kindPython kind = "python"
	kindRust   kind = "rust"
	kindMake   kind = "make"
	kindOther  kind = "other" // no tool is known here
)

// markers are the files that make a folder a project.
var markers = map[string]kind{
	"go.mod": kindGo, "package.json": kindNode, "Cargo.toml": kindRust,
	"pyproject.toml": kindPython, "setup.py": kindPython, "requirements.txt": kindPython,
	"pom.xml": kindOther, "build.gradle": kindOther, "build.gradle.kts": kindOther, "Gemfile": kindOther, "composer.json": kindOther,
	"CMakeLists.txt": kindOther, "Package.swift": kindOther, "mix.exs": kindOther, "pubspec.yaml": kindOther,
}

// unparsed are the languages that nothing here looks at.
var unparsed = map[string]string{
	".php": "PHP", ".rb": "Ruby", ".java": "Java", ".kt": "Kotlin", ".cs": "C#", ".swift": "Swift", ".c": "C", ".cc": "C++", ".cpp": "C++",
	".rs": "Rust", ".scala": "Scala", ".ex": "Elixir", ".exs": "Elixir", ".lua": "Lua", ".pl": "Perl", ".dart": "Dart", ".zig": "Zig", ".hs": "Haskell",
	".sh": "shell", ".bash": "shell", ".ps1": "PowerShell",
}

// ignored are folders that are not the project's own.
func ignored(name string) bool {
	for part := range strings.SplitSeq(path.Dir(name), "/") {
		switch part {
		case "node_modules", "vendor", "testdata", ".venv", "venv", "__pycache__", "target", ".git":
			return true
		}
	}
	return false
}

// findProjects finds the projects of a tree: every one that is not part of another
// of its kind.
func findProjects(t Tree) ([]project, error) {
	var all, other []project
	for _, f := range t.Files {
		p := project{dir: path.Dir(f.Path), kind: markers[path.Base(f.Path)]}
		switch {
		case p.kind == "" || ignored(f.Path):
		case p.kind == kindOther:
			p.what = path.Base(f.Path)
			other = append(other, p)
		case !slices.ContainsFunc(all, func(o project) bool { return o.kind == p.kind && o.dir == p.dir }):
			all = append(all, p)
		}
	}
	all = append(all, looseScripts(t, all)...)
	if len(all) == 0 {
		made, err := makeProject(t)
		if err != nil {
			return nil, err
		}
		all = made
	}
	if !slices.ContainsFunc(all, func(p project) bool { return p.kind == kindMake }) { // which knows how to try them
		all = append(all, append(other, looseSources(t, append(other, all...))...)...)
	}
	for i := range all {
		all[i].files = all[i].within(t)
		if err := all[i].learn(t); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(all, func(a, b project) int { return strings.Compare(a.key(), b.key()) })
	found := all[:0:0]
	for _, p := range all {
		if !slices.ContainsFunc(all, func(o project) bool { return o.hasPart(p) }) {
			found = append(found, p)
		}
	}
	return found, nil
}

func (p project) key() string { return p.dir + " " + string(p.kind) + p.what }

// holds says that a file or folder lies in the folder of a project.
func (p project) holds(name string) bool {
	return p.dir == "." || strings.HasPrefix(name, p.dir+"/")
}

// hasPart says that another project is tried with this one.
func (p project) hasPart(o project) bool {
	if p.kind != o.kind || p.dir == o.dir || !p.holds(o.dir) || p.loose {
		return false
	}
	rel := o.dir
	if p.dir != "." {
		rel = strings.TrimPrefix(o.dir, p.dir+"/")
	}
	switch p.kind {
	case kindPython:
		return true
	case kindNode: // a package.json that only says something about its folder is none
		return matches(p.facts.members, rel) || o.nodeSteps()[0].why != ""
	case kindRust:
		return matches(p.facts.members, rel)
	}
	return false
}

// matches says that one of several patterns names a folder, and none that begins
// with "!".
func matches(patterns []string, dir string) bool {
	is := false
	for _, pattern := range patterns {
		pattern, not := strings.CutPrefix(pattern, "!")
		pattern = path.Clean(pattern)
		hit, err := path.Match(pattern, dir)
		if above, deep := strings.CutSuffix(pattern, "**"); deep {
			hit, err = above == "" || above == "./" || strings.HasPrefix(dir, above), nil
		}
		if err == nil && hit {
			is = !not
		}
	}
	return is
}

// looseScripts are scripts of Python beside something else, or alone.
func looseScripts(t Tree, all []project) []project {
	p := project{dir: ".", kind: kindPython, loose: true}
	for _, o := range all {
		if o.kind == kindPython {
			p.others = append(p.others, o.dir)
		}
	}
	if slices.Contains(p.others, ".") || !slices.ContainsFunc(p.within(t), func(f File) bool { return path.Ext(f.Path) == ".py" }) {
		return nil
	}
	return []project{p}
}

// looseSources are files outside of every project that nothing here looks at.
func looseSources(t Tree, all []project) []project {
	var loose []project
	for _, f := range t.Files {
		language := unparsed[strings.ToLower(path.Ext(f.Path))]
		if language == "" || ignored(f.Path) || slices.ContainsFunc(all, func(p project) bool { return !p.loose && p.holds(f.Path) }) {
			continue
		}
		if p := (project{dir: ".", kind: kindOther, loose: true, what: "files of " + language}); !slices.ContainsFunc(loose, func(o project) bool { return o.what == p.what }) {
			loose = append(loose, p)
		}
	}
	return loose
}

// testTarget is a rule for a target called test, perhaps among others.
var testTarget = regexp.MustCompile(`(?m)^(?:[^\s#:=]+[ \t]+)*test(?:[ \t]+[^\s#:=]+)*[ \t]*::?(?:[^:=]|$)`)

func makeProject(t Tree) ([]project, error) {
	for _, f := range t.Files {
		if (f.Path == "Makefile" || f.Path == "makefile" || f.Path == "GNUmakefile") && f.Size <= maxJSON {
			text, err := t.read(f.Path)
			if err != nil || !testTarget.Match(text) {
				return nil, err
			}
			return []project{{dir: ".", kind: kindMake}}, nil
		}
	}
	return nil, nil
}

// within gives the files of a project by their names inside its folder.
func (p project) within(t Tree) []File {
	var all []File
	for _, f := range t.Files {
		name := f.Path
		if p.dir != "." {
			var inside bool
			if name, inside = strings.CutPrefix(f.Path, p.dir+"/"); !inside {
				continue
			}
		}
		if !ignored(name) && !slices.ContainsFunc(p.others, func(dir string) bool { return strings.HasPrefix(f.Path, dir+"/") }) {
			all = append(all, File{Path: name, Size: f.Size})
		}
	}
	return all
}

// has says that a file is in the folder of a project.
func (p project) has(name string) bool {
	_, found := slices.BinarySearchFunc(p.files, name, func(f File, name string) int { return strings.Compare(f.Path, name) })
	return found
}

// text reads a file of a project's folder; nothing, if there is none or it is too
// large to say anything.
func (p project) text(t Tree, name string) (string, error) {
	if !slices.ContainsFunc(p.files, func(f File) bool { return f.Path == name && f.Size <= maxJSON }) {
		return "", nil
	}
	content, err := t.read(path.Join(p.dir, name))
	return string(content), err
}
