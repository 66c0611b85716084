package words

import (
	"slices"

	"github.com/bundle-delivery/svc/internal/english"
)

// Aside gives the number of words of a clause that only tells of somebody, or why something is wanted: "my sister breeds
// alpacas", "because my boss keeps losing the sheets". What may be a wish is none: also what nobody is to do, unless a guard
// was asked for.
func (x Text) Aside(i int, guarded bool) int {
	if !x.Ends(i-1) && !x.Is("reason", x.At(i).Low) {
		return 0
	}
	if n := x.Length(i, "farewell"); n > 0 {
		return x.clause(i+n) - i
	}
	for k := i + 1; k < i+4 && x.Is("whose", x.At(i).Low); k++ {
		if n := x.Length(k, "asks"); n > 0 { // our library wants an API
			return k + n - i
		}
	}
	why := x.Length(i, "reason")
	causes := x.Is("cause", x.At(i).Low)
	who := x.Length(i+why, "teller")
	told := x.Length(i+why, "told")
	if n := x.Length(i+why, "introduces"); x.At(i+why+1).Low != "have" {
		told = max(told, n)
	}
	verb := i + why + max(who, told)
	for verb < i+why+5 && told == 0 && !x.Ends(verb) && !x.tells(verb) && (who == 0 || x.Is("lives", x.At(verb).Low)) {
		verb++
	}
	end := x.clause(verb)
	guards := why > 0 && !causes && slices.ContainsFunc(x.Tokens[i:verb], func(t Token) bool { return x.Is("nobody", t.Low) })
	if who+told == 0 && !x.Is("whose", x.At(i+why).Low) || guards && !guarded || told == 0 && !x.tells(verb) || x.At(end).Low == ":" {
		return 0
	}
	for k := verb; k < end; {
		m, n := x.Phrase(k)
		w := x.At(k).Low
		if x.Is("meant", m.Class) && !x.Is("little", w) && !x.Is("later", x.At(end-1).Low) || x.Is("wish", w) && !(why > 0 && w == "can" && k < verb) || !causes && x.Is("field", w) && x.Tables["field"][w] != "boolean" {
			return 0
		}
		k += max(n, 1)
	}
	return end - i
}

// tells says whether a verb that tells of somebody's life stands at a place.
func (x Text) tells(i int) bool {
	return slices.ContainsFunc(english.Bases(x.At(i).Low), func(w string) bool { return x.Is("life", w) })
}

// clause gives the place where a clause ends: at a mark, or where another begins.
func (x Text) clause(i int) int {
	for ; !x.At(i).Mark; i++ {
		why := x.Length(i, "reason")
		next := x.After(i, "and", "but", "so")
		who := x.Length(next, "teller")
		if wish := x.Is("wish", x.At(next+who).Low); why > 0 || next > i && (who > 0 || wish || x.Is("meant", x.ClassAt(next))) || who > 0 && wish {
			break
		}
	}
	return i
}
