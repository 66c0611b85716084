package records

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	fraction  = regexp.MustCompile(`^\d+/\d+$`)
	thousands = regexp.MustCompile(`^\d+k$`)
	oneFigure = regexp.MustCompile(`^[1-9]$`)
	plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	codes     = regexp.MustCompile(`^([A-Z]\d?-[A-Z]?\d?|([A-Z]x)+[A-Z]|[A-Z]\d{2,})$`) // A-E, A1-C2, LxWxH, A12
	camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

// names gives where the name of a thing or a field may end.
func (r *reader) names(name string, i, longest int) (out []grammar.Match) {
	cost, field, head := 0, name == "fieldname", ""
	for _, table := range []string{"field", "also-field", "field-pair"} {
		if n := r.Length(i, table); field && n > 1 {
			out = append(out, grammar.Match{To: i + n, Cost: 1})
		}
	}
	if n := r.Length(i, "fixed-name"); !field && n > 1 {
		out = append(out, grammar.Match{To: i + n, Cost: 1})
		if name == "plural" && r.open(i+n, false) > 0 && english.IsPlural(r.At(i+n).Low) { // lost and found items
			out = append(out, grammar.Match{To: i + n + 1, Cost: 1})
		}
	}
	if m, n := r.Phrase(i); field && n > 1 && r.wished(m) { // calendar sync
		return out
	}
	if r.Is("never-first", r.At(i).Low) || !field && r.Is("crud-deed", r.At(i).Low) && r.Is("crud-deed", r.At(i-1).Low) { // create/list/delete readings
		return out
	}
	for end := i; end < i+longest; end++ {
		if t := r.At(end); field && end > i && t.Low == "no" && !t.Mark && r.Ends(end+1) && !r.done(r.At(end-1).Low) && !r.Is("field-noun", english.Singular(r.At(i).Low)) { // passport no
			out = append(out, grammar.Match{To: end + 1, Cost: cost})
			break
		}
		if t := r.At(end); end > i && (t.Low == "of" && r.At(end-1).Low != "one" || t.Low == "per" && field) && !t.Mark {
			if next := r.After(end+1, "the", "a", "that"); r.open(next, field) >= 0 && !r.both(i, next) && (field || next == end+1 && end == i+1 && !english.IsPlural(r.At(next).Low)) {
				head = r.At(end - 1).Low // points of interest are points
				end, cost = next, cost+1
			}
		}
		c := r.open(end, field)
		if field && end > i && c == 2 { // the final test
			c = 1
		}
		if c < 0 || end > i && strings.HasPrefix(r.At(end).Raw, "/") || end > i && !field && r.whose(end-1) {
			break
		}
		cost += c
		last := r.At(end).Low
		many := english.IsPlural(cmp.Or(head, last))
		gathers := r.class(end) == "container" || r.Is("gathers", last)
		extra := 0
		switch {
		case field && end > i && r.unlike(i, end+1), !field && end > i && r.crowd(i, end), name == "single" && r.Is("never-thing", r.Words(i, end+1-i)) && !strings.Contains("(:", r.At(end+1).Low):
			continue
		case !field && end == i && r.Is("field-noun", last) && last != "properties" && (r.At(end+1).Low == ":" || r.At(end+1).Low == "("): // fields: name, age
			continue
		case !field && end > i && i == r.begin && r.Is("field-noun", english.Singular(last)) && r.At(end+1).Low == ":" && !r.Is("ground", r.At(end-1).Low): // loan fields: book, date
			continue
		case name == "plural" && (!many || end > i && gathers && r.Is("uncountable-data", last)), name == "single" && (many || gathers && end > i), name == "gathered" && (end == i || !gathers), !field && !many && end == i && r.sets(i, name), r.elseMade(i, end+1, field), !field && head != "" && english.IsPlural(last):
			continue
		case !field && end == i && r.needs(i) != "", !field && name == "single" && r.done(last) && r.Is("by-what", r.At(end+1).Low): // unique(base, quote), assigned to an agent
			continue
		case !field && end > i && r.elsewhere(i, i+1) && many && r.Is("where-at", r.At(end+1).Low) && english.Singular(r.At(i).Low) == r.At(i).Low && r.Is("determiner", r.At(i-1).Low): // a route lies in a crag
			continue
		case !field && end > i && r.Is("declares", r.At(i).Low) && plaintext.IsCapital(r.At(i+1).Text) && !plaintext.IsCapital(r.At(i).Text): // model Driver
			continue
		case !field && len(r.Things) > 0 && r.At(end+1).Low == ":" && r.Vocabulary[last].Value == "roles and permissions" && r.find(r.nameOf(i, end+1)) == nil && !r.elsewhere(i, end+1): // roles: admin, clerk
			continue
		case name == "thingname" && len(r.Things) > 0 && r.Is("any-record", last) && r.find(last) == nil && !r.elsewhere(i, end+1): // every record has a number
			continue
		case name == "thingname" && !many && i > r.begin && !r.Is("determiner", r.At(i-1).Low) && r.At(i-1).Low == "and" && r.find(r.nameOf(i, end+1)) == nil && !r.elsewhere(i, end+1): // value and unit belong to a sample
			continue
		case name == "thingname" && r.find(r.nameOf(i, end+1)) == nil && r.Is("field", last) && !many && r.At(end+1).Low == "with": // price, price with tax
			continue
		case name == "single" && r.Is("any-record", last) && r.Is("for-all", r.At(i-1).Low) && end == i && i == r.begin+1: // each row: date
			continue
		case name == "plural" && end > i && (i == r.begin && r.Is("keep-verb", r.At(i).Low) || r.At(i-1).Low == "for" && r.Is("done-with", r.At(i).Low) && r.class(end) != "") && !r.Is("logged", last): // log contacts, for collecting reports
			extra = 6
		case end == i && r.tellsHow(i): // deployed to a cloud
			continue
		case field && end == i && (len(last) == 1 && r.Length(i+1, "rule") > 0 || last == "one" && !r.Ends(i+1)): // A above 90, B above 80; one way/return
			continue
		case name == "thingname" && r.find(r.nameOf(i, end+1)) == nil && (!r.elsewhere(i, end+1) || r.At(i).Low == "one" || r.Is("field", last) && r.At(end+1).Low == "with"):
			extra = 4
		case field && many && !r.Is("field", last):
			extra = 1
		}
		if !field && (r.Is("notation", r.At(i).Low) || r.Is("field-pair", english.Singular(r.Words(i, end+1-i)))) { // the serial numbers of
			extra += 4
		}
		if !field && r.At(end+1).Low == ":" && r.Is("rules-head", r.Words(i, end+1-i)) {
			extra += 4
		}
		switch m := r.Vocabulary[r.At(i).Low]; {
		case end > i || r.plain(i, field) || r.exact(last) != nil || field && (r.between(i) || r.Is("alone-too", last) || r.labelled(last, i, end+1) && r.Ends(end+1) && !strings.Contains("(:", r.At(end+1).Low) || r.At(end+1).Low == ":" && r.Is("type", r.At(end+2).Low) && !r.Is("field", r.At(end+2).Low)):
			if field && end == i && r.Is("bound", last) { // max: of what?
				extra += 4
			}
		case field && !many && (m.Class == "container" || m.Value == "dates"):
			extra++
		case !field && r.At(end+1).Low == "(": // show (title, host)
			extra++
		default:
			extra += 4
		}
		out = append(out, grammar.Match{To: end + 1, Cost: cost + extra})
	}
	return out
}

