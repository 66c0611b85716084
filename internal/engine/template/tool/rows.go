package tool

import (
	"slices"
	"strings"
)

// row is what the tables say of the words up to a place.
type row struct {
	operation string // that is named
	of, told  string // an operation, and what is told of it
	what      string // as it was said
	lead      string
	pattern   string // of the tables
	end       int
}

// row finds the longest row at a place. Behind a join, how an earlier one began may be meant again: counts lines (and
// counts) words. What is told of an operation that was named goes before another operation.
func (r *reader) row(i int) (best row) {
	if m, n := r.Phrase(i); m.Class == "named" && r.At(i+n).Low != "of" && !r.ofFiles(i) || r.isTitle(i) { // but with the name of the file
		return row{}
	}
	leads := []string{""}
	if r.joined {
		leads = append(leads, r.leads...)
	}
	if len(leads) > 1 && is("reaching", leads[1]) { // excluding comments and blanks
		leads[0], leads[1] = leads[1], leads[0]
	}
	for _, lead := range leads {
		for _, operation := range r.named {
			told, pattern, end := r.match(lead, i, operation+optionOf)
			has := end > 0 && end == best.end && best.told == "no" && best.lead == lead // what one operation has, if another has not
			if end > best.end || has {
				best = row{of: operation, told: told, lead: lead, pattern: pattern, end: end}
			}
		}
		operation, pattern, end := r.match(lead, i, "operation")
		before, _ := r.sense(i - 1)
		kept := len(r.named) == 0 && is("keeping", r.At(i-1).Low)      // to store search terms
		if kept || before == "by" && !strings.Contains(pattern, " ") { // compares folders by size
			end = 0
		}
		if end > best.end {
			best = row{lead: lead, pattern: pattern, end: end}
		}
		if end > 0 && (best.of == operation || best.of == "" && end == best.end) { // renames files to 001 is told of renames files
			best.operation = operation
		}
	}
	for _, lead := range leads {
		if told, pattern, end := r.match(lead, i, "any"+optionOf); end > best.end {
			best = row{of: "any", told: told, lead: lead, pattern: pattern, end: end}
		}
	}
	if meaning, n := r.sense(i); is("lone", meaning) { // for (word count), not (for a word) count
		if _, end := r.longest(i+n, "operation"); end > best.end {
			return row{}
		}
	}
	if best.end > 0 {
		best.end = r.After(best.end, "them", "it")
	}
	return best
}

// longest finds the longest row of a book that words make from a place on.
func (r *reader) longest(i int, book string) (value string, end int) {
	value, _, end = r.match("", i, book)
	return value, end
}

// match finds the longest row of a book that words make from a place on, behind a lead, and gives its words as well.
func (r *reader) match(lead string, i int, book string) (value, row string, end int) {
	if meaning, _ := r.sense(i); meaning == "" || r.At(i).Mark {
		return "", "", 0
	}
	patterns := []string{lead}
	for at, count := i, 0; count < longestRow; {
		meaning, n := r.sense(at)
		if next, _ := r.sense(at + 1); r.At(at).Low == "," && is("lone", next) { // takes a csv, prints json
			meaning = "and"
		} else if r.At(at).Mark {
			break
		}
		if end := r.contents(at); at > i && end > at { // take names them
			at = end
			continue
		}
		if at += n; meaning == "" {
			continue
		}
		for k, pattern := range patterns {
			patterns[k] = strings.TrimPrefix(pattern+" "+meaning, " ")
		}
		patterns = asFiles(patterns, lead)
		for _, pattern := range patterns {
			if found, ok := books()[book][pattern]; ok && !(wantsObject(pattern) && r.object(at)) {
				value, row, end = found, pattern, at
				break
			}
		}
		patterns = without(patterns)
		count++
	}
	return value, row, end
}

// wantsObject says whether a row ends with what is done to something: without removing, but not sorted by count.
func wantsObject(pattern string) bool {
	said := strings.Fields(pattern)
	n := len(said)
	return is("transitive", said[n-1]) && (n == 1 || !is("lone", said[n-2]))
}

// object says whether something stands at a place to which what was said before is done: without removing (duplicates).
func (r *reader) object(i int) bool {
	meaning, n := r.sense(i)
	for ; meaning == "" && !r.Ends(i); meaning, n = r.sense(i) {
		i += n
	}
	return !r.Ends(i) && !is("lone", meaning)
}

// asides say where something is, and may stand between the words of a row: searches (in a folder) for a text.
var asides = []string{" in folder", " in subfolder", " in in folder", " recursive", " in file in folder", " in foldertree"}

// without gives patterns, and those without an aside at their ends.
func without(patterns []string) []string {
	for _, pattern := range patterns {
		for _, aside := range asides {
			if short, ok := strings.CutSuffix(pattern, aside); ok && short != "" && !slices.Contains(patterns, short) {
				patterns = append(patterns, short)
			}
		}
	}
	return patterns
}

// asFiles gives patterns, and those that end with files of any kind in place of one: .log files.
func asFiles(patterns []string, lead string) []string {
	for _, pattern := range patterns {
		if lead != "" && pattern == lead+" .x file" { // counts lines of .go and .ts files: no files are counted
			continue
		}
		if short, ok := strings.CutSuffix(pattern, ".x file"); ok && !slices.Contains(patterns, short+"file") {
			patterns = append(patterns, short+"file")
		}
	}
	return patterns
}
