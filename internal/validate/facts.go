package validate

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// facts are what is known about a project from its files.
type facts struct {
	lock         bool     // Node: there is a lock file
	dependencies bool     // something has to be fetched
	vendored     bool     // Go: what would have to be fetched is there
	workspace    string   // Go: "" where there is no go.work above, else GOWORK or GOFLAGS for it
	unsummed     string   // Go: a module that is required and not in go.sum
	types        []types  // Node: where tsc is to be run
	tests        bool     // there are tests
	partTests    bool     // Node: packages of the workspace have some
	members      []string // Node, Rust: patterns of the folders of the workspace
	python       pythonFacts
}

// types is a folder whose types tsc looks at.
type types struct {
	dir        string
	references bool // its tsconfig.json only names others
}

// learn reads what the files of a project say about it.
func (p *project) learn(t Tree) error {
	switch p.kind {
	case kindGo:
		return p.learnGo(t)
	case kindNode:
		return p.learnNode(t)
	case kindPython:
		return p.learnPython(t)
	case kindRust:
		manifest, err := p.text(t, "Cargo.toml")
		if err != nil {
			return err
		}
		p.facts.dependencies, p.facts.members = strings.Contains(manifest, "dependencies]"), crates(manifest)
	}
	return nil
}

var (
	requireLine = regexp.MustCompile(`(?m)^(?:require)?[ \t]+([\w.\-~/]+\.[\w.\-~/]+) (v[\w.+\-]+)`)
	replaceLine = regexp.MustCompile(`(?m)^(?:replace)?[ \t]+([\w.\-~/]+)(?: v[\w.+\-]+)? =>`)
	useLine     = regexp.MustCompile(`(?m)^(?:use[ \t]+|[ \t]+)"?(\.[^\s"()]*)"?`)
)

func (p *project) learnGo(t Tree) error {
	mod, err := p.text(t, "go.mod")
	if err != nil {
		return err
	}
	sums, err := p.text(t, "go.sum")
	if err != nil {
		return err
	}
	p.facts.vendored = slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == path.Join(p.dir, "vendor/modules.txt") })
	p.facts.dependencies = strings.Contains(mod, "require") && !p.facts.vendored
	var replaced []string
	for _, m := range replaceLine.FindAllStringSubmatch(mod, -1) {
		replaced = append(replaced, m[1])
	}
	for _, m := range requireLine.FindAllStringSubmatch(mod, -1) {
		if p.facts.unsummed == "" && !p.facts.vendored && !slices.Contains(replaced, m[1]) && !strings.Contains(sums, m[1]+" "+m[2]) {
			p.facts.unsummed = m[1]
		}
	}
	for dir := p.dir; ; dir = path.Dir(dir) {
		name := path.Join(dir, "go.work")
		if slices.ContainsFunc(t.Files, func(f File) bool { return f.Path == name && f.Size <= maxJSON }) {
			work, err := t.read(name)
			if err != nil {
				return err
			}
			p.facts.workspace = "GOWORK=off"
			for _, m := range useLine.FindAllStringSubmatch(string(work), -1) {
				if path.Join(dir, m[1]) == p.dir {
					p.facts.workspace = "GOFLAGS=" // in a workspace -mod=mod is refused
				}
			}
			return nil
		}
		if dir == "." {
			return nil
		}
	}
}

// crates are the patterns of the folders that a workspace of Rust has: all that
// it does not exclude.
func crates(manifest string) []string {
	var m struct {
		Workspace *struct {
			Exclude []string `toml:"exclude"`
		} `toml:"workspace"`
	}
	if len(manifest) > maxTOML || toml.Unmarshal([]byte(manifest), &m) != nil || m.Workspace == nil {
		return nil
	}
	patterns := []string{"**"}
	for _, dir := range m.Workspace.Exclude {
		patterns = append(patterns, "!"+dir, "!"+dir+"/**")
	}
	return patterns
}

// npmPackage is what a package.json says.
type npmPackage struct {
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]any    `json:"dependencies"`
	DevDependencies map[string]any    `json:"devDependencies"`
	Workspaces      any               `json:"workspaces"`
}

// npmPackage reads one; one that cannot be read was found before.
func (p *project) npmPackage(t Tree, dir string) (m npmPackage, err error) {
	text, err := p.text(t, path.Join(dir, "package.json"))
	if err != nil || json.Unmarshal([]byte(text), &m) != nil {
		return npmPackage{}, err
	}
	return m, nil
}

func (m npmPackage) tests() bool {
	test := m.Scripts["test"]
	return test != "" && !strings.Contains(test, "no test specified")
}

func (m npmPackage) typescript() bool {
	return m.DevDependencies["typescript"] != nil || m.Dependencies["typescript"] != nil
}

// members are the patterns of the folders of its workspaces.
func (m npmPackage) members() (patterns []string) {
	list, _ := m.Workspaces.([]any)
	if object, is := m.Workspaces.(map[string]any); is {
		list, _ = object["packages"].([]any)
	}
	for _, one := range list {
		if pattern, is := one.(string); is {
			patterns = append(patterns, pattern)
		}
	}
	return patterns
}

func (p *project) learnNode(t Tree) error {
	m, err := p.npmPackage(t, ".")
	if err != nil {
		return err
	}
	f := &p.facts
	f.members, f.tests = m.members(), m.tests()
	f.dependencies = len(m.Dependencies)+len(m.DevDependencies) > 0 || len(f.members) > 0
	f.lock = p.has("package-lock.json") || p.has("npm-shrinkwrap.json")
	if err := p.learnTypes(t, ".", m.typescript()); err != nil {
		return err
	}
	for _, file := range p.files {
		dir, base := path.Split(file.Path)
		if dir = path.Clean(dir); base != "package.json" || dir == "." || !matches(f.members, dir) {
			continue
		}
		part, err := p.npmPackage(t, dir)
		if err != nil {
			return err
		}
		f.partTests = f.partTests || part.tests()
		if err := p.learnTypes(t, dir, m.typescript() || part.typescript()); err != nil {
			return err
		}
	}
	return nil
}

// learnTypes notes that tsc looks at a folder.
func (p *project) learnTypes(t Tree, dir string, typescript bool) error {
	name := path.Join(dir, "tsconfig.json")
	if !typescript || !p.has(name) {
		return nil
	}
	text, err := p.text(t, name)
	if err != nil {
		return err
	}
	var config struct {
		References []any `json:"references"`
	}
	if len(text) <= maxJSONC && checkNesting([]byte(text), jsoncHiding) == nil {
		if plain, err := hujson.Standardize([]byte(text)); err == nil {
			_ = json.Unmarshal(plain, &config) // one that says something else names none
		}
	}
	p.facts.types = append(p.facts.types, types{dir, len(config.References) > 0})
	return nil
}
