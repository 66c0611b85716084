// Package glossary reads what phrases mean from a text that people keep: a heading
// in square brackets names a class, and a value where the class has several, and
// the phrases below it, with commas between, have that meaning. Of words in brackets,
// with bars between, each stands for itself: (old|older) than a (day|) gives four
// phrases. What begins with # is a comment.
package glossary

import (
	"iter"
	"strings"
)

// Meaning is what the heading above a phrase says.
type Meaning struct{ Class, Value string }

// Phrases gives the phrases of a text in their order.
func Phrases(text string) iter.Seq2[string, Meaning] {
	return func(yield func(string, Meaning) bool) {
		var m Meaning
		for line := range strings.Lines(text) {
			line = strings.TrimSpace(line)
			if heading, ok := strings.CutPrefix(line, "["); ok {
				m.Class, m.Value, _ = strings.Cut(strings.TrimSuffix(heading, "]"), " ")
				continue
			}
			for phrase := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
				if line != "" && line[0] != '#' && !expand(phrase, m, yield) {
					return
				}
			}
		}
	}
}

// expand gives a phrase with each of the words in its brackets, and says whether more is asked for.
func expand(phrase string, m Meaning, yield func(string, Meaning) bool) bool {
	before, rest, ok := strings.Cut(phrase, "(")
	if !ok {
		return yield(strings.Join(strings.Fields(phrase), " "), m)
	}
	choices, after, _ := strings.Cut(rest, ")")
	for choice := range strings.SplitSeq(choices, "|") {
		if !expand(before+choice+after, m, yield) {
			return false
		}
	}
	return true
}

// Tables gives the values of the phrases, by class: a phrase may be of several.
func Tables(text string) map[string]map[string]string {
	out := map[string]map[string]string{}
	for phrase, m := range Phrases(text) {
		if out[m.Class] == nil {
			out[m.Class] = map[string]string{}
		}
		out[m.Class][phrase] = m.Value
	}
	return out
}
