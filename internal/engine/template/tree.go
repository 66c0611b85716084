package template

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine"
)

// stacks holds the templates: those in common for every language, those in the
// folder of a language for it alone. A file is named as it will be, with .tmpl
// behind. RESOURCE in a name makes one file for each resource; a template that
// gives nothing but white space makes no file.
//
//go:embed all:stacks
var stacks embed.FS

const (
	commonStack    = "common"
	templateSuffix = ".tmpl"
	perResource    = "RESOURCE"
	commandStack   = "-command"
)

// tree is a project as it should be.
type tree struct {
	files []treeFile // sorted by path
	ports []engine.Port
}

type treeFile struct {
	path    string
	content []byte
	place   engine.Placement
}

// view is what the templates see.
type view struct {
	spec
	Resource resource // in templates of one resource
}

// HasAuth reports whether clients must send a token.
func (v view) HasAuth() bool { return v.Auth == authToken }

// HasCORS reports whether pages of other origins may call the API.
func (v view) HasCORS() bool { return v.CORS == switchOn }

// Had reports whether the project once had a database that it no longer has.
func (v view) Had(database string) bool {
	return v.Database != database && slices.Contains(v.Former, database)
}

// Gone are the databases that the project no longer has.
func (v view) Gone() []string {
	return slices.DeleteFunc(slices.Clone(v.Former), func(d string) bool { return d == v.Database })
}

// ModulePath is the path of the Go module.
func (v view) ModulePath() string { return cmp.Or(v.Module, "example.com/"+v.Name) }

// Describes is the project in one phrase.
func (v view) Describes() string { return v.inWords() }

// Has says whether a command has an operation.
func (v view) Has(operation string) bool { return slices.Contains(v.Operations, operation) }

// Uses says whether some field is of a kind; ref stands for all references.
func (v view) Uses(kind string) bool {
	return slices.ContainsFunc(v.Resources, func(r resource) bool {
		return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Kind == kind || kind == "ref" && f.Of() != "" })
	})
}

// Plurals are the names of the resources.
func (v view) Plurals() []string { return v.plurals() }

// SectionWords are the sections as people read them.
func (v view) SectionWords() []string { return v.sectionWords() }

// CurlAuth is what the examples of the README add to curl.
func (v view) CurlAuth() string {
	if !v.HasAuth() {
		return ""
	}
	return ` -H "Authorization: Bearer $API_TOKEN"`
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

// library holds the parsed templates of each language. Templates may be
// executed by many runs at once.
type library map[string][]source

// parseLibrary parses the embedded templates; that they parse is no question of
// the request, so a defect panics.
func parseLibrary() library {
	l := library{}
	for _, language := range []string{langGo, langTypeScript, langPython, langStatic, langGo + commandStack, langPython + commandStack} {
		for _, stack := range []string{commonStack, language} {
			root := path.Join("stacks", stack)
			err := fs.WalkDir(stacks, root, func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := fs.ReadFile(stacks, name)
				if err != nil {
					return err
				}
				l[language] = append(l[language], source{
					target: strings.TrimSuffix(strings.TrimPrefix(name, root+"/"), templateSuffix),
					text:   template.Must(template.New(name).Funcs(functions()).Parse(string(text))),
				})
				return nil
			})
			if err != nil {
				panic(err)
			}
		}
	}
	return l
}

// render writes the whole tree of a spec.
func (l library) render(s spec) (tree, error) {
	var out tree
	stack := s.Language
	if s.Kind == kindCommand {
		stack += commandStack
	}
	for _, src := range l[stack] {
		files, err := src.render(s)
		if err != nil {
			return tree{}, err
		}
		out.files = append(out.files, files...)
	}
	slices.SortFunc(out.files, func(a, b treeFile) int { return cmp.Compare(a.path, b.path) })
	out.ports = portsOf(s, out)
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
		if strings.HasSuffix(src.target, ".go") {
			var err error
			if content, err = format.Source(content); err != nil {
				return nil, fmt.Errorf("%s: %w", src.text.Name(), err)
			}
		}
		p := strings.ReplaceAll(src.target, perResource, v.Resource.Singular)
		out = append(out, treeFile{path: p, content: content, place: placementOf(p)})
	}
	return out, nil
}

