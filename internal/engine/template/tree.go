package template

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine"
)

// stacks holds the templates: those in common for every project, those in the
// folder of a language or of its commands for these alone. A file is named as
// it will be, with .tmpl behind. RESOURCE in a name makes one file for each
// resource; a template that gives nothing but white space makes no file.
//
//go:embed all:stacks
var stacks embed.FS

const perResource = "RESOURCE"

// tree is a project as it should be.
type tree struct {
	files []treeFile // sorted by path
	ports []engine.Port
}

type treeFile struct {
	path    string
	content []byte
}

func (t tree) has(path string) bool {
	return slices.ContainsFunc(t.files, func(f treeFile) bool { return f.path == path })
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

// source is a parsed template and the path of what it makes.
type source struct {
	target string
	text   *template.Template
}

// library holds the parsed templates of each language; many runs may execute them at once.
type library map[string][]source

// parseLibrary parses the embedded templates; no request can make that fail, so a defect panics.
func parseLibrary() library {
	byStack := library{}
	err := fs.WalkDir(stacks, "stacks", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(stacks, name)
		stack, target, _ := strings.Cut(strings.TrimPrefix(name, "stacks/"), "/")
		byStack[stack] = append(byStack[stack], source{
			target: strings.TrimSuffix(target, ".tmpl"),
			text:   template.Must(template.New(name).Funcs(functions()).Parse(string(text))),
		})
		return err
	})
	if err != nil {
		panic(err)
	}
	for stack := range byStack {
		if stack != "common" {
			byStack[stack] = slices.Concat(byStack["common"], byStack[stack])
		}
	}
	return byStack
}

// render writes the whole tree of a spec.
func (l library) render(s spec) (tree, error) {
	var out tree
	stack := s.Language
	if s.Kind == kindCommand {
		stack += "-command"
	}
	for _, src := range l[stack] {
		files, err := src.render(s)
		if err != nil {
			return tree{}, err
		}
		out.files = append(out.files, files...)
	}
	slices.SortFunc(out.files, func(a, b treeFile) int { return cmp.Compare(a.path, b.path) })
	out.ports = out.portsOf(s)
	return out, nil
}

// render makes the files of one template.
func (src source) render(s spec) ([]treeFile, error) {
	views := []view{{spec: s}}
	if strings.Contains(src.target, perResource) {
		views = nil
		for _, r := range s.Resources {
			views = append(views, view{spec: s, Resource: r})
		}
	}
	var out []treeFile
	for _, v := range views {
		var b bytes.Buffer
		if err := src.text.Execute(&b, v); err != nil {
			return nil, err
		}
		content := bytes.TrimSpace(b.Bytes())
		if len(content) == 0 {
			continue
		}
		content = append(content, '\n')
		if path.Ext(src.target) == ".go" {
			var err error
			if content, err = format.Source(content); err != nil {
				return nil, fmt.Errorf("%s: %w", src.text.Name(), err)
			}
		}
		out = append(out, treeFile{strings.ReplaceAll(src.target, perResource, v.Resource.Singular), content})
	}
	return out, nil
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
		"markdown": markdown,
		"list":     listOf,
		"told":     told,
		"has":      slices.Contains[[]string],
		"goName":   goName,
		"spaced":   func(name string) string { return strings.NewReplacer("-", " ", "_", " ").Replace(name) },
		"plural":   plural,
		"words":    strings.Fields,
		"lookup":   func(table class, phrase string) string { return tables[table][phrase] },
		"article":  withArticle,
		"sentence": titleWord,
	}
}