// wished says whether words mean what is wished of the project.
func (r *reader) wished(m glossary.Meaning) bool {
	return (m.Class == "detail" || m.Class == "heart") && r.Is("wished-of-project", m.Value)
}

// tellsHow says whether what is done, or is to be, goes on with how or where, and names no field: deployed to a cloud, mark as
// delivered; but not done with sqlite, behind other fields.
func (r *reader) tellsHow(i int) bool {
	low, next := r.At(i).Low, r.At(i+1).Low
	if !r.Is("tells-how", next) || r.Ends(i+2) || next != "as" && !r.done(low) || r.Length(i+1, "type")+r.Length(i+1, "rule") > 0 {
		return false
	}
	ours := r.Is("done-to-project", low) || i == r.begin
	return ours || !settings.Is(r.Text, i+2)
}

// both says whether two names share what stands behind "of": name and phone of owner.
func (r *reader) both(second, of int) bool {
	return r.At(second-1).Low == "and" && r.Is("shared", r.At(second-2).Low) && (r.Is("has-phone", r.At(of).Low) || r.At(of).Low == "birth")
}

// sets says whether a word by itself sets something of the project, and names nothing; a file may be told of.
func (r *reader) sets(i int, name string) bool {
	m := r.Vocabulary[r.At(i).Low]
	return m.Class == "language" || m.Class == "stop" && m.Value != "filler" || name == "single" && (m.Class == "database" || m.Class == "auth")
}

