package request

import (
	"cmp"
	_ "embed" // the grammar and its tables
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// nameWord says whether a word may be part of a name.
func (r *reader) nameWord(i int) bool {
	t := r.At(i)
	if t.Mark || t.Quoted || !plainWord.MatchString(t.Low) || strings.Contains(t.Low, "/") || is("function", t.Low) || is("verb", t.Low) {
		return false
	}
	return r.class(t.Low) == "" || r.Is("also-name", t.Low) || is("collection", t.Low)
}

// loaded says whether a word means something for a project, so that it is no mere background.
func (r *reader) loaded(i int) bool { return r.setsSomething(i) || is("loaded", r.At(i).Low) }

// setsSomething says whether a word is for a setting, or for a kind of project.
func (r *reader) setsSomething(i int) bool {
	m, _ := r.Phrase(i)
	switch m.Class {
	case "kind", "language", "database", "auth", "port", "page-size", "denial", "cors", "license", "module", "named":
		return true
	}
	return false
}

// free finds words that only tell who asks, and what for.
func (r *reader) free(i int) (out []grammar.Match) {
	for n := 1; n <= 14 && r.plain(i, n) && !r.loaded(i+n-1) && (r.At(i-1).Low != "from" || !number.MatchString(r.At(i).Low)); n++ {
		out = append(out, grammar.Match{To: i + n, Cost: 1})
	}
	return out
}

// phrases finds names of several words, of which the last is as it should be, and no other a plural.
func (r *reader) phrases(i, most int, last func(string) bool) (out []grammar.Match) {
	if is("keeping", r.At(i-1).Low) && is("kept-up", r.At(i).Low) || is("needed", r.At(i).Low) {
		return nil
	}
	for n := 1; n <= most && r.nameWord(i+n-1); n++ {
		low := r.At(i + n - 1).Low
		if before := r.At(i + n - 2); n > 1 && (strings.HasPrefix(r.At(i+n-1).Raw, "/") || is("folk", before.Low) && strings.HasSuffix(low, "ing") && r.nameWord(i+n) || strings.Contains(before.Raw, "'") || strings.HasSuffix(before.Text, "s'") && r.Is("field", english.Singular(low))) { // teachers teaching courses, customers' names
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

// notOnly leaves out what only says that something is kept: an entity, a collection.
func (r *reader) notOnly(i int, all []grammar.Match) []grammar.Match {
	return slices.DeleteFunc(all, func(m grammar.Match) bool {
		if is("noun-first", r.Words(i, m.To-i)) {
			return false
		}
		if first := r.At(i).Low; m.To > i+1 && (strings.HasSuffix(first, "ing") && !is("noun-first", first) || is("deed", first) || strings.HasSuffix(first, "ly") && !is("ly", first)) { // cleaning rooms, log callouts, especially fedoras
			return true
		}
		if last := r.At(m.To - 1).Low; strings.HasSuffix(last, "ing") && !is("doing-noun", last) && !r.Is("noun-anyway", last) {
			return true
		}
		first, last := r.At(i), r.At(m.To-1).Low
		if strings.Contains(r.Words(i, m.To-i), "/") || is("machine-end", last) || is("asking", first.Low) {
			return true
		}
		if m.To > i+1 && (is("pretend", first.Low) || is("pretend", last)) {
			return true
		}
		formal := m.To > i+1 && (is("formal", first.Low) && (is("formal-anyway", first.Low) || plaintext.IsCapital(r.At(i+1).Text)) || is("formal", last) && plaintext.IsCapital(first.Text))
		return formal || is("only-form", r.Words(i, m.To-i)) || r.meansElse(i, m.To) || r.At(m.To-1).Low == "enum" || r.Is("type-behind", r.At(m.To-1).Low) || m.To == i+1 && is("collection", r.At(i).Low) && tables()["holds"][r.At(i).Low] == ""
	})
}

// meansElse says whether words of a name are a phrase that means something else: Spring Boot.
func (r *reader) meansElse(from, to int) bool {
	for i := from; i < to; i++ {
		m, n := r.Phrase(i)
		if r.Is("also-name", r.Words(i, n)) {
			continue
		}
		if n > 1 && i+n <= to && (m.Class == "stop" || m.Class == "kind" || is("about-project", r.Words(i, n))) {
			return true
		}
		if m.Class == "heart" && (n > 1 && i+n <= to || m.Value == "a framework" && plaintext.IsCapital(r.At(i).Text)) {
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

// mentioned finds what stands elsewhere in the text as a name too.
func (r *reader) mentioned(i int) (out []grammar.Match) {
	for _, m := range r.phrases(i, 2, func(string) bool { return true }) {
		if r.elsewhere(i, m.To) {
			out = append(out, m)
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
	first := r.At(i).Low
	if m, n := r.Phrase(i); is("needed", first) || n > 1 && is("no-field", m.Class) && !r.Is("field", r.Words(i, n)) || len(r.ofTable(i, tables()["about-project"])) > 0 || r.Is("type-behind", first) && (first != "timestamp" || r.At(i-1).Low == ":" || !r.Ends(i+1)) || is("deed", first) && len(r.ofTable(i, r.Tables["field"])) == 0 {
		return nil
	}
	for n := 1; n <= 6; n++ {
		at := i + n - 1
		t := r.At(at)
		if t.Quoted || n > 1 && strings.Contains(r.At(at-1).Low, "_") && r.Length(at, "type") > 0 || n > 1 && (strings.Contains(t.Raw, "/") || len(t.Raw) == 3 && t.Raw[1] == '-' || r.Is("truth", t.Low) && !is("behind-field", t.Low) || t.Low == "enum" || t.Low == "x") { // width x height
			return out
		}
		known := r.Is("field", t.Low) || r.Is("also-field", t.Low)
		filler := r.Vocabulary[t.Low].Value == "filler" && !is("function", t.Low) && !is("verb", t.Low)
		fits := r.nameWord(at) || t.Low == "key" || filler && !t.Mark || known && !t.Mark && is("namable", cmp.Or(r.class(t.Low), "none"))
		if n > 1 && (r.Is("type-behind", t.Low) || r.isType(at) || is("needed", t.Low)) || n > 2 && is("ends-field", r.At(at-1).Low) && fits {
			return out
		}
		inner := n > 1 && (is("inside-field", t.Low) && !is("limit", r.At(at+1).Low) || is("particle", t.Low) && is("behind-field", r.At(at+1).Low) && r.Ends(at+2)) // handed out on
		behind := n > 1 && is("behind-field", t.Low) && (r.Ends(at+1) || r.At(at+1).Low == "as" || at+1 >= len(r.Tokens) || r.At(at+1).Low == "as" || is("needed", r.At(at+1).Low))
		switch {
		case fits && n == 2 && is("valued", r.At(i).Low) && !is("goes-on", t.Low):
			return out
		case fits && n == 2 && is("ends-field", r.At(i).Low) && !is("goes-on", t.Low) && !english.HasSuffix(t.Low, "ed", "en") && !is("participle", t.Low):
			return out
		case fits && (n == 1 || !english.IsPlural(r.At(at-1).Low) || is("plural-inside", r.At(at-1).Low) || is("inside-field", r.At(at-1).Low) || english.HasSuffix(t.Low, "ed") || is("participle", t.Low)), behind:
			out = append(out, grammar.Match{To: at + 1})
		case inner || t.Low == "the" && n > 1 && r.At(at-1).Low == "of":
		default:
			return out
		}
	}
	return out
}
