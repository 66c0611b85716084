package request

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

var (
	plainName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}(?:[_ ][a-z0-9]{1,23}){0,5}$`)
	camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)
)

const longestName = 5

// name is some words that name something, and what it costs to read them so.
type name struct {
	words []string
	kind  string // that the words tell
	end   int
	cost  int
}

// spelled gives a word as a part of a name.
func spelled(t words.Token) string {
	if camelCase.MatchString(t.Text) && !strings.Contains(t.Text, " ") {
		return strings.ToLower(camelCase.ReplaceAllString(t.Text, "${1}_$2"))
	}
	return strings.ReplaceAll(strings.TrimPrefix(t.Low, "/"), " ", "_")
}

// wordCost says what it costs to take a word for a part of a name, or never.
func (p *parser) wordCost(i int, inField bool) int {
	t := p.At(i)
	w := spelled(t)
	m := p.Vocabulary[t.Low]
	switch {
	case t.Mark || t.Quoted || !plainName.MatchString(w) || p.Is("adverb", t.Low):
		return never
	case m.Class == "" && strings.HasSuffix(w, "ly") && len(w) > 4 && !p.Is("field", w):
		return never
	case m.Class == "" && (p.Is("only-verb", t.Low) || p.Is("behind", t.Low)) && !p.Is("field", w):
		if inField && p.Is("only-verb", t.Low) {
			return 8
		}
		return never
	case m.Class == "":
		return free
	case p.fieldWord(w) && inField:
		return free
	case p.Is("also-name", t.Low):
		return 3
	case p.Is("given-or-field", t.Low):
		return 6
	case !inField && (m.Class == "detail" || m.Class == "given") && english.IsPlural(w) && p.At(i-1).Low == "for" && (p.At(i+1).Low == ":" || p.At(i+1).Low == "("):
		return 6
	case !inField && p.Is("thing-too", t.Low) && (p.At(i-1).Low == "for" || p.class(i-1) == "" && !p.At(i-1).Mark):
		return 6
	case m.Value == "filler":
		return 6
	case p.request.find(w) != nil && p.request.find(w).Name == english.Singular(w):
		return free
	case inField && p.Is("also-field", t.Low):
		return 3
	}
	return never
}

// names gives the names that may begin at a place, of a thing.
func (p *parser) names(i int) (out []name) {
	if t := p.At(i); t.Quoted {
		if all := strings.Fields(t.Low); plainName.MatchString(strings.Join(all, "_")) {
			return []name{{words: all, end: i + 1}}
		}
		return nil
	}
	if p.class(i) == "things" && p.At(i-1).Low == "to" || p.verbAt(i) { // to store cars
		return nil
	}
	n := name{end: i}
	if k := p.Length(i, "fixed-name"); k > 0 {
		n = name{words: strings.Fields(p.Words(i, k)), end: i + k, cost: 2}
	}
	if m, k := p.Phrase(i); (m.Class == "detail" && !p.Is("done-to", m.Value) && m.Value != "dates" || m.Value == "a game") && p.wordCost(i+k, false) < never {
		n = name{words: strings.Fields(p.Words(i, k)), end: i + k, cost: 1}
	}
	for len(n.words) < longestName {
		if of := p.At(n.end).Low; of == "of" && len(n.words) > 0 && !p.Is("collective", english.Singular(n.words[len(n.words)-1])) && p.wordCost(n.end+1, false) < never {
			n.words, n.end, n.cost = append(slices.Clone(n.words), of), n.end+1, n.cost+8
		}
		cost := p.wordCost(n.end, false)
		if c := p.class(n.end); cost >= never && len(n.words) > 0 && (c == "given" || c == "detail") && (p.At(n.end+1).Low == "(" || p.At(n.end+1).Low == ":") {
			cost = 8 // water tests (ph, tested at)
		}
		if cost >= never {
			break
		}
		n = name{words: append(slices.Clone(n.words), strings.Split(spelled(p.At(n.end)), "_")...), end: n.end + 1, cost: n.cost + cost}
		if p.goodThing(n.words) && n.words[len(n.words)-1] != "of" {
			out = append(out, n)
		}
	}
	return out
}

// verbAt says whether a verb stands at a place: an API to catalogue minerals.
func (p *parser) verbAt(i int) bool {
	settled := p.class(i-2) == "kind" || p.class(i-2) == "language" || p.class(i-2) == "database"
	w := p.At(i).Low
	does := p.Is("acts", w) || p.Is("only-do", w) || p.Is("only-verb", w) || p.Is("demand", w)
	return p.At(i-1).Low == "to" && settled && p.class(i) == "" && !does
}

// goodThing says whether words may be the name of a thing: in English the last of them has the number.
func (p *parser) goodThing(all []string) bool {
	last := all[len(all)-1]
	if p.Is("no-name", all[0]) || p.Is("no-name", last) || p.acts(all) || p.does(all) {
		return false
	}
	for k, w := range all[:len(all)-1] {
		if p.Is("never-inside", w) {
			return false
		}
		of := k+1 < len(all) && all[k+1] == "of"
		ing := strings.HasSuffix(w, "ing") && !p.Is("noun-in-ing", w)
		if ing || english.IsPlural(w) && !of && !p.Is("plural-first", w) && !english.HasSuffix(w, "ss", "us", "is", "ics") {
			return false
		}
	}
	verbal := english.HasSuffix(last, "ing", "ed", "able", "ible", "ful", "ous") && !p.Is("noun-anyway", last)
	if p.Is("reserved-noun", last) || p.Is("reserved-noun", english.Singular(last)) {
		return false
	}
	return !verbal && !p.Is("no-thing", last) && !p.Is("adjective", all[0]) && (len(all) == 1 || !p.Is("verb", last))
}

// thingCost says what it costs to take a name for that of a thing.
func (p *parser) thingCost(n name) int {
	last := n.words[len(n.words)-1]
	whole := strings.Join(n.words, "_")
	cost := n.cost + 4*max(0, len(n.words)-2)
	switch {
	case p.known(whole):
		return cost
	case p.fieldOnly(last) && len(n.words) == 1 && english.IsPlural(last):
		return cost + 18
	case p.fieldOnly(last) && len(n.words) == 1:
		return cost + 60
	case english.IsPlural(last):
		return cost + 10
	case p.Is("has", last), p.Is("place-of", strings.Join(n.words, " ")):
		return cost + 14
	case p.Is("field", last):
		return cost + 35
	}
	return cost + 22
}

// known says whether a thing was named before.
func (p *parser) known(word string) bool {
	return p.request.find(word) != nil || p.heads[english.Singular(word)]
}

// oddName gives the name of a field that begins with a word that has a meaning elsewhere, and ends with one
// that names fields, where nothing else stands between two marks: licence plate, next service date.
func (p *parser) oddName(i int) []name {
	end := i
	for end < i+4 && !p.ends(end) && plainName.MatchString(p.At(end).Low) {
		end++
	}
	m, n := p.Phrase(i)
	elsewhere := slices.Contains([]string{"heart", "license", "given", "kind", "detail", "container", "operation"}, m.Class)
	elsewhere = elsewhere || m.Value == "filler"
	last := p.At(end - 1).Low
	if !elsewhere || !p.begins(i) || !p.ends(end) || end < i+2 || end-i > 3 || n > 2 || p.Is("behind", p.At(i+1).Low) {
		return nil
	}
	if !p.Is("field", last) && !p.Is("also-field", last) && !p.Is("ends-odd-name", last) {
		return nil
	}
	return []name{{words: strings.Fields(p.Words(i, end-i)), end: end, cost: 2}}
}

// fieldNames gives the names that a field may have that is told of at a place.
func (p *parser) fieldNames(i int) (out []name) {
	for _, table := range []string{"field", "also-field", "type"} {
		k := p.Length(i, table)
		if k > 1 && p.begins(i) && p.ends(i+k) && !strings.HasPrefix(p.Words(i, k), "a ") && (table != "type" || p.Tables["type"][p.Words(i, k)] == "datetime") {
			n := name{words: strings.Fields(p.Words(i, k)), end: i + k, cost: 2}
			if table == "type" {
				n.kind = p.Tables["type"][p.Words(i, k)]
			}
			out = append(out, n)
		}
	}
	out = append(out, p.oddName(i)...)
	if w := p.At(i).Low; (p.Is("acts", w) || p.Is("only-do", w) && !p.Is("inside-word", p.At(i+1).Low)) && !p.ends(i+1) && p.At(i+1).Low != "(" {
		return nil
	}
	if t := p.At(i); t.Quoted {
		if all := strings.Fields(t.Low); plainName.MatchString(strings.Join(all, "_")) {
			return []name{{words: all, end: i + 1}}
		}
		return nil
	}
	n := name{end: i}
	for len(n.words) < longestName {
		cost := p.fieldPart(n, i)
		if cost >= never {
			break
		}
		n = name{words: append(slices.Clone(n.words), strings.Split(spelled(p.At(n.end)), "_")...), end: n.end + 1, cost: n.cost + cost}
		if p.At(n.end).Low == "the" && slices.Contains([]string{"of", "per"}, p.At(n.end-1).Low) {
			n.end++
		}
		if p.goodField(n.words) && p.whole(n) {
			out = append(out, n)
		}
	}
	return out
}

// whole says whether a name can end where it does: behind a word such as "in" only where nothing follows.
func (p *parser) whole(n name) bool {
	told := p.Length(n.end, "rule")+p.Length(n.end, "modal")+p.Length(n.end, "type-behind") > 0 || p.Length(n.end, "type") > 1
	return !p.Is("particle", n.words[len(n.words)-1]) || p.ends(n.end) || told || p.stops(n.end) || p.Is("type", p.At(n.end).Low)
}

// fieldPart says what it costs to read the next word as a part of a field's name.
func (p *parser) fieldPart(n name, from int) int {
	t := p.At(n.end)
	m := p.Vocabulary[t.Low]
	cost := p.wordCost(n.end, true)
	next := p.wordCost(n.end+1, true)
	first, last := n.end == from, p.ends(n.end+1) || p.At(n.end+1).Low == "("
	typed := p.Length(n.end+1, "type") > 1 || p.Length(n.end+1, "modal") > 0 || p.Length(n.end+1, "type-behind") > 0 || p.Length(n.end+1, "rule") > 0 || p.At(n.end+1).Low == ":"
	switch {
	case t.Mark || t.Quoted, len(n.words) > 0 && (t.Low == "yes" || t.Low == "true" || t.Low == "false"):
		return never
	case len(n.words) > 0 && p.Is("type-behind", t.Low) && t.Low != "flag":
		return never
	case len(n.words) > 0 && t.Low == "text" && p.fieldWord(n.words[len(n.words)-1]):
		return cost + 12
	case cost < never && len(n.words) > 0 && p.Length(n.end, "rule") > 0 && !p.fieldWord(t.Low):
		return cost + 15
	case cost < never:
		return cost
	case (t.Low == "of" || t.Low == "per") && !first && next < never:
		return 1
	case (t.Low == "of" || t.Low == "per") && !first && p.At(n.end+1).Low == "the":
		return 2
	case (p.Is("particle", t.Low) || p.Is("ends-name-too", t.Low)) && !first && (last || typed):
		return 2
	case p.Is("particle", t.Low) && !first && p.Is("particle", p.At(n.end+1).Low) && p.ends(n.end+2): // handed in at
		return 2
	case m.Class == "stop" && !first && (last || typed) && (strings.HasSuffix(t.Low, "ed") || p.Is("participle", t.Low)):
		return 6
	case first && last && m.Class == "detail" && (m.Value == "dates" || p.Is("no-title", t.Low)):
		return 6
	case t.Low == "with" && !first && english.IsPlural(n.words[len(n.words)-1]):
		return never
	case first && p.Is("field-begins", t.Low) && next < never && p.begins(n.end):
		return 4
	case first && (p.beginsField(n.end) || p.among(n.end)):
		return 8
	case first && p.At(n.end+1).Low == "(" && p.begins(n.end) && p.required(n.end) && plainName.MatchString(t.Low):
		return 10
	case first && p.Is("particle", t.Low) && p.Is("particle", p.At(n.end+1).Low) && p.ends(n.end+2) && p.begins(n.end): // out on
		return 6
	case p.Is("particle", t.Low) && t.Low != "is" && next < never && (!first || p.begins(n.end)):
		return 8
	case p.Is("particle", t.Low) && first && last && p.begins(from):
		return 10
	case first && typed && m.Class != "stop" && m.Class != "join" && m.Class != "fields" && m.Class != "container":
		return 12
	case first && last && (m.Class == "stop" || m.Class == "relation") && !p.Is("courtesy", t.Low) && p.begins(from) && plainName.MatchString(t.Low):
		return 16
	case m.Class == "relation" || p.Phraseful(n.end, "relation"):
		if k := p.Length(n.end, "relation-field"); k > 0 {
			return 4
		}
	}
	return never
}

// beginsField says whether a word that means something elsewhere begins the name of a field: RAM GB, token value.
func (p *parser) beginsField(i int) bool {
	class := p.class(i)
	may := p.Is("begins-field", class) || class == "database" || class == "auth" || class == "cors" || class == "heart" || class == "detail"
	next := p.At(i + 1)
	if last := p.EndOf(i) - 1; class == "container" && last > i+1 && last < i+4 && p.fieldWord(p.At(last).Low) { // app store link
		return true
	}
	return may && p.fieldWord(next.Low) && !next.Mark && (p.ends(i+2) || p.Length(i+2, "rule")+p.Length(i+2, "type-behind") > 0 || p.At(i+2).Low == "(")
}

// among says whether a word for a token stands among fields: user, token, expires at.
func (p *parser) among(i int) bool {
	return p.class(i) == "auth" && p.Is("token-too", p.At(i).Low) && p.At(i+1).Low == "," && p.At(i+1).Text != ";" && p.listsFields(i+2) && !p.required(i+2)
}

// Phraseful says whether a phrase of a class begins at a place.
func (p *parser) Phraseful(i int, class string) bool {
	m, _ := p.Phrase(i)
	return m.Class == class
}

// acts says whether words say what a project would do: check availability, but not check in date.
func (p *parser) acts(all []string) bool {
	return len(all) > 1 && p.Is("only-do", all[0]) && !p.Is("inside-word", all[1])
}

// does says whether words say what somebody does: follow authors.
func (p *parser) does(all []string) bool {
	return len(all) > 1 && p.Is("people-do", all[0]) && english.IsPlural(all[len(all)-1])
}

// goodField says whether words may be the name of a field.
func (p *parser) goodField(all []string) bool {
	last := all[len(all)-1]
	letter := len(last) == 1 && !strings.Contains("xyz", last) && !p.Is("field", last)
	sum := p.Is("sum", all[0]) && slices.Contains(all, "per") || len(all) == 1 && p.Is("copula", last) // total hours per client
	if sum {
		return false
	}
	if p.Is("no-name", all[0]) || p.Is("no-name", last) || p.acts(all) || p.Is("number-word", all[0]) && len(all) > 1 {
		return false
	}
	if slices.ContainsFunc(all, func(w string) bool { return p.Is("never-inside", w) && w != "store" }) {
		return false
	}
	if strings.HasSuffix(all[0], "ed") && slices.Contains(all[:len(all)-1], "to") { // synced to google
		return false
	}
	return last != "of" && last != "per" && !letter && !p.does(all) && !p.Is("never-field", last) && !p.Is("no-field", last) && (len(all) == 1 || !p.Is("acts", all[0]))
}

// figure says whether a word is a number.
func figure(w string) bool { return w != "" && unicode.IsDigit([]rune(w)[0]) }
