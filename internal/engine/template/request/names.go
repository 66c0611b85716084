package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// nameWord says whether a word may be part of a name.
func (r *reader) nameWord(i int) bool {
	t := r.At(i)
	if t.Mark || t.Quoted || !plainWord.MatchString(t.Low) || strings.Contains(t.Low, "/") || is("function", t.Low) || is("verb", t.Low) {
		return false
	}
	if t.Low == "lots" && r.At(i+1).Low == "of" { // but: auctions and lots
		return false
	}
	return r.class(t.Low) == "" || r.Is("also-name", t.Low) || is("collection", t.Low)
}

// loaded says whether a word means something for a project, so that it is no mere background.
func (r *reader) loaded(i int) bool { return r.setsSomething(i) || is("loaded", r.At(i).Low) }

// setsSomething says whether a word is for a setting, or for a kind of project.
func (r *reader) setsSomething(i int) bool { return is("setting", r.ClassAt(i)) }

// phrases finds names of several words, of which the last is as it should be, and no other a plural.
func (r *reader) phrases(i, most int, last func(string) bool) (out []grammar.Match) {
	if is("keeping", r.At(i-1).Low) && is("kept-up", r.At(i).Low) || is("needed", r.At(i).Low) {
		return nil
	}
	for n := 1; n <= most && r.nameWord(i+n-1); n++ {
		low, before := r.At(i+n-1).Low, r.At(i+n-2)
		whose := strings.Contains(before.Raw, "'") || strings.HasSuffix(before.Text, "s'") && r.Is("field", one(low))
		teaching := is("folk", before.Low) && strings.HasSuffix(low, "ing") && r.nameWord(i+n)
		if n > 1 && (whose || teaching || strings.HasPrefix(r.At(i+n-1).Raw, "/")) { // customers' names, teachers teaching courses
			return nil
		}
		if last(low) {
			out = append(out, grammar.Match{To: i + n})
		}
		if english.IsPlural(low) && !is("plural-inside", low) {
			break
		}
	}
	return out
}

// notOnly leaves out what only says that something is kept, an entity or a collection, or is the name of none.
func (r *reader) notOnly(i int, each []grammar.Match) []grammar.Match {
	return slices.DeleteFunc(each, func(m grammar.Match) bool {
		name, first, last := r.Words(i, m.To-i), r.At(i), r.At(m.To-1).Low
		switch {
		case is("noun-first", name):
			return false
		case i > 1 && r.At(i-2).Low == "in" && r.class(r.Words(i-1, m.To-i+1)) == "database": // a year, in a file
			return true
		case m.To == i+1:
			if is("collection", last) && tables()["holds"][last] == "" {
				return true
			}
		case is("deed", first.Low), strings.HasSuffix(first.Low, "ing") && !is("noun-first", first.Low): // log callouts, cleaning rooms
			return true
		case strings.HasSuffix(first.Low, "ly") && !is("ly", first.Low): // especially fedoras
			return true
		case is("pretend", first.Low), is("pretend", last):
			return true
		case is("formal", first.Low) && (is("formal-anyway", first.Low) || plaintext.IsCapital(r.At(i+1).Text)),
			is("formal", last) && plaintext.IsCapital(first.Text):
			return true
		}
		counted := func(t words.Token) bool { return t.Low == last+"s" } // piano tunings, and a tuning has a date
		doing := strings.HasSuffix(last, "ing") && !is("doing-noun", last) && !r.Is("noun-anyway", last) && !slices.ContainsFunc(r.Tokens, counted)
		return doing || is("machine-end", last) || is("asking", first.Low) || is("only-form", name) || r.Is("type-behind", last) && !(plaintext.IsCapital(first.Text) && r.elsewhere(i, m.To)) ||
			r.meansElse(i, m.To)
	})
}

// meansElse says whether words of a name are a phrase that means something else: Spring Boot.
func (r *reader) meansElse(from, to int) bool {
	for i := from; i < to; i++ {
		m, n := r.Phrase(i)
		other := m.Class == "stop" || m.Class == "kind" || m.Class == "heart" || is("about-project", r.Words(i, n))
		if n > 1 && i+n <= to && other && !r.Is("also-name", r.Words(i, n)) {
			return true
		}
	}
	return false
}