// elseMade says whether words are what projects are not made with, and name nothing: axum, mysql, graphql.
func (r *reader) elseMade(from, to int, field bool) bool {
	low := r.Words(from, to-from)
	if m := r.Vocabulary[low]; field && to-from > 1 && (m.Class == "kind" || m.Class == "detail" && strings.HasSuffix(low, " license") || r.wished(m)) { // landing page, lgpl license, soft delete
		return true
	}
	if m := r.Vocabulary[low]; to-from > 1 && m.Class == "kind" && m.Value == project.API { // rest endpoints
		return true
	}
	if m, n := r.Phrase(from); m.Value == "a framework" && n > 1 && n < to-from { // spring boot service
		return true
	}
	switch m := r.Vocabulary[strings.ReplaceAll(low, " ", "")]; cmp.Or(r.Vocabulary[low].Value, m.Value) {
	case "a framework", "a database":
		return !r.Is("framework-too", low) && !r.Is("field", low)
	case "a language", "another kind of interface":
		return !field
	}
	return false
}

// crowd says whether words are several names, or begin with several of something, so that they are a clause: doctors see patients.
func (r *reader) crowd(from, last int) bool {
	for i := from; i < last; i++ {
		low := r.At(i).Low
		if r.Is("seeks", low) || r.Is("crud-deed", low) && r.Is("crud-deed", r.At(i+1).Low) || i == from && r.At(from-1).Low == "." && from+1 == last && r.Is("keeps", low) && english.IsPlural(r.At(last).Low) && !r.Is("logged", r.At(last).Low) && r.At(last+1).Low == "with" || i == from && r.Is("clause-word", r.At(i-1).Low) && english.IsPlural(low) && last == from+1 || english.IsPlural(low) && !r.Is("plural-first", low) && i+1 == last && (r.At(last).Low == "table" || r.done(r.At(last).Low)) || r.commaless(low, r.At(i+1).Low) || english.IsPlural(low) && !r.Is("plural-first", low) && !english.HasSuffix(low, "ss", "us", "is", "ics") && !r.whose(i) && r.At(i+1).Low != "of" && r.At(i+1).Low != "per" && (i+1 < last || strings.HasSuffix(r.At(last).Low, "ing") && r.Is("by-what", r.At(last+1).Low) || r.Is("whole-name", r.At(last).Low) || r.Is("field-noun", english.Singular(low))) {
			return true
		}
	}
	return false
}

// unlike says whether words are no name of one field, but several names without commas, or a clause: name age, players name.
func (r *reader) unlike(from, to int) bool {
	var all []string
	for i := from; i < to; i++ {
		all = append(all, r.At(i).Low)
	}
	first, last, of := all[0], all[len(all)-1], slices.Contains(all, "of") || slices.Contains(all, "per")
	for k, w := range all[:len(all)-1] {
		next := all[k+1]
		switch {
		case of || r.whose(from+k):
		case english.IsPlural(w) && !r.Is("plural-first", w) && !english.HasSuffix(w, "ss", "us", "is", "ics") && !r.Is("field", w) && !r.Is("field-ends", last) && !r.done(last):
			return true
		case r.commaless(w, next), k > 0 && w == "name": // first name last name
			return true
		case next == "x" && k+2 < len(all), r.Is("chosen", w) && !r.Is("field", next) && !r.Is("also-field", next) && !r.Is("particle", next) && !r.done(next):
			return true
		}
	}
	odd := len(all) > 2 && !of && english.IsPlural(first) && english.IsPlural(last) && !r.Is("plural-first", first) || r.Is("sums", first) && all[1] == "per" || first == "default" && last != "id" && strings.ToUpper(r.At(to-1).Text) == r.At(to-1).Text || r.Is("view", strings.Join(all, " ")) || r.Is("never-field", last) && !r.Is("soon", first) || r.Is("no-field", last) || r.Is("no-longer", last) || r.Is("no-name", last)
	does := r.Is("acts", first) || r.Is("asks-for", first) && r.Is("field", all[1]) && !r.Is("field-pair", first+" "+all[1]) || r.Is("only-do", first) && !r.Is("inside-word", all[1]) && !r.Is("field", last)
	return odd || does || r.Is("number-word", first) || r.Is("field-noun", english.Singular(first)) && english.IsPlural(first)
}

