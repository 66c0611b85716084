package tool

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
)

// longestCondition is how many words tell at most of a column, or what it is compared with.
const longestCondition = 3

// condition gives how many words choose rows of a CSV by what a column holds: where the price is greater than 100.
func (r *reader) condition(i int) int {
	bound := is("having", r.At(i).Low) // with an amount over 500
	chooses := is("where", r.At(i).Low) || r.At(i+1).Low == "which" && (r.At(i).Low == "in" || r.At(i).Low == "for")
	if !r.tables || !bound && !chooses {
		return 0
	}
	name := r.After(i+1, "which")
	for is("article", r.At(name).Low) {
		name++
	}
	at := name
	for at <= name+longestCondition && !r.Ends(at) && !is("compares", r.At(at).Low) {
		at++
	}
	if at == name || !is("compares", r.At(at).Low) || bound && !is("bounds", r.At(at).Low) {
		return 0
	}
	return r.compared(at+1) - i
}

// compared gives the end of what a column is compared with, or a place before all where that cannot be told.
func (r *reader) compared(i int) int {
	bound := is("bounds", r.At(i-1).Low)
	for is("compares", r.At(i).Low) || is("article", r.At(i).Low) || r.At(i).Low == "than" || r.At(i).Low == "to" {
		bound = bound || is("bounds", r.At(i).Low)
		i++
	}
	end := i
	for end < i+longestCondition && !r.Ends(end) && r.setting(end) == 0 && !is("incomparable", r.At(end).Low) {
		end++
	}
	told := stem(r.At(i).Low) == "n" || r.At(i).Quoted || is("single", r.At(i).Low) || is("placeholder", r.At(i).Low)
	whole := r.Ends(end) || r.setting(end) > 0 || r.At(end).Low == "in"
	if end == i || !whole || bound && !told { // above the average, above the cost
		return -1
	}
	return end
}

// columnsTold gives the end of a list of the columns that a CSV has, in brackets behind it or in a sentence of its own: (columns:
// date, category, amount).
func (r *reader) columnsTold(i int) int {
	start := r.After(i, "with", "the", "column")
	at := r.After(start, "columns", "fields", "headers", "names")
	behind := r.At(i-1).Low == "(" && r.isTable(i-2)
	named := at > start && (r.At(i-1).Low == "." || r.At(i).Low == "with" && r.isTable(i-1))
	if !r.tables || !behind && !named {
		return i
	}
	names := 0
	for at = r.After(at, "are", ":"); (!r.At(at).Mark || r.At(at).Low == ",") && r.setting(at) == 0; at++ {
		meaning, _ := r.sense(at)
		_, asked := r.longest(at, "operation")
		switch {
		case r.At(at).Low == "," || r.ClassAt(at) == "join":
			names++
		case asked > 0 || meaning == "" || is("lone", meaning): // the columns should be sorted
			return i
		}
	}
	if names == 0 || r.At(at).Low == "(" {
		return i
	}
	return at
}

// isTable says whether a CSV is named by the words up to a place: csv, csv file.
func (r *reader) isTable(i int) bool {
	return stem(r.At(i).Low) == "csv" || stem(r.At(i-1).Low) == "csv" && stem(r.At(i).Low) == "file" || strings.HasSuffix(r.At(i).Low, ".csv")
}

// sample gives the end of words that show how a line looks that has columns: lines like "2024-03-01 7.5 client".
func (r *reader) sample(i int) int {
	if stem(r.At(i).Low) != "line" {
		return i
	}
	at := i + 1
	for is("likening", r.At(at).Low) || r.At(at).Low == ":" {
		at++
	}
	if t := r.At(at); at == i+1 || !t.Quoted || !strings.ContainsAny(t.Text, " ;,|") {
		return i
	}
	return at + 1
}

func (r *reader) hasSample() bool {
	for i := range r.Tokens {
		if r.sample(i) > i {
			return true
		}
	}
	return false
}

// numberInLine says whether each line of a file holds a number: one amount per line, temperatures, one per line.
func (r *reader) numberInLine() bool {
	for i := range r.Tokens {
		meaning, n := r.sense(i)
		if meaning != "oneperline" && r.oneInLine(i) == 0 {
			continue
		}
		before := i - 1
		if r.At(before).Low == "," {
			before--
		}
		for is("written-in", r.At(before).Low) { // numbers from a text file, one per line
			before--
		}
		told := r.isNumber(i+1) && n > 2 || r.isNumber(before) && r.ClassAt(before-1) != "join"
		if told || r.oneInLine(i) > 0 {
			return true
		}
	}
	return false
}

// oneInLine gives how many words say that each line holds a number of some kind: one temperature per line.
func (r *reader) oneInLine(i int) int {
	if low := r.At(i).Low; low != "one" && low != "a" || !r.isNumber(i+1) {
		return 0
	}
	at := r.After(i+2, "per", "on", "in")
	if end := r.After(at, "each", "every"); at > i+2 && r.At(end).Low == "line" {
		return end + 1 - i
	}
	return 0
}

// isNumber says whether something stands at a place that is told in numbers: an amount.
func (r *reader) isNumber(i int) bool { return is("measured", english.Singular(r.At(i).Low)) }

// inNumbers gives what words mean where each line holds a number: the temperatures are these numbers, and the average is theirs.
func (r *reader) inNumbers(i int, meaning string, n int) (string, int) {
	if own := r.oneInLine(i); own > 0 {
		return "oneperline", own
	}
	next := i + n
	if r.isNumber(i) && english.Singular(r.At(i).Low) != r.At(i).Low {
		if more, words := r.plain(i + 1); more == "oneperline" {
			return "digit oneperline", words + 1
		}
		return "digit oneperline", 1
	}
	for more, words := sense(func(k int) string { return r.At(next + k).Low }); more == "" || more == "in"; more, words = sense(func(k int) string { return r.At(next + k).Low }) {
		if next += words; r.Ends(next) {
			break
		}
	}
	if is("figure", meaning) && !r.isNumber(next) {
		meaning += " digit oneperline"
	}
	return meaning, n
}
