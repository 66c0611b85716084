//go:build linux && (amd64 || arm64)

package validate

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

const (
	pythonGood = "import unittest\n\n\nclass Good(unittest.TestCase):\n    def test_good(self):\n        self.assertEqual(1, 1)\n"
	pythonBad  = "import unittest\n\n\nclass Bad(unittest.TestCase):\n    def test_bad(self):\n        self.assertEqual(1, 2)\n"
	manifest   = "[project]\nname = \"app\"\nversion = \"1\"\n"
)

// What was not tried is not said to be right, and what is right is not said to be
// wrong.
// Promise: checks-passed
func TestAStatusSaysOnlyWhatWasSeen(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t), CacheDir: testCache(t)})
	for name, test := range map[string]struct {
		files  map[string]string
		status Status
		says   string // of the report
	}{
		"tests in two folders":  {map[string]string{"pyproject.toml": manifest, "tests/api/test_a.py": pythonGood, "tests/test_main.py": pythonBad}, Failed, "tests/test_main.py:6"},
		"tests by their ending": {map[string]string{"pyproject.toml": manifest, "main_test.py": pythonBad}, Failed, "main_test.py:6"},
		"tests in packages":     {map[string]string{"pyproject.toml": manifest, "tests/__init__.py": "", "tests/test_a.py": pythonGood, "tests/api/__init__.py": "", "tests/api/test_b.py": pythonBad}, Failed, "tests/api/test_b.py:6"},
		"no test in them":       {map[string]string{"pyproject.toml": manifest, "tests/test_a.py": "import unittest\n"}, Unchecked, "no test was found"},
		"no package of tests":   {map[string]string{"pyproject.toml": manifest, "app/__init__.py": "", "app/sum.py": "X = 1\n", "tests/test_x.py": "import unittest\n\nfrom app.sum import X\n\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(X, 1)\n"}, Passed, "1 passed"},
		"modules in src":        {map[string]string{"pyproject.toml": manifest, "src/app/__init__.py": "X = 1\n", "tests/test_x.py": "import unittest\n\nimport app\n\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertEqual(app.X, 1)\n"}, Passed, "1 passed"},
		"a module of its own":   {map[string]string{"pyproject.toml": manifest, "app/sum.py": "", "test_x.py": "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        from app.missing import f\n"}, Failed, "test_x.py:6"},
		"declared, and wrong":   {map[string]string{"setup.py": "", "requirements-docs.txt": "sphinx\n", "test_x.py": pythonBad + "\n    def test_y(self):\n        import sphinx\n"}, Failed, "1 != 2"},
		"scripts beside":        {map[string]string{"backend/pyproject.toml": manifest, "backend/a.py": "", "scripts/deploy.py": "def main(:\n"}, Failed, "scripts/deploy.py:1"},
		"scripts beside, right": {map[string]string{"backend/pyproject.toml": manifest, "backend/a.py": "def main(:\n", "scripts/deploy.py": ""}, Failed, "(backend): failed"},
		"packages below":        {map[string]string{"package.json": `{"scripts":{"test":"true"}}`, "web/package.json": `{"scripts":{"test":"exit 1"}}`}, Failed, "npm test (web): failed"},
		"workspaces":            {map[string]string{"package.json": `{"name":"all","workspaces":["packages/*"]}`, "packages/a/package.json": `{"name":"a","version":"1.0.0","scripts":{"test":"exit 3"}}`, "x.py": ""}, Failed, "npm test --workspaces --if-present: failed"},
		"workspaces, right":     {map[string]string{"package.json": `{"name":"all","workspaces":["packages/*"]}`, "packages/a/package.json": `{"name":"a","version":"1.0.0","scripts":{"test":"exit 0"}}`}, Passed, "npm test --workspaces --if-present: passed"},
		"nothing to run":        {map[string]string{"package.json": `{"name":"x"}`, "x.py": ""}, Unchecked, "npm test: skipped"},
		"a missing command":     {map[string]string{"package.json": `{"scripts":{"test":"vitest run"}}`}, Failed, "vitest"},
		"make, several targets": {map[string]string{"Makefile": "all test: build\n\tfalse\nbuild:\n\ttrue\n"}, Failed, "make test: failed"},
		"make, a variable":      {map[string]string{"Makefile": "test := x\n"}, Unchecked, ""},
		"another kind":          {map[string]string{"pom.xml": "<project/>", "a.json": "{}", "src/A.java": "class {"}, Unchecked, "pom.xml: skipped"},
		"another language":      {map[string]string{"index.php": "<?php (", "style.css": "a {}\n"}, Unchecked, "files of PHP: skipped"},
		"nothing known":         {map[string]string{"README.md": "x"}, Unchecked, ""},
		"too large":             {map[string]string{"a.yaml": "a: [\n" + strings.Repeat("# text\n", maxYAML/7+1), "b.yaml": "a: 1\n"}, Passed, "YAML 1, 1 too large"},
		"only too large":        {map[string]string{"a.js": "(" + strings.Repeat("// text\n", maxScript/8+1)}, Unchecked, "1 too large"},
		"a workspace of Go": {map[string]string{
			"go.work": "go 1.24\n\nuse (\n\t./a\n\t./b\n)\n", "a/go.mod": "module example.com/a\n\ngo 1.24\n", "a/a.go": "package a\n\n// X is 1.\nconst X = 1\n",
			"b/go.mod": "module example.com/b\n\ngo 1.24\n", "b/b.go": "package b\n\nimport \"example.com/a\"\n\n// Y is 1.\nconst Y = a.X\n", "c/go.mod": "module example.com/c\n\ngo 1.24\n", "c/c.go": "package c\n",
		}, Passed, "go build ./... (c): passed"},
		"a newer Go": {map[string]string{"go.mod": "module example.com/a\n\ngo 1.99\n", "a.go": "package a\n"}, Unchecked, "it needs a newer Go"},
		"two files of a name": {map[string]string{
			"go.mod": "module example.com/a\n\ngo 1.24\n", "a/s_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(*testing.T) {}\n",
			"b/s_test.go": "package b\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) {\n\tt.Error(\"wrong\")\n}\n",
		}, Failed, "b/s_test.go:6: wrong"},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, test.files)
			if report.Status != test.status || !strings.Contains(shown(report), test.says) {
				t.Errorf("want %s, with %q:\n%s", test.status, test.says, shown(report))
			}
		})
	}
}

