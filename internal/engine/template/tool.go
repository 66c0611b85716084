package template

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

const (
	// optionsOf ends the names of the tables of what is told of one operation.
	optionsOf = "-option"
	// longestTold is how many words a phrase has at most, with those that only say which.
	longestTold = 10
)

// What words are like that a tool is told: an amount (10, 100MB), a numbered name (img_001.jpg).
var (
	amount   = regexp.MustCompile(`^(\d+([kmgt]i?b)?|two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|hundred)$`)
	numbered = regexp.MustCompile(`^[a-z_]*0\d+(\.[a-z0-9]+)?$`)
)

// phrasebooks are the tables of what tools do and are told, with every phrase as pattern writes it.
var phrasebooks = func() map[string]map[string]string {
	books := map[string]map[string]string{}
	for table, rows := range tables {
		if table != "operation" && !strings.HasSuffix(table, optionsOf) || table == "tool-option" {
			continue
		}
		books[table] = map[string]string{}
		for row, value := range rows {
			pattern, before := "", ""
			for word := range strings.FieldsSeq(row) {
				pattern += patternOf(table, before, word)
				before = word
			}
			books[table][pattern] = value
		}
	}
	return books
}()

// patternOf writes a word of what is told of a tool as the phrasebooks have it: without the endings of the plural, a
// number as n, a numbered name as 001, the ending of files as .x, and nothing for a word that only says which.
func patternOf(book, before, word string) string {
	switch {
	case before == "version":
		return " " + word
	case numbered.MatchString(word):
		return " 001"
	case before != "" && (is("which", word) || book == "operation" && amount.MatchString(word)):
		return ""
	case amount.MatchString(word):
		return " n"
	case strings.HasPrefix(word, "."):
		return " .x"
	case english.HasSuffix(word, "zes", "ses"): // sizes
		return " " + strings.TrimSuffix(word, "s")
	}
	return " " + english.Singular(word)
}

// phrased finds the longest phrase of a phrasebook at a place, its value and its length. Words that only say which may
// stand between its own: "rename (all my) files".
func (r *reading) phrased(i int, book string) (value string, length int) {
	word := func(n int) string {
		if t := r.At(i + n - 1); !t.Quoted {
			return t.Low
		}
		return `"`
	}
	for _, first := range english.Bases(word(1)) {
		pattern := patternOf(book, "", first)
		for n := 1; n <= longestTold && !r.At(i+n-1).Mark; n++ {
			more := ""
			if n > 1 {
				more = patternOf(book, word(n-1), word(n))
			}
			if found, ok := phrasebooks[book][pattern+more]; ok && n > length && (n == 1 || more != "") {
				value, length = found, n
			}
			pattern += more
		}
	}
	return value, length
}

// operation finds what a tool does at a place, unless that is only told of an operation that was named before.
func (r *reading) operation(i int) (operation string, n int) {
	operation, n = r.phrased(i, "operation")
	if _, known := r.Phrase(i); known > n {
		return "", 0
	}
	if _, k := r.toolOption(i); k >= n && !slices.Contains(r.Operations, operation) {
		return "", 0
	}
	return operation, n
}

// toolOption finds what is told of an operation at a place: the option that does it, or what becomes of it.
func (r *reading) toolOption(i int) (option string, n int) {
	if len(r.Operations) == 0 {
		return "", 0
	}
	for _, operation := range slices.Concat(r.Operations, []string{"any"}) {
		if value, k := r.phrased(i, operation+optionsOf); k > n {
			option, n = value, k
		}
	}
	return option, n
}

// toolWord reads what words mean beside an operation; it gives the number of words, or none.
func (r *reader) toolWord(i int) int {
	if r.Kind != project.Command || len(r.Operations) == 0 || r.project != nil {
		return 0
	}
	if before := r.At(i - 1); r.At(i).Quoted {
		if before.Mark || is("titles", before.Low) || vocabulary[before.Low].Class == isKind || vocabulary[before.Low].Class == isContainer {
			return 0 // it may be the name of the tool
		}
		r.flush()
		r.quotes(i, 1)
		return 1
	}
	m, known := r.Phrase(i)
	if m.Class == isNamed { // a tool called wordy: it has no things that could be called so
		r.flush()
		if _, end := r.NameAt(i + known); is("no-record", english.Singular(r.At(i-1).Low)) { // files called img_1.jpg
			r.leave(r.Words(i-1, end-i+1), "what the tool is told where it is called")
			return end - i
		}
		return max(known, r.option(m, i, known, false))
	}
	if flag := r.At(i).Low; strings.HasPrefix(flag, "--") && slices.ContainsFunc(r.Operations, func(o string) bool { return strings.Contains(tables["operands"][o], "["+flag) }) {
		r.flush()
		r.given = append(r.given, flag)
		return 1
	}
	_, does := r.operation(i)
	if option, n := r.toolOption(i); n > 0 && n >= does && (m.Class != isOperation || n >= known) {
		r.flush()
		r.quotes(i, n)
		switch why, never := strings.CutPrefix(option, "never "); {
		case never:
			r.cannot(r.Words(i, n), why)
		case option == "yes":
			r.given = append(r.given, r.Words(i, n))
		case option == "no":
			r.leave(r.Words(i, n), "options of a tool")
		default:
			r.leave(r.Words(i, n), "with "+option)
		}
		return n
	}
	if does > 0 {
		r.flush()
		r.quotes(i, does)
		return does
	}
	of, n := r.Longest(i, "tool-option")
	if m.Class == isDatabase && m.Value != project.File {
		of, n = "", known
	}
	why := "options of a tool"
	if strings.HasPrefix(of, "with ") { // it is no more than an option
		why = of
	} else if n == 0 {
		n, why = r.Beside(i)
		n = r.upToOption(i, n)
	}
	if n == 0 {
		return 0
	}
	r.flush()
	switch what := r.Words(i, n); {
	case why == "":
		r.context = append(r.context, what)
	case slices.Contains(r.Operations, of):
		r.given = append(r.given, what)
	default:
		r.leave(what, why)
	}
	return n
}

// upToOption gives how many of the words from a place, which only say where or for whom, stand before something that is
// told of an operation: the files in my music folder, to lowercase.
func (r *reading) upToOption(i, n int) int {
	for k := 1; k < n; k++ {
		if option, length := r.toolOption(i + k); length > 0 && option != "yes" {
			return k
		}
	}
	return n
}

// quotes leaves texts in quotes to whoever calls the tool.
func (r *reader) quotes(i, n int) {
	if slices.ContainsFunc(r.Tokens[i:i+n], func(t words.Token) bool { return t.Quoted }) {
		r.leave("what stands in quotes", "what the tool is told where it is called")
	}
}
