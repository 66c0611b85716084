package template

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/english"
)

// background reads a clause that only tells of somebody, or why something is wanted, and gives the number
// of its words: "my sister breeds alpacas", "because my boss keeps losing the sheets". What may be a wish is none.
func (r *reader) background(i int) int {
	if r.project != nil || !r.Ends(i-1) && !is("reason", r.At(i).Low) {
		return 0
	}
	if n := r.Length(i, "farewell"); n > 0 {
		return r.clause(i+n) - i
	}
	for k := i + 1; k < i+4 && is("whose", r.At(i).Low); k++ {
		if n := r.Length(k, "asks"); n > 0 { // our library wants an API
			return k + n - i
		}
	}
	why := r.Length(i, "reason")
	who := r.Length(i+why, "teller")
	told := r.Length(i+why, "told")
	if n := r.Length(i+why, "introduces"); r.At(i+why+1).Low != "have" {
		told = max(told, n)
	}
	verb := i + why + max(who, told)
	for verb < i+why+5 && told == 0 && !r.Ends(verb) && !r.tells(verb) && (who == 0 || is("lives", r.At(verb).Low)) {
		verb++
	}
	end := r.clause(verb)
	if who+told == 0 && !is("whose", r.At(i+why).Low) || r.site && why == 0 || told == 0 && !r.tells(verb) || r.At(end).Low == ":" {
		return 0
	}
	for k := verb; k < end; {
		m, n := r.Phrase(k)
		w := r.At(k).Low
		if is("meant", m.Class) && !is("little", w) && !is("later", r.At(end-1).Low) || is("wish", w) && !(why > 0 && w == "can" && k < verb) || why == 0 && is("field", w) && tables["field"][w] != kindBoolean {
			return 0
		}
		k += max(n, 1)
	}
	r.flush()
	return end - i
}

// tells says whether a verb that tells of somebody's life stands at a place.
func (r *reader) tells(i int) bool {
	return slices.ContainsFunc(english.Bases(r.At(i).Low), func(w string) bool { return is("life", w) })
}

// clause gives the place where a clause ends: at a mark, or where another begins.
func (r *reader) clause(i int) int {
	for ; !r.At(i).Mark; i++ {
		why := r.Length(i, "reason")
		next := r.After(i, "and", "but", "so")
		who := r.Length(next, "teller")
		if wish := is("wish", r.At(next+who).Low); why > 0 || next > i && (who > 0 || wish || is("meant", r.ClassAt(next))) || who > 0 && wish {
			break
		}
	}
	return i
}