// commaless says whether two names stand one behind the other: name age.
func (r *reader) commaless(one, next string) bool {
	whole := r.Is("whole-name", next) && next != "name" || r.Is("name-of-its-own", next) || one == "name" && !r.Is("function", next)
	return r.Is("whole-name", one) && whole && !r.Is("one-name", one+" "+next)
}

// whole says whether a word is the name of a field with which the word behind it does not go on.
func (r *reader) whole(i int) bool {
	low, next := r.At(i).Low, r.At(i+1).Low
	alone := func(w string) bool { return r.Is("whole-name", w) || r.Is("whole-field", w) }
	kind, happened := r.Tables["field"][low], r.done(next) && !alone(next) && !r.Is("seen-or-read", next)
	switch {
	case r.Is("type-behind", low) || r.Is("goes-on-any", next) && r.terminals["setting"](r, i+2) == nil || r.Is("begins-field", low) && r.Is("goes-on-thing", next):
		return false
	case alone(low):
		return !happened || kind == "" || kind == values.Text || kind == values.Texts || kind == values.Truth // but: date collected
	case r.Is("has-phone", low), r.Is("above", low), r.Is("begins-field", low):
		return !r.Is("goes-on-person", next)
	case kind == values.Truth && r.done(low):
		return !r.Is("goes-on-done", next)
	case r.Is("type-behind", next):
		return r.open(i, true) > 0
	}
	return r.Ends(i+1) && (kind != "" || r.Is("also-field", low)) && len(low) > 3 && !r.Is("type", "in "+low) && !r.Is("unit", low)
}

// elsewhere says whether a name is there once more.
func (r *reader) elsewhere(from, to int) bool {
	name := english.Singular(r.At(to - 1).Low)
	for i, t := range r.Tokens {
		if (i < from || i >= to) && !t.Mark && english.Singular(t.Low) == name {
			return true
		}
	}
	return false
}

func (r *reader) class(i int) string {
	if t := r.At(i); t.Mark || t.Quoted {
		return ""
	}
	return r.Vocabulary[r.At(i).Low].Class
}

// plain says whether a word may be a name by itself.
func (r *reader) plain(i int, field bool) bool {
	low := r.At(i).Low
	return r.class(i) == "" || r.Is("given-too", low) || r.happens(i) || field && (r.Is("field", low) || r.Is("also-field", low))
}

