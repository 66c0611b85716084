package template

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/words"
)

// toolWord reads what words mean beside an operation; it gives the number of words, or none.
func (r *reader) toolWord(i int) int {
	if r.Kind != kindCommand || len(r.Operations) == 0 || r.project != nil || r.At(i).Quoted {
		return 0
	}
	end := i
	for !r.At(end).Mark {
		end++
	}
	of, option := r.Longest(i, "tool-option")
	switch around := r.Length(i, "around"); {
	case option > 0 && slices.Contains(r.Operations, of):
		r.flush()
		r.given = append(r.given, r.Words(i, option))
		return option
	case option > 0:
		r.flush()
		r.leave(r.Words(i, option), "options of a tool")
		return option
	case r.Length(i, "used-for") > 0 && !r.means(i, end):
		r.flush()
		r.leave(r.Words(i, end-i), "what it is used for")
		return end - i
	case strings.HasPrefix(r.At(i).Low, "."): // all .log files
		r.flush()
		r.leave(r.At(i).Low+" files", "files are chosen by their names where the tool is called")
		return 1
	case r.Ends(i-1) && r.Length(i, "teller")+r.Length(i, "whose") > 0 && !r.means(i, end) && !slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool {
		return is("wish", t.Low) && t.Low != "have" && t.Low != "has" || is("it", t.Low)
	}): // why it is wanted
		r.flush()
		return end - i
	case r.Length(i, "of-mine") > 0 && !r.means(i, r.EndOf(i)): // the words of my novel
		r.flush()
		r.context = append(r.context, r.Words(i, r.EndOf(i)-i))
		return r.EndOf(i) - i
	case around > 0 && r.ClassAt(i) != isOperation && r.ClassAt(i) != isLanguage:
		r.flush()
		return around
	}
	return 0
}

// means says whether there is an operation or something else that a tool does, or a setting, between two places.
func (r *reader) means(i, end int) bool {
	for ; i < end; i++ {
		if m, _ := r.Phrase(i); is("tool-means", m.Class) || strings.HasPrefix(r.At(i).Low, ".") {
			return true
		}
	}
	return false
}
