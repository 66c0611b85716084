package tool

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

// eachOf ends the names of the tables of what an operation does for each of something.
const eachOf = "-each"

// share is that something is asked for of each thing of a kind: per folder.
type share struct {
	of    string // the operation, if it is known
	first string // how the row begins in which it is told
	unit  string // each of what
	what  string
}

// share notes what the words up to a place ask for of each thing of a kind. It is judged when everything is read.
func (r *reader) share(i int, found row) {
	from := i
	for r.joins(from - 1) {
		from--
	}
	first, _ := r.sense(from)
	for k := from + 1; first == "" && k <= i; k++ {
		first, _ = r.sense(k)
	}
	for k := from; k < found.end; k++ {
		if !is("share", r.At(k).Low) || r.At(k+1).Low == "other" || r.At(k-1).Low == "once" || r.isGroup(k+1) {
			continue
		}
		unit, end := r.unit(k + 1)
		if file, kind := strings.CutPrefix(unit, ".x "); kind { // each markdown file
			unit = file
			r.leaveFiles(k, end)
		}
		of := found.of
		if of == "" || of == "any" {
			of = found.operation
		}
		r.shares = append(r.shares, share{of: of, first: first, unit: unit, what: r.text(k, end)})
	}
}

// joins says whether a word says nothing alone, or only that something is in what follows.
func (r *reader) joins(i int) bool {
	meaning, _ := r.sense(i)
	return i >= 0 && !r.At(i).Mark && (meaning == "" || meaning == "in")
}

// unit gives the first word from a place on that says something, and the place behind it.
func (r *reader) unit(i int) (string, int) {
	for !r.Ends(i) {
		meaning, n := r.sense(i)
		if meaning != "" && r.At(i).Low != "of" {
			return meaning, i + n
		}
		i += n
	}
	return "alone", i
}

// judge says of each share whether the operations do so.
func (r *reader) judge(s share) {
	operations := strings.Fields(s.of)
	if len(operations) == 0 {
		operations = r.Operations
	}
	for _, operation := range operations {
		table := Tables()[operation+eachOf]
		value := cmp.Or(table[s.first+" "+s.unit], table[s.unit])
		for _, flag := range slices.Backward(r.flags) {
			value = cmp.Or(table[flag+" "+s.unit], value)
		}
		r.judged(s.what, value)
	}
}

// judged does what a table says of something.
func (r *reader) judged(what, value string) {
	why, never := strings.CutPrefix(value, "never ")
	switch {
	case never:
		r.Hearts = append(r.Hearts, settings.Omission{What: what, Why: why})
	case value == "":
		r.Refuse(what)
	case value == "no", value == allOfIt:
		r.Leave(what, notThere)
	case value != "yes":
		r.Leave(what, value)
	}
}

// takesFiles says whether one of the operations that are named is told files where it is called.
func (r *reader) takesFiles() bool { return r.takes("FILE") }

// takes says whether one of the operations that are named is told something where it is called: FOLDER.
func (r *reader) takes(what string) bool {
	return slices.ContainsFunc(r.named, func(o string) bool { return strings.Contains(r.Tables["operands"][o], what) })
}

// nowhere says whether words tell of files or folders, and no operation that is named is told any.
func (r *reader) nowhere(pattern string) bool {
	return len(r.named) > 0 && !r.takes("F") && strings.Contains(pattern, "folder")
}

// oneFile says whether words speak of a single file: a given file, but no file renamer.
func (r *reader) oneFile(i, end int) bool {
	for k := i; k < end; k++ {
		meaning, n := r.sense(k)
		single := meaning == "file" && is("single", r.At(k-1).Low) && english.Singular(r.At(k+n-1).Low) == r.At(k+n-1).Low
		if next, _ := r.sense(k + n); single && (r.Ends(k+n) || is("lone", next)) {
			return true
		}
	}
	return false
}

