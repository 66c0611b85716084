// Package scaffold renders folders of text templates into the files of a project.
//
// The folders of a library are its stacks; the templates of the stack common are part
// of every other. A file is named as it will be, with .tmpl behind. PART in a name
// makes one file for each part of what is rendered; a template that gives nothing but
// white space makes no file. What stands behind @ in a name only parts templates of the
// same file, of which one at most gives something. Go is formatted.
package scaffold

import (
	"bytes"
	"fmt"
	"go/format"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"
)

const (
	common = "common"
	part   = "PART"
)

// File is a file of a project.
type File struct {
	Path    string
	Content []byte
}

// Library holds the parsed templates of each stack, named as what they make; any
// number may render at once.
type Library map[string][]*template.Template

// Parse parses the templates below a folder. They come with the program, so a defect of theirs panics.
func Parse(files fs.FS, folder string, functions template.FuncMap) Library {
	out := Library{}
	err := fs.WalkDir(files, folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		stack, target, _ := strings.Cut(strings.TrimPrefix(name, folder+"/"), "/")
		target, _, _ = strings.Cut(strings.TrimSuffix(target, ".tmpl"), "@")
		out[stack] = append(out[stack], template.Must(template.New(target).Funcs(functions).Parse(string(text))))
		return err
	})
	if err != nil {
		panic(err)
	}
	for stack := range out {
		if stack != common {
			out[stack] = slices.Concat(out[common], out[stack])
		}
	}
	return out
}

// Render makes the files of a stack, sorted by path: of what is whole, and of each of its parts by name.
func (l Library) Render(stack string, whole any, parts map[string]any) (out []File, err error) {
	for _, t := range l[stack] {
		of := map[string]any{"": whole}
		if strings.Contains(t.Name(), part) {
			of = parts
		}
		for name, data := range of {
			file := File{Path: strings.ReplaceAll(t.Name(), part, name)}
			if file.Content, err = render(t, data); err != nil {
				return nil, err
			}
			if len(file.Content) > 0 {
				out = append(out, file)
			}
		}
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

func render(t *template.Template, data any) ([]byte, error) {
	var b bytes.Buffer
	if err := t.Execute(&b, data); err != nil {
		return nil, err
	}
	content := bytes.TrimRight(bytes.TrimLeft(b.Bytes(), "\n"), " \t\n") // a title may stand in the middle of the first line
	if len(content) == 0 {
		return nil, nil
	}
	content = append(content, '\n')
	if path.Ext(t.Name()) != ".go" {
		return content, nil
	}
	formatted, err := format.Source(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return formatted, nil
}
