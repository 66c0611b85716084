package schema

import (
	"bytes"
	"embed"
	"regexp"
	"text/template"
)

//go:embed sql
var files embed.FS

// texts are the statements of each database, in templates that see [table] and [column].
var texts = map[dialect]*template.Template{sqlite: parse(sqlite), postgres: parse(postgres)}

func parse(d dialect) *template.Template {
	return template.Must(template.ParseFS(files, "sql/common.sql.tmpl", "sql/"+string(d)+".sql.tmpl"))
}

var gaps = regexp.MustCompile(`\n{3,}`)

// render writes the statements of a template, separated by single blank lines.
func render(d dialect, name string, tables []table) ([]byte, error) {
	var b bytes.Buffer
	if err := texts[d].ExecuteTemplate(&b, name, tables); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(gaps.ReplaceAll(b.Bytes(), []byte("\n\n")))
	if len(text) == 0 {
		return nil, nil
	}
	return append(text, '\n'), nil
}
