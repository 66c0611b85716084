package english

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// item is one thing of a list, with what stands in parentheses behind it.
type item struct{ name, rule, inside string }

var plainName = regexp.MustCompile(`^[a-z][a-z0-9]*([ _-][a-z0-9]+){0,2}$`)

// list reads a list such as "title, an author and isbn (unique)".
func (r *reader) list(text string) (out []item) {
	var name, inside []string
	depth, colon := 0, false
	for _, w := range append(strings.Fields(text), ",") {
		switch {
		case w == "(":
			depth++
			inside = append(inside, w)
		case w == ")":
			depth = max(depth-1, 0)
			inside = append(inside, w)
		case depth == 0 && (w == "," || w == "•" || strings.EqualFold(w, "and")):
			if one := r.item(name, strings.Trim(strings.Join(inside, " "), "() ")); one.name != "" {
				out = append(out, one)
			}
			name, inside, colon = nil, nil, false
		case w == ":":
			colon = true
		case depth > 0 || colon:
			inside = append(inside, w)
		default:
			name = append(name, w)
		}
	}
	return out
}

// item reads one thing of a list. What is no name of at most three words is doubted.
func (r *reader) item(words []string, inside string) item {
	out := item{inside: inside}
	var name []string
	for i, w := range words {
		low := strings.ToLower(w)
		switch {
		case is("rules", low):
			out.rule += low
		case strings.Contains(w, "/") && i > 0 && inside == "":
			out.inside = w
		case len(name) == 0 && is("articles", low):
		case is("features", low):
			r.doubt(strings.Join(words, " "))
			return item{}
		case is("ends", low), is("language", low), is("store", low), is("auth", low):
			r.doubt(strings.Join(words[i:], " "))
			words = nil
		default:
			name = append(name, low)
		}
		if words == nil {
			break
		}
	}
	out.name = strings.Join(name, " ")
	if all := strings.Join(name, ""); is("extras", all) || all == "" && out.rule == "" {
		return item{}
	}
	if !plainName.MatchString(out.name) {
		r.doubt(out.name + " " + out.rule)
		return item{}
	}
	return out
}

// isMany reports whether a name is a plural that is no field as a rule.
func isMany(name string) bool { return isPlural(name) && !spec.IsUsual(name) }

// isPlural reports whether the last word of a name is the plural of another.
func isPlural(name string) bool {
	last := name[strings.LastIndexByte(name, ' ')+1:]
	one := spec.SingularOf(last)
	return one != last && len(last) > 3 && spec.PluralOf(one) == last && !is("single", last) &&
		(strings.HasSuffix(last, "s") || last == "people" || last == "children")
}

// nounOf returns the noun of a plural, or the noun itself.
func nounOf(name string) string {
	at := strings.LastIndexByte(name, ' ') + 1
	if isPlural(name) {
		return name[:at] + spec.SingularOf(name[at:])
	}
	return name
}

// find returns the index of the record that a name means, or -1.
func find(s spec.Spec, name string) int {
	noun := nounOf(name)
	return slices.IndexFunc(s.Records, func(rec spec.Record) bool {
		low := strings.ToLower(rec.Noun)
		return low == noun || low == name || rec.Plural == name || strings.HasSuffix(low, " "+noun)
	})
}

// record returns the index of a record, which it adds if it is not there, or -1.
func (r *reader) record(noun string) int {
	if r.last = find(r.spec, noun); r.last < 0 && len(r.spec.Records) < spec.MaxRecords {
		r.spec.Records = append(r.spec.Records, spec.Record{Noun: noun})
		r.last = len(r.spec.Records) - 1
	}
	if r.last < 0 {
		r.doubt(noun)
	}
	return r.last
}

// fields adds a list of fields to a record.
func (r *reader) fields(at int, list []item) {
	for _, one := range list {
		f, ok := r.field(one)
		switch {
		case at < 0 || !ok || len(r.spec.Records[at].Fields) == spec.MaxFields:
			r.doubt(one.name + " " + one.inside)
		case r.spec.Records[at].Find(f.Name, "") >= 0:
		default:
			if isMany(one.name) { // which may mean more than a text
				r.doubt(one.name)
			}
			r.spec.Records[at].Fields = append(r.spec.Records[at].Fields, f)
		}
	}
}

// field reads the kind, the choices and the rules of a field.
func (r *reader) field(one item) (spec.Field, bool) {
	f := spec.Field{Name: one.name}
	if at := strings.LastIndexByte(f.Name, ' '); at > 0 && lists()["typed"][f.Name[at+1:]] != "" { // age integer
		f.Name, f.Kind = f.Name[:at], lists()["typed"][f.Name[at+1:]]
	}
	for _, w := range strings.FieldsFunc(one.inside, func(c rune) bool { return strings.ContainsRune(" ,/()", c) }) {
		low := strings.ToLower(w)
		switch {
		case low == "or" || low == "and":
		case is("rules", low):
			one.rule += low
		case is("kinds", low) || is("typed", low):
			f.Kind = lists()["known"][low]
		default:
			f.Choices = append(f.Choices, w)
		}
	}
	f.Unique = one.rule == "unique"
	if one.rule != "unique" {
		f.Need = one.rule
	}
	_, err := spec.ParseFields(f.String())
	return f, err == nil && (f.Choices == nil) != (len(f.Choices) > 1 && f.Kind == "")
}
