package validate

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/pelletier/go-toml/v2"
)

// pythonFacts are what is known about a project of Python.
type pythonFacts struct {
	lists    []string  // the files that list requirements
	requires []string  // what other files require, as pip is told
	declared []string  // the names of all that is required, as modules are called
	pytest   bool      // the tests need pytest
	runs     []testRun // or are found by unittest, so
	source   bool      // modules lie in src
}

// testRun is a folder in which unittest looks for tests.
type testRun struct{ dir, top, pattern string }

// forTests are the groups of requirements that tests may need.
var forTests = []string{"test", "tests", "testing", "dev"}

// called are modules whose packages have other names.
var called = map[string]string{
	"pyyaml": "yaml", "pillow": "pil", "beautifulsoup4": "bs4", "scikit_learn": "sklearn", "python_dateutil": "dateutil",
	"python_dotenv": "dotenv", "opencv_python": "cv2", "psycopg2_binary": "psycopg2", "pyjwt": "jwt", "attrs": "attr",
}

var requirementName = regexp.MustCompile(`^\s*([A-Za-z0-9][\w.\-]*)`)

// declare notes that something is required.
func (f *pythonFacts) declare(requirement string) {
	m := requirementName.FindStringSubmatch(requirement)
	if m == nil {
		return
	}
	name := strings.NewReplacer("-", "_", ".", "_").Replace(strings.ToLower(m[1]))
	if other, known := called[name]; known {
		f.declared = append(f.declared, other)
	}
	f.declared = append(f.declared, name)
}

// require notes what pip is to fetch.
func (f *pythonFacts) require(requirement string) {
	f.declare(requirement)
	if requirementName.MatchString(requirement) && !slices.Contains(f.requires, requirement) {
		f.requires = append(f.requires, requirement)
	}
}

func (p *project) learnPython(t Tree) error {
	f := &p.facts.python
	tests := map[string][]string{} // folders, by pattern
	for _, file := range p.files {
		base := path.Base(file.Path)
		isList := strings.HasPrefix(base, "requirements") && path.Ext(base) == ".txt"
		isTest := path.Ext(base) == ".py" && (strings.HasPrefix(base, "test_") || strings.HasSuffix(base, "_test.py"))
		f.source = f.source || strings.HasPrefix(file.Path, "src/") && path.Ext(base) == ".py"
		if !isList && !isTest && base != "pyproject.toml" && base != "setup.py" {
			continue
		}
		content, err := p.text(t, file.Path)
		if err != nil {
			return err
		}
		switch {
		case isTest:
			pattern := "test*.py"
			if !strings.HasPrefix(base, "test_") {
				pattern = "*_test.py"
			}
			tests[pattern] = append(tests[pattern], path.Dir(file.Path))
			f.pytest = f.pytest || strings.Contains(content, "import pytest") || !strings.Contains(content, "unittest") && pytestStyle.MatchString(content)
		case isList:
			for line := range strings.Lines(content) {
				f.declare(line)
			}
			if name := strings.TrimSuffix(base, ".txt"); strings.TrimSpace(content) != "" &&
				(name == "requirements" || slices.Contains(forTests, strings.Trim(strings.TrimPrefix(name, "requirements"), "-_"))) {
				f.lists = append(f.lists, file.Path)
			}
		case base == "pyproject.toml":
			f.learnManifest(content)
		default:
			for _, m := range quoted.FindAllStringSubmatch(strings.Join(installRequires.FindAllString(content, -1), "\n"), -1) {
				f.require(m[1])
			}
		}
	}
	f.runs = append(p.testRuns(tests["test*.py"], "test*.py"), p.testRuns(tests["*_test.py"], "*_test.py")...)
	p.facts.tests = len(f.runs) > 0
	p.facts.dependencies = len(f.lists)+len(f.requires) > 0
	return nil
}

var (
	installRequires = regexp.MustCompile(`(?s)(?:install|tests)_requires?\s*=\s*\[.*?\]`)
	quoted          = regexp.MustCompile(`["']([^"'\n]+)["']`)
)

