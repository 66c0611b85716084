package page

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/words"
)

// How people write days of the week, times, days of the year, streets and telephone numbers.
const (
	day   = `(?i:\b(?:mon|tues?|wed(?:s|nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?\b|\b(?:weekdays?|weekends?|daily|every ?day|each day)\b)`
	clock = `(?i:\b\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm|h|hrs|uhr))?\b|\bnoon\b|\bmidnight\b)`
	sure  = `(?i:\b\d{1,2}(?:[:.]\d\d(?: ?(?:am|pm|h))?| ?(?:am|pm|h|uhr))\b|\bnoon\b|\bmidnight\b)`
	span  = `(?:` + clock + ` ?(?:-|to|until|till|through) ?(?:` + clock + `|(?i:late|close)\b))`
	times = `(?:(?:,? from |,? at |,? between |, | )(?:` + span + `|` + sure + `)(?:(?:,| and| &) (?:` + span + `|` + sure + `))*)`
	week  = `(?i:(?:every|each|first|second|third|last|other|[1-4](?:st|nd|rd|th)) )*` + day + `(?:(?i: ?[-/] ?| (?:to|till|until|through|and|&|or|except) |, )` + day + `)*(?i: (?:mornings?|evenings?|afternoons?))?`
	parts = `(?i:(?:every|each) )?` + day + `(?i:(?: ?[-/] ?| and | & |, )` + day + `)*(?i: (?:mornings?|evenings?|afternoons?))`
	often = `(?i: of (?:the|every|each) month| (?:every|each|a) month| monthly)`
	every = `(?i:(?:every ?day|daily|each day|all week|seven days a week)(?: of the week)?,? (?:except|but|apart from|excluding|other than|save)(?: for| on| not)*) ` + day + `(?i:(?: ?[-/] ?| (?:and|&|or) |, )` + day + `)*`
	opens = `(?:` + span + ` (?:on )?` + week + `|` + week + often + `?` + times + `|` + week + often + `|` + parts + `|(?i:closed (?:on )?)` + day + `(?i:(?: ?- ?| (?:to|and|&) )` + day + `)*|` + week + ` closed|` + every + `)`
	hours = opens + `(?:(?:,? and|,)? ` + opens + `)*`

	month = `(?i:\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b)`
	nth   = `\b\d{1,2}(?:st|nd|rd|th)?\b`
	nthOf = `(?i:\b(?:first|second|third|fourth|last) )` + day + `(?i: (?:of|in) )` + month
	date  = `(?:` + day + `,? )?(?:` + nth + `(?:(?: ` + month + `)? ?(?:-|to|and|&) ?(?:` + day + `,? )?` + nth + `)?(?: of)? ` + month + `|` + month + ` ` + nth + `(?:(?:, ` + nth + `)*,? ?(?:-|to|and|&) ?(?:` + month + ` )?` + nth + `)?|` + nthOf + `)(?:,? (?:19|20)\d\d\b)?`
	start = `(?:(?: at|,|, at|, from|, starting at)? ` + sure + `)?`

	phone  = `(?:\+\d{1,3}|\(\d{2,5}\)|\b0\d*)(?:[ ./()-]{0,2}\d+){1,6}\b|\b\d{3}[ -](?:\d{3}[ -])?\d{4}\b`
	house  = `\b\d{1,4}[a-zA-Z]?\b`
	upper  = `\p{Lu}[\pL'-]*`
	inside = `(?:(?:de|del|des|du|do|da|dos|la|le|les|der|den|van|von|di|of|the) )*`
)

var (
	onlyParts = regexp.MustCompile(`^` + parts + `$`)
	onlyDate  = regexp.MustCompile(`^` + date)
	goesOn    = regexp.MustCompile(`^ ?(?:-|to|until|till) ?(?:\d|noon|midnight|late)`)
)

// spotted finds all of them; the names of its groups say which.
var spotted = func() *regexp.Regexp {
	oneOf := func(table string, change func(string) string) string {
		all := slices.SortedFunc(maps.Keys(pageTables[table]), func(a, b string) int { return len(b) - len(a) })
		for i := range all {
			all[i] = change(all[i])
		}
		return `(?:` + strings.Join(all, "|") + `)`
	}
	same := func(w string) string { return w }
	street := `(?:(?:` + upper + `|\d{1,3}(?:st|nd|rd|th)) ){1,3}` + oneOf("page-street", plaintext.Capital) + `\b`
	more := `(?:` + upper + ` ){1,3}` + oneOf("page-street-more", plaintext.Capital) + `\b`
	lower := `(?:\pL+ ){1,3}` + oneOf("page-sure-street", same) + `\b`
	first := oneOf("page-street-first", plaintext.Capital) + `(?: ` + inside + upper + `)+`
	last := `\p{Lu}[\pL-]+(?:` + oneOf("page-street-end", same) + `|-` + oneOf("page-street-end", plaintext.Capital) + `)`
	address := `(?:(?i:` + oneOf("page-unit", same) + `) ` + house + `,? (?:` + house + ` )?` + street + `|` + house + ` (?:` + first + `|` + street + `|` + lower + `|` + last + `|` + more + `)|(?:` + first + `|` + last + `|` + street + `) ` + house + `)(?:, (?:\d{4,5} ` + upper + `|[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b))?`
	return regexp.MustCompile(`(?P<when>` + date + start + `)|(?P<address>` + address + `)|(?i:\b(?:address|venue):? (?:is )?)(?P<address>` + address + `|(?:` + upper + ` )+` + house + `|` + house + `(?: ` + upper + `)+)|(?P<phone>` + phone + `)|(?i:\b(?:phone|tel|telephone|call|mobile|ring|contact)(?: number)?(?: is)?:? )(?P<phone>\d[\d ./-]{5,}\d\b)|(?P<hours>` + hours + `)|(?P<span>` + span + `)`)
}()

