package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/values"
)

// clauseField reads a field that a clause tells instead of a name: where it was found, who donated it.
func (r *reader) clauseField(it *item, i, to int) bool {
	end := min(r.EndOf(i), to)
	if end == i || r.At(i).Mark || r.At(i).Quoted || r.whereHas(i) {
		return false
	}
	for k := i + 1; k < min(end, i+2*longestName); k++ { // whether it was paid (yes/no)
		if r.truthAt(k) {
			end = k
		}
	}
	low := r.At(i).Low
	switch {
	case (low == "where" || low == "when") && end > i+1:
		rest, ok := r.ofIt(i+1, end)
		if !ok || len(rest) == 0 && low == "when" || len(rest) > 3 {
			return false
		}
		it.words = append([]string{low}, rest...)
		if low == "when" {
			it.kind = values.DateTime
		}
	case end == i+2 && r.done(low) && (r.At(i+1).Low == "where" || r.At(i+1).Low == "when"): // found when
		it.words, it.kind = []string{low, r.At(i + 1).Low}, map[string]string{"when": values.DateTime}[r.At(i+1).Low]
	case low == "who" && r.Is("owns", r.At(i+1).Low) && r.pronoun(i+2) > 0 && r.justNow(i+3, end): // who has it at the moment
		it.words = []string{"who", r.At(i + 1).Low, r.At(i + 2).Low}
	case low == "who" && end > i+1 && r.doer(it, i+1, end):
	case low == "what" && strings.HasSuffix(r.At(i).Text, "'s") && end == i+2 && r.partable(i+1): // what's wrong
		it.words = []string{"whats", spelled(r.At(i + 1))}
	case low == "what" && r.Is("asks-if", r.At(i+1).Low) && end == i+3 && r.pronoun(i+2) == 0 && (r.class(i+2) == "" || r.done(r.At(i+2).Low)): // what is broken, what was tested
		it.words = []string{low, spelled(r.At(i + 2))}
	case low == "how" && r.Tables["how-measure"][r.At(i+1).Low] != "" && end > i+2 && r.pronoun(i+2)+r.Length(i+2, "narrator") > 0: // how long it takes
		if end > i+5 {
			return false
		}
		it.words = strings.Split(r.Tables["how-measure"][r.At(i+1).Low], "_")
	case low == "how" && r.nameable(i+1) && r.pronoun(i+2) > 0 && r.Is("asks-if", r.At(i+3).Low) && r.over(i+4, to): // how urgent it is
		it.words, end = []string{low, spelled(r.At(i + 1))}, i+4
	case low == "what" && r.At(i+1).Low == "the" && r.partable(i+2) && r.Is("asks-if", r.At(i+3).Low) && end == i+4: // what the problem is
		it.words = []string{spelled(r.At(i + 2))}
	case (low == "what" || low == "how") && end > i+1 && r.Length(i+1, "narrator")+r.pronoun(i+1) > 0: // what I paid for it, how I felt
		rest, ok := r.ofIt(i+1, end)
		for k := len(rest) - 1; k > 0 && (rest[k] == "for" || rest[k] == "about"); k-- {
			rest = rest[:k]
		}
		if !ok || len(rest) == 0 || len(rest) > 3 {
			return false
		}
		it.words = append([]string{low}, rest...)
		if base := english.Singular(rest[0]); low == "what" && len(rest) == 1 && (r.Is("field", base) || r.Is("how-measure", base)) { // what it costs, what I paid
			it.words = strings.Split(cmp.Or(r.Tables["how-measure"][base], base), "_")
		}
	case (low == "what" || low == "which") && end == i+2 && r.partable(i+1) && !english.IsPlural(r.At(i+1).Low): // what cake
		it.words = []string{spelled(r.At(i + 1))}
		if r.done(it.words[0]) { // what happened
			it.words = []string{low, it.words[0]}
		}
	case end < to && r.truthAt(end) && r.class(i) == "fields" && end > i+1 && end <= i+longestName && r.namesAll(i, end): // contains frozen goods yes/no
		for k := i; k < end; k++ {
			it.words = append(it.words, spelled(r.At(k)))
		}
		it.kind = values.Truth
	default:
		return false
	}
	if it.kind == "" && low != "which" && r.Length(end, "rule") == 0 && len(it.words) > 1 && (strings.HasPrefix(it.words[0], low) || low == "who") {
		it.kind = values.Text
	}
	it.told, it.end = it.kind != "", end
	return plainName.MatchString(strings.Join(it.words, "_"))
}

// tellsField says whether a clause at a place tells a field.
func (r *reader) tellsField(i, to int) bool {
	it := item{}
	if r.ownsThing(i) > 0 && r.Is("owns", r.At(i).Low) && r.At(i-1).Low == "," {
		return true
	}
	if r.At(i).Low == "which" && r.partable(i+1) && r.pronoun(i+2) > 0 { // which shelf it is on
		return true
	}
	return r.clauseField(&it, i, to) && r.over(it.end, to)
}

// pronoun gives the length of a word that stands for the record.
func (r *reader) pronoun(i int) int {
	if t := r.At(i); !t.Mark && !t.Quoted && r.Is("someone", t.Low) {
		return 1
	}
	return 0
}

