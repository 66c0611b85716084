package validate

import (
	"fmt"
	"strings"
	"testing"
)

// What would end the process or hold a worker for minutes is a finding, or is
// not parsed at all.
// Promise: checks-parse
func TestHostileFilesAreValidated(t *testing.T) {
	deep := func(open string, size int) string { return strings.Repeat(open, size/len(open)) }
	var keys strings.Builder
	for i := 0; keys.Len() < maxYAML-20; i++ {
		fmt.Fprintf(&keys, "k%d: v\n", i)
	}
	for name, test := range map[string]struct {
		path, content string
		says          string // empty: nothing is found
	}{
		"JSON with comments":   {"tsconfig.json", deep("[", maxJSONC), "nested"},
		"brackets behind text": {".vscode/a.json", deep(`["]",`, maxJSONC), "nested"},
		"brackets behind note": {"a.jsonc", deep("[/*]*/", maxJSONC), "nested"},
		"objects":              {"a.jsonc", deep(`{"a":`, maxJSONC), "nested"},
		"JSON":                 {"a.json", deep("[", maxJSON), "depth"},
		"YAML flow":            {"a.yaml", deep("[", maxYAML), "depth"},
		"YAML flow and text":   {"a.yaml", deep(`["]",`, maxYAML), "depth"},
		"YAML dashes":          {"a.yaml", deep("- ", maxYAML), "depth"},
		"YAML keys":            {"a.yaml", keys.String(), ""},
		"TOML":                 {"a.toml", "a=" + deep("[", maxTOML-2), "nested"},
		"TOML texts":           {"a.toml", "a=" + deep(`["]",`, maxTOML-5), "nested"},
		"TOML raw texts":       {"a.toml", "a=" + deep(`['\',`, maxTOML-5), "nested"},
		"TOML long texts":      {"a.toml", "a=" + deep("['''\n]'']''',", maxTOML-15), "nested"},
		"TOML quotes at ends":  {"a.toml", "a=" + deep("[\"\"\"]\"\"\"\",", maxTOML-15), "nested"},
		"TOML tables":          {"a.toml", "a=" + deep("{a=", maxTOML-3), "nested"},
		"Go":                   {"a.go", "package a\nvar x = " + deep("(", maxGo-30), "depth"},
		"too large":            {"a.jsonc", deep("[", maxJSONC+1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, validator(t, Config{Level: Syntax}), nil, map[string]string{test.path: test.content})
			if said := strings.Join(report.Findings, "; "); !strings.Contains(said, test.says) || (test.says == "") != (said == "") {
				t.Errorf("found %q, want %q", said, test.says)
			}
		})
	}
}

func TestBracketsInTextsAndCommentsDoNotNest(t *testing.T) {
	many := strings.Repeat("[", maxNesting+1)
	for _, test := range []struct {
		hides   []hiding
		content string
	}{
		{jsoncHiding, `{"a": "` + many + `\"` + many + `"}`},
		{jsoncHiding, "[ // " + many + "\n]"},
		{jsoncHiding, "[ /* " + many + "\n*/ ]"},
		{tomlHiding, `a = "` + many + `"`},
		{tomlHiding, `a = '` + many + `\'`},
		{tomlHiding, "a = \"\"\"" + many + "\"" + many + "\"\"\"\n# " + many},
		{tomlHiding, strings.Repeat("[[package]]\nname = \"x\"\n", maxNesting+1)},
	} {
		if err := checkNesting([]byte(test.content), test.hides); err != nil {
			t.Errorf("%.40s…: %v", test.content, err)
		}
	}
	if err := checkNesting([]byte(many[1:]), jsoncHiding); err != nil {
		t.Error(err)
	}
	if err := checkNesting([]byte("\n"+many), jsoncHiding); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%d brackets: %v", len(many), err)
	}
}
