package validate

import (
	"strings"
	"testing"
)

// Promise: checks-parse
func TestSyntax(t *testing.T) {
	for _, test := range []struct {
		path, content string
		good          bool
	}{
		{"a.json", `{"a":[1,2]}`, true},
		{"a.json", `{"a":1} {"b":2}`, false},
		{"a.json", `{"a":1,}`, false},
		{"a.json", "", false},
		{"tsconfig.json", "{\n// why\n\"a\": 1,\n}", true},
		{".vscode/settings.json", "{ /* why */ }", true},
		{"a.jsonc", "{ // why\n}", true},
		{"a.jsonc", "{ // why", false},
		{"a.yaml", "a: 1\nb:\n  - c\n", true},
		{"a.yml", "a: 1\n b: [2\n", false},
		{"a.yaml", "---\na: 1\n---\nb: 2\n", true},
		{"a.yaml", "a: 1\nb: 2\na: 3\n", false},
		{"a.yaml", "a: &a {x: 1}\nb:\n  <<: *a\n", true},
		{"chart.yaml", "a: {{ .Values.a }}\n{{- if x }}\nb: 1\n{{- end }}\n", true},
		{"ci.yml", "run: echo ${{ matrix.go }}\n", true},
		{"a.toml", "[a]\nb = 1\n", true},
		{"a.toml", "[a\nb = 1\n", false},
		{"a.go", "package a\n\nfunc f() {}\n", true},
		{"a.go", "package a\n\nfunc f( {}\n", false},
		{"A.GO", "nonsense", false},
		{"a.txt", "{", true},
		{"Dockerfile", "{", true},
	} {
		syntax, known := syntaxOf(test.path)
		var err error
		if known {
			err = parse(syntax.check, []byte(test.content))
		}
		if (err == nil) != test.good {
			t.Errorf("%s %q: %v", test.path, test.content, err)
		}
	}
}

func TestParserThatPanicsObjects(t *testing.T) {
	if err := parse(func([]byte) error { panic("oh") }, nil); err == nil {
		t.Error("a panic passes")
	}
}

// Promise: checks-passed
func TestACutFileIsNamedWithItsLine(t *testing.T) {
	if err := FileSyntax("a.json", []byte("{\n  \"a\": [1,\n")); err == nil || !strings.HasPrefix(err.Error(), "line 2: ") {
		t.Errorf("said %v", err)
	}
}
