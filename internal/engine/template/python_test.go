package template_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestPythonProjectsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	p := begin(t, "A Python API for recipes with title, ingredients, a price and a rating", nil)
	for _, step := range []string{
		"", "use a database", "add authentication", "please add CORS", "add gift cards to recipes", "switch to a json file", "call it 'Grandma's Kitchen'", "remove the database",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		dir := p.write(t)
		env := []string{"PYTHONDONTWRITEBYTECODE=1"}
		command(t, dir, env, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
	}
}

// Records that clash with a rule that was added later, or are none, are told in a line.
func TestPythonTellsWhatItCannotUse(t *testing.T) {
	t.Parallel()
	for database, variable := range map[string]string{"SQLite": "DATABASE_FILE", "a JSON file": "DATA_FILE"} {
		dir := ruled(t, "a Python API with "+database, "books/book(isbn:string!unique)").write(t)
		cmd := exec.CommandContext(t.Context(), "python3", "-m", "app")
		cmd.Dir = dir
		cmd.Env = append(cmd.Environ(), variable+"="+filepath.Join(dir, "app"))
		out, err := cmd.CombinedOutput()
		if said := string(out); err == nil || strings.Contains(said, "Traceback") || !strings.Contains(said, "cannot be used") {
			t.Errorf("%s: %v\n%s", database, err, said)
		}
	}
}
