package tool

import (
	"cmp"
	_ "embed" // the tables
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/words"
)

const (
	// optionOf ends the names of the tables of what is told of one operation.
	optionOf = "-option"
	// longestRow and longestSense are how many words a row has at most, and what means one word.
	longestRow, longestSense = 10, 8
)

//go:embed tools.txt
var toolsText string

// What words are like that a tool is told: an amount (10, 100mb), a numbered name (img_001.jpg), a text (ERROR), a
// file (list.txt).
var (
	amount   = regexp.MustCompile(`^\d+([kmgt]i?b?)?$`)
	numbered = regexp.MustCompile(`^([a-z_-]*|[a-z][a-z0-9]*([_-][a-z0-9]+)*[_-]|[12]\d{3}[_-][a-z]+[_-])0\d+(\.[a-z0-9]+)?$`)
	dated    = regexp.MustCompile(`^([12]\d{3}|y{4})[_-]?([01]\d|m{2})[_-]?([0-3]\d|d{2})([_-]([0-9]+|n+|x+))?(\.[a-z0-9]+)?$`)
	shouted  = regexp.MustCompile(`^[A-Z]{4,}$`)
	prefixed = regexp.MustCompile(`^0\d+[_-]$`)                                                                                   // 001_, before a name
	titled   = regexp.MustCompile(`^([12]\d{3}|y{4})[_-]?([01]\d|m{2})[_-]?([0-3]\d|d{2})[_-]([a-z][a-z0-9_-]*(\.[a-z0-9]+)?)?$`) // 2024-05-01_report.pdf
	filename = regexp.MustCompile(`^[\w-]+\.(txt|log|md|csv|json|lst|sha256|md5)$`)
)

// The tables are large, and read when the first request asks for a tool: every process of the server begins without them.
var (
	// Tables are the tables of tools.
	Tables = sync.OnceValue(func() map[string]map[string]string { return glossary.Tables(toolsText) })
	// known are the words of means and rows, to which other forms are traced.
	known = sync.OnceValue(knownWords)
	// misspelt are words that are meant also where a letter is wrong.
	misspelt = sync.OnceValue(func() []string { return slices.Sorted(maps.Keys(Tables()["misspelt"])) })
	// books are the tables of rows, in the words that their own mean.
	books = sync.OnceValue(booksOf)
	// speaking tells of words in what part of the rows of an operation they stand.
	speaking = sync.OnceValue(wordsOf)
)

func isBook(table string) bool { return table == "operation" || strings.HasSuffix(table, optionOf) }

func knownWords() map[string]bool {
	out := map[string]bool{}
	for phrase, m := range glossary.Phrases(toolsText) {
		if m.Class == "means" {
			phrase += " " + m.Value
		}
		for word := range strings.FieldsSeq(phrase) {
			out[word] = out[word] || m.Class == "means" || isBook(m.Class)
		}
	}
	return out
}

func booksOf() map[string]map[string]string {
	out := map[string]map[string]string{}
	for phrase, m := range glossary.Phrases(toolsText) {
		if out[m.Class] == nil {
			out[m.Class] = map[string]string{}
		}
		if isBook(m.Class) {
			out[m.Class][meaningOf(phrase)] = m.Value
		}
	}
	return out
}

func wordsOf() map[string]map[string]float64 {
	size := map[string]float64{}
	for _, operations := range books()["operation"] {
		size[operations]++
	}
	out := map[string]map[string]float64{}
	for row, operation := range books()["operation"] {
		for word := range strings.FieldsSeq(row) {
			if out[word] == nil {
				out[word] = map[string]float64{}
			}
			if !strings.Contains(operation, " ") {
				out[word][operation] += 1 / size[operation]
			}
		}
	}
	return out
}

func is(table, word string) bool { _, ok := Tables()[table][word]; return ok }

// meaningOf writes a row in the words that its own mean.
func meaningOf(row string) string {
	var out []string
	fields := strings.Fields(row)
	for at := 0; at < len(fields); {
		meaning, n := sense(func(k int) string {
			if at+k >= len(fields) {
				return ""
			}
			return fields[at+k]
		})
		if at += n; meaning != "" {
			out = append(out, meaning)
		}
	}
	return strings.Join(out, " ")
}

// stem traces a word to one of the tables.
func stem(w string) string {
	digits := strings.ContainsAny(w, "0123456789")
	switch {
	case dated.MatchString(w):
		return "datename"
	case titled.MatchString(w):
		return "datedname"
	case digits && numbered.MatchString(w):
		return "001"
	case is("amount", w), digits && amount.MatchString(w):
		return "n"
	case known()[w]:
		return w
	case strings.HasPrefix(w, ".") && len(w) > 1:
		return ".x"
	case filename.MatchString(w):
		return cmp.Or(Tables()["filename"][w[strings.LastIndex(w, ".")+1:]], "file")
	}
	for _, base := range append([]string{english.Singular(w)}, english.Bases(w)...) {
		if len(base) > 2 && known()[base] {
			return base
		}
	}
	return w
}

