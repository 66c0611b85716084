package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
)

// item is what is said of one field, up to a place.
type item struct {
	from  int
	words []string
	kind  string
	ref   string
	rules values.Rules
	left  []string // what is said of its values, and they are not held to
	told  bool     // its kind, or a rule
	end   int
	cost  int
}

// items gives the ways to read a field at a place.
func (p *parser) items(i, to int) (out []item) {
	if low := p.At(i).Low; low == "whether" || low == "wether" {
		return p.whether(i, to)
	}
	if p.At(i).Low == "how" && (p.At(i+1).Low == "many" || p.At(i+1).Low == "much") {
		return p.howMany(i, to)
	}
	begin, pre := p.beforeName(i)
	pre.from = begin
	for _, n := range p.fieldNames(begin) {
		it := pre
		it.words, it.end, it.cost = n.words, n.end, pre.cost+n.cost
		if n.kind != "" {
			it.kind, it.told = n.kind, true
		}
		p.tail(it, to, &out)
	}
	for k := range out {
		out[k].cost += p.itemCost(out[k])
	}
	return out
}

// whether reads a field that says whether something is so.
func (p *parser) whether(i, to int) []item {
	it := item{kind: values.Truth, told: true, end: min(p.EndOf(i), to), cost: usual}
	for k := i + 1; k < it.end; k++ {
		if !p.Is("copula", p.At(k).Low) && !p.Is("light", p.At(k).Low) && p.Length(k, "narrator") == 0 {
			it.words = append(it.words, spelled(p.At(k)))
		}
	}
	if len(it.words) == 0 || len(it.words) > 4 || !plainName.MatchString(strings.Join(it.words, "_")) {
		return nil
	}
	return []item{it}
}

// paired reads two fields that share a word: first and last name.
func (p *parser) paired(i, to int) (one, other item, ok bool) {
	if !p.Is("paired", p.At(i).Low) || p.At(i+1).Low != "and" || !p.Is("paired", p.At(i+2).Low) || i+3 >= to || p.ends(i+3) {
		return one, other, false
	}
	for _, it := range p.items(i+2, to) {
		if len(it.words) > 1 && it.cost < never {
			one = it
			one.words = append([]string{p.At(i).Low}, it.words[1:]...)
			return one, it, true
		}
	}
	return one, other, false
}

// howMany reads a field that says how many there are of something.
func (p *parser) howMany(i, to int) []item {
	it := item{kind: map[string]string{"many": values.Integer, "much": values.Number}[p.At(i+1).Low], told: true, end: min(p.EndOf(i), to), cost: usual}
	for k := i + 2; k < it.end; k++ {
		if !p.Is("copula", p.At(k).Low) && !p.Is("light", p.At(k).Low) && p.Length(k, "narrator") == 0 {
			it.words = append(it.words, spelled(p.At(k)))
		}
	}
	if len(it.words) == 0 || len(it.words) > 4 || !plainName.MatchString(strings.Join(it.words, "_")) {
		return nil
	}
	return []item{it}
}

// beforeName reads what stands before the name of a field: a, optional, unique.
func (p *parser) beforeName(i int) (int, item) {
	var it item
	for {
		n := p.Length(i, "rule")
		what, _ := p.Longest(i, "rule")
		plain := what == "unique" || what == "required" || what == "optional"
		switch {
		case p.Is("list-of", p.At(i).Low) && p.At(i+1).Low == "of" && !p.ends(i+2):
			it.kind, it.told, i = values.Texts, true, i+2
		case p.Is("light", p.At(i).Low) && !p.ends(i+1) && p.class(i) == "stop":
			i++
		case n > 0 && plain && !p.ends(i+n) && it.rules.Said(p.Text, i, &it.kind) == n:
			i, it.told = i+n, true
		case p.Is("type-behind", p.At(i).Low) && !p.ends(i+1) && p.wordCost(i+1, true) < never:
			it.kind, it.told, i = p.Tables["type"][p.At(i).Low], true, i+1
		default:
			return i, it
		}
	}
}