// placementOf says how a file meets one that is already there. Configuration
// that others have a say in is merged by its meaning; sources by their lines, so
// that a later run does not undo what people wrote in between.
func placementOf(p string) engine.Placement {
	shared := func(strategy string) engine.Placement {
		return engine.Placement{DestinationType: "global_config", MergeStrategy: strategy}
	}
	switch p {
	case ".env":
		return shared("env_merge")
	case ".gitignore", ".dockerignore", "go.sum":
		return shared("append_unique")
	case "compose.yaml", "package.json", "package-lock.json", "tsconfig.json", "pyproject.toml", ".vscode/settings.json":
		return shared("deep_merge")
	case ".editorconfig":
		return shared("create_only")
	case "LICENSE", ".env.example":
		return engine.Placement{DestinationType: "project", MergeStrategy: "overwrite"}
	}
	return engine.Placement{DestinationType: "project", MergeStrategy: "three_way"}
}

// portsOf declares the ports, and where in the tree their numbers stand.
func portsOf(s spec, t tree) []engine.Port {
	if s.Kind == kindCommand {
		return nil
	}
	web := engine.Port{Name: "web", Port: s.Port, Uses: []engine.PortUse{
		{Path: ".env", Template: "PORT={port}"},
		{Path: ".env.example", Template: "PORT={port}"},
		{Path: "README.md", Template: "BASE_URL=http://localhost:{port}"},
		{Path: "compose.yaml", Template: "${PORT:-{port}}"},
	}}
	for _, use := range []engine.PortUse{
		{Path: "internal/config/config.go", Template: "DefaultPort = {port}"},
		{Path: "src/config.ts", Template: "defaultPort = {port};"},
		{Path: "app/config.py", Template: "DEFAULT_PORT = {port}"},
		{Path: "serve.mjs", Template: "?? {port})"},
	} {
		if slices.ContainsFunc(t.files, func(f treeFile) bool { return f.path == use.Path }) {
			web.Uses = append(web.Uses, use)
		}
	}
	ports := []engine.Port{web}
	if s.Database == dbPostgres {
		ports = append(ports, engine.Port{Name: "database", Port: s.DatabasePort(), Uses: []engine.PortUse{
			{Path: ".env", Template: "DB_PORT={port}"},
			{Path: ".env", Template: "@localhost:{port}/"},
			{Path: ".env.example", Template: "DB_PORT={port}"},
			{Path: ".env.example", Template: "@localhost:{port}/"},
			{Path: "compose.yaml", Template: "${DB_PORT:-{port}}"},
		}})
	}
	return ports
}

func functions() template.FuncMap {
	kinds := func(of func(kindWordsOf) string) func(field) string {
		return func(f field) string { return of(kindOfField(f)) }
	}
	return template.FuncMap{
		"markdown":  markdown,
		"list":      listOf,
		"type":      typeName,
		"goName":    goName,
		"goKind":    kinds(func(k kindWordsOf) string { return k.inGo }),
		"tsKind":    kinds(func(k kindWordsOf) string { return k.inTypeScript }),
		"pyKind":    kinds(func(k kindWordsOf) string { return k.inPython }),
		"kindWords": kinds(func(k kindWordsOf) string { return k.inWords }),
		"plural":    plural,
		"sample":    sample,
		"json":      jsonText,
		"heading":   func(section string) string { return titleWord(strings.ReplaceAll(section, "-", " ")) },
		"layout":    layout,
		"cards":     cardsOf,
		"article":   withArticle,
		"sentence":  titleWord,
		"operands":  operands,
		"value":     value,
		"does":      func(operation string) string { return operationWords[operation] },
	}
}