// sense gives what the first of some words mean, and how many they are; the meaning of what says nothing is empty.
func sense(word func(int) string) (meaning string, n int) {
	meaning, n = stem(word(0)), 1
	whole, written, traced := "", "", ""
	for k := 0; k < longestSense && word(k) != ""; k++ {
		whole += " " + stem(word(k))
		if k == 0 || !is("article", word(k)) {
			written, traced = written+" "+word(k), traced+" "+stem(word(k)) // sha 256, which is no amount
		} else if !is("means", whole[1:]) { // how often a word is there, and not how often each is
			continue
		}
		for _, phrase := range []string{traced[1:], written[1:], whole[1:]} {
			if found, ok := Tables()["means"][phrase]; ok {
				meaning, n = found, k+1
			}
		}
	}
	return meaning, n
}

// sense gives what the words at a place mean, and how many they are, also where they begin with a kind of file.
func (r *reader) sense(i int) (string, int) {
	if found, ok := r.senses[i]; ok { // the same words are asked for many times
		return found.meaning, found.n
	}
	meaning, n := r.kind(i)
	if n == 0 {
		meaning, n = r.plain(i)
	}
	r.senses[i] = meant{meaning, n}
	return meaning, n
}

// plain gives what the words at a place mean in the tables, and how many they are.
func (r *reader) plain(i int) (string, int) {
	by := r.At(i).Low == "by" && r.isGroup(i+1) && !r.sorts(i-1) && !is("means", stem(r.At(i+1).Low)) && !is("article", r.At(i+1).Low)
	if by || is("share", r.At(i).Low) && r.isGroup(i+1) {
		return `by "`, 2
	}
	if n := r.condition(i); n > 0 {
		return "whererow", n
	}
	if n := r.written(i); n > 0 {
		return ".x", n
	}
	if n := r.extensions(i); n > 0 {
		return ".x", n
	}
	if r.sought(i) {
		return "text", 1
	}
	if meaning := r.reformed(i); meaning != "" {
		return meaning, r.After(i+1, "file", "files") - i
	}
	if low := r.At(i).Low; r.markdown && (low == "headings" || low == "heading") {
		return "mdheading", 1
	}
	meaning, n := sense(func(k int) string {
		switch t := r.At(i + k); {
		case t.Mark:
			return ""
		case r.isText(i + k):
			return `"`
		case strings.HasPrefix(t.Raw, "*."):
			return t.Raw[1:]
		default:
			return t.Low
		}
	})
	if meaning == "text" && n > 1 && r.At(i+n-1).Low == "numbers" { // all phone numbers, and not a given one
		meaning = "patterned"
	}
	if r.numbers {
		return r.inNumbers(i, meaning, n)
	}
	return meaning, n
}

// isFile says whether a word is the name of a file.
func isFile(w string) bool {
	return numbered.MatchString(w) || dated.MatchString(w) || titled.MatchString(w) || filename.MatchString(w)
}

// parted takes words apart that were kept in one (upper/lower), puts names of files together that were taken apart, and
// mends what is misspelt.
func parted(x words.Text) words.Text {
	var out []words.Token
	x = piped(x)
	whole := false // the rest of a name stands here
	for i, t := range x.Tokens {
		if flags := flagsOf(x, i); len(flags) > 0 {
			for _, flag := range flags {
				out = append(out, words.Token{Text: flag, Low: strings.ToLower(flag), Raw: flag})
				if oneDash.MatchString(flag) {
					out[len(out)-1].Low = "-" + flag
				}
			}
			whole = true
			continue
		}
		if name := strings.ToLower(t.Raw); !t.Quoted && strings.Contains(name, "-") && isFile(name) {
			out, whole = append(out, words.Token{Text: t.Raw, Low: name, Raw: t.Raw}), true // exhibit-001.jpg
			continue
		}
		if whole = whole && !t.Mark && t.Raw == ""; whole {
			continue
		}
		if n := len(out); t.Low == ":" && n > 0 && is("tabular", out[n-1].Low) && is("tabular", x.At(i+1).Low) { // csv -> json
			t = words.Token{Text: "to", Low: "to", Raw: "to"}
		}
		if prefixed.MatchString(t.Raw) {
			t.Low = "001_"
		}
		if right := english.Meant(t.Low, misspelt()); !t.Mark && !t.Quoted && !known()[stem(t.Low)] && right != t.Low {
			t.Low = right
		}
		parts := strings.FieldsFunc(t.Low, func(c rune) bool { return c == ' ' || c == '/' })
		if t.Mark || t.Quoted || len(parts) < 2 || strings.Contains(t.Low, ".") {
			out = append(out, t)
			continue
		}
		for _, part := range parts {
			out = append(out, words.Token{Text: part, Low: part, Raw: part})
		}
	}
	return words.Text{Tokens: out, Lexicon: x.Lexicon}
}

// piped puts "to" between what goes in and what comes out, where both are told: input: a csv. output: json.
func piped(x words.Text) words.Text {
	told := func(i int, word string) bool {
		at := x.After(i+2, "a", "an", "the")
		return x.At(i).Low == word && x.At(i+1).Low == ":" && (is("tabular", x.At(at).Low) || is("markdown", x.At(at).Low))
	}
	in := -1
	for i := range x.Tokens {
		switch {
		case told(i, "input"):
			in = i
		case told(i, "output") && in >= 0:
			end := i
			for x.At(end - 1).Mark {
				end--
			}
			to := words.Token{Text: "to", Low: "to", Raw: "to"}
			return words.Text{Tokens: slices.Concat(x.Tokens[:in], x.Tokens[in+2:end], []words.Token{to}, x.Tokens[i+2:]), Lexicon: x.Lexicon}
		}
	}
	return x
}