// compiler speaks as tsc does where nobody watches, about the file that it would
// come to: only -b follows references.
const compiler = "#!/usr/bin/env node\nconst file = process.argv.includes('-b') ? 'src/app.ts' : 'app.ts';\nif (require('fs').existsSync(file)) {\n  console.log(file + \"(2,7): error TS2322: Type 'number' is not assignable to type 'string'.\");\n  process.exit(2);\n}\n"

// Promise: checks-passed
func TestTypesAreCheckedInEveryPackage(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	wrong := "export const b = 1;\nconst a: string = 1;\n"
	base := map[string]string{
		"package.json":           `{"name":"x","version":"1.0.0","devDependencies":{"typescript":"file:./tools/tsc"}}`,
		"tools/tsc/tsc.js":       compiler,
		"tools/tsc/package.json": `{"name":"typescript","version":"5.0.0","bin":{"tsc":"tsc.js"}}`,
	}
	for name, test := range map[string]struct {
		files map[string]string
		says  string
	}{
		"one":        {changed(base, "tsconfig.json", "{}", "app.ts", wrong), "npx --no-install tsc --noEmit: app.ts:2: error TS2322"},
		"references": {changed(base, "tsconfig.json", "{\n// as a template has it\n\"files\": [], \"references\": [{\"path\": \"./tsconfig.app.json\"}]}", "tsconfig.app.json", "{}", "src/app.ts", wrong), "npx --no-install tsc -b: src/app.ts:2: error TS2322"},
		"workspaces": {changed(base, "package.json", `{"name":"x","workspaces":["packages/*"],"devDependencies":{"typescript":"file:./tools/tsc"}}`, "packages/a/package.json", `{"name":"a","version":"1.0.0"}`, "packages/a/tsconfig.json", "{}", "packages/a/app.ts", wrong), "npx --no-install tsc --noEmit (packages/a): packages/a/app.ts:2: error TS2322"},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, test.files)
			if report.Status != Failed || !strings.Contains(strings.Join(report.Findings, "\n"), test.says) {
				t.Errorf("want %q:\n%s", test.says, shown(report))
			}
		})
	}
	if report, _ := try(t, v, nil, changed(base, "tsconfig.json", "{}", "lib.ts", "export const b = 1;\n")); report.Status != Passed {
		t.Error(shown(report))
	}
}

// Words in the output of a test are not those of a tool that cannot fetch.
// Promise: checks-passed
func TestCargoAloneSaysWhatCannotBeFetched(t *testing.T) {
	p := project{dir: ".", kind: kindRust, facts: facts{dependencies: true}}
	failed := sandbox.Result{Ending: sandbox.Exited, Exit: 101}
	steps := p.steps()
	failed.Output = []byte("thread 'x' panicked at src/main.rs:5:5:\nassertion failed: Forbidden, no such host, dial tcp\n")
	if j := judge(p, steps[1], failed, stepTime, false); j.status != Failed {
		t.Errorf("a test: %+v", j)
	}
	failed.Output = []byte("error: no matching package named `serde` found\nlocation searched: crates.io index\nrequired by package `x v0.1.0`\nAs a reminder, you're using offline mode (--offline) which can sometimes cause surprising resolution failures, if this error is too confusing you may wish to retry without `--offline`.\n")
	if j := judge(p, steps[0], failed, stepTime, false); j.status != Skipped {
		t.Errorf("cargo itself: %+v", j)
	}
}

