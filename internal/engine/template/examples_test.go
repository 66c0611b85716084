package template

import (
	"os"
	"regexp"
	"testing"
)

// Wherever somebody is shown a request, it works.
func TestExamplesWork(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile(`svc generate (?:--pull )?(?:--project \S+ )?"([^"<]+)"|name="prompt"[^>]* placeholder="([^"]+)"|PROMPT:-([^}]+)\}`)
	found := 0
	for _, name := range []string{"README.md", "docs/cli.md", "docs/engines.md", "scripts/demo.sh", "internal/console/templates/pages/generation-new.html"} {
		text, err := os.ReadFile("../../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shown.FindAllStringSubmatch(string(text), -1) {
			prompt := m[1] + m[2] + m[3]
			found++
			if _, err := begin(prompt, constraints{}); err == nil {
				continue
			}
			base, err := begin("a REST API for a library, in Go", constraints{})
			if err == nil {
				_, err = carryOn(base.spec, prompt, constraints{})
			}
			if err != nil {
				t.Errorf("%s: %q: %v", name, prompt, err)
			}
		}
	}
	if found < 6 {
		t.Errorf("only %d examples were found", found)
	}
}
