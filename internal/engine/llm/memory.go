package llm

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
)

// memoryOf is the memory document after a run: what the model wants to be
// remembered, and what this run did, which is not left to the model.
func memoryOf(p *plan, req engine.Request) string {
	body := p.Memory
	if body == "" {
		body = clean(req.Project.Memory, maxPlanMemory)
	}
	if before, _, found := strings.Cut(body, lastChange); found {
		body = strings.TrimSpace(before)
	}
	var s strings.Builder
	if body != "" {
		s.WriteString(body + "\n\n")
	}
	const asked = 400
	fmt.Fprintf(&s, "%s\n\nAsked: %s\n\n%s\n\n", lastChange, strings.ReplaceAll(clean(req.Prompt, asked), "\n", " "), p.Summary)
	for _, f := range p.Files {
		purpose, _, _ := strings.Cut(f.Purpose, "\n")
		fmt.Fprintf(&s, "- `%s`: %s\n", f.Path, clean(purpose, 200))
	}
	for _, path := range p.Delete {
		fmt.Fprintf(&s, "- `%s`: removed\n", path)
	}
	return s.String()
}

const lastChange = "## Last change"
