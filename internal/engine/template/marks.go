package template

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// mark reads a mark and gives the place behind it.
func (r *reader) mark(i int) int {
	switch low := r.tokens[i].low; low {
	case ".":
		r.expect(nowhere)
		if r.outer, r.fieldKind = nil, ""; r.listsFields(i + 1) {
			r.current, r.slot = r.things[0], inFields
		}
	case ",":
		had := len(r.group) > 0
		r.flush()
		switch {
		case r.slot == inPlace, r.site && had && r.slot == inThings && (r.at(i+1).quoted || r.at(i+1).capital) && vocabulary[r.at(i+1).low].Class == "" && !is("section", r.at(i+1).low):
			r.slot = nowhere
		case r.site && (r.slot == inThings && had || r.slot == inIgnored): // a list goes on where the subject is known
			r.slot = inFields
		}
	case bullet:
		r.flush()
		r.resolve()
		if r.slot = inThings; r.site || r.current != nil {
			r.slot = inFields
		}
	case ":", "(":
		if name, end := r.nameAt(i + 1); low == ":" && r.site && r.project == nil && is("page-label", strings.Join(r.group, " ")) && name != "" {
			what := strings.Join(r.group, " ")
			r.decided(tables["page-label"][what]).set(name)
			r.context, r.group = append(r.context, what), nil
			return end
		}
		if low == "(" && r.site && r.Place == "" && r.at(i+1).capital { // Northwind Advisory (London)
			if r.flush(); r.Title == "" {
				r.slot = nowhere
			} else {
				r.slot = inPlace
			}
			break
		}
		if _, n := longest(r.reading, i+1, tables["layout"]); low == "(" && r.site && r.slot != inFields && n == 0 && !is("section", r.at(i+1).low) && !r.at(i+1).mark {
			r.unknown = append(r.unknown, r.at(i+1).text) // of whom or what it is said is not told
		}
		if kind, n := longest(r.reading, i+1, tables["type"]); kind != "" && (low == ":" && r.slot == inFields && len(r.group) > 0 || r.slot == inAdded) {
			r.fieldKind = kind
			if r.flush(); r.slot == inAdded && len(r.pending) > 0 {
				r.pending[len(r.pending)-1].kind, r.pending[len(r.pending)-1].field = kind, true
			}
			return r.after(i+1+n, ")")
		}
		if choice := strings.Contains(r.at(i+1).low, "/"); low == ":" && r.slot == inFields && len(r.group) > 0 && !r.site && (choice || is("no-title", lastOf(r.group))) {
			if !choice { // where the choices end is not told
				r.unknown = append(r.unknown, strings.Join(r.group, " ")+": "+r.at(i+1).low)
			}
			return i + 1
		}
		if low == ":" && r.slot == inFields && len(r.group) > 0 && !r.site && (r.find(lastOf(r.group)) != nil || r.listed(i)) {
			r.addThing(r.group)
			r.group = nil
		}
		if low == "(" && (r.slot == inFields || r.slot == inAdded) && len(r.group) > 0 && !r.site {
			if end, ok := r.remark(i); ok {
				return end
			}
			if r.slot == inFields {
				r.addThing(r.group) // its fields follow
				r.group = nil
			}
		}
		before := reader{slot: r.slot, ofPlace: r.ofPlace}
		if r.open(); low == "(" {
			r.outer = append(r.outer, before)
		}
	case ")":
		if r.flush(); r.site {
			break
		}
		r.slot = nowhere
		if n := len(r.outer); n > 0 {
			r.slot, r.ofPlace, r.outer = r.outer[n-1].slot, r.outer[n-1].ofPlace, r.outer[:n-1]
		}
	}
	return i + 1
}

// listsFields says whether a sentence is a list of the fields of the one thing that was told of before it.
func (r *reader) listsFields(i int) bool {
	if r.site || r.project != nil || len(r.things) != 1 || len(r.things[0].fields) > 0 {
		return false
	}
	known, comma := false, false
	for k := i; r.at(k).low == "," || !r.at(k).mark; k++ {
		w := r.at(k).low
		if comma = comma || w == ","; !comma && vocabulary[w].Class != "" && !is("also-name", w) {
			return false
		}
		known = known || r.ends(k+1) && (is("field", w) || is("field", english.Singular(w)))
	}
	return known && comma
}