// texts gives the texts among some words that a tool is told where it is called.
func (r *reader) texts(i, end int) (out []string) {
	for k := i; k < end; k++ {
		switch t := r.At(k); {
		case r.isText(k) && t.Quoted:
			out = append(out, "what stands in quotes")
		case r.isText(k), filename.MatchString(t.Low):
			out = append(out, t.Text)
		}
	}
	return slices.Compact(out)
}

// isText says whether a text stands at a place, or the name of a column: "price", ERROR.
func (r *reader) isText(i int) bool {
	t := r.At(i)
	return t.Quoted && !is("like", t.Low) && !isName(t.Low) || shouted.MatchString(t.Text) && !is("acronym", t.Low) || is("marker", t.Low) && is("marked", r.At(i+1).Low) || r.isWord(i) || r.isColumn(i)
}

// isWord says whether a word stands at a place that is only named: lines that contain the word timeout.
func (r *reader) isWord(i int) bool {
	t := r.At(i)
	return r.At(i-1).Low == "word" && r.At(i-2).Low == "the" && is("holds-word", stem(r.At(i-3).Low)) && !t.Mark && !known()[stem(t.Low)] && !is("wish", t.Low) && r.ClassAt(i) == ""
}

// isName says whether something is the name of a file that holds a number or a date: img_001.jpg.
func isName(w string) bool {
	return strings.Contains(w, ".") && (numbered.MatchString(w) || dated.MatchString(w))
}

// isColumn says whether the name of a column stands at a place: sum of the amount column, of column amount, by category.
func (r *reader) isColumn(i int) bool {
	word := func(k int, table string) bool { return is(table, stem(r.At(k).Low)) }
	named := func(k int) bool { return !r.Ends(k) && !word(k, "unnamed") && !is("article", r.At(k).Low) }
	follows := r.ClassAt(i+1) == "join" || r.At(i+1).Low == ","
	switch {
	case !r.tables || r.At(i).Low != "name":
	case r.At(i-1).Low == "columns" && follows, r.At(i+1).Low == "column", r.listed(i): // the columns name and email
		return true
	}
	switch {
	case !named(i):
		return false
	case r.tables && word(i-1, "by") && r.sorts(i-2): // sorts it by price
		return true
	case !r.figures:
		return false
	case word(i+1, "column"), word(i-1, "by") && word(i-2, "group") && (r.tables || !known()[stem(r.At(i).Low)]):
		return true
	case r.tables && (r.Ends(i+1) || word(i+1, "unnamed")) && (r.figured(i) || r.listed(i)):
		return true
	}
	return word(i-1, "column") && !named(i-2)
}

// sorts says whether the words that end at a place sort something: sort a csv of members.
func (r *reader) sorts(i int) bool {
	for k := i; k > i-longestRow && !r.At(k).Mark; k-- {
		if is("sort", stem(r.At(k).Low)) {
			return true
		}
	}
	return false
}

// isGroup says whether what follows each or per is a column, of whose values figures are told: the total per customer.
func (r *reader) isGroup(i int) bool {
	low := r.At(i).Low
	known := is("worked-on", low) || is("input", stem(low)) || is("unnamed", stem(low)) || is("article", low) || is("container", stem(low)) || is("period", stem(low))
	return r.tables && r.figures && !r.Ends(i) && (r.At(i).Quoted || !known)
}

// figured says whether a figure is told of what stands at a place: the sum of all prices.
func (r *reader) figured(i int) bool {
	k := i - 1
	for is("article", r.At(k).Low) || r.At(k).Low == "of" || r.At(k).Low == "up" {
		k--
	}
	return is("figure", stem(r.At(k).Low))
}

// listed says whether a place is in a list of columns, behind the first of them: the columns name and email.
func (r *reader) listed(i int) bool {
	k := i - 1
	for k > 0 && (r.ClassAt(k) == "join" || r.At(k).Low == ",") {
		k--
	}
	if k <= 1 || k == i-1 {
		return false
	}
	return r.At(k-1).Low == "columns" && r.isColumn(k) || r.listed(k)
}
