package validate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Promise: checks-parse
func TestPagesAreClosedAndLeadSomewhere(t *testing.T) {
	v := validator(t, Config{Level: Syntax})
	for name, test := range map[string]struct{ page, says string }{
		"right":         {"<!doctype html><html><head><title>x</title><link rel=stylesheet href=style.css></head><body><p>a<p>b<br><ul><li>c</ul><img src=\"/img/a.png\"><a href=\"#x\">x</a><a href=\"https://example.com/y.html\">y</a><a href=about.html?q=1#z>z</a></body></html>", ""},
		"unclosed":      {"<html>\n<body>\n<div>\n<p>x</p>\n</body>\n</html>\n", "line 3: the element <div> is not closed"},
		"never begun":   {"<html><body>\n</section>\n</body></html>\n", "line 2: </section> ends an element that was not begun"},
		"to the end":    {"<main>\n<h1>x</h1>\n", "line 1: the element <main> is not closed"},
		"dead link":     {"<p>\n<a href=\"gone.html\">x</a></p>\n", "line 2: href=\"gone.html\" leads to no file"},
		"dead asset":    {"<p><script src=\"js/gone.js\"></script></p>\n", "line 1: src=\"js/gone.js\" leads to no file"},
		"dead at root":  {"<p><img src=\"/gone.png\"></p>\n", "leads to no file"},
		"a template":    {"{{define \"x\"}}<div>{{end}}<a href=gone.html>", ""},
		"in a script":   {"<script>const a = '<div>';</script>\n", ""},
		"a route":       {"<a href=\"/settings\">x</a>\n", ""},
		"another place": {"<base href=\"https://example.com/\"><a href=\"gone.html\">x</a>\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, map[string]string{"index.html": test.page, "style.css": "a { color: red }\n", "img/a.png": "x", "about.html": "<p>x"})
			said := strings.Join(report.Findings, "; ")
			if (test.says == "") != (said == "") || !strings.Contains(said, test.says) {
				t.Errorf("found %q, want %q", said, test.says)
			}
		})
	}
}

// Promise: checks-parse
func TestScriptsAndStylesAreParsed(t *testing.T) {
	v := validator(t, Config{Level: Syntax})
	for name, test := range map[string]struct{ path, content, says string }{
		"javascript":       {"a.js", "export const a = 1\n", ""},
		"javascript wrong": {"a.js", "const a = ;\n", "line 1"},
		"typescript":       {"a.ts", "export const a: number = 1\n", ""},
		"typescript wrong": {"a.ts", "const a: = 1\n", "line 1"},
		"types in plain":   {"a.js", "\nconst a: number = 1\n", "line 2"},
		"jsx":              {"a.jsx", "export const A = () => <p>x</p>\n", ""},
		"tsx wrong":        {"a.tsx", "export const A = () => <p>x</b>\n", "line 1"},
		"css":              {"a.css", "a { color: red }\n@media print { a { color: black } }\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, map[string]string{test.path: test.content})
			said := strings.Join(report.Findings, "; ")
			if (test.says == "") != (said == "") || !strings.Contains(said, test.says) {
				t.Errorf("found %q, want %q", said, test.says)
			}
		})
	}
}

// What would take a parser with it takes a process with it that is there for
// that; the file is a finding, and the next is parsed.
// Promise: checks-parse
func TestScriptsThatBreakTheParserAreFindings(t *testing.T) {
	v := validator(t, Config{Level: Syntax})
	v.parsers.time = 2 * time.Second
	for _, unit := range []string{"!", "a=>", "("} {
		report, _ := try(t, v, nil, map[string]string{"a.js": strings.Repeat(unit, 300_000/len(unit)), "b.js": "const b = 1\n"})
		if len(report.Findings) != 1 || !strings.HasPrefix(report.Findings[0], "a.js: ") {
			t.Errorf("%q: %q", unit, report.Findings)
		}
	}
	report, _ := try(t, v, nil, map[string]string{"a.css": strings.Repeat("@media{", 30_000)})
	if len(report.Findings) > 1 {
		t.Errorf("%q", report.Findings)
	}
	if report, _ := try(t, v, nil, map[string]string{"b.js": "const b = ;\n"}); len(report.Findings) != 1 {
		t.Errorf("the next file: %q", report.Findings)
	}
}

// Promise: checks-fast
func TestFiveHundredFilesTakeUnderASecond(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures")
	}
	files := map[string]string{"go.mod": "module example.com/x\n"}
	for i := range 125 {
		files[fmt.Sprintf("p%d/a.go", i)] = "package p\n\nimport \"example.com/x/p0\"\n\n" + strings.Repeat("// F is.\nfunc F(a int) int { return a + len(p0.X) }\n\n", 30)
		files[fmt.Sprintf("web/a%d.ts", i)] = "import './a0'\n" + strings.Repeat("export const f = (a: number): number => a + 1\n", 1) + strings.Repeat("console.log('x')\n", 60)
		files[fmt.Sprintf("web/p%d.html", i)] = "<!doctype html><html><body>" + strings.Repeat("<p>text</p>\n", 60) + "</body></html>"
		files[fmt.Sprintf("data/d%d.json", i)] = "[" + strings.Repeat(`{"a":1,"b":"text"},`, 60) + "{}]"
	}
	v := validator(t, Config{Level: Syntax})
	try(t, v, nil, map[string]string{"a.ts": "const a = 1\n"}) // the parser is there
	best := time.Hour
	for round := 0; round < 5 || round < 40 && best > time.Second; round++ { // the machine may be busy: the best of a few is what it takes
		began := time.Now()
		report, _ := try(t, v, nil, files)
		best = min(best, time.Since(began))
		if report.Status != Unchecked {
			t.Fatal(shown(report))
		}
	}
	t.Logf("%d files in %v", len(files), best)
	if best > time.Second {
		t.Errorf("%d files take %v", len(files), best)
	}
}

