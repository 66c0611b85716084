package schema

import (
	"bytes"
	"embed"
	"regexp"
	"strings"
	"text/template"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// dialect is the SQL of a database.
type dialect string

const (
	sqlite   dialect = spec.SQLite
	postgres dialect = spec.Postgres
)

//go:embed sql
var files embed.FS

// texts are the templates of each database: statements, which see [table] and [column],
// and what it makes of a kind of value, which see the value.
var texts = map[dialect]*template.Template{sqlite: parse(sqlite), postgres: parse(postgres)}

func parse(d dialect) *template.Template {
	return template.Must(template.ParseFS(files, "sql/common.sql.tmpl", "sql/"+string(d)+".sql.tmpl"))
}

// sql writes a template of a value; empty: the database has none.
func (d dialect) sql(name, value string) string {
	var b strings.Builder
	if t := texts[d].Lookup(name); t != nil {
		_ = t.Execute(&b, value) // a text in memory
	}
	return b.String()
}

var gaps = regexp.MustCompile(`\n{3,}`)

// render writes the statements of a template, separated by single blank lines; nil:
// there are none.
func (d dialect) render(name string, of any) ([]byte, error) {
	var b bytes.Buffer
	if err := texts[d].ExecuteTemplate(&b, name, of); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(gaps.ReplaceAll(b.Bytes(), []byte("\n\n")))
	if len(text) == 0 {
		return nil, nil
	}
	return append(text, '\n'), nil
}