// justNow says whether nothing stands between two places but that something is so at present.
func (r *reader) justNow(i, end int) bool { return i == end || i+r.Length(i, "just-now") == end }

// ofIt gives what is told of the record between two places, without the words that stand for it. It says whether nothing
// else is told there.
func (r *reader) ofIt(from, to int) (rest []string, ok bool) {
	for k := from; k < to; {
		n := max(r.Length(k, "narrator"), r.pronoun(k), r.Length(k, "just-now"))
		if low := r.At(k).Low; n == 0 && len(rest) == 0 && (r.Is("copula", low) || r.Is("of-it", low) || r.Is("light", low)) {
			n = 1
		}
		if n > 0 {
			k += n
			continue
		}
		if word := spelled(r.At(k)); !plainName.MatchString(word) || r.Is("never", word) || r.Is("condition", word) && !r.done(word) || r.Is("need-word", word) || r.Is("modal-verb", word) && (word != "to" || len(rest) == 0) || r.At(k).Quoted {
			return nil, false
		}
		rest = append(rest, spelled(r.At(k)))
		k++
	}
	return rest, true
}

// doer reads who did something with the record: who donated it, who it was lent to.
func (r *reader) doer(it *item, i, end int) bool {
	rest, ok := r.ofIt(i, end)
	switch {
	case !ok || len(rest) == 0 || len(rest) > 2:
		return false
	case len(rest) == 1 && rest[0] == "did":
		it.words = []string{"done", "by"}
	case len(rest) == 1 && r.done(rest[0]) && r.pronoun(i) == 0:
		it.words = []string{rest[0], "by"}
	case len(rest) == 2 && r.pronoun(i)+r.Length(i, "narrator") > 0 && r.done(rest[0]) && r.Is("particle", rest[1]):
		it.words = rest
	case len(rest) == 1 && r.pronoun(i) == 0 && !r.isThing(rest[0]): // but: who is a player
		it.words = []string{"who", rest[0]}
	default:
		return false
	}
	return true
}

// paid gives the length of who did something with what stands before a place: I paid.
func (r *reader) paid(i, to int) int {
	if n := r.Length(i, "narrator"); n > 0 && !r.Ends(i+n) && r.done(r.At(i+n).Low) && r.over(i+n+1, to) {
		return n + 1
	}
	return 0
}

// namesAll says whether words between two places may stand in a name.
func (r *reader) namesAll(from, to int) bool {
	for k := from; k < to; k++ {
		if !plainName.MatchString(spelled(r.At(k))) {
			return false
		}
	}
	return true
}

// clauseBehind reads a clause behind the name of a field that tells which one it is: the shelf it is on, the day it was made.
func (r *reader) clauseBehind(it *item, to int) bool {
	i := it.end
	if k := r.paid(i, to); k > 0 { // the price I paid
		it.words, it.end = append(slices.Clone(it.words), r.At(i+k-1).Low), i+k
		kind, _ := values.Guess(r.Lexicon, it.words)
		return kind != values.Truth // but not: the tools they borrowed
	}
	at := r.After(i, "where", "when", "that", "which")
	who := r.At(i).Low == "who" && i+1 < to && !r.Ends(i+1) && !r.Is("copula", r.At(i+1).Low)
	if i >= to || r.pronoun(at) == 0 && !who {
		return true
	}
	end := min(r.EndOf(i), to)
	last := it.words[len(it.words)-1]
	if who { // the name of the person who collected it
		if r.pronoun(end-1) == 0 || end > i+3 || english.IsPlural(last) || r.Is("modal-verb", r.At(i+1).Low) {
			return false
		}
		it.end = end
		return true
	}
	rest, ok := r.ofIt(at, end)
	dates := r.Is("dates", last) || last == "time"
	placed := len(rest) > 0 && r.Is("particle", rest[len(rest)-1]) && !r.Is("copula", rest[len(rest)-1])
	switch {
	case !ok || len(rest) > 3 || len(rest) == 0 && at == i:
		return false
	case dates && len(rest) > 0: // the date it is due back
		it.words = append(slices.Clone(it.words), rest...)
		it.kind = cmp.Or(map[string]string{"time": values.DateTime, "year": values.Integer}[last], values.Day)
	case !dates && r.At(it.from-1).Low == "which" && len(rest) < 3 && at == i: // which door it opens
	case !dates && (placed || at > i && r.At(i).Low != "when" && len(rest) < 2): // the shelf it is on, the station where it is kept
	default:
		return false
	}
	it.end = end
	return true
}

// ownsThing gives the length of words before another thing that a record has, in the list of what it holds: has one
// locomotive, several wagons.
func (r *reader) ownsThing(i int) int {
	at := i
	if r.Is("owns", r.At(i).Low) && r.At(i-1).Low == "," {
		at = r.After(i+1, "one", "a", "an", "exactly")
	}
	if r.Is("many", r.At(at).Low) {
		at++
	}
	n, ok := r.noun(at)
	if at == i || !ok || !r.isThing(n.name()) || !r.Ends(n.to) || r.At(n.to).Low == "(" || r.At(n.to).Low == ":" {
		return 0
	}
	return at - i
}