// Promise: checks-unchecked
func TestWhatWasNotTriedIsUncheckedAndSaysWhy(t *testing.T) {
	files := map[string]string{"go.mod": "module x\n", "main.go": "package main\n\nfunc main() {}\n", "package.json": `{"scripts":{"test":"node --test"}}`}
	want := []string{"syntax", "imports and links", "go build ./...", "go vet ./...", "go test -count=1 ./...", "npm test"}
	for name, test := range map[string]struct {
		config Config
		until  time.Time
		why    string
	}{
		"only syntax": {Config{Level: Syntax}, time.Time{}, "with --validate test it also builds"},
		"no sandbox":  {Config{Level: Test, Missing: "bubblewrap is not installed"}, time.Time{}, "bubblewrap is not installed"},
	} {
		t.Run(name, func(t *testing.T) {
			v := validator(t, test.config)
			report, told := try(t, v, nil, files)
			var names []string
			for _, c := range report.Checks {
				names = append(names, c.Name)
				if c.Status == Skipped && !strings.Contains(c.Detail, test.why) {
					t.Errorf("%s is skipped because %q", c.Name, c.Detail)
				}
			}
			if report.Status != Unchecked || !slices.Equal(names, want) || len(told) != len(want) {
				t.Error(shown(report))
			}
		})
	}
	t.Run("no project", func(t *testing.T) {
		if report, _ := try(t, validator(t, Config{Level: Test}), nil, map[string]string{"a.json": "{}", "README.md": "x"}); report.Status != Passed {
			t.Error(shown(report))
		}
	})
	t.Run("off", func(t *testing.T) {
		if report, _ := try(t, validator(t, Config{Level: Off}), nil, map[string]string{"a.json": "{"}); report.Status != Unchecked || len(report.Checks) > 0 {
			t.Error(shown(report))
		}
	})
}

// Promise: checks-listed
func TestWhichProjectsATreeHas(t *testing.T) {
	for name, test := range map[string]struct {
		files []string
		want  string
	}{
		"several":              {[]string{"go.mod", "web/package.json", "tools/requirements.txt", "core/Cargo.toml", "core/sub/Cargo.toml", "Makefile"}, ". go, core rust, core/sub rust, tools python, web node"},
		"not its own":          {[]string{"package.json", "node_modules/a/package.json", "vendor/x/go.mod", "testdata/go.mod"}, ". node"},
		"packages below":       {[]string{"package.json", "packages/a/package.json"}, ". node"},
		"two modules":          {[]string{"go.mod", "sub/go.mod"}, ". go, sub go"},
		"scripts":              {[]string{"tool.py"}, ". python"},
		"scripts beside":       {[]string{"backend/pyproject.toml", "backend/a.py", "scripts/deploy.py"}, ". python, backend python"},
		"of another kind":      {[]string{"pom.xml", "src/A.java", "go.mod"}, ". go, . other"},
		"what nobody looks at": {[]string{"index.php", "api/go.mod", "api/x.sh"}, ". other, api go"},
		"make knows":           {[]string{"Makefile", "pom.xml", "A.java"}, ". make"},
		"only a makefile":      {[]string{"Makefile", "a.c"}, ". make"},
		"nothing that is one":  {[]string{"README.md", "a.css"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range test.files {
				files[f] = "test:\n"
			}
			all, err := findProjects(treeOf(files))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range all {
				got = append(got, p.dir+" "+string(p.kind))
			}
			if s := strings.Join(got, ", "); s != test.want {
				t.Errorf("found %q, want %q", s, test.want)
			}
		})
	}
}

// An account with many runs does not keep another from its turn.
// Promise: sandbox-fair
func TestPlacesAreSharedFairly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(2)
		for _, account := range []string{"first", "many"} {
			if err := q.enter(t.Context(), account, nil); err != nil {
				t.Fatal(err)
			}
		}
		var order []string
		enter := func(account string, n int) {
			go func() {
				waited := 0
				if err := q.enter(t.Context(), account, func(before int) error { waited = before + 1; return nil }); err != nil {
					t.Error(err)
					return
				}
				order = append(order, fmt.Sprintf("%s%d", account, n))
				if waited == 0 {
					t.Error("it was not said that it waits")
				}
			}()
			synctest.Wait()
		}
		for n := range 3 {
			enter("many", n)
		}
		enter("few", 0)
		gone, cancel := context.WithCancel(t.Context())
		go func() {
			if err := q.enter(gone, "gone", func(int) error { return nil }); err == nil {
				t.Error("who gave up has a place")
			}
		}()
		synctest.Wait()
		cancel()
		synctest.Wait()
		q.leave("first")
		synctest.Wait()
		if got := strings.Join(order, " "); got != "few0" {
			t.Fatalf("the order is %s", got)
		}
		q.leave("few")
		synctest.Wait()
		q.leave("many")
		synctest.Wait()
		if got := strings.Join(order, " "); got != "few0 many0 many1" {
			t.Errorf("the order is %s", got)
		}
		for range 3 {
			q.leave("many")
			synctest.Wait()
		}
		if len(q.waiting) > 0 || len(q.held) > 0 || q.free != 2 {
			t.Errorf("%d wait still, %d places are free", len(q.waiting), q.free)
		}
	})
}

// changed is a copy with other files.
func changed(files map[string]string, changes ...string) map[string]string {
	out := maps.Clone(files)
	if out == nil {
		out = map[string]string{}
	}
	for i := 0; i+1 < len(changes); i += 2 {
		out[changes[i]] = changes[i+1]
	}
	return out
}
