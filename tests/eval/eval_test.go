package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/llm/wiretest"
	"github.com/bundle-delivery/svc/internal/needs"
)

func TestWhatIsScoredOfASite(t *testing.T) {
	t.Parallel()
	const index = `<!doctype html><html lang="en"><title>x</title><link rel="stylesheet" href="/style.css"><h1 id="here">x</h1>`
	with := func(body string, more ...string) map[string]string {
		files := map[string]string{"site/index.html": index + body, "site/style.css": "", "LICENSE": "MIT"}
		for i := 0; i < len(more); i += 2 {
			files[more[i]] = more[i+1]
		}
		return files
	}
	script := `{"name":"x","private":true,"type":"module","scripts":{"test":"node --test"}}`
	passing := "import test from 'node:test'\ntest('x', () => {})\n"
	failing := "import test from 'node:test'\ntest('x', () => { throw new Error('no') })\n"
	for name, tc := range map[string]struct {
		files         map[string]string
		builds, tests bool
	}{
		"whole, with tests":      {with(`<a href="#here">x</a><a href="https://example.com/a#b">y</a><a href="mailto:a@b">z</a>`, "package.json", script, "a.test.mjs", passing), true, true},
		"tests that fail":        {with("", "package.json", script, "a.test.mjs", failing), true, false},
		"tests of nothing":       {with("", "package.json", script), true, false},
		"no tests":               {with(""), true, false},
		"a link to nothing":      {with(`<a href="gone.html">x</a>`), false, false},
		"a picture that is gone": {with(`<img src="img/a.png" alt="">`, "package.json", script, "a.test.mjs", passing), false, false},
		"a place that is gone":   {with(`<a href="/index.html#there">x</a>`), false, false},
		"a folder":               {with(`<a href="more/">x</a><a href="more/#up">y</a>`, "site/more/index.html", index+`<a id="up" href="../">x</a>`), true, false},
		"a page without a title": {with("", "site/b.html", "<!doctype html><h1>x</h1>"), false, false},
		"no page":                {map[string]string{"site/style.css": ""}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.files["package.json"] != "" {
				needs.Program(t, "npm", "install the Debian package npm")
			}
			dir := t.TempDir()
			r := result{files: tc.files}
			if err := r.unpack(dir); err != nil {
				t.Fatal(err)
			}
			var s score
			if s.judge(t.Context(), dir, r, trial{}); s.Builds != tc.builds || s.Tests != tc.tests {
				t.Errorf("builds: %v, tests: %v, notes: %q", s.Builds, s.Tests, s.Notes)
			}
		})
	}
}

// The whole path from a provider's wire to a project that builds, on recorded
// streams: see the command's comment for what they are.
func TestRecordedStreamsBecomeProjectsThatBuild(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{wiretest.Anthropic, wiretest.OpenAI} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), []string{"-recorded", "-recordings", "recordings", "-json", "-least", "100", "--", "--engine", protocol}, &out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			scored := 0
			for decoder := json.NewDecoder(&out); decoder.More(); scored++ {
				var s score
				if err := decoder.Decode(&s); err != nil {
					t.Fatal(err)
				}
				if s.Tokens == 0 || s.USD == 0 {
					t.Errorf("%s cost nothing: %+v", s.Trial, s)
				}
			}
			if scored != len(recordedTrials) {
				t.Errorf("%d trials were scored, want %d", scored, len(recordedTrials))
			}
		})
	}
}

func TestThereAreTenTrials(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range trials() {
		if seen[c.name] || len(c.kept) == 0 {
			t.Errorf("%s is there twice or checks nothing", c.name)
		}
		seen[c.name] = true
	}
	if len(seen) != 10 {
		t.Errorf("there are %d trials", len(seen))
	}
}

func TestWhatIsScored(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  int
	}{
		"all well":         {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n", "README.md": "todo"}, 4},
		"a failing test":   {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Fail() }\n", "README.md": "todo"}, 3},
		"no tests":         {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "README.md": "todo"}, 3},
		"does not build":   {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package", "README.md": "todo"}, 2},
		"tests of nothing": {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "x_test.go": "package x\n", "README.md": "todo"}, 3},
		"another thing":    {map[string]string{"notes.txt": "nothing"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := result{files: tc.files}
			if err := r.unpack(dir); err != nil {
				t.Fatal(err)
			}
			s := score{Made: true}
			s.judge(t.Context(), dir, r, trials()[0])
			if s.points() != tc.want {
				t.Errorf("%d points, want %d: %+v", s.points(), tc.want, s)
			}
		})
	}
}
