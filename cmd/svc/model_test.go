package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// shopkeeper is a model that makes a shop, then changes one line of it and, asked for a
// third time, another: the one that the user has changed meanwhile.
func shopkeeper(a wiretest.Ask) wiretest.Answer {
	const shop = "export const name = 'Shop'\nexport const greeting = 'Welcome'\n\n// Prices are in cents.\nexport const prices = {\n  apple: 50,\n  pear: 60,\n}\n\nexport const closing = 'Goodbye'\n"
	author := wiretest.Author{
		Plan:  map[string]any{"summary": "A shop.", "files": []any{map[string]any{"path": "shop.mjs", "purpose": "the shop"}, map[string]any{"path": "README.md", "purpose": "explains"}}},
		Files: map[string]string{"shop.mjs": shop, "README.md": "# Shop\n"},
	}
	change := func(before, after string) {
		author.Plan = map[string]any{"summary": "A change.", "files": []any{map[string]any{"path": "shop.mjs", "purpose": "a line"}}}
		author.Edits = map[string][]wiretest.Edit{"shop.mjs": {{Old: before, New: after}}}
	}
	switch asked := a.Turns[0].Text; {
	case strings.Contains(asked, "greet in Spanish"):
		change("export const greeting = 'Welcome'\n", "export const greeting = 'Bienvenidos'\n")
	case strings.Contains(asked, "pears are dearer"):
		change("  pear: 60,\n", "  pear: 75,\n")
	}
	return author.Answer(a)
}

// What users change in a file survives generations in which a model changes the same
// file: it is merged, or a conflict is told.
// Promise: llm-user-edits
func TestEditsSurviveTheGenerationsOfAModel(t *testing.T) {
	for _, name := range []string{wiretest.Anthropic, wiretest.OpenAI} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(wiretest.New(shopkeeper))
			t.Cleanup(server.Close)
			key := filepath.Join(t.TempDir(), "key")
			if err := os.WriteFile(key, []byte(wiretest.Key), 0o600); err != nil {
				t.Fatal(err)
			}
			address := server.URL
			if name == wiretest.OpenAI {
				address += "/v1"
			}
			service := cluster.ServiceForTest(t, "--engine", name, "--engine-url", address, "--engine-key-file", key, "--validate", "syntax")
			runScripts(t, &stage{service: service}, testscript.Params{Dir: "testdata/model"})
		})
	}
}
