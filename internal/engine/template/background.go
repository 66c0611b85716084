package template

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/english"
)

// background reads a clause that only tells of somebody, or why something is wanted, and gives the number
// of its words: "my sister breeds alpacas", "because my boss keeps losing the sheets". What may be a wish is none.
func (r *reader) background(i int) int {
	if r.project != nil || !r.ends(i-1) && !is("reason", r.at(i).low) {
		return 0
	}
	if _, n := longest(r.reading, i, tables["farewell"]); n > 0 {
		return r.clause(i+n) - i
	}
	for k := i + 1; k < i+4 && is("whose", r.at(i).low); k++ {
		if _, n := longest(r.reading, k, tables["asks"]); n > 0 { // our library wants an API
			return k + n - i
		}
	}
	_, why := longest(r.reading, i, tables["reason"])
	_, who := longest(r.reading, i+why, tables["teller"])
	_, told := longest(r.reading, i+why, tables["told"])
	if _, n := longest(r.reading, i+why, tables["introduces"]); r.at(i+why+1).low != "have" {
		told = max(told, n)
	}
	verb := i + why + max(who, told)
	for verb < i+why+5 && told == 0 && !r.ends(verb) && !r.tells(verb) && (who == 0 || is("lives", r.at(verb).low)) {
		verb++
	}
	end := r.clause(verb)
	if who+told == 0 && !is("whose", r.at(i+why).low) || r.site && why == 0 || told == 0 && !r.tells(verb) || r.at(end).low == ":" {
		return 0
	}
	for k := verb; k < end; {
		m, n := r.phrase(k)
		w := r.at(k).low
		if is("meant", m.Class) && !is("little", w) && !is("later", r.at(end-1).low) || is("wish", w) && !(why > 0 && w == "can" && k < verb) || is("field", w) && why == 0 {
			return 0
		}
		k += max(n, 1)
	}
	r.flush()
	return end - i
}

// tells says whether a verb that tells of somebody's life stands at a place.
func (r *reader) tells(i int) bool {
	return slices.ContainsFunc(english.Bases(r.at(i).low), func(w string) bool { return is("life", w) })
}

// clause gives the place where a clause ends: at a mark, or where another begins.
func (r *reader) clause(i int) int {
	for ; !r.at(i).mark; i++ {
		_, why := longest(r.reading, i, tables["reason"])
		next := r.after(i, "and", "but", "so")
		_, who := longest(r.reading, next, tables["teller"])
		if wish := is("wish", r.at(next+who).low); why > 0 || next > i && (who > 0 || wish || is("meant", r.classAt(next))) || who > 0 && wish {
			break
		}
	}
	return i
}
