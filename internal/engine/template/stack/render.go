// Package stack writes the files of a project from text templates: the only input
// is a complete spec.
package stack

import (
	"embed"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

//go:embed all:templates
var templates embed.FS

// static is the folder of the templates of a site. Those of an API are in one with
// the name of its language.
const static = "static"

// libraries has the parsed templates of each folder, with those that all have.
var libraries = map[string]func() scaffold.Library{
	spec.Go: parse(spec.Go), spec.Python: parse(spec.Python), spec.TypeScript: parse(spec.TypeScript), static: parse(static),
}

func parse(folder string) func() scaffold.Library {
	return sync.OnceValue(func() scaffold.Library { return scaffold.Parse(only{templates, folder}, "templates", functions) })
}

// only is the templates without the folders of other languages.
type only struct {
	embed.FS
	folder string
}

// ReadDir implements fs.ReadDirFS.
func (o only) ReadDir(name string) ([]fs.DirEntry, error) {
	entries, err := o.FS.ReadDir(name)
	if name == "templates" {
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() != "common" && e.Name() != o.folder })
	}
	return entries, err
}

var functions = template.FuncMap{
	"goName":   goName,
	"goField":  goField,
	"goType":   goType,
	"pyClass":  pyClass,
	"pyField":  pyField,
	"pyCases":  pyCases,
	"samples":  sampleCount,
	"inc":      func(n int) int { return n + 1 },
	"markdown": plaintext.Markdown,
	"sentence": plaintext.Capital,
	"quote":    strconv.Quote, // as Go, Python, TypeScript and JSON read it
	"join":     func(separator string, all []string) string { return strings.Join(all, separator) },
	"rules":    rules,
	"tsName":   tsName,
	"tsType":   tsType,
	"tsField":  tsField,
	"tsQuote":  tsQuote,
}

// rules lists the rules of a field for the README.
func rules(f Field) string {
	var all []string
	if f.To != "" {
		all = append(all, "the id of a record of `/"+f.Target+"`")
	}
	if f.Required && !f.HasDefault {
		all = append(all, "required")
	}
	if f.Unique {
		all = append(all, "unique")
	}
	unit := ""
	if f.IsLong() {
		unit = " characters"
	}
	switch least, most := f.Min, f.Max; {
	case len(f.Choices) > 0:
		all = append(all, "one of "+plaintext.Markdown(strings.Join(f.Choices, ", ")))
	case least != "" && most != "":
		all = append(all, least+" to "+most+unit)
	case least != "":
		all = append(all, "at least "+least+unit)
	case most != "":
		all = append(all, "at most "+most+unit)
	case f.IsLong():
		all = append(all, "at most "+strconv.Itoa(f.MaxLength())+unit)
	}
	if f.HasDefault {
		all = append(all, plaintext.Markdown(f.Default)+" if a new record has none")
	}
	return strings.Join(all, "; ")
}

// recordView is what a template of one record sees (its file name has PART in it).
type recordView struct {
	Project
	Record Record
}

// Render writes the files of a project, sorted by path. Migrations are not among them.
func Render(p Project) ([]scaffold.File, error) {
	folder, parts := p.Language, map[string]any{}
	if p.Kind == spec.Site {
		folder = static
	}
	for _, r := range p.Records {
		parts[p.Part(r)] = recordView{p, r}
	}
	return libraries[folder]().Render(folder, p, parts)
}
