package llm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
)

// memoryOf is the memory document after a run: what the model wants to be
// remembered, and what this run did, which is not left to the model.
func memoryOf(p *plan, req engine.Request, project *project) string {
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
	written := slices.DeleteFunc(slices.Clone(p.Files), func(f plannedFile) bool { return !project.wrote(f.Path) })
	for i, f := range written {
		if i == maxRemembered {
			fmt.Fprintf(&s, "- and %d more files\n", len(written)-i)
			break
		}
		purpose, _, _ := strings.Cut(f.Purpose, "\n")
		fmt.Fprintf(&s, "- `%s`: %s\n", f.Path, clean(purpose, 200))
	}
	for _, path := range p.Delete {
		fmt.Fprintf(&s, "- `%s`: removed\n", path)
	}
	if len(p.LeftOut) > 0 {
		fmt.Fprintf(&s, "\nNot done: %s\n", p.leftOut())
	}
	return s.String()
}

const (
	lastChange    = "## Last change"
	maxRemembered = 40 // files of the last change
)

// leftOut is what the plan does not do, as one decision.
func (p *plan) leftOut() string { return clean(strings.Join(p.LeftOut, "; "), maxLeftOut) }
