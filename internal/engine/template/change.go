package template

import "strings"

// change reads the verbs with which a project is continued; of a new one they
// say what people do with its records.
func (r *reader) change(m meaning, i, n int) int {
	if m.class == isTo {
		return r.target(i, n)
	}
	next, _ := r.phrase(i + n)
	alone := r.at(i+n).mark || next.class == isJoin || next.class == isContainer && r.slot == inFields
	r.flush()
	switch {
	case m.class == isRenaming:
		return r.rename(i, n)
	case m.class == isAdding && r.site:
		r.slot = inFields
	case m.class == isRemoving && r.site:
		r.slot = inRemoved
	case r.project == nil && alone:
		r.given, r.slot = append(r.given, r.words(i, n)), nowhere
	case r.project == nil && m.class == isRemoving && r.Kind == kindCommand:
		r.hearts = append(r.hearts, r.words(i, n)+" (work on media and data)")
	case r.project == nil:
		r.slot = inThings
	case m.class == isAdding:
		r.expect(inAdded)
	default:
		r.expect(inRemoved)
	}
	return n
}

// rename reads a new name for the project or for one of its things.
func (r *reader) rename(i, n int) int {
	next := r.after(i+n, "to", "the", "resource", "endpoint", "as", ":")
	if from := r.find(r.at(next).low); from != nil && r.at(next-1).low != "to" && r.project != nil {
		if to := r.after(next+1, "resource", "endpoint"); is("means-to", r.at(to).low) {
			r.renamed = [2]string{from.singular, singular(r.at(to + 1).low)}
			return to + 2 - i
		}
	}
	name, end := r.nameAt(next)
	if name == "" || r.project == nil || is("means-to", r.at(end).low) {
		r.unknown = append(r.unknown, r.words(i, n))
		return n
	}
	r.Title = name
	return end - i
}

// target reads to what something is added.
func (r *reader) target(i, n int) int {
	r.flush()
	if r.slot != inAdded || len(r.pending) == 0 {
		if r.slot != inIgnored {
			r.slot = nowhere
		}
		return n
	}
	next := i + n
	for vocabulary[r.at(next).low].class == isStop {
		next++
	}
	t := r.find(r.at(next).low)
	if t == nil {
		r.unknown = append(r.unknown, "to "+r.at(next).text)
		r.pending, r.slot = nil, nowhere
		return next + 1 - i
	}
	for _, each := range r.pending {
		last := each.words[len(each.words)-1]
		if !each.field && each.kind == "" && singular(last) != last && classes["field"][last] == "" {
			r.addThing(each.words)
			r.current.parents = append(r.current.parents, t.singular)
			continue
		}
		r.addField(t, each.words, each.kind)
	}
	r.pending, r.current, r.slot = nil, t, nowhere
	return next + 1 - i
}

// named reads what follows "called": the name of the project, of a thing or of a field.
func (r *reader) named(m meaning, i, n int) int {
	before := r.at(i - 1).low
	r.flush()
	switch {
	case is("field-noun", before) && !r.site:
	case vocabulary[before].class == isContainer && !strings.HasSuffix(before, "app") && !r.site, hasSuffix(before, "endpoint", "endpoints"):
		r.slot = inThings
	default:
		return max(n, r.option(m, i, n, false))
	}
	return n
}
