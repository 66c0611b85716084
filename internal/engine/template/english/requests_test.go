package english_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/english"
)

// Each request of testdata/requests.txt gets the spec that stands there: at once, or
// as a suggestion that differs in few lines.
// Promise: request-language
func TestRequestsGetTheirSpecs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/requests.txt")
	if err != nil {
		t.Fatal(err)
	}
	now, all := 0, 0
	for _, block := range blocks(string(text)) {
		all++
		got := english.Read(block.prompt)
		is, want := complete(t, got.Spec).String(), complete(t, parse(t, block.want)).String()
		if !strings.Contains(block.want, ", name ") {
			is, want = projectName.ReplaceAllString(is, ""), projectName.ReplaceAllString(want, "")
		}
		t.Logf("sure %v, not understood %q, bare %q: %q\n%s", got.Sure, got.NotUnderstood, got.Bare, block.prompt, is)
		switch edits := differing(is, want); {
		case got.Sure != block.now:
			t.Errorf("%q: sure %v, not understood %q, of no known field %q\n%s", block.prompt, got.Sure, got.NotUnderstood, got.Bare, is)
		case edits > block.edits:
			t.Errorf("%q: %d lines differ\n%s\nwant\n%s", block.prompt, edits, is, want)
		case got.Sure:
			now++
		}
	}
	if all < 80 || now*3 < all {
		t.Errorf("%d of %d requests are generated at once", now, all)
	}
}

// What may be a wish is never generated at once, and the suggestion can be sent.
// Promise: request-language
func TestWishesAreNotGenerated(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/doubted.txt")
	if err != nil {
		t.Fatal(err)
	}
	for prompt := range strings.Lines(string(text)) {
		prompt = strings.TrimSpace(prompt)
		if prompt == "" || strings.HasPrefix(prompt, "#") {
			continue
		}
		got := english.Read(prompt)
		if got.Sure || len(got.NotUnderstood)+len(got.Bare) == 0 {
			t.Errorf("%q: sure %v, not understood %q\n%s", prompt, got.Sure, got.NotUnderstood, complete(t, got.Spec))
		}
		parse(t, complete(t, got.Spec).String())
	}
}

var projectName = regexp.MustCompile(`, name [a-z0-9-]+`)

type block struct {
	prompt, want string
	now          bool
	edits        int
}

func blocks(text string) (out []block) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "\t") {
			out[len(out)-1].want += strings.TrimPrefix(line, "\t")
			continue
		}
		head, prompt, found := strings.Cut(strings.TrimSpace(line), ": ")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		b := block{prompt: strings.ReplaceAll(prompt, `\n`, "\n"), now: head == "now"}
		_, _ = fmt.Sscanf(head, "ask %d", &b.edits)
		out = append(out, b)
	}
	return out
}

// differing counts the lines of one text that the other has not.
func differing(is, want string) (n int) {
	has := map[string]bool{}
	for line := range strings.Lines(is) {
		has[line] = true
	}
	for line := range strings.Lines(want) {
		if !has[line] {
			n++
		}
	}
	return n + max(0, strings.Count(is, "\n")-strings.Count(want, "\n"))
}
