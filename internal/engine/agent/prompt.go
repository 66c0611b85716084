package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/validate"
)

// house is what every agent is told about where it works.
const house = `The current folder is the whole project. Change its files directly: when you are done, what lies in the folder is delivered, and it is built and tested before that. Nobody can answer questions meanwhile. Leave no temporary files behind.`

// prompt is what the agent is asked.
func (a *attempt) prompt() string {
	var text strings.Builder
	if !a.continues() {
		text.WriteString(strings.TrimSpace(a.req.Prompt) + "\n\n")
		if len(a.req.Constraints) > 0 {
			text.WriteString("These constraints have to hold:\n")
			for _, key := range slices.Sorted(maps.Keys(a.req.Constraints)) {
				fmt.Fprintf(&text, "- %s: %s\n", key, a.req.Constraints[key])
			}
			text.WriteString("\n")
		}
		if memory := strings.TrimSpace(a.req.Project.Memory); memory != "" {
			text.WriteString("What is known about the project from earlier work:\n\n" + memory + "\n\n")
		}
		text.WriteString(house + "\n")
	}
	if a.req.Attempt > 1 {
		text.WriteString("\nWhat lies in the folder now was tried, and this is wrong with it:\n")
		for _, finding := range a.req.Findings {
			text.WriteString("- " + finding + "\n")
		}
		text.WriteString("Mend that, and change nothing else.\n")
	}
	return text.String()
}

const (
	// maxSummary is how much of an agent's last words is kept, maxRemembered how
	// much of all of them.
	maxSummary    = 2 << 10
	maxRemembered = 32 << 10
)

// remember adds what was done to the memory of the project. The oldest is
// forgotten first.
func remember(memory, prompt, summary string) string {
	title, _, _ := strings.Cut(strings.TrimSpace(prompt), "\n")
	memory = strings.TrimSpace(memory + "\n\n## " + validate.Cut(title, 200) + "\n\n" + summary)
	for len(memory) > maxRemembered {
		_, rest, more := strings.Cut(memory, "\n## ")
		if !more {
			break
		}
		memory = "## " + rest
	}
	return memory + "\n"
}
