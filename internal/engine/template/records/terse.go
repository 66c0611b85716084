package records

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// withCommas puts commas between the names of fields that busy people write side by side, where there is but one way to part
// them: bookmarks url title tags.
func withCommas(x words.Text) words.Text {
	r := &reader{Text: withTables(x), Reading: &Reading{}}
	var out []words.Token
	for i := 0; i < len(r.Tokens); {
		ends := r.sideBySide(i)
		if ends == nil {
			out, i = append(out, r.Tokens[i]), i+1
			continue
		}
		if before := r.At(i - 1); !before.Mark && r.class(i-1) != "fields" {
			out = append(out, words.Token{Low: ":", Mark: true})
		}
		for k, end := range ends {
			out = append(out, r.Tokens[i:end]...)
			if i = end; k < len(ends)-1 && !r.joins(i) || k == len(ends)-1 && !r.Ends(i) {
				out = append(out, words.Token{Low: ",", Mark: true})
			}
		}
	}
	x.Tokens = out
	return x
}

// sideBySide gives where each of at least three names of fields ends that stand side by side from a place on, or nothing where
// words may be parted in two ways. Of names with kinds two are enough.
func (r *reader) sideBySide(i int) (ends []int) {
	if !r.opensNames(i) {
		return nil
	}
	typed, last := 0, len(r.Tokens)
	for at := i; at <= last; {
		n, kind := r.nameOf(at)
		if n == 0 {
			break
		}
		at += n + kind
		ends, typed = append(ends, at), typed+min(kind, 1)
		if r.joins(at) && len(ends) > 2 { // one more
			at++
			last = at
		}
	}
	if len(ends) == 0 || len(ends) < 3 && typed < 2 {
		return nil
	}
	end := ends[len(ends)-1]
	listed := r.At(i-1).Low == "," && r.likeWord(r.At(i-2).Low) || r.At(end).Low == "," && r.likeWord(r.At(r.skip(end+1)).Low) // weight, mother ear tag, sex
	if listed || r.At(i-1).Low == "." && r.At(end).Low != "." || r.At(end).Low == "(" || r.At(end).Low == ":" || !r.At(end).Mark && !settings.Is(r.Text, end) {
		return nil
	}
	return ends
}

// opensNames says whether names of fields may follow at a place: behind a mark, a word that opens a list, or several things.
func (r *reader) opensNames(i int) bool {
	before := r.At(i - 1)
	switch {
	case i == 0 || r.At(i).Mark:
		return false
	case before.Mark:
		return before.Low != ")" && before.Low != words.Bullet && (before.Text == "" || before.Low == ":")
	}
	several := english.IsPlural(before.Low) && (r.class(i-1) == "" || r.Is("also-name", before.Low))
	gathers := r.Is("gathers", before.Low) || r.Is("place-of", before.Low)
	return r.class(i-1) == "fields" || several || gathers && (r.class(i-2) == "" || r.Is("determiner", r.At(i-2).Low)) && !r.At(i-2).Mark
}

// nameOf gives the length of a name at a place that no word behind it goes on with, and of the kind behind that.
func (r *reader) nameOf(i int) (n, kind int) {
	t, next := r.At(i), r.At(i+1)
	if t.Mark || t.Quoted || r.Is("type-behind", t.Low) {
		return 0, 0
	}
	n = max(r.Length(i, "field-pair"), 1)
	if behind := r.At(i + n); !behind.Mark && (r.Is("type-behind", behind.Low) || behind.Raw != behind.Low && r.truthAt(i+n) || behind.Low == "y/n") {
		kind = 1
	}
	whole, happened := r.wholeField(t.Low), r.done(next.Low) && !r.wholeField(next.Low) && !r.Is("seen-or-read", next.Low)
	person := r.Is("has-phone", t.Low) || r.Is("above", t.Low) || r.Is("begins-field", t.Low)
	done := r.Tables["field"][t.Low] == values.Truth && r.done(t.Low)
	ends := next.Mark || settings.Is(r.Text, i+1)
	switch {
	case n > 1, kind > 0 && r.partable(i):
	case r.Is("goes-on-any", next.Low) || r.Is("begins-field", t.Low) && r.Is("goes-on-thing", next.Low):
		return 0, 0
	case whole && !(happened && (r.Is("dates", t.Low) || r.isMeasure(t.Low))): // but: date collected
	case person && !r.Is("goes-on-person", next.Low), done && !r.Is("goes-on-done", next.Low):
	case ends && r.likeWord(t.Low) && len(t.Low) > 3 && !r.Is("type", "in "+t.Low) && !r.Is("unit", t.Low):
	default:
		return 0, 0
	}
	return n, kind
}

// runTogether says of words that nobody understands, and of which the last are names of fields that nothing parts, what is to
// be done.
func (r *reader) runTogether() {
	r.Unknown = slices.DeleteFunc(r.Unknown, func(said string) bool {
		all := strings.Fields(said)
		if len(all) < 3 || slices.ContainsFunc(all[len(all)-3:], func(w string) bool { return !r.namesField(w) }) {
			return false
		}
		r.Hearts = append(r.Hearts, settings.Omission{What: said, Why: "put commas between the fields"})
		return true
	})
}

// sideBySideOnly says whether a clause is but such names, and words that mean nothing else.
func (r *reader) sideBySideOnly(from, to int) bool {
	known, other := 0, 0
	for i := from; i < to; i++ {
		switch c := r.class(i); {
		case r.namesField(r.At(i).Low):
			known++
		case r.At(i).Mark || c == "stop" && r.Vocabulary[r.At(i).Low].Value != "filler" || c == "place" || c == "to" || c == "join" || c == "fields" || c == "relation" || r.Is("behind", r.At(i).Low) || r.Is("determiner", r.At(i).Low):
			return false
		case c != "":
			other++
		}
	}
	return known > 2 && other < 2
}

// namesField says whether a word may be the name of a field by itself.
func (r *reader) namesField(w string) bool {
	return r.likeWord(w) || r.wholeField(w) || r.Is("item-too", w)
}

// wholeField says whether a word is the name of a field that no word behind it goes on with.
func (r *reader) wholeField(w string) bool { return r.Is("whole-name", w) || r.Is("whole-field", w) }