// spot makes one word of each fact, with what it is in place of the word in lower case, so that no mark inside cuts it.
func spot(x words.Text) (out []words.Token) {
	var b strings.Builder
	begins, ends := map[int]int{}, map[int]int{}
	for i, t := range x.Tokens {
		switch {
		case t.Mark:
			b.WriteString(strings.NewReplacer(".", ";", words.Bullet, ";").Replace(t.Low))
			continue
		case t.Quoted:
			b.WriteString(` ""`)
			continue
		case t.Raw != "":
			b.WriteString(" ")
			begins[b.Len()] = i
			b.WriteString(t.Raw)
		}
		ends[b.Len()] = i + 1
	}
	text, done := b.String(), 0
	for at := 0; ; {
		m := spotted.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		start := at
		at += m[1]
		for g, kind := range spotted.SubexpNames() {
			if kind == "" || m[2*g] < 0 {
				continue
			}
			from, begun := begins[start+m[2*g]]
			end, ended := ends[start+m[2*g+1]]
			said := text[start+m[2*g] : start+m[2*g+1]]
			if kind == "when" && goesOn.MatchString(text[start+m[2*g+1]:]) { // 6 July, 11am to 5pm
				said = onlyDate.FindString(said)
				at = start + m[2*g] + len(said)
				end, ended = ends[at]
			}
			for begun && kind == "address" && x.Is("page-addressed", x.At(from).Low) && from+1 < end { // Address Main Street 5
				said = strings.TrimSpace(strings.TrimPrefix(said, x.At(from).Raw))
				from++
			}
			if begun && ofName(x, from) { // Jazz Weekend, 5 to 7 May
				at = start + m[2*g] + len(x.At(from).Raw)
			} else if begun && ended && certain(x, kind, said, from, end) {
				out = append(out, x.Tokens[done:from]...)
				if n := len(out); n > 1 && out[n-1].Low == ":" && (x.Is("page-announces", out[n-2].Low) || x.Is("page-opens", out[n-2].Low)) {
					out = out[:n-1] // what it is stands before it
				}
				said = strings.NewReplacer("&", "and", "( ", " (").Replace(said) // +49 (0) 228
				out = append(out, words.Token{Text: said, Low: "<" + kind + ">", Raw: said})
				done = end
			}
		}
	}
	return append(out, x.Tokens[done:]...)
}

// ofName says whether a day is the end of a name.
func ofName(x words.Text, i int) bool {
	t, before := x.At(i), x.At(i-1)
	first := x.At(i-2).Mark || i < 2
	name := i > 0 && !before.Mark && !before.Quoted && plaintext.IsCapital(before.Text) && (!first || t.Low == "weekend")
	return name && plaintext.IsCapital(t.Text) && x.Is("page-day", t.Low) && !x.Is("page-fact", before.Low) && !x.Is("page-no-name", before.Low) && !x.Is("page-street", before.Low)
}

// certain says whether something that is like a fact is one.
func certain(x words.Text, kind, said string, at, end int) bool {
	count := 0
	for _, r := range said {
		if unicode.IsDigit(r) {
			count++
		}
	}
	if onlyParts.MatchString(said) && !x.At(end).Mark && x.Length(end, "page-at") == 0 { // Sunday afternoon concerts
		return false
	}
	other := x.Is("page-not-phone", x.At(at-1).Low) && x.Tables["page-announces"][x.At(at-2).Low] != "phone" || x.Is("page-not-phone", x.At(at-2).Low) // but phone nr
	return kind != "phone" || count > 5 && words.PhoneLike.MatchString(said) && !other && !digits(x.At(end))
}

// fact gives what a word is that a fact became, and none for others.
func fact(t words.Token) string {
	if !t.Quoted && !t.Mark && strings.HasPrefix(t.Low, "<") {
		return strings.Trim(t.Low, "<>")
	}
	if words.MailLike.MatchString(t.Text) && !t.Quoted {
		return "email"
	}
	return ""
}