// tail reads what is said of a field behind its name, in every way.
func (p *parser) tail(it item, to int, out *[]item) {
	if it.end > to {
		return
	}
	i := it.end
	if kind, n := p.Longest(i, "type"); n > 1 && p.At(i).Low == "or" { // alcoholic or not
		it.kind, it.told, it.end = kind, true, i+n
		p.tail(it, to, out)
		return
	}
	if p.ends(i) && p.At(i).Low != "(" && p.At(i).Low != ":" || i == to {
		*out = append(*out, it)
		p.more(it, to, out)
		return
	}
	if p.stops(i) {
		*out = append(*out, it)
	}
	if kind, n := p.Longest(i, "type"); n > 0 {
		next := it
		next.kind, next.told, next.end = p.kindOf(kind, i), true, i+n
		next.cost += p.typeCost(it, i, n)
		p.tail(next, to, out)
	}
	p.ruled(it, i, to, out)
	p.first(it, i, to, out)
	if p.Is("relative", p.At(i).Low) { // a rating that starts at 1000
		p.ruled(it, i+1, to, out)
	}
	switch low := p.At(i).Low; {
	case low == ":" && it.kind != "" && p.ends(i+2) && i+1 < to:
		it.rules.Default, it.end = p.At(i+1).Raw, i+2
		p.tail(it, to, out)
	case low == ":":
		p.described(it, i+1, to, out)
	case low == "(":
		p.remarked(it, i, to, out)
	default:
		p.chosen(it, i, false, to, out)
		p.limited(it, i, to, out)
	}
	if n := p.Length(i, "modal"); n > 0 && p.At(i+n).Raw != "A" {
		at := p.After(i+n, "a", "an")
		p.described(it, at, to, out)
	}
}

// stops says whether something else than a field begins at a place: please, in Go, with SQLite.
func (p *parser) stops(i int) bool {
	m, n := p.Phrase(i)
	if m.Class == "relation" && strings.HasPrefix(p.Words(i, n), "for ") { // for each reading
		return true
	}
	behind := (m.Class == "place" || m.Class == "fields") && p.required(i+n) && !p.Is("also-name", p.At(i+n).Low)
	return behind || p.Is("courtesy", p.At(i).Low) && p.ends(i+1) || p.required(i) && !p.Is("also-name", p.At(i).Low) && p.Length(i, "rule") == 0
}

// typeCost says how likely it is that a word behind a name tells the kind, and is no part of the name.
func (p *parser) typeCost(it item, i, n int) int {
	last := it.words[len(it.words)-1]
	behind := p.Is("type-behind", p.At(i).Low) || n > 1 || strings.Contains(p.At(i).Low, "/")
	switch low := p.At(i).Low; {
	case behind || it.told || p.typed && p.At(i).Low != "number" || (p.At(i).Low == "text" || p.At(i).Low == "date") && p.Length(i+n, "rule") > 0 && !p.fieldWord(last):
		return 0
	case low == "text" && p.fieldWord(last), low == "date" && p.Is("field-ends", last) && len(it.words) > 1, strings.Contains(last, "_"):
		return 2
	case low == "email" || low == "url" || low == "phone":
		return 45
	}
	return 20
}

// kindOf settles a kind that was told by its unit: what is counted in minutes is a whole number.
func (p *parser) kindOf(kind string, i int) string {
	if whole := p.Length(i, "in-whole") > 0; whole && kind == values.Number && !p.Is("type-behind", p.At(i).Low) {
		return values.Integer
	}
	return kind
}

// first reads what a value is to begin with: paid should be no at first.
func (p *parser) first(it item, i, to int, out *[]item) {
	n := p.Length(i, "modal")
	k := p.Length(i+n+1, "at-first")
	if n == 0 || k == 0 || i+n+1+k > to {
		return
	}
	it.rules.Default, it.told, it.end = p.At(i+n).Raw, true, i+n+1+k
	p.tail(it, to, out)
}

