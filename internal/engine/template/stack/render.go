// Package stack writes the files of a project from text templates: the only input
// is a complete spec.
package stack

import (
	"cmp"
	"embed"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

//go:embed all:templates
var templates embed.FS

// library has the parsed templates: of an API in the folder of its language, of a site
// in static, and of both in common.
var library = sync.OnceValue(func() scaffold.Library { return scaffold.Parse(templates, "templates", functions) })

var functions = template.FuncMap{
	"typeName": typeName,
	"tsName":   tsName,
	"pyName":   apart(func(name string) bool { return slices.Contains(pyReserved, name) }),
	"goName":   apart(goReserved.MatchString),
	"add":      func(a, b int) int { return a + b },
	"markdown": plaintext.Markdown,
	"quote":    strconv.Quote, // as Go, Python, TypeScript and JSON read it
	"join":     func(separator string, all []string) string { return strings.Join(all, separator) },
}

// Render writes the files of a project, sorted by path. Migrations are not among them.
func Render(p Project) ([]scaffold.File, error) {
	parts := map[string]any{}
	for _, r := range p.Records {
		of := p
		of.Record = r
		parts[p.Part(r)] = of
	}
	return library().Render(cmp.Or(p.Language, "static"), p, parts)
}