// owners finds whom or what a project is for, which may be called like a project itself: a recipe app.
func (r *reader) owners(i int) []grammar.Match {
	out := r.phrases(i, 4, func(last string) bool { return !english.IsPlural(last) && !strings.HasSuffix(last, "ing") })
	for _, m := range r.phrases(i, 3, func(string) bool { return true }) {
		if is("owner-end", r.At(m.To).Low) {
			out = append(out, grammar.Match{To: m.To + 1})
		}
	}
	return out
}

// elsewhere says whether a word stands in another place too, in the singular or the plural.
func (r *reader) elsewhere(from, to int) bool {
	one := english.Singular(r.At(to - 1).Low)
	for k, t := range r.Tokens {
		if (k < from || k >= to) && !t.Mark && english.Singular(t.Low) == one {
			return true
		}
	}
	return false
}

// fieldNames finds what fields are called: nouns, with what belongs to them between.
func (r *reader) fieldNames(i int) (out []grammar.Match) {
	if r.beginsNoField(i) {
		return nil
	}
	first := r.At(i).Low
	for at := i; at < i+6; at++ {
		t, before, next := r.At(at), r.At(at-1).Low, r.At(at+1).Low
		fits := r.inField(at)
		if at > i && (r.behindName(at) || at > i+1 && is("ends-field", before)) {
			return out
		}
		done := strings.HasSuffix(t.Low, "ed") || is("participle", t.Low)
		behind := at > i && is("behind-field", t.Low) && (r.Ends(at+1) || next == "as" || is("needed", next))
		begun := at == i || !english.IsPlural(before) || is("plural-inside", before) || is("inside-field", before) || done
		switch {
		case fits && at == i+1 && !is("goes-on", t.Low) &&
			(is("valued", first) && !is("dateword", t.Low) || is("ends-field", first) && !done && !strings.HasSuffix(t.Low, "en")):
			return out
		case fits && begun, behind:
			out = append(out, grammar.Match{To: at + 1})
		case at > i && is("inside-field", t.Low) && !is("limit", next):
		case at > i && is("particle", t.Low) && is("behind-field", next) && r.Ends(at+2): // handed out on
		case at > i && t.Low == "the" && before == "of":
		default:
			return out
		}
	}
	return out
}

// beginsNoField says whether a word is what no name of a field begins with.
func (r *reader) beginsNoField(i int) bool {
	first := r.At(i).Low
	m, n := r.Phrase(i)
	switch {
	case is("needed", first), first == unchecked && r.checkable(i+1), n > 1 && is("no-field", m.Class) && r.At(i+n-1).Low != "of", len(r.ofTable(i, tables()["about-project"])) > 0:
		return true
	case is("deed", first):
		return len(r.ofTable(i, r.Tables["field"])) == 0
	case r.Is("type", first) && r.At(i-1).Low == ":" && r.At(i+1).Low == "," && r.Length(i+2, "rule") > 0: // meter: text, required
		return true
	}
	return r.Is("type-behind", first) && (first != "timestamp" || !r.Ends(i+1))
}

// inField says whether a word may stand in the name of a field.
func (r *reader) inField(at int) bool {
	t := r.At(at)
	if t.Mark || r.nameWord(at) {
		return !t.Mark
	}
	filler := r.Vocabulary[t.Low].Value == "filler" && !is("function", t.Low) && !is("verb", t.Low)
	known := r.Is("field", t.Low) || r.Is("also-field", t.Low)
	return filler || known && is("namable", cmp.Or(r.class(t.Low), "none"))
}

// behindName says whether a word stands behind the name of a field, and tells more of it.
func (r *reader) behindName(at int) bool {
	t := r.At(at)
	usual := r.usualKind(r.At(at - 1).Low)
	number := t.Low == "number" && (usual == values.Number || usual == values.Integer) && r.Ends(at+1) && // age number
		!r.Is("also-field", r.Words(at-1, 2)) && !r.Is("field", r.Words(at-1, 2)) // but: floor number
	measured := usual == values.Number || usual == values.Integer || r.Is("type", "in "+r.At(at-1).Low)
	letters := len(t.Raw) == 3 && t.Raw[1] == '-' // a grade A-F
	// length km positive, but: rhesus positive
	held := is("held-to", t.Low) || is("held-to-number", t.Low) && measured
	signed := is("sign", t.Low) && r.Length(at+1, "type") > 0
	return number || held || signed || r.Is("type-behind", t.Low) || r.isType(at) || is("needed", t.Low) || t.Low == "enum" || t.Low == "x" || letters ||
		strings.Contains(t.Raw, "/") || strings.Contains(r.At(at-1).Low, "_")
}