// ruled reads one rule.
func (p *parser) ruled(it item, i, to int, out *[]item) {
	what, _ := p.Longest(i, "rule")
	if what == "choice" || what == "or" {
		at := p.After(i+p.Length(i, "rule"), ":")
		if end := p.closes(at); p.At(at).Low == "(" && end > 0 { // enum(open, done)
			it.rules.Choices, it.told, it.end = p.plainList(at+1, end), true, end+1
			p.tail(it, to, out)
			return
		}
		p.chosen(it, at, true, to, out)
		return
	}
	next := it
	if n := next.rules.Said(p.Text, i, &next.kind); n > 0 && i+n <= to {
		next.told, next.end = true, i+n
		p.tail(next, to, out)
	}
}

// more reads a rule that a comma, or a word that joins, parts from the rest.
func (p *parser) more(it item, to int, out *[]item) {
	i := it.end
	if low := p.At(i).Low; i >= to || low != "," && low != "and" && low != "but" {
		return
	}
	for i < to && (p.At(i).Low == "," || p.Is("beside-rule", p.At(i).Low)) {
		i++
	}
	next := it
	n := next.rules.Said(p.Text, i, &next.kind)
	if n == 0 || i+n > to || !p.ends(i+n) {
		return
	}
	bounded := next.rules.Min+next.rules.Max != it.rules.Min+it.rules.Max && (it.kind == values.Number || it.kind == values.Integer) // a float, -90 to 90
	if what, _ := p.Longest(i, "rule"); what == "" && !bounded || what == "choice" || what == "or" {
		return
	}
	next.told, next.end = true, i+n
	p.tail(next, to, out)
}

// described reads what stands behind a colon, or behind "is".
func (p *parser) described(it item, i, to int, out *[]item) {
	if i >= to || p.At(i).Mark {
		return
	}
	if end := p.reference(i); end > 0 && !plaintext.IsCapital(p.At(it.end-1).Text) && !english.IsPlural(it.words[len(it.words)-1]) {
		it.ref, it.told, it.end = english.Singular(p.At(end-1).Low), true, end
		p.tail(it, to, out)
		return
	}
	if kind, n := p.Longest(i, "type"); n > 0 {
		next := it
		next.kind, next.told, next.end = p.kindOf(kind, i), true, i+n
		p.tail(next, to, out)
	}
	p.ruled(it, i, to, out)
	p.chosen(it, i, p.At(i-1).Low == ":" || p.orFollows(i, to), to, out)
}

// reference says where the name of another thing ends that a field refers to: an astronaut, belongs to Vessel.
func (p *parser) reference(i int) int {
	_, n := p.Phrase(i)
	if p.Phraseful(i, "relation") {
		i += n
	}
	i = p.After(i, "a", "an", "the")
	if t := p.At(i); !t.Mark && p.known(t.Low) && p.ends(i+1) {
		return i + 1
	}
	return 0
}