// learnManifest reads a pyproject.toml; one that cannot be read was found before.
func (f *pythonFacts) learnManifest(content string) {
	var m struct {
		Project struct {
			Dependencies []string            `toml:"dependencies"`
			Optional     map[string][]string `toml:"optional-dependencies"`
		} `toml:"project"`
		Groups map[string][]any `toml:"dependency-groups"`
		Tool   struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
				Dev          map[string]any `toml:"dev-dependencies"`
				Group        map[string]struct {
					Dependencies map[string]any `toml:"dependencies"`
				} `toml:"group"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	if len(content) > maxTOML || toml.Unmarshal([]byte(content), &m) != nil {
		return
	}
	take := func(group, requirement string) {
		if group == "" || slices.Contains(forTests, group) {
			f.require(requirement)
		} else {
			f.declare(requirement)
		}
	}
	for _, one := range m.Project.Dependencies {
		take("", one)
	}
	for group, list := range m.Project.Optional {
		for _, one := range list {
			take(group, one)
		}
	}
	for group, list := range m.Groups {
		for _, one := range list {
			if text, is := one.(string); is {
				take(group, text)
			}
		}
	}
	poetry := map[string]map[string]any{"": m.Tool.Poetry.Dependencies, "dev": m.Tool.Poetry.Dev}
	for group, list := range m.Tool.Poetry.Group {
		poetry[" "+group] = list.Dependencies
	}
	for group, list := range poetry {
		for name, version := range list {
			if name != "python" {
				take(strings.TrimSpace(group), name+poetryVersion(version))
			}
		}
	}
	slices.Sort(f.requires) // maps have no order
}

var caret = regexp.MustCompile(`^\^(\d+)((?:\.\d+)*)$`)

// poetryVersion says in the words of pip which versions Poetry takes; where it
// has none, any.
func poetryVersion(version any) string {
	if table, is := version.(map[string]any); is {
		version = table["version"]
	}
	text, _ := version.(string)
	switch m := caret.FindStringSubmatch(text); {
	case m != nil && m[1] != "0":
		return ">=" + m[1] + m[2] + ",==" + m[1] + ".*"
	case strings.HasPrefix(text, "="), strings.HasPrefix(text, ">"), strings.HasPrefix(text, "<"):
		return text
	}
	return ""
}

// testRuns are the folders in which unittest is begun to find what lies in all of
// some: it goes from a folder to those below that are packages.
func (p *project) testRuns(dirs []string, pattern string) []testRun {
	dirs = slices.Compact(slices.Sorted(slices.Values(dirs)))
	var runs []testRun
	for _, dir := range dirs {
		reached, top := false, dir
		for top != "." && p.has(path.Join(top, "__init__.py")) {
			top = path.Dir(top)
			reached = reached || slices.Contains(dirs, top)
		}
		if !reached {
			runs = append(runs, testRun{dir, top, pattern})
		}
	}
	return runs
}

// pythonSteps are the commands of a project of Python. What needs no dependency
// comes before them.
func (p project) pythonSteps() []step {
	f := p.facts.python
	compile := []string{"python3", "-m", "compileall", "-q"}
	if len(p.others) > 0 {
		var rest []string
		for _, dir := range p.others {
			rest = append(rest, regexp.QuoteMeta(dir))
		}
		compile = append(compile, "-x", `^\./(`+strings.Join(rest, "|")+")/")
	}
	all := []step{{args: append(compile, "."), level: Build}}
	if p.facts.dependencies {
		args := []string{"python3", "-m", "pip", "install", "--quiet", "--target", pythonPath}
		for _, list := range f.lists {
			args = append(args, "-r", list)
		}
		s := step{args: append(args, f.requires...), fetches: true, level: Build}
		if len(f.requires) > 0 {
			s.name = "python3 -m pip install"
		}
		all = append(all, s)
	}
	modules := []string{pythonPath, path.Join(sandbox.Source, p.dir)}
	if f.source {
		modules = append(modules, path.Join(sandbox.Source, p.dir, "src"))
	}
	env := []string{"PYTHONPATH=" + strings.Join(modules, ":")}
	if p.facts.tests && f.pytest {
		args := []string{"python3", "-m", "pytest", "-q"}
		if len(p.others) > 0 {
			for _, run := range f.runs {
				args = append(args, run.dir)
			}
		}
		return append(all, step{args: args, level: Test, env: env})
	}
	for _, run := range f.runs {
		args := []string{"python3", "-m", "unittest", "discover"}
		if run.dir != "." {
			args = append(args, "-s", run.dir)
		}
		if run.top != run.dir {
			args = append(args, "-t", run.top)
		}
		if run.pattern != "test*.py" {
			args = append(args, "-p", run.pattern)
		}
		all = append(all, step{args: args, level: Test, env: env})
	}
	return all
}

// pytestStyle matches tests that unittest does not find: functions, and classes without
// a base. A test case whose base stands in another module is one of unittest's.
var pytestStyle = regexp.MustCompile(`(?m)^(async )?def test|^class \w+(\(\))?:`)
