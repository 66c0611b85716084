package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
)

// asEngine is the argument with which this program is the engine of a service.
const asEngine = "as-engine"

// TestScriptsWithAnEngine runs the real client against a server with an engine that
// does what a person would do who reads the project's files.
func TestScriptsWithAnEngine(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	service := cluster.ServiceForTest(t, "--engine", "exec", "--engine-command", "'"+self+"' "+asEngine, "--validate", "syntax")
	runScripts(t, &stage{service: service}, testscript.Params{Dir: "testdata/engine"})
}

// engine is one run: it reads what is asked and says what it does.
func engine(in io.Reader, out io.Writer) error {
	var run struct {
		Prompt string `json:"prompt"`
		Files  []struct {
			Path    string `json:"path"`
			Content string `json:"content"`
		} `json:"files"`
	}
	if err := json.NewDecoder(in).Decode(&run); err != nil {
		return err
	}
	files := map[string]string{}
	for _, f := range run.Files {
		files[f.Path] = f.Content
	}
	made := map[string]string{}
	switch {
	case strings.HasPrefix(run.Prompt, "wait for "):
		name := strings.TrimPrefix(run.Prompt, "wait for ")
		for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if _, err := os.Stat(name); err == nil {
				break
			}
		}
		made["waited.txt"] = "done\n"
	case run.Prompt == "a calculator":
		made["go.mod"] = "module calc\n\ngo 1.21\n"
		made["add.go"] = "package calc\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"
		made["add_test.go"] = "package calc\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Error(\"1 + 2\")\n\t}\n}\n"
		made["README.md"] = "# Calculator\n\nIt adds.\n\n## Use\n\nImport it.\n"
		made["old.go"] = "package calc\n"
	case run.Prompt == "now subtract":
		for name, edit := range map[string]string{"add.go": "Sum", "add_test.go": "TestSum", "README.md": "my calculator"} {
			if !strings.Contains(files[name], edit) {
				return fmt.Errorf("the run does not see the edit of %s: %q", name, files[name])
			}
		}
		if _, there := files["old.go"]; there {
			return errors.New("the run sees a file that was deleted")
		}
		made["sub.go"] = "package calc\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return Sum(a, -b) }\n"
		made["sub_test.go"] = "package calc\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Error(\"3 - 2\")\n\t}\n}\n"
		made["README.md"] = strings.Replace(files["README.md"], "It adds.", "It adds and subtracts.", 1)
		made["add.go"] = strings.Replace(files["add.go"], "package calc\n", "// Package calc calculates.\npackage calc\n", 1)
	default:
		var seen []string
		delete(files, "seen.txt")
		for name, content := range files {
			seen = append(seen, name+": "+strings.TrimSpace(content)+"\n")
		}
		slices.Sort(seen)
		made["seen.txt"] = strings.Join(seen, "")
	}
	enc := json.NewEncoder(out)
	for name, content := range made {
		if err := enc.Encode(map[string]any{"type": "file", "path": name, "content": content}); err != nil {
			return err
		}
	}
	return nil
}

// runEngine is the program as an engine.
func runEngine() int {
	if err := engine(os.Stdin, os.Stdout); err != nil {
		fmt.Printf("{\"type\":\"error\",\"code\":\"CONSTRAINT_UNRESOLVABLE\",\"message\":%q}\n", err.Error())
	}
	return 0
}
