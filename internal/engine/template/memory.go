package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// maxHistory bounds the memory document: the oldest entries but the first go.
const maxHistory = 200

const historyHeading = "## History"

var reHistory = regexp.MustCompile(`^\d+\. (.+)$`)

// memoryOf writes the memory document: what the project is now, and how it
// came to be. The history of the old document is kept.
func memoryOf(s spec, old, prompt, said string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", s.Title)
	fmt.Fprintf(&b, "%s is %s.\n\n## Decisions\n\n", markdown(s.Name), s.inWords())
	for _, d := range s.decisions() {
		if d.key == "summary" || d.key == "resources" || d.key == "sections" {
			continue
		}
		fmt.Fprintf(&b, "- %s: %s\n", d.key, markdown(d.value))
	}
	if len(s.Resources) > 0 {
		b.WriteString("\n## Resources\n\n")
		for _, r := range s.Resources {
			var fields []string
			for _, f := range r.Fields {
				fields = append(fields, f.Name+" ("+kindWords(f.Kind)+")")
			}
			fmt.Fprintf(&b, "- `/%s`: %s\n", r.Plural, strings.Join(fields, ", "))
		}
	}
	b.WriteString("\n" + historyHeading + "\n\n")
	for i, entry := range history(old, fmt.Sprintf("“%s” %s", markdown(oneLine(prompt, 160)), said)) {
		fmt.Fprintf(&b, "%d. %s\n", i+1, entry)
	}
	return b.String()
}

// history reads the entries of a memory document and adds one, unless it is the
// last already: then this is another attempt of the same run.
func history(old, entry string) []string {
	var entries []string
	_, section, _ := strings.Cut(old, historyHeading)
	for line := range strings.SplitSeq(section, "\n") {
		if strings.HasPrefix(line, "## ") {
			break
		}
		if m := reHistory.FindStringSubmatch(line); m != nil {
			entries = append(entries, oneLine(m[1], 2000))
		}
	}
	if n := len(entries); n == 0 || entries[n-1] != entry {
		entries = append(entries, entry)
	}
	if len(entries) > maxHistory {
		entries = slices.Delete(entries, 1, len(entries)-maxHistory+1)
	}
	return entries
}