// open says what a word costs as a part of a name; less than nothing where it is none.
func (r *reader) open(i int, field bool) int {
	t := r.At(i)
	if i >= len(r.Tokens) || t.Mark || t.Quoted || strings.Contains(t.Low, " ") && r.class(i) != "" || t.Low == "one" && r.At(i+1).Low == "of" {
		return -1
	}
	if !plainName.MatchString(spelled(t)) {
		inside := field && thousands.MatchString(t.Low) && !r.Ends(i-1) && !r.Ends(i+1) // best 5k time
		return map[bool]int{true: 1, false: -1}[inside]
	}
	if field && (codes.MatchString(t.Raw) && !(r.Ends(i-1) && plainName.MatchString(t.Low)) || t.Raw == "" && codes.MatchString(r.At(i-1).Raw)) {
		return -1
	}
	if r.foreign(i, field) || strings.ContainsAny(t.Raw, "<>") || !field && (r.Is("number-word", t.Low) || t.Low == "one") {
		return -1
	}
	known := r.Is("field", t.Low) || r.Is("also-field", t.Low) || r.stamp(i)
	if field && (r.manyBehind(i) || !r.Ends(i-1) && len(r.terminals["selfset"](r, i)) > 0 || t.Low == "in" && r.At(i+1).Low == "(" || r.Is("lists", t.Low) && r.At(i+1).Low == "of" && !r.Ends(i-1) && english.IsPlural(r.At(i-1).Low)) { // tags list, created_at auto, status in (open, closed), steps array of text
		return -1
	}
	switch m := r.Vocabulary[t.Low]; {
	case field && !known && (m.Class == "language" || m.Value == "sqlite" || m.Value == "postgres" || t.Low == "api") && r.Ends(i-1) && r.Ends(i+1) && r.At(i+1).Low != "(":
		return -1
	case field && !known && m.Class == "detail" && r.At(i-1).Low == "•" && r.Ends(i+1): // a feature
		return -1
	case r.exact(t.Low) != nil, r.happens(i): // what was told of before
		return 1
	case field && r.Is("alone-too", t.Low) && r.Ends(i-1) && (r.Ends(i+1) || r.Is("type-behind", r.At(i+1).Low)):
		return 1
	case field && (r.Is("particle", t.Low) || r.twin(i)) && !r.Ends(i-1) && (r.Ends(i+1) || r.done(r.At(i-1).Low) && r.Is("type-behind", r.At(i+1).Low) || r.needs(i+1) != "" && r.Ends(i+2)): // ends on, closed at optional
		return 0
	case field && r.Is("type-behind", t.Low) && r.Is("particle", r.At(i-1).Low) && r.done(r.At(i-2).Low): // taken at datetime
		return -1
	case field && (r.Is("type-behind", t.Low) && !known && !(r.Ends(i-1) && r.Ends(i+1)) || !r.Ends(i-1) && (r.truth(i) || t.Low == "one" && r.At(i+1).Low == "of")):
		return -1
	case !field && r.Is("no-part", t.Low), r.Is("function", t.Low) && !(field && known && r.Ends(i+1)), strings.HasSuffix(t.Low, "ly") && len(t.Low) > 5 && !known && !(field && r.Ends(i-1) && (r.Ends(i+1) || r.done(r.At(i+1).Low))) && !r.Is("period", t.Low):
		return -1
	case field && r.between(i):
		return 1
	case field && r.needs(i) != "" && r.Ends(i-1) && r.Ends(i+1): // url: required; name, required: a field, or a rule?
		return 14
	case field && r.needs(i) != "" && !r.needed(i):
		return 3
	case field && (known || r.Is("type-behind", r.At(i+1).Low)), m.Class == "", m.Value == "filler", r.Is("given-too", t.Low):
		return 1
	case r.impossible(i) > 0 && !r.Is("also-name", r.Words(i, r.impossible(i))) && (!field || r.Ends(i-1) || r.Is("function", r.At(i-1).Low)):
		return 9
	case field && r.Is("sets", m.Class) && !r.Is("setting-too", t.Low) && (r.At(i-1).Mark || r.At(i-1).Low == "with") && r.Ends(i+1): // rather a setting: jokes, python
		return 12
	case m.Class == "stop", m.Class == "language", m.Class == "database", m.Class == "auth":
		return 4
	}
	return 2
}

// twin says whether a word ends one of two names that begin with the same: pitch before, pitch after.
func (r *reader) twin(i int) bool {
	begin, other := r.At(i-1).Low, r.Tables["twins-behind"][r.At(i).Low]
	for k := range r.Tokens {
		if other != "" && r.At(k).Low == other && r.At(k-1).Low == begin {
			return true
		}
	}
	return false
}

// between says whether a word sets something elsewhere, and is a field as it stands between two: email, token, used.
func (r *reader) between(i int) bool {
	before, behind := r.At(i-1), r.At(i+1)
	return r.Is("setting-too", r.At(i).Low) && before.Mark && behind.Mark && before.Low != "." && before.Low != ")" && (behind.Low == "," || r.Length(i+2, "type") > 0)
}

