package validate

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// project is a part of a tree that has tools of its own.
type project struct {
	dir   string // "." is the root
	kind  kind
	facts facts
}

// kind is what a project is written in.
type kind string

const (
	kindGo     kind = "go"
	kindNode   kind = "node"
	kindPython kind = "python"
	kindRust   kind = "rust"
	kindMake   kind = "make"
)

// facts are what is known about a project from its files.
type facts struct {
	lock         bool // Node: there is a lock file
	dependencies bool // something has to be fetched
	vendored     bool // Go: what would have to be fetched is there
	typescript   bool // Node: tsc is to be run
	tests        bool // there are tests
	pytest       bool // Python: and they need pytest
	testDir      string
	requirements string // Python: the file that lists them
	names        string // Python: everything that is declared, in one text
}

// step is one command of a project.
type step struct {
	name string // as it is shown
	tool string
	args []string
	dir  string
	// fetches says that it brings dependencies, without which the others make no
	// sense.
	fetches bool
	level   Level
	env     []string
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

// findProjects finds the projects of a tree: the outermost of each kind, and
// modules of Go, which end at each other.
func findProjects(t Tree) ([]project, error) {
	var all []project
	python := ""
	for _, f := range t.Files {
		if ignored(f.Path) || f.Size > maxJSON {
			continue
		}
		dir, base := path.Dir(f.Path), path.Base(f.Path)
		var p *project
		switch {
		case base == "go.mod":
			p = &project{dir: dir, kind: kindGo}
		case base == "package.json":
			p = &project{dir: dir, kind: kindNode}
		case base == "Cargo.toml":
			p = &project{dir: dir, kind: kindRust}
		case base == "pyproject.toml" || base == "setup.py" || base == "requirements.txt":
			p = &project{dir: dir, kind: kindPython}
		case strings.HasSuffix(base, ".py"):
			python = f.Path
		}
		if p != nil && !covered(all, *p) {
			all = append(all, *p)
		}
	}
	if python != "" && !slices.ContainsFunc(all, func(p project) bool { return p.kind == kindPython }) {
		all = append(all, project{dir: ".", kind: kindPython}) // scripts beside something else, or alone
	}
	if len(all) == 0 {
		if p, ok, err := makeProject(t); err != nil || !ok {
			return nil, err
		} else { //nolint:revive // the variables belong to the question
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b project) int { return strings.Compare(a.dir+" "+string(a.kind), b.dir+" "+string(b.kind)) })
	all = slices.DeleteFunc(all, func(p project) bool { return p.kind != kindGo && coveredByOther(all, p) })
	for i := range all {
		if err := all[i].learn(t); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// covered says that a project of the kind is in that folder already.
func covered(all []project, p project) bool {
	return slices.ContainsFunc(all, func(o project) bool { return o.kind == p.kind && o.dir == p.dir })
}

// coveredByOther says that a project lies inside another of its kind.
func coveredByOther(all []project, p project) bool {
	return slices.ContainsFunc(all, func(o project) bool {
		return o.kind == p.kind && o.dir != p.dir && (o.dir == "." || strings.HasPrefix(p.dir, o.dir+"/"))
	})
}

var testTarget = regexp.MustCompile(`(?m)^test\s*:`)

func makeProject(t Tree) (project, bool, error) {
	for _, f := range t.Files {
		if (f.Path == "Makefile" || f.Path == "makefile" || f.Path == "GNUmakefile") && f.Size <= maxJSON {
			text, err := t.read(f.Path)
			if err != nil {
				return project{}, false, err
			}
			return project{dir: ".", kind: kindMake}, testTarget.Match(text), nil
		}
	}
	return project{}, false, nil
}

// within gives the files of a project's folder by their names inside it.
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
		if !ignored(name) {
			all = append(all, File{Path: name, Size: f.Size})
		}
	}
	return all
}

// learn reads what the files of a project say about it.
func (p *project) learn(t Tree) error {
	files := p.within(t)
	text := func(name string) (string, error) {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == name && f.Size <= maxJSON }) {
			return "", nil
		}
		content, err := t.read(path.Join(p.dir, name))
		return string(content), err
	}
	has := func(name string) bool { return slices.ContainsFunc(files, func(f File) bool { return f.Path == name }) }
	switch p.kind {
	case kindGo:
		mod, err := text("go.mod")
		if err != nil {
			return err
		}
		p.facts.vendored = slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == path.Join(p.dir, "vendor/modules.txt") })
		p.facts.dependencies = strings.Contains(mod, "require") && !p.facts.vendored
		p.facts.tests = true
	case kindNode:
		manifest, err := text("package.json")
		if err != nil {
			return err
		}
		p.facts = nodeFacts(manifest)
		p.facts.lock = has("package-lock.json") || has("npm-shrinkwrap.json")
		p.facts.typescript = p.facts.typescript && has("tsconfig.json")
	case kindPython:
		return p.learnPython(files, text)
	case kindRust:
		manifest, err := text("Cargo.toml")
		if err != nil {
			return err
		}
		p.facts.dependencies = strings.Contains(manifest, "dependencies]")
		p.facts.tests = true
	}
	return nil
}

