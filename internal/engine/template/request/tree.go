package request

import (
	"regexp"
	"strings"

	"github.com/bundle-delivery/svc/internal/words"
)

var (
	bulletLine = regexp.MustCompile(`^\s*(?:[-*•–+]|\d{1,2}[.)])\s+`)
	typedLine  = regexp.MustCompile(`(?i)^[a-z]\w*(?: \w+){0,2}(?:\s*:\s*|\s+)(?:string|str|text|varchar|int|int64|integer|float|float64|double|decimal|number|bool|boolean|date|datetime|timestamp|uuid|enum ?\(.*\))(?:\s*\(.*\)|,? (?:unique|optional|required|nullable|default .*))*[?!,;]?\s*$`) // an item of a list as well: env: string
	closing    = regexp.MustCompile(`^\s*[})\]]+[;,.]?\s*$`)
	opening    = regexp.MustCompile(`\s*[:({\[]\s*$`)
	itemEnd    = regexp.MustCompile(`[,;]\s*$`)
	must       = regexp.MustCompile(`(\w)!\s*(=|$)`)  // sku: string!
	maybe      = regexp.MustCompile(`(\w)\?\s*(:|$)`) // note?: string
	optional   = regexp.MustCompile(`\w\?[,;]`)
	lastMaybe  = regexp.MustCompile(`(, ?[\w ]+)\?(\s*(?:\.|$))`)
	legend     = regexp.MustCompile(`\*\s*(?:=|:|means|is|are)?\s*(?:required|mandatory)\b\.?`) // * = required
	four       = regexp.MustCompile(`(?i)\b(api|service|backend|site|website|page|crud|server) 4 ([a-z])`)
	starred    = regexp.MustCompile(`(\w)\*`)
	endsOpen   = regexp.MustCompile(`(?i)(?:,|\b(?:a|an|the|and|or|of|for|with|to|in|on|at|by|from|that|which|is|are|be|has|have|my|our|its|their|each|every|should|must|can|will|not))\s*$`)
	beginsOpen = regexp.MustCompile(`^(?:and|or|of|for|with|to|in|on|at|by|from|that|which|who|is|are|has|have|should|must|can|will|as|than)\b`)
	dashed     = regexp.MustCompile(`^(\w+(?: \w+){0,3}) [-–—] `) // supplier - text, required
	wrapped    = 60                                               // characters of a line that may go on in the next
)

// line is one of a request, with those that are indented below it, or are items of the list that it begins.
type line struct {
	indent   int
	bullet   bool
	text     string
	children []*line
}

// treeOf takes a request apart into lines and what belongs to them.
func treeOf(prompt string) []*line {
	root := &line{indent: -1}
	open := []*line{root}
	all := unwrapped(prompt)
	typed := func(k int) bool { return k >= 0 && k < len(all) && typedLine.MatchString(all[k]) }
	for k, text := range all {
		dated := strings.HasSuffix(strings.ToLower(text), " date") && !typed(k-1) && !typed(k+1) // a start date, between other names
		bare := bulletLine.ReplaceAllString(text, "")
		l := &line{indent: len(text) - len(strings.TrimLeft(text, " \t")), bullet: bare != text || typed(k) && !dated, text: strings.TrimSpace(bare)}
		if l.text == "" || closing.MatchString(l.text) {
			continue
		}
		for !open[len(open)-1].holds(l) {
			open = open[:len(open)-1]
		}
		above := open[len(open)-1]
		above.children = append(above.children, l)
		open = append(open, l)
	}
	return root.children
}

// holds says whether another line belongs to this one.
func (l *line) holds(other *line) bool {
	begins := !l.bullet && other.bullet // a list begins, with a colon or without
	return other.indent > l.indent || other.indent == l.indent && begins
}

// unwrapped gives the lines of a request; one that was only too long goes on in the next.
func unwrapped(prompt string) (out []string) {
	for text := range strings.SplitSeq(prompt, "\n") {
		if n := len(out) - 1; n >= 0 && goesOn(out[n], text) {
			out[n] += " " + strings.TrimSpace(text)
			continue
		}
		out = append(out, text)
	}
	return out
}

func goesOn(above, below string) bool {
	below = strings.TrimSpace(below)
	lower := below != "" && below[0] >= 'a' && below[0] <= 'z'
	ended := strings.ContainsAny(above[max(0, len(above)-2):], ".)]}:;!?")
	labelled := strings.Contains(below[:min(len(below), wrapped)], ":")
	parted := endsOpen.MatchString(above) || beginsOpen.MatchString(below) // else it may be a line of its own
	return len(above) > wrapped && lower && !ended && !labelled && parted
}

// tokensOf writes the tree as words and marks: what belongs to a line stands in brackets behind it.
func tokensOf(lines []*line, l words.Lexicon, between string) (out []words.Token) {
	for i, each := range lines {
		if i > 0 {
			out = append(out, mark(between))
		}
		text := each.text
		if len(each.children) > 0 {
			text = opening.ReplaceAllString(text, "")
		}
		if between == words.Bullet || each.bullet {
			text = must.ReplaceAllString(itemEnd.ReplaceAllString(text, ""), "$1 required $2")
			text = maybe.ReplaceAllString(text, "$1 ?optional $2")
			text = dashed.ReplaceAllString(text, "$1: ")
		}
		out = append(out, words.In(text, l).Tokens...)
		if len(each.children) > 0 {
			out = append(out, mark("("))
			out = append(out, tokensOf(each.children, l, words.Bullet)...)
			out = append(out, mark(")"))
		}
	}
	return out
}

func mark(low string) words.Token { return words.Token{Low: low, Mark: true} }

// textOf takes a request apart.
func textOf(prompt string, l words.Lexicon) words.Text {
	if starred.MatchString(prompt) {
		if plain := legend.ReplaceAllString(prompt, ""); plain != prompt {
			prompt = starred.ReplaceAllString(plain, "$1 required")
		}
	}
	if optional.MatchString(prompt) { // name, nickname?, phone?
		prompt = lastMaybe.ReplaceAllString(prompt, "$1 ?optional$2")
	}
	return words.Text{Tokens: tokensOf(treeOf(four.ReplaceAllString(prompt, "$1 for $2")), l, "."), Lexicon: l}
}