func jsonText(s string) (string, error) {
	b, err := json.Marshal(s)
	return string(b), err
}

// typeName names the Go type of a resource.
func typeName(r resource) string { return goName(r.Singular) }

// goName writes words with underscores between as Go exports them.
func goName(name string) string {
	var b strings.Builder
	for i, w := range strings.Split(name, "_") {
		switch {
		case w == "id" && i > 0, slices.Contains([]string{"url", "isbn", "sku", "uri", "ip", "html", "json", "http", "sql", "uid", "uuid", "api"}, w):
			b.WriteString(strings.ToUpper(w))
		default:
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// kindWordsOf is how a kind of field is written, and a good value of it in JSON.
type kindWordsOf struct{ inGo, inTypeScript, inPython, inWords, sample string }

var kindsOfFields = map[string]kindWordsOf{
	kindString:  {"string", "text", "TEXT", "text", ""},
	kindNumber:  {"float64", "number", "NUMBER", "number", "9.5"},
	kindInteger: {"int64", "integer", "INTEGER", "whole number", "3"},
	kindBoolean: {"bool", "boolean", "BOOLEAN", "true or false", "true"},
	kindStrings: {"[]string", "texts", "TEXTS", "list of texts", `["one", "two"]`},
	kindDate:    {"string", "date", "DATE", "date such as 2026-01-31", `"2026-01-31"`},
	kindTime:    {"string", "datetime", "DATETIME", "date and time such as 2026-01-31T09:30:00Z", `"2026-01-31T09:30:00Z"`},
	kindRef:     {"string", "text", "TEXT", "id of a record", `""`},
}

func kindOfField(f field) kindWordsOf {
	if f.Of() != "" {
		return kindsOfFields[kindRef]
	}
	return kindsOfFields[f.Kind]
}

// sample is a good record in JSON, for examples and tests.
func sample(r resource) string {
	var parts []string
	for _, f := range r.Fields {
		value := kindOfField(f).sample
		if f.Kind == kindString {
			value = `"A first ` + strings.ReplaceAll(f.Name, "_", " ") + `"`
		}
		parts = append(parts, `"`+f.Name+`": `+value)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// HasTimes says whether the resource has dates or times.
func (r resource) HasTimes() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Kind == kindDate || f.Kind == kindTime })
}

// HasTimes says whether some resource has dates or times.
func (v view) HasTimes() bool { return slices.ContainsFunc(v.Resources, resource.HasTimes) }

// HasRefs says whether the resource refers to others.
func (r resource) HasRefs() bool {
	return slices.ContainsFunc(r.Fields, func(f field) bool { return f.Of() != "" })
}

// Several says whether a command has more than one operation.
func (v view) Several() bool { return len(v.Operations) > 1 }

// Reads says whether some operation reads files one by one.
func (v view) Reads() bool {
	return slices.ContainsFunc(v.Operations, func(o string) bool { return o != opDuplicates && o != opPassword })
}

// Call is how a command is run in its folder.
func (v view) Call() string {
	if v.Language == langPython {
		return "python3 -m app"
	}
	return "bin/" + v.Name
}

// operands are what an operation is given.
func operands(operation string) string {
	switch operation {
	case opSearch:
		return "TEXT FILE..."
	case opDuplicates:
		return "FOLDER..."
	case opPassword:
		return "[--length N] [--count N]"
	}
	return "FILE..."
}

// value is a good value of a field on a command line.
func value(f field) string {
	if f.Kind == kindString || f.Kind == kindStrings {
		return "a first " + strings.ReplaceAll(f.Name, "_", " ")
	}
	return strings.Trim(kindOfField(f).sample, `"`)
}

// Mail is where a site's visitors write to.
func (v view) Mail() string { return cmp.Or(v.Email, "hello@example.com") }
