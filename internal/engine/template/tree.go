package template

import (
	"cmp"
	"embed"
	"maps"
	"slices"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

// stacks holds the templates: those in common for every project, those in the
// folder of a language or of its commands for these alone. Their parts are the resources.
//
//go:embed all:stacks
var stacks embed.FS

// tree is a project as it should be.
type tree struct {
	files []scaffold.File // sorted by path
	ports []engine.Port
}

func (t tree) has(path string) bool {
	return slices.ContainsFunc(t.files, func(f scaffold.File) bool { return f.Path == path })
}

// view is what the templates see.
type view struct {
	spec
	Resource resource // in templates of one resource
}

// Gone are the databases that the project no longer has.
func (v view) Gone() []string {
	return slices.DeleteFunc(slices.Clone(v.Former), func(d string) bool { return d == v.Database })
}

// ModulePath is the path of the Go module.
func (v view) ModulePath() string { return cmp.Or(v.Module, "example.com/"+v.Name) }

// Uses says whether some field is of one of the kinds; ref stands for all references.
func (v view) Uses(kinds ...string) bool {
	return slices.ContainsFunc(v.Resources, func(r resource) bool { return r.Uses(kinds...) })
}

// DatabasePort is where the database of compose.yaml is reachable.
func (s spec) DatabasePort() int {
	if s.Port == 5432 {
		return 5433
	}
	return 5432
}

// treeOf writes the whole tree of a spec.
func treeOf(library scaffold.Library, s spec) (tree, error) {
	stack, parts := s.Language, map[string]any{}
	if s.Kind == kindCommand {
		stack += "-command"
	}
	for _, r := range s.Resources {
		parts[squeezed(r.Singular)] = view{spec: s, Resource: r}
	}
	files, err := library.Render(stack, view{spec: s}, parts)
	out := tree{files: files}
	out.ports = out.portsOf(s)
	return out, err
}

// portsOf declares the ports, and where in the tree their numbers stand.
func (t tree) portsOf(s spec) []engine.Port {
	var ports []engine.Port
	if s.Kind != kindCommand {
		ports = append(ports, engine.Port{Name: "web", Port: s.Port})
	}
	if s.Database == dbPostgres {
		ports = append(ports, engine.Port{Name: "database", Port: s.DatabasePort()})
	}
	for i := range ports {
		for _, use := range slices.Sorted(maps.Keys(tables["port-use"])) {
			path, text, _ := strings.Cut(use, " ")
			if tables["port-use"][use] == ports[i].Name && t.has(path) {
				ports[i].Uses = append(ports[i].Uses, engine.PortUse{Path: path, Template: text})
			}
		}
	}
	return ports
}

func functions() template.FuncMap {
	return template.FuncMap{
		"markdown": plaintext.Markdown,
		"list":     english.List,
		"told":     told,
		"has":      slices.Contains[[]string],
		"goName":   goName,
		"spaced":   func(name string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(name) },
		"plural":   english.Plural,
		"words":    strings.Fields,
		"lookup":   func(table class, phrase string) string { return tables[table][phrase] },
		"article":  english.WithArticle,
		"sentence": plaintext.Capital,
	}
}
