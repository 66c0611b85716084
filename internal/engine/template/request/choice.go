package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/values"
)

// orFollows says whether a list ends with a choice of two.
func (p *parser) orFollows(i, to int) bool {
	for ; i < to && (!p.At(i).Mark || p.At(i).Low == ","); i++ {
		if p.At(i).Low == "or" {
			return true
		}
	}
	return false
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