// remark reads what stands in brackets behind a field: its kind, or limits that
// are left out. A list behind a plural is none: those are the fields of a thing.
func (r *reader) remark(i int) (int, bool) {
	end := i + 1
	for end < len(r.tokens) && r.tokens[end].low != ")" {
		end++
	}
	last := lastOf(r.group)
	inside := r.words(i+1, end-i-1)
	if m, n := r.phrase(i + 1); m.Class == isRelation && r.current != nil && r.find(last) != nil && r.find(last) == r.find(r.at(r.after(i+1+n, "a", "an", "one", "the")).low) {
		r.current.parents = append(r.current.parents, r.find(last)) // vessel (belongs to Vessel)
		r.context, r.group = append(r.context, r.group...), nil
		return end + 1, true
	}
	if is("type", "in "+inside) { // the yield (kg)
		inside = "number"
	}
	words := slices.DeleteFunc(strings.Fields(inside), func(w string) bool {
		r.need = cmp.Or(tables["adjective"][w], r.need)
		return is("adjective", w) || w == ","
	})
	n := len(words)
	for n > 0 && !is("type", strings.Join(words[:n], " ")) {
		n--
	}
	fields := slices.ContainsFunc(words, func(w string) bool { return is("field", w[strings.LastIndex(w, "_")+1:]) })
	if english.IsPlural(last) || r.ofPlace || plaintext.IsCapital(r.at(i-1).text) && !is("field", last) {
		fields = fields || r.ofPlace || !is("field", last) || r.at(i-len(r.group)-1).low == bullet
	}
	if n < len(words) && fields && (english.IsPlural(last) || !is("field", last)) && strings.Contains(inside, ",") && !strings.ContainsAny(inside, "0123456789") {
		return 0, false
	}
	if n > 0 {
		r.fieldKind = tables["type"][strings.Join(words[:n], " ")]
	}
	if n < len(words) {
		r.limit(strings.Join(words[n:], " "))
	}
	return end + 1, true
}

// listed says whether the name before a place is that of an item of a list, and several parts of it follow.
func (r *reader) listed(i int) bool {
	for k := i + 1; r.at(i-len(r.group)-1).low == bullet && !is("field", lastOf(r.group)) && !strings.Contains("."+bullet, r.at(k).low); k++ {
		if r.at(k).low == "," {
			return true
		}
	}
	return false
}

// limit leaves out what is said of a field's values; what is between two numbers is one.
func (r *reader) limit(what string) {
	if between := strings.Fields(what); len(r.group) > 0 && len(between) > 1 && r.fieldKind == "" && !is("field", lastOf(r.group)) && !strings.ContainsFunc(between[0]+lastOf(between), unicode.IsLetter) {
		r.fieldKind = kindNumber
	}
	name := slices.DeleteFunc(slices.Clone(r.group), func(w string) bool { return is("type-behind", w) })
	if len(name) == 0 {
		name = []string{r.current.fields[len(r.current.fields)-1].Name}
	}
	r.leave(strings.ReplaceAll(what, " ,", ",")+" of "+strings.Join(name, " "), "limits and choices of a field")
}

// lastChoice finds where a list such as "open, closed or lost" ends; without "or" a line of a list does.
func (r *reader) lastChoice(i int) int {
	k := i
	for !strings.Contains(".)"+bullet, r.at(k).low) && r.at(k).low != "and" && r.at(k).low != "or" {
		k++
	}
	begun := i
	for begun > 0 && !strings.Contains("."+bullet, r.at(begun).low) {
		begun--
	}
	switch {
	case r.at(k).low == "or":
		for k++; !r.ends(k); k++ {
		}
	case r.at(begun).low != bullet || r.at(k).low == "and":
		return 0
	}
	return k
}

// limits reads the range behind a field, such as "from 1 to 5".
func (r *reader) limits(i int) int {
	number := func(k int) bool { return !r.at(k).mark && strings.Trim(r.at(k).low, "0123456789.,-%") == "" }
	_, quality := longest(r.reading, i, tables["quality"]) // unique, default: also behind a comma
	if r.site || r.slot != inFields && r.slot != inAdded || len(r.group) == 0 && (quality == 0 || r.current == nil || len(r.current.fields) == 0 || !r.at(i-1).mark && quality == 1 && !r.ends(i+1)) {
		return 0
	}
	if _, n := longest(r.reading, i, tables["modal"]); n+quality > 0 {
		n = max(n, quality)
		end := i + n
		for !r.ends(end) {
			end++
		}
		if last := r.lastChoice(i + n); last > 0 && english.HasSuffix(r.words(i, n), "one of", "can be", "either", "may be") {
			r.limit(r.words(i, last-i))
			return last - i
		}
		switch kind, k := longest(r.reading, i+n, tables["type"]); {
		case k > 0 && i+n+k == end:
			r.fieldKind = kind
		case strings.HasSuffix(r.words(i, n), "one of"): // where the choices end is not told
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+r.words(i, end-i))
		default:
			r.limit(r.words(i, end-i))
		}
		return end - i
	}
	if !number(i) && !(is("around-limit", r.at(i).low) && number(i+1)) {
		return 0
	}
	end := i + 1
	for number(end) || is("around-limit", r.at(end).low) && number(end+1) {
		end++
	}
	r.limit(r.words(i, end-i))
	return end - i
}
