package template

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// Wherever somebody is shown a request, it is one of the list, and works.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	for _, prompt := range engine.Examples() {
		if _, err := planOf(nil, prompt, constraints{}); err != nil {
			t.Errorf("%q: %v", prompt, err)
		}
	}
	shown := regexp.MustCompile(`svc generate (?:--pull )?(--project \S+ )?"([^"<]+)"|PROMPT:-([^}]+)\}`)
	found := 0
	for _, name := range []string{"README.md", "docs/cli.md", "docs/engines.md", "scripts/demo.sh"} {
		text, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			found++
			prompt := m[2] + m[3]
			if m[1] == "" && !slices.Contains(engine.Examples(), prompt) {
				t.Errorf("%s shows %q, which is not among the examples", name, prompt)
			}
			if m[1] == "" {
				continue
			}
			base, err := planOf(nil, "a REST API for a library, in Go", constraints{})
			if err == nil {
				_, err = planOf(&base.spec, prompt, constraints{})
			}
			if err != nil {
				t.Errorf("%s: %q: %v", name, prompt, err)
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d examples were found", found)
	}
}