// nodeFacts reads a package.json. One that cannot be read was found before.
func nodeFacts(manifest string) (f facts) {
	var m struct {
		Scripts         map[string]string `json:"scripts"`
		Dependencies    map[string]any    `json:"dependencies"`
		DevDependencies map[string]any    `json:"devDependencies"`
		Workspaces      any               `json:"workspaces"`
	}
	if json.Unmarshal([]byte(manifest), &m) != nil {
		return f
	}
	f.dependencies = len(m.Dependencies)+len(m.DevDependencies) > 0 || m.Workspaces != nil
	_, there := m.DevDependencies["typescript"]
	_, also := m.Dependencies["typescript"]
	f.typescript = there || also
	test := m.Scripts["test"]
	f.tests = test != "" && !strings.Contains(test, "no test specified")
	return f
}

func (p *project) learnPython(files []File, text func(string) (string, error)) error {
	for _, name := range []string{"pyproject.toml", "setup.py", "requirements.txt", "requirements-dev.txt"} {
		content, err := text(name)
		if err != nil {
			return err
		}
		p.facts.names += strings.ToLower(content) + "\n"
		if name == "requirements.txt" && strings.TrimSpace(content) != "" {
			p.facts.requirements = name
		}
	}
	for _, f := range files {
		base := path.Base(f.Path)
		if !strings.HasPrefix(base, "test_") && !strings.HasSuffix(base, "_test.py") || path.Ext(base) != ".py" {
			continue
		}
		p.facts.tests = true
		if p.facts.testDir == "" {
			p.facts.testDir = path.Dir(f.Path)
		}
		content, err := text(f.Path)
		if err != nil {
			return err
		}
		p.facts.pytest = p.facts.pytest || strings.Contains(content, "import pytest") || !strings.Contains(content, "unittest")
	}
	return nil
}

// steps are the commands of a project up to a level, in their order.
func (p project) steps(level Level) []step {
	var all []step
	add := func(s step) {
		s.dir, s.tool = p.dir, string(p.kind)
		if p.facts.vendored {
			s.env = []string{"GOFLAGS="} // -mod=mod would not look there
		}
		s.name = strings.Join(s.args, " ")
		if p.dir != "." {
			s.name += " (" + p.dir + ")"
		}
		if level == Test || s.level == Build {
			all = append(all, s)
		}
	}
	switch p.kind {
	case kindGo:
		if p.facts.dependencies {
			add(step{args: []string{"go", "mod", "download"}, fetches: true, level: Build})
		}
		add(step{args: []string{"go", "build", "./..."}, level: Build})
		add(step{args: []string{"go", "vet", "./..."}, level: Build})
		add(step{args: []string{"go", "test", "-count=1", "./..."}, level: Test})
	case kindNode:
		if p.facts.dependencies {
			how := "install"
			if p.facts.lock {
				how = "ci"
			}
			add(step{args: []string{"npm", how, "--ignore-scripts", "--no-audit", "--no-fund"}, fetches: true, level: Build})
		}
		if p.facts.typescript {
			add(step{args: []string{"npx", "--no-install", "tsc", "--noEmit"}, level: Build})
		}
		if p.facts.tests {
			add(step{args: []string{"npm", "test"}, level: Test})
		}
	case kindPython:
		if p.facts.requirements != "" {
			add(step{args: []string{"python3", "-m", "pip", "install", "--quiet", "--target", pythonPath, "-r", p.facts.requirements}, fetches: true, level: Build})
		}
		add(step{args: []string{"python3", "-m", "compileall", "-q", "."}, level: Build})
		switch {
		case !p.facts.tests:
		case p.facts.pytest:
			add(step{args: []string{"python3", "-m", "pytest", "-q"}, level: Test})
		default:
			args := []string{"python3", "-m", "unittest", "discover"}
			if p.facts.testDir != "." {
				args = append(args, "-s", p.facts.testDir, "-t", ".")
			}
			add(step{args: args, level: Test})
		}
	case kindRust:
		add(step{args: []string{"cargo", "check", "--all-targets"}, level: Build})
		add(step{args: []string{"cargo", "test"}, level: Test})
	case kindMake:
		add(step{args: []string{"make", "test"}, level: Test})
	}
	return all
}
