package template_test

import "testing"

func TestPythonProjectsPassTheirOwnTests(t *testing.T) {
	t.Parallel()
	p := begin(t, "A recipe service in Python that has ingredients, a price and a rating", nil)
	for _, step := range []string{
		"", "add a database", "add authentication", "please add CORS", "add gift cards to recipes", "switch to a json file", "call it 'Grandma's Kitchen'", "remove the database",
	} {
		if step != "" {
			p.ask(t, step, nil)
		}
		dir := p.write(t)
		env := []string{"PYTHONDONTWRITEBYTECODE=1"}
		command(t, dir, env, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests", "-t", ".")
	}
}
