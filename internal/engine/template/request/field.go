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
		next.kind, next.told, next.end = p.kindOf(it, kind, i), true, i+n
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

// kindOf settles a kind that was told with what the name tells: an age in years is a whole number.
func (p *parser) kindOf(it item, kind string, i int) string {
	guess, sure := values.Guess(p.Lexicon, it.words)
	measured := p.At(i).Low == "in"
	whole := p.Length(i, "in-whole") > 0 || sure && guess == values.Integer && !measured
	if whole && kind == values.Number && !p.Is("type-behind", p.At(i).Low) {
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
		next.kind, next.told, next.end = p.kindOf(it, kind, i), true, i+n
		p.tail(next, to, out)
	}
	p.ruled(it, i, to, out)
	p.chosen(it, i, p.At(i-1).Low == ":" || p.orFollows(i, to), to, out)
}

// orFollows says whether a list ends with a choice of two.
func (p *parser) orFollows(i, to int) bool {
	for ; i < to && (!p.At(i).Mark || p.At(i).Low == ","); i++ {
		if p.At(i).Low == "or" {
			return true
		}
	}
	return false
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

// defines says whether brackets hold names with lists of their own: (trainer: name, badges).
func (p *parser) defines(from, end int) bool {
	for i := from + 1; i < end; i++ {
		plain := !figure(p.At(i-1).Low) && p.Length(i-1, "rule") == 0 && !p.Is("type", p.At(i-1).Low)
		if p.At(i).Low == ":" && plain && p.holdsMark(i, end, ",") && p.Tables["rule"][p.text(i-2, i)] == "" {
			return true
		}
	}
	return false
}

// listWithRules gives the choices in brackets before a rule, and where that begins.
func (p *parser) listWithRules(from, end int) ([]string, int) {
	for i := from + 2; i < end; i++ {
		if p.At(i-1).Mark && p.Length(i, "rule") > 0 {
			if list := p.plainList(from, i-1); len(list) > 1 {
				return list, i
			}
			return nil, 0
		}
	}
	return nil, 0
}

// holdsMark says whether a mark stands between two places.
func (p *parser) holdsMark(from, end int, low string) bool {
	for i := from; i < end; i++ {
		if p.At(i).Mark && p.At(i).Low == low {
			return true
		}
	}
	return false
}

// pattern says whether brackets hold how a value is written: MM/YY, HH:MM.
func (p *parser) pattern(from, end int) bool {
	if from == end {
		return false
	}
	for i := from; i < end; i++ {
		for part := range strings.SplitSeq(p.At(i).Low, "/") {
			if !p.At(i).Mark && !p.Is("written-as", part) {
				return false
			}
		}
	}
	return true
}

// figures counts the numbers between two places.
func (p *parser) figures(from, end int) (n int) {
	for i := from; i < end; i++ {
		if values.Decimal.MatchString(p.At(i).Raw) {
			n++
		}
	}
	return n
}

// plainParts says whether no part in brackets tells a kind or a rule.
func (p *parser) plainParts(from, end int) bool {
	for i := from; i < end; i++ {
		told := p.Length(i, "type-behind")+p.Length(i, "rule") > 0 || p.Is("type", p.At(i).Low) && !p.fieldWord(p.At(i).Low) && p.ends(i+1)
		if (i == from || p.ends(i-1)) && told {
			return false
		}
	}
	return true
}

// partsOf says whether brackets hold what the value of a field is made of: an address (street, city).
func (p *parser) partsOf(from, end int) bool {
	parts := 0
	for i := from; i < end; i++ {
		w := p.At(i).Low
		text := p.Tables["field"][w] == values.Text || p.Tables["also-field"][w] == values.Text
		if p.ends(i+1) && (text && !p.Is("type", w) || p.Is("part-of", w)) {
			parts++
		}
	}
	return parts > 1
}

// plainList gives what stands in brackets with commas between, if each is a short choice.
func (p *parser) plainList(from, end int) (list []string) {
	for at := from; at < end; {
		to := at
		for to < end && !p.At(to).Mark && p.At(to).Low != "or" {
			to++
		}
		text := p.Written(at, to)
		if text == "" || to > at+3 || figure(text) && values.Decimal.MatchString(text) || !p.choosable(at, to) || p.fieldWord(p.At(to-1).Low) && p.Tables["field"][p.At(to-1).Low] != values.Truth {
			return nil
		}
		if p.Length(at, "type") > 0 || p.At(to).Mark && p.At(to).Low != "," && to < end {
			return nil
		}
		list = append(list, text)
		if at = to + 1; p.At(at).Low == "or" {
			at++
		}
	}
	return list
}

// fieldList says whether most of what stands in brackets are usual fields, or are told like fields.
func (p *parser) fieldList(from, end int) bool {
	usual, all, found := 0, 0, 0
	for i := from; i < end; i++ {
		w := p.At(i).Low
		truth := p.Tables["field"][w] == values.Truth
		if !p.At(i).Mark && (p.Is("field", w) && (!truth || found+usual > 0) || p.Is("type-behind", w) || strings.Contains(w, "_")) {
			found = 1
		}
		if p.ends(i + 1) {
			all++
			usual += found
			found = 0
		}
	}
	return 2*usual >= all && usual > 0
}

// chosen reads a list of what the values may be. Where that ends is not told by a mark, every end is a way to read it.
func (p *parser) chosen(it item, i int, told bool, to int, out *[]item) {
	if slash := p.At(i); strings.Contains(slash.Raw, "/") && !slash.Mark && !p.Is("type", slash.Low) {
		next := it
		next.rules.Choices, next.told, next.end = values.Choices(p.Text, i, p.Behind(i)), true, p.Behind(i)
		p.tail(next, to, out)
		return
	}
	list, at, cost, last := []string(nil), i, 0, false
	for at < to && len(list) < 12 {
		end := at
		for end < to && !p.ends(end) && end < at+3 {
			end++
		}
		text := p.Written(at, end)
		if text == "" || !p.choosable(at, end) {
			return
		}
		if len(list) == 0 && end > at+1 && p.At(end).Low == "or" && end-at <= 3 { // minor major or critical
			for k := at; k < end; k++ {
				list = append(list, p.Written(k, k+1))
			}
		} else {
			list = append(list, text)
		}
		cost += p.choiceCost(at, end)
		sep := p.At(end)
		if len(list) > 1 && (p.ends(end) || end == to) && sep.Low != "or" && sep.Low != ":" {
			next := it
			next.rules.Choices, next.told, next.end = slices.Clone(list), true, end
			switch or := p.At(at-1).Low == "or"; {
			case !or:
				next.cost += cost + p.choiceEnd(it, told, at, end)
			case !told && !p.Is("no-title", it.words[len(it.words)-1]):
				next.cost += 30 + cost
			}
			p.tail(next, to, out)
		}
		if piped := p.At(at-1).Text == "|" && len(list) > 1; piped && sep.Text != "|" { // matte | satin, food safe
			return
		}
		if last || end >= to || sep.Low != "," && sep.Low != "or" && sep.Low != "and" || sep.Text == ";" {
			return
		}
		last = sep.Low == "or" || sep.Low == "and"
		if at = end + 1; sep.Low == "," && (p.At(at).Low == "or" || p.At(at).Low == "and") {
			at, last = at+1, true
		}
	}
}

// choosable says whether words may be one of the choices of a field.
func (p *parser) choosable(from, end int) bool {
	for k := from; k < end; k++ {
		m, _ := p.Phrase(k)
		if k == from && end > from+1 && p.Length(k, "type") > 1 || p.Is("written-by", p.At(k).Low) {
			return false
		}
		if k == from && end > from+1 && m.Class == "stop" && m.Value != "filler" && !p.Is("particle", p.At(k).Low) {
			return false
		}
		if k > from && figure(p.At(k).Low) && p.At(k).Raw != "" && !p.ends(k-1) {
			return false
		}
		if p.Length(k, "rule") > 0 || p.Length(k, "modal") > 0 || p.At(k).Quoted && end > from+1 || p.Is("type-behind", p.At(k).Low) {
			return false
		}
		if slices.Contains([]string{"database", "auth", "kind", "port", "fields", "things"}, m.Class) && !p.Is("also-name", p.At(k).Low) {
			return false
		}
	}
	return true
}

func (p *parser) choiceCost(from, end int) int {
	w := p.At(end - 1).Low
	upper := p.At(end-1).Raw == strings.ToUpper(p.At(end-1).Raw)
	switch kind := p.Tables["field"][w]; {
	case upper || p.At(from).Quoted:
		return 0
	case kind != "" && kind != "boolean":
		return 25
	case figure(w):
		return 12
	case p.Is("field-ends", w) && end > from+1:
		return 25
	case p.Is("also-field", w) && p.Tables["also-field"][w] != "boolean":
		return 12
	}
	return 3
}

// choiceEnd says what it costs that a list of choices ends here, and that it is one.
func (p *parser) choiceEnd(it item, told bool, at, end int) int {
	last := it.words[len(it.words)-1]
	piped := p.At(at-1).Text == "|"
	switch {
	case piped && p.At(end).Text != "|":
		return 0
	case told && (p.Is("no-title", last) || p.At(end).Text == ";" || p.At(end).Mark && p.At(end).Low != ","):
		return 2
	case !told || p.beginsSentence(it.from) || p.known(strings.Join(it.words, "_")):
		return never
	case p.Is("field", last):
		return 14
	}
	return 10
}

// limited reads what is said of a field's values and they cannot be held to: "in the future", "after start".
func (p *parser) limited(it item, i, to int, out *[]item) {
	m, _ := p.Phrase(i)
	if !p.Is("condition", p.At(i).Low) && m.Class != "place" || p.ends(i+1) || p.Length(i, "rule") > 0 {
		return
	}
	end := i
	for end < to && !p.ends(end) {
		if m, _ := p.Phrase(end); end > i && slices.Contains([]string{"database", "language", "auth", "kind", "heart"}, m.Class) {
			return
		}
		end++
	}
	it.left = append(slices.Clone(it.left), p.text(i, end))
	it.end, it.cost = end, it.cost+30
	p.tail(it, to, out)
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