// remarked reads what stands in brackets behind the name of a field: its kind, its rules, or its choices.
func (p *parser) remarked(it item, i, to int, out *[]item) {
	end := p.closes(i)
	if end < 0 || end >= to {
		return
	}
	next := it
	next.end, next.told = end+1, true
	if at := p.reference(i + 1); at == end {
		next.ref = english.Singular(p.At(end - 1).Low)
		p.tail(next, to, out)
		return
	}
	if p.defines(i+1, end) {
		return
	}
	if n := p.Length(i+1, "rule"); p.Tables["rule"][p.Words(i+1, n)] == "choice" {
		if list := p.plainList(p.After(i+1+n, ":"), end); len(list) > 1 { // (one of a, b)
			next.rules.Choices = list
			p.tail(next, to, out)
			return
		}
	}
	last := it.words[len(it.words)-1]
	parts := p.plainParts(i+1, end)
	lists := parts && (p.partsOf(i+1, end) || p.fieldList(i+1, end))
	if several := parts && !p.Is("field", last); english.IsPlural(last) && !p.Is("made-of", last) && p.holdsMark(i+1, end, ",") && (lists || several) {
		return
	}
	if p.figures(i+1, end) > 2 || p.partsOf(i+1, end) || parts && p.Is("made-of", last) && p.holdsMark(i+1, end, ",") || p.pattern(i+1, end) {
		next = it
		next.left = append(slices.Clone(it.left), p.text(i+1, end))
		next.end, next.cost = end+1, it.cost+30
		p.tail(next, to, out)
		return
	}
	several := english.IsPlural(last) && !p.Is("field", last)      // matches (home team, away team)
	if list, at := p.listWithRules(i+1, end); at > 0 && !several { // (open, closed; default open)
		next.rules.Choices = list
		if list, _ := next.rules.Described(p.Text, it.words, at, end, &next.kind); len(list) == 0 {
			p.tail(next, to, out)
			return
		}
		next.rules = it.rules
	}
	if value := p.At(i + 1).Raw; p.text(i+2, end) == "by default" && slices.Contains(it.rules.Choices, value) {
		next.rules.Default = value
		p.tail(next, to, out)
		return
	}
	if list := p.plainList(i+1, end); len(list) > 1 && several {
		return
	} else if len(list) > 1 {
		next.rules.Choices = list
		next.cost += 2
		p.tail(next, to, out)
		return
	}
	list, vague := next.rules.Described(p.Text, it.words, i+1, end, &next.kind)
	if p.fieldList(i+1, end) && len(list) > 1 && english.IsPlural(it.words[len(it.words)-1]) {
		return
	}
	if several && len(list) > 1 {
		return
	}
	long := slices.ContainsFunc(list, func(c string) bool { return len(strings.Fields(c)) > 3 })
	switch {
	case len(list) == 0:
	case len(list) == 1 || vague || long || p.fieldList(i+1, end) || !p.choosable(i+1, end):
		kind := next.kind
		next = it
		next.kind = kind
		next.left = append(slices.Clone(it.left), p.text(i+1, end))
		next.end, next.cost = end+1, it.cost+30
	default:
		next.rules.Choices = list
	}
	p.tail(next, to, out)
}

// itemCost says how strange a field is.
func (p *parser) itemCost(it item) int {
	last, whole := it.words[len(it.words)-1], strings.Join(it.words, " ")
	long := 6 * max(0, len(it.words)-3)
	ing := strings.HasSuffix(last, "ing") && !p.Is("noun-in-ing", last) && !p.Is("noun-anyway", last)
	for k, w := range it.words[1:] {
		if p.Is("whole-name", it.words[k]) && w != "name" && (p.Is("whole-name", w) || p.Is("field", w) && p.Tables["field"][w] != "string") {
			return 60
		}
	}
	if it.rules.Choices != nil && english.IsPlural(last) && !p.Is("field", last) {
		long += 20
		if p.At(it.from+len(it.words)).Low == ":" && p.beginsSentence(it.from) { // games: white, black
			return never
		}
	}
	switch {
	case len(it.words) == 1 && p.known(whole) && !english.IsPlural(whole):
		return usual
	case (p.Is("field", whole) || p.Is("also-field", whole)) && long == 0:
		return usual
	case it.told:
		return usual + long
	case ing && !p.Is("field", last):
		return never
	case p.Is("field", last) || p.fieldWord(last) && len(it.words) > 1, p.Is("field-ends", last) && len(it.words) > 1:
		return usual + 2 + long
	case p.Is("also-field", last), len(it.words) > 2 && slices.Contains(it.words, "of"):
		return usual + 5 + long
	case english.IsPlural(last):
		return 30 + long
	}
	return 24 + long
}
