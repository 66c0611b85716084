// Package stack writes the files of a project from text templates: the only input
// is a complete spec.
//
// The templates of an API are in the folder of its language, those of a site in static,
// and those of both in common. A template is named as its file will be, with .tmpl
// behind. PART in a name makes one file for each record; a template that gives nothing
// but white space makes no file. What stands behind @ in a name only parts templates of
// the same file, of which one at most gives something. Go is formatted.
package stack

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"go/format"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// File is a file of a project.
type File struct {
	Path    string
	Content []byte
}

//go:embed all:templates
var files embed.FS

var functions = template.FuncMap{
	"typeName": typeName,
	"tsName":   tsName,
	"pyName":   apart(func(name string) bool { return slices.Contains(pyReserved, name) }),
	"goName":   apart(goReserved.MatchString),
	"add":      func(a, b int) int { return a + b },
	"markdown": plaintext.Markdown,
	"quote":    strconv.Quote, // as Go, Python, TypeScript and JSON read it
	"join":     func(separator string, all []string) string { return strings.Join(all, separator) },
	"lines":    func(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") },
}

// templates holds the parsed templates of each folder, named as what they make.
var templates = sync.OnceValue(func() map[string][]*template.Template { return parse(files) })

// parse parses templates. They come with the program, so a defect of theirs panics.
func parse(files fs.FS) map[string][]*template.Template {
	out := map[string][]*template.Template{}
	err := fs.WalkDir(files, "templates", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		folder, target, _ := strings.Cut(strings.TrimPrefix(name, "templates/"), "/")
		target, _, _ = strings.Cut(strings.TrimSuffix(target, ".tmpl"), "@")
		t := template.New(target).Funcs(functions)
		include := func(name string, data any) (string, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, name, data)
			return b.String(), err
		}
		out[folder] = append(out[folder], template.Must(t.Funcs(template.FuncMap{"include": include}).Parse(string(text))))
		return err
	})
	if err != nil {
		panic(err)
	}
	return out
}

// Render writes the files of a project, sorted by path. Migrations are not among them.
func Render(p Project) ([]File, error) {
	return render(slices.Concat(templates()["common"], templates()[cmp.Or(p.Language, "static")]), p)
}

func render(all []*template.Template, p Project) (out []File, err error) {
	for _, t := range all {
		of := map[string]Project{"": p}
		if strings.Contains(t.Name(), "PART") {
			of = p.parts()
		}
		for part, each := range of {
			var b bytes.Buffer
			if err := t.Execute(&b, each); err != nil {
				return nil, err
			}
			content := bytes.TrimRight(bytes.TrimLeft(b.Bytes(), "\n"), " \t\n") // a title may stand in the middle of the first line
			if len(content) == 0 {
				continue
			}
			content = append(content, '\n')
			if strings.HasSuffix(t.Name(), ".go") {
				if content, err = format.Source(content); err != nil {
					return nil, fmt.Errorf("%s: %w", t.Name(), err)
				}
			}
			out = append(out, File{strings.ReplaceAll(t.Name(), "PART", part), content})
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}
