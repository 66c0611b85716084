package llm

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
	"github.com/bundle-delivery/svc/internal/engine/llm/edit"
)

// editor is what a conversation may change. What is refused is said in words for the
// model.
type editor interface {
	// target returns the file that a block is for, or why it is not even looked for.
	target(a answer.Action) (path, refusal string)
	// change applies blocks to a file. It returns what came of each, and whether all
	// were applied.
	change(path string, blocks []edit.Block) (told []string, ok bool)
	// write takes a whole file, or returns why it does not.
	write(path, content string) (refusal string)
}

const (
	notApplied = "Something was not applied. "
	notWritten = "Something was not written. "
	notDone    = "Something was not done. "
)

// act does the actions of an answer: blocks of one file together, after all else. The
// problem is not empty when something of it was not done.
func (s *session) act(a said, e editor) (results []string, problem string) {
	results = make([]string, len(a.actions))
	blocks, from := make(map[string][]edit.Block), make(map[string][]int)
	for i, action := range a.actions {
		switch action.Name {
		case answer.Read, answer.Search:
			results[i] = s.lookup(action)
		case answer.Done:
			results[i] = "Not all was done."
		case answer.Replace:
			path, refusal := "", "Not applied: "+action.Wrong+"."
			if action.Wrong == "" {
				path, refusal = e.target(action)
			}
			if refusal != "" {
				results[i], problem = refusal, notApplied
				continue
			}
			blocks[path] = append(blocks[path], edit.Block{Old: action.Old, New: action.New})
			from[path] = append(from[path], i)
		case answer.Write:
			results[i] = "Not written: " + action.Wrong + ".\n"
			if action.Wrong == "" {
				results[i] = e.write(action.Path, action.Content)
			}
			if results[i] != "" {
				problem = notWritten
			} else {
				results[i] = "Written."
			}
		default:
			results[i], problem = noSuchTool, notDone
		}
	}
	for _, path := range slices.Sorted(maps.Keys(blocks)) {
		told, ok := e.change(path, blocks[path])
		for n, i := range from[path] {
			results[i] = told[n]
		}
		if !ok {
			problem = notApplied
		}
	}
	return results, problem
}

// applied applies blocks to a text, and says of each what came of it.
func applied(text string, blocks []edit.Block) (fresh string, told []string, ok bool) {
	fresh, wrong := edit.Apply(text, blocks)
	told = slices.Repeat([]string{"Applied."}, len(blocks))
	for _, p := range wrong {
		told[p.Block] = "Not applied: " + p.Reason
	}
	return fresh, told, len(wrong) == 0
}

// elided refuses a text that leaves out what it should keep.
func elided(line string) string {
	return fmt.Sprintf("Not taken: %.80q stands for text that would be lost. Write everything out, or change it by replace.\n", line)
}

// unfenced refuses new text that is wrapped in a fence where the old was not, or that
// leaves something out.
func unfenced(a answer.Action, path string) string {
	if line := answer.Elided(a.New, a.Old); line != "" {
		return elided(line)
	}
	if clean, err := answer.Unwrap(a.New, path); err == nil && clean == a.New || strings.Contains(a.Old, "```") {
		return ""
	}
	return "Not applied: the new text has a fence or thinking around it; give the text alone."
}
