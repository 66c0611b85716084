package template

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// change reads the verbs that change a project; of a new one, what people do with its records.
func (r *reader) change(m meaning, i, n int) int {
	next, _ := r.phrase(i + n)
	alone := r.at(i+n).mark || next.Class == isJoin || next.Class == isContainer && r.slot == inFields
	r.flush()
	switch {
	case m.Class == isTo && r.slot == inAdded && len(r.pending) > 0:
		r.slot = inTarget
	case m.Class == isTo && (r.slot == inIgnored || r.slot == inParents):
	case m.Class == isTo:
		r.slot = nowhere
	case m.Class == isRenaming:
		return r.rename(i, n)
	case m.Class == isAdding && r.site:
		r.slot = inFields
	case m.Class == isRemoving && r.site:
		r.slot = inRemoved
	case r.project == nil && alone:
		r.given, r.slot = append(r.given, r.words(i, n)), nowhere
	case r.project == nil && m.Class == isRemoving && r.Kind == kindCommand:
		r.cannot(r.words(i, n), "work on media and data")
	case r.project == nil:
		r.slot = inThings
	case m.Class == isAdding:
		r.expect(inAdded)
	default:
		r.expect(inRemoved)
		r.current = nil
		for k := i + n; !r.at(k).mark || r.at(k).low == ","; k++ { // "remove the price from books"
			if r.at(k).low == "from" {
				r.current = r.find(r.at(r.after(k+1, "the", "my", "our", "each", "all")).low)
			}
		}
	}
	return n
}

// rename reads a new name for the project; things keep theirs, and their records with it.
func (r *reader) rename(i, n int) int {
	name, end := r.nameAt(r.after(i+n, "to", "as", ":"))
	if behind := r.at(end); name == "" || !r.site && strings.Contains(r.words(i, n), "title") || r.project == nil || !behind.mark && vocabulary[behind.low].Class != isJoin {
		r.unknown = append(r.unknown, r.words(i, n))
		return n
	}
	r.Title = name
	return end - i
}

// target reads the name behind "to": that of what something is added to.
func (r *reader) target(words []string) {
	t := r.find(lastOf(words))
	if t == nil {
		r.unknown = append(r.unknown, "to "+strings.Join(words, " "))
	}
	for _, each := range r.pending {
		last := lastOf(each.words)
		switch {
		case t == nil:
		case !each.field && each.kind == "" && english.IsPlural(last) && tables["field"][last] == "":
			r.addThing(each.words)
			r.current.parents = append(r.current.parents, t)
		default:
			r.addField(t, each.words, each.kind)
		}
	}
	r.pending, r.slot = nil, nowhere
	if t != nil {
		r.current = t
	}
}

// named reads what follows "called": the name of the project, of a thing or of a field.
func (r *reader) named(m meaning, i, n int) int {
	before := r.at(i - 1).low
	r.flush()
	switch {
	case is("field-noun", before) && !r.site:
	case vocabulary[before].Class == isContainer && !strings.HasSuffix(before, "app") && !r.site, english.HasSuffix(before, "endpoint", "endpoints"):
		r.slot = inThings
	default:
		return max(n, r.option(m, i, n, false))
	}
	return n
}
