package former

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// amendment reads what fields are held to that were told of before: email must be unique, name and price are required.
func (r *reader) amendment(i, to int) int {
	if !r.begins(i) {
		return i
	}
	l := r.list(i, to, false)
	if len(l.items) == 0 || len(l.parents) > 0 {
		return i
	}
	end := i
	for _, it := range l.items {
		t, name := r.owner(it)
		if t == nil || name == "" || !it.told || t.field(name) == nil && !it.stated && name == strings.Join(it.words, "_") {
			break
		}
		if it.the && len(t.Fields) > 0 && t.field(name) == nil { // the price must be positive: which one?
			break
		}
		r.current = t
		it.words = strings.Split(name, "_")
		r.field(t, it)
		end = it.end
	}
	return end
}

// owner gives the thing that has a field of a name, and the name: the thing may stand before it, and a word of several may
// be all that is said of it. Where it may be one of several, it is none.
func (r *reader) owner(it item) (*Thing, string) {
	name := strings.Join(it.words, "_")
	if k := slices.Index(it.words, "of"); k > 0 && r.find(strings.Join(it.words[k+1:], "_")) != nil { // the title of a book
		t := r.find(strings.Join(it.words[k+1:], "_"))
		if name := t.called(strings.Join(it.words[:k], "_")); name != "" {
			return t, name
		}
		return nil, ""
	}
	for _, t := range r.Things {
		if rest, ok := strings.CutPrefix(name, t.Name+"_"); ok && (!t.weak || t.born) && t.field(name) == nil {
			if len(r.Things) == 1 && t.called(rest) == "" { // contracts: contract number is required
				break
			}
			return t, cmp.Or(t.called(rest), rest)
		}
	}
	same := 0
	for _, t := range r.Things {
		if t.field(name) != nil || t.field(english.Singular(name)) != nil && it.several {
			same++
		}
	}
	if t := r.soleThing(); t != nil && t.called(name) != "" && (same < 2 || r.open == t) {
		return t, t.called(name)
	} else if same > 1 { // of which of both?
		return nil, ""
	}
	var found *Thing
	for _, t := range r.Things {
		if t.field(name) == nil && t.field(english.Singular(name)) != nil && it.several { // codes are unique
			name = english.Singular(name)
		}
		if t.field(name) != nil && found != nil {
			return nil, "" // of which of both?
		} else if t.field(name) != nil {
			found = t
		}
	}
	return found, name
}

// elsewhere says whether another thing than one has a field of the same name, and that one has not.
func (r *reader) elsewhere(t *Thing, it item) bool {
	name := strings.Join(it.words, "_")
	return t.field(name) == nil && slices.ContainsFunc(r.Things, func(o *Thing) bool { return o != t && o.field(name) != nil })
}

// stated says whether all that is told of a thing stands in sentences of its own: email must be unique, age is a number.
func (t *Thing) stated() bool {
	return !slices.ContainsFunc(t.Fields, func(f Field) bool { return !f.told.stated })
}

// called gives the name of the one field that is called by a name, or by a part of it: the plate, of a license plate.
func (t *Thing) called(name string) string {
	if t.field(name) != nil {
		return name
	}
	var found []string
	one := english.Singular(name)
	for _, f := range t.Fields {
		begins := strings.HasPrefix(f.Name, name+"_of_") || english.HasSuffix(f.Name, name+"_value", name+"_level", name+"_number")
		if f.Name == one || begins || strings.HasSuffix(f.Name, "_"+name) || strings.HasSuffix(f.Name, "_"+one) {
			found = append(found, f.Name)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return found[0]
}

// everyField reads what is said of all fields: all fields are required.
func (r *reader) everyField(i, to int) int {
	if low := r.At(i).Low; low != "all" && low != "everything" || !r.begins(i) {
		return i
	}
	at := r.After(i+1, "of", "them", "these", "the", "are", "is", "fields", "columns", "values", "attributes", "must", "be")
	what, n := r.Longest(at, "rule")
	if n == 0 || at+n > to || !r.Ends(at+n) || what != "required" && what != "optional" || len(r.Things) == 0 {
		return i
	}
	for _, t := range r.Things {
		for k := range t.Fields {
			t.Fields[k].told.rules.Need = what
			t.Fields[k].Rules.Need = what
		}
	}
	return at + n
}