// impossible gives how many words at a place mean what cannot be had. Some of them are ordinary words but where only a framework
// would stand: with express, a bottle API.
func (r *reader) impossible(i int) int {
	m, n := r.Phrase(i)
	said := r.Words(i, n)
	framework := r.Is("built-with", r.At(i-1).Low) || r.class(i-1) == "language" || r.class(i+1) == "kind" && !r.Is("also-name", r.At(i+1).Low) || r.class(i+1) == "language" || r.Is("framework", r.At(i+1).Low)
	switch {
	case m.Class != "heart", r.happens(i), r.Is("machine", said), r.Is("used-now", said), r.Is("unit", said), r.Is("audience", r.At(i+n).Low), r.Is("framework-too", said) && !framework:
		return 0
	}
	return n
}

// foreign says whether a word names what other projects are made with, or sets something of this one, and no part of a name: with
// Kafka. Of the values of a record it may be one, between commas.
func (r *reader) foreign(i int, field bool) bool {
	m, n := r.Phrase(i)
	low := r.At(i).Low
	item := field && r.At(i-1).Mark && r.Ends(i+n)
	switch {
	case len(low) == 1, r.Is("setting-too", r.Words(i, n)), r.Is("framework-too", low), r.Is("event-too", low), r.Is("setting-too", low), r.Is("field", low), r.Is("also-field", low):
		return false
	case m.Class == "heart" && r.Is("foreign", m.Value):
		return !item
	case m.Class == "heart" && r.Is("foreign-alone", m.Value): // login events, but not with a login
		return field && !item && r.Ends(i+n) && r.Ends(i-1)
	case r.Is("no-part", low):
		return item
	}
	return false
}

// happens says whether a word that has a meaning elsewhere names something that happens here: runs of a machine, a signup links,
// signups (name, date).
func (r *reader) happens(i int) bool {
	next := r.At(i + 1).Low
	return r.Is("event-too", r.At(i).Low) && (next == "of" || r.ClassAt(i+1) == "relation" || next == "(" && english.IsPlural(r.At(i).Low))
}

// needs gives what a word says of whether a field is needed, or of two that have the same value.
func (r *reader) needs(i int) string {
	if what, _ := r.Longest(i, "rule"); what == "unique" || what == "required" || what == "optional" {
		return what
	}
	return ""
}

// needed says whether several of something are needed in life, and not in a record: required skills.
func (r *reader) needed(i int) bool {
	next := r.At(i + 1)
	if low := r.At(i).Low; low == "optional" && !r.Is("chosen-in-life", next.Low) { // optional comments
		return false
	}
	return r.Is("need-word", r.At(i).Low) && r.Ends(i+2) && english.IsPlural(next.Low) && !r.Is("field-noun", english.Singular(next.Low)) && r.Length(i+1, "type") == 0 && r.Tables["field"][next.Low] != values.Text // but: optional notes
}

// truth says whether a kind stands at a place that is true or false: yes/no.
func (r *reader) truth(i int) bool {
	kind, n := r.Longest(i, "type")
	return n > 0 && kind == values.Truth
}

func (r *reader) nameOf(from, to int) string {
	var all []string
	for i := from; i < to; i++ {
		if t := r.At(i); t.Low != "the" && t.Low != "a" && t.Low != "that" {
			all = append(all, spelled(t))
		}
	}
	return strings.Join(all, "_")
}

// spelled gives a word as a part of a name: created_at of createdAt.
func spelled(t words.Token) string {
	if text := strings.TrimSuffix(t.Text, "'s"); len(text) > 4 && camelCase.MatchString(text) && !strings.Contains(text, " ") && own["brand"][english.Singular(strings.ToLower(text))] == "" {
		return strings.ToLower(camelCase.ReplaceAllString(text, "${1}_$2"))
	}
	low := strings.Map(func(c rune) rune { // café
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, norm.NFD.String(t.Low))
	if t.Quoted {
		low = strings.ReplaceAll(low, "-", "_")
	}
	return strings.ReplaceAll(low, " ", "_")
}

// inPlural writes the name of several things in words: order items.
func inPlural(name string) string { return strings.ReplaceAll(english.Plural(name), "_", " ") }
