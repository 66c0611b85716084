//go:build linux && (amd64 || arm64)

package validate

import (
	"maps"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// language is a project that is right, and what makes it wrong.
type language struct {
	right map[string]string
	// checks are the names of all checks that apply.
	checks []string
	// Each of these replaces a file, and is found there, in that line, by that check.
	wrong map[string]mutation
}

type mutation struct {
	file, content string
	check         string
	says          []string // of the findings
}

func languages() map[string]language {
	return map[string]language{
		"go": {
			right: map[string]string{
				"go.mod":        "module example.com/x\n\ngo 1.24\n",
				"main.go":       "package main\n\nimport \"example.com/x/sum\"\n\nfunc main() { println(sum.Of(1, 2)) }\n",
				"sum/sum.go":    "package sum\n\n// Of adds.\nfunc Of(a, b int) int { return a + b }\n",
				"sum/s_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestOf(t *testing.T) {\n\tif Of(1, 2) != 3 {\n\t\tt.Error(\"wrong sum\")\n\t}\n}\n",
			},
			checks: []string{"syntax", "imports and links", "go build ./...", "go vet ./...", "go test -count=1 ./..."},
			wrong: map[string]mutation{
				"syntax": {"main.go", "package main\n\nfunc main( {\n", "syntax", []string{"main.go: 3:"}},
				"import": {"main.go", "package main\n\nimport \"example.com/x/gone\"\n\nfunc main() { gone.Of() }\n", "imports and links", []string{"main.go: line 3", "gone"}},
				"type":   {"main.go", "package main\n\nfunc main() {\n\tvar s string = 1\n\t_ = s\n}\n", "go build ./...", []string{"main.go:4: cannot use 1"}},
				"test":   {"sum/sum.go", "package sum\n\n// Of adds.\nfunc Of(a, b int) int { return a - b }\n", "go test -count=1 ./...", []string{"go test -count=1 ./...: sum/s_test.go:7: wrong sum", "FAIL"}},
			},
		},
		"node": {
			right: map[string]string{
				"package.json":     `{"name":"x","version":"1.0.0","type":"module","scripts":{"test":"node --test"}}`,
				"src/sum.js":       "export const sum = (a, b) => a + b;\n",
				"test/sum.test.js": "import test from 'node:test';\nimport assert from 'node:assert';\nimport { sum } from '../src/sum.js';\ntest('adds', () => {\n  assert.equal(sum(1, 2), 3);\n});\n",
			},
			checks: []string{"syntax", "imports and links", "npm test"},
			wrong: map[string]mutation{
				"syntax": {"src/sum.js", "export function main( {\n", "syntax", []string{"src/sum.js: line 2"}},
				"import": {"src/sum.js", "import './gone.js';\nexport const sum = (a, b) => a + b;\n", "imports and links", []string{"src/sum.js: line 1", "gone"}},
				"type":   {"src/sum.js", "import { nothing } from 'node:fs';\nexport const sum = (a, b) => a + b;\n", "npm test", []string{"src/sum.js:1:", "nothing"}},
				"test":   {"src/sum.js", "export const sum = (a, b) => a - b;\n", "npm test", []string{"test/sum.test.js:5:"}},
			},
		},
		"python": {
			right: map[string]string{
				"pyproject.toml":    "[project]\nname = \"x\"\nversion = \"1\"\n",
				"app/__init__.py":   "",
				"app/sum.py":        "def of(a, b):\n    return a + b\n",
				"tests/__init__.py": "",
				"tests/test_sum.py": "import unittest\n\nfrom app import sum\n\n\nclass Sum(unittest.TestCase):\n    def test_of(self):\n        self.assertEqual(sum.of(1, 2), 3)\n",
			},
			checks: []string{"syntax", "imports and links", "python3 -m compileall -q .", "python3 -m unittest discover -s tests -t ."},
			wrong: map[string]mutation{
				"syntax": {"app/sum.py", "def main(:\n    pass\n", "python3 -m compileall -q .", []string{"app/sum.py:1:"}},
				"import": {"app/sum.py", "from .gone import x\n\n\ndef of(a, b):\n    return a + b\n", "imports and links", []string{"app/sum.py: line 1", "gone"}},
				"module": {"app/sum.py", "import nosuchmodule\n", "python3 -m unittest discover -s tests -t .", []string{"app/sum.py:1:", "nosuchmodule"}},
				"test":   {"app/sum.py", "def of(a, b):\n    return a - b\n", "python3 -m unittest discover -s tests -t .", []string{"tests/test_sum.py:8:", "-1 != 3"}},
			},
		},
		"make": {
			right: map[string]string{
				"Makefile": "test:\n\tsh check.sh\n",
				"check.sh": "[ \"$(cat answer.txt)\" = 42 ] || { echo \"answer.txt:1: not the answer\"; exit 1; }\n", "answer.txt": "42\n",
			},
			checks: []string{"make test"},
			wrong: map[string]mutation{
				"test": {"answer.txt", "41\n", "make test", []string{"answer.txt:1: not the answer"}},
			},
		},
		"rust": {
			right: map[string]string{
				"Cargo.toml":  "[package]\nname = \"x\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
				"src/main.rs": "fn sum(a: i32, b: i32) -> i32 {\n    a + b\n}\n\nfn main() {\n    println!(\"{}\", sum(1, 2));\n}\n\n#[test]\nfn adds() {\n    assert_eq!(sum(1, 2), 3);\n}\n",
			},
			checks: []string{"syntax", "cargo check --workspace --all-targets", "cargo test --workspace"},
			wrong: map[string]mutation{
				"syntax": {"src/main.rs", "fn main( {\n", "cargo check --workspace --all-targets", []string{"src/main.rs:1:"}},
				"import": {"src/main.rs", "mod gone;\n\nfn main() {}\n", "cargo check --workspace --all-targets", []string{"src/main.rs:1:", "gone"}},
				"type":   {"src/main.rs", "fn main() {\n    let _x: String = 1;\n}\n", "cargo check --workspace --all-targets", []string{"src/main.rs:2:", "mismatched types"}},
				"test":   {"src/main.rs", "fn main() {}\n\n#[test]\nfn adds() {\n    assert_eq!(1, 3);\n}\n", "cargo test --workspace", []string{"src/main.rs:5:"}},
			},
		},
	}
}

func statusOf(r Report, check string) Status {
	for _, c := range r.Checks {
		if c.Name == check {
			return c.Status
		}
	}
	return ""
}

// Promise: checks-listed
func TestLanguages(t *testing.T) {
	for name, l := range languages() {
		t.Run(name, func(t *testing.T) {
			c := Config{Level: Test, Sandbox: boxes(t), CacheDir: testCache(t), Parallel: 2}
			if name == "rust" {
				c.Toolchains = rustToolchain(t)
			}
			l.hold(t, validator(t, c))
		})
	}
}

// rustToolchain finds Rust: that of the system, which every box sees, or one of a
// user's, as rustup installs it.
func rustToolchain(t *testing.T) []string {
	t.Helper()
	needs.Program(t, "cargo", "install the Debian package cargo")
	rustc := needs.Program(t, "rustc", "install the Debian package cargo")
	out, err := exec.CommandContext(t.Context(), rustc, "--print", "sysroot").Output()
	if err != nil {
		needs.Missing(t, "%s does not say where it is installed: %v", rustc, err)
	}
	sysroot := strings.TrimSpace(string(out))
	if inSystem(sysroot) {
		return nil
	}
	return []string{toolFolder(t, sysroot)}
}

// hold tries the project that is right and all that are wrong.
func (l language) hold(t *testing.T, v *Validator) {
	t.Helper()
	report, told := try(t, v, nil, l.right)
	if report.Status != Passed || len(report.Checks) != len(l.checks) {
		t.Fatalf("a project that is right: %s", shown(report))
	}
	for i, check := range report.Checks {
		if check.Name != l.checks[i] || check.Status != Passed {
			t.Errorf("check %d: %+v, want %s", i, check, l.checks[i])
		}
	}
	if len(told) < len(l.checks) {
		t.Errorf("%d things were told", len(told))
	}
	for what, m := range l.wrong {
		t.Run(what, func(t *testing.T) {
			files := maps.Clone(l.right)
			files[m.file] = m.content
			trial := v.NewTrial("acct", Tree{}, time.Time{}, func(Check) error { return nil })
			report := tryIn(t, trial, nil, files)
			if report.Status != Failed || statusOf(report, m.check) != Failed || len(report.Findings) == 0 {
				t.Fatalf("want %s to fail:\n%s", m.check, shown(report))
			}
			for _, words := range m.says {
				if !strings.Contains(strings.Join(report.Findings, "\n"), words) {
					t.Errorf("the findings lack %q:\n%s", words, shown(report))
				}
			}
			if len(report.Checks) < len(l.checks) {
				t.Errorf("%d of %d checks are listed:\n%s", len(report.Checks), len(l.checks), shown(report))
			}
			// An engine that reads them mends it, in the same run.
			if report := tryIn(t, trial, nil, l.right); report.Status != Passed || len(report.Findings) > 0 {
				t.Errorf("it was mended:\n%s", shown(report))
			}

			// The same was wrong before, and the run has written something else.
			after := maps.Clone(files)
			after["README.md"] = "more\n"
			report, _ = try(t, v, files, after)
			if report.Status != FailedBefore && m.check != "syntax" && m.check != "imports and links" || statusOf(report, m.check) != FailedBefore || len(report.Findings) != 0 {
				t.Errorf("it was wrong before:\n%s", shown(report))
			}
		})
	}
}