// A tree is passed when each of its projects was tried.
// Promise: checks-passed
func TestOneProjectThatWasTriedSpeaksForNoOther(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	v.tools.found = map[kind]Tool{kindGo: {Name: "go", Missing: "go is not installed"}}
	report, _ := try(t, v, nil, map[string]string{"go.mod": "module x\n", "x.go": "package x\n\nvar s string = 1\n", "scripts/gen.py": "x = 1\n"})
	if report.Status != Unchecked || statusOf(report, "go build ./...") != Skipped || statusOf(report, "python3 -m compileall -q .") != Passed {
		t.Error(shown(report))
	}
}

// Promise: checks-time-up
func TestACommandThatIsCutShortByTheRunHasNotFailed(t *testing.T) {
	p := project{dir: ".", kind: kindMake}
	s := p.steps()[0]
	if j := judge(p, s, sandbox.Result{Ending: sandbox.OutOfTime}, stepTime-time.Second, false); j.status != Skipped || j.detail != late {
		t.Errorf("cut short: %+v", j)
	}
	if j := judge(p, s, sandbox.Result{Ending: sandbox.OutOfTime}, stepTime, false); j.status != Failed {
		t.Errorf("with all its time: %+v", j)
	}
}

// A check that fails when there is no time to try the state before may have
// failed there as well.
// Promise: checks-time-up
func TestWhatCannotBeComparedHasNotFailed(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	files := map[string]string{"Makefile": "test:\n\tfalse\n"}
	var trial *Trial
	trial = v.NewTrial("acct", treeOf(files), time.Time{}, func(c Check) error {
		if c.Status == Started {
			trial.SetDeadline(time.Now().Add(Reserve + 20*time.Second))
		}
		return nil
	})
	report := tryIn(t, trial, nil, files)
	if report.Status != Unchecked || !strings.Contains(shown(report), "whether it did before could not be tried") {
		t.Error(shown(report))
	}
}

// Promise: checks-time-up
func TestARunWaitsForAPlaceAsLongAsItHasTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := New(Config{Level: Test})
		if err := v.queue.enter(t.Context(), "other", nil); err != nil {
			t.Fatal(err)
		}
		var told []Check
		began := time.Now()
		trial := v.NewTrial("acct", Tree{}, began.Add(time.Hour), func(c Check) error { told = append(told, c); return nil })
		report := Report{}
		complete, err := trial.run(t.Context(), &report, Tree{}, []project{{dir: ".", kind: kindMake}})
		if err != nil || complete || time.Since(began) != time.Hour-2*Reserve || statusOf(report, "make test") != Skipped {
			t.Errorf("%v %v after %v: %s", complete, err, time.Since(began), shown(report))
		}
		if len(told) != 3 || told[0].Status != Started || told[1].Name != told[0].Name || told[1].Status != Skipped {
			t.Errorf("told %+v", told)
		}

		go func() {
			time.Sleep(time.Minute)
			v.queue.leave("other")
		}()
		told = nil
		trial.SetDeadline(time.Now().Add(time.Hour))
		if entered, err := trial.enter(t.Context()); err != nil || !entered || len(told) != 2 || told[1].Status != Passed || told[1].Elapsed != time.Minute {
			t.Errorf("entered %v %v, told %+v", entered, err, told)
		}
		stopped, stop := context.WithCancelCause(t.Context())
		gone := errors.New("stopped")
		stop(gone)
		if _, err := trial.enter(stopped); !errors.Is(err, gone) {
			t.Errorf("a run that was stopped: %v", err)
		}
	})
}

// A run that takes away what others need has broken them, also those that it has
// not touched.
// Promise: checks-regression
func TestWhatARunTakesAwayIsItsOwnDoing(t *testing.T) {
	before := map[string]string{
		"util.js": "export const a = 1;\n", "main.js": "import { a } from './util.js';\nconsole.log(a);\n", "index.html": "<p><script src=\"util.js\"></script></p>\n",
		"old.js": "import './never.js';\n",
	}
	v := validator(t, Config{Level: Syntax})
	attempt := func(change func(files map[string]string)) Report {
		files := changed(before)
		change(files)
		trial := v.NewTrial("acct", treeOf(before), time.Time{}, func(Check) error { return nil })
		report, err := trial.Try(t.Context(), treeOf(files), func(path string) bool { return files[path] != before[path] }, true)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	report := attempt(func(files map[string]string) { delete(files, "util.js") })
	if said := strings.Join(report.Findings, "\n"); report.Status != Failed || !strings.Contains(said, "main.js: line 1") || !strings.Contains(said, "index.html: line 1") || strings.Contains(said, "old.js") {
		t.Error(shown(report))
	}
	report = attempt(func(files map[string]string) { delete(files, "index.html") })
	if report.Status != FailedBefore || len(report.Findings) > 0 {
		t.Error(shown(report))
	}
}
