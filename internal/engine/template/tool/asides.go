package tool

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// aside gives the end of a clause that begins at a place and only tells of somebody: it begins with who that is, or before
// anything is asked for with how things are, and wishes for nothing.
func (r *reader) aside(i int) int {
	begins := r.Ends(i-1) || is("turn", r.At(i-1).Low)
	tells := is("narrator", r.At(i).Low) || is("scene", r.At(i).Low) && !r.begun || r.At(i-1).Low == "." && r.stands(i)
	if !begins || !tells {
		return i
	}
	if r.tellsOfInput(i) {
		return r.before(i)
	}
	end := i + 1
	for (!r.At(end).Mark || r.At(end).Low == ",") && !r.wishes(end) {
		told, _ := r.longest(end, "any"+optionOf)
		if strings.HasPrefix(told, "never ") && told != unattended && !r.idles(i) || r.ClassAt(end) == "language" && r.At(end).Capital {
			return i
		}
		if _, asked := r.longest(end, "operation"); asked > 0 && !is("narrator", r.At(i).Low) {
			return i // the most frequent words of a file
		}
		end++
	}
	last := end
	for last > i && (r.Ends(last-1) || is("narrator", r.At(last-1).Low)) { // and I want
		last--
	}
	if comma := r.NextMark(i); is("mine", r.At(i).Low) && comma < last { // my names have spaces, a tool to rename files
		last = comma
	}
	if last == end && r.wishes(end) || last < i+3 {
		return i
	}
	return r.bracket(last)
}

// bracket gives the place behind brackets that stand behind what is told beside the work, if nothing is asked for in them:
// our drive is full (samples everywhere).
func (r *reader) bracket(i int) int {
	if r.At(i).Low != "(" {
		return i
	}
	end := i + 1
	for ; r.At(end).Low != ")"; end++ {
		meaning, _ := r.sense(end)
		_, asked := r.longest(end, "operation")
		if asked > 0 || r.wishes(end) || is("matters", meaning) || r.setting(end) > 0 || r.flag(end) > end || end == len(r.Tokens) {
			return i
		}
	}
	return end + 1
}

// stands says whether the words from a place on to the next mark say how something is, which does not matter: the disk on
// the server is full.
func (r *reader) stands(i int) bool {
	for k := i + 1; !r.At(k).Mark; k++ {
		if is("state", r.At(k).Low) {
			return r.idles(k)
		}
	}
	return false
}

// wishes says whether a word asks for something: not where files are named like this, and what is always so is not asked for.
func (r *reader) wishes(i int) bool {
	low, before := r.At(i).Low, stem(r.At(i-1).Low)
	switch {
	case low == "like" && is("likened", before):
		return false
	case low == "always":
		return !r.idles(i)
	case is("telling", low) && (is("teller", r.At(i-1).Low) || r.isKind(i-1) && english.Singular(r.At(i-1).Low) != r.At(i-1).Low):
		return false // my pupils write essays
	case low == "utility" && !known()[stem(r.At(i-1).Low)]: // the water utility
		return false
	}
	return is("wish", low)
}

// idles says whether the words from a place on to the next mark say what things are like, which does not matter.
func (r *reader) idles(i int) bool {
	for ; !r.At(i).Mark; i++ {
		if is("idle", r.At(i).Low) {
			return true
		}
	}
	return false
}

// tellsOfInput says whether a clause that begins at a place tells what the files are like on which the tool has to work: my
// csv uses semicolons. That they are a mess says nothing.
func (r *reader) tellsOfInput(i int) bool {
	if len(r.named) > 0 && !slices.ContainsFunc(r.named, func(o string) bool { return !is("unread", o) }) {
		return false // a folder with thousands of PDFs
	}
	idle := false
	for k := i + 1; !r.At(k).Mark || r.At(k).Low == ","; k++ {
		if meaning, _ := r.sense(k); is("matters", meaning) {
			return true
		}
		idle = idle || is("idle", r.At(k).Low)
	}
	return r.begun && is("mine", r.At(i).Low) && !idle
}

// delimited gives the end of a sentence that only tells what stands between the columns of files: we get readings as tab
// separated files.
func (r *reader) delimited(i int) int {
	takes := func(o string) bool { return strings.HasPrefix(books()[o+optionOf]["semicolon"], "--delimiter") }
	if !is("narrator", r.At(i).Low) || !r.Ends(i-1) || !slices.ContainsFunc(r.named, takes) {
		return i
	}
	told, end := false, i
	for ; !r.At(end).Mark; end++ {
		switch meaning, _ := r.sense(end); {
		case meaning == "tsv" || meaning == "semicolon" || meaning == "tab":
			told = true
		case r.wishes(end) || is("matters", meaning) || r.At(end).Low == "and":
			return i
		}
	}
	if !told || r.At(end).Low == "," {
		return i
	}
	return end
}

// before gives the end of what is told of somebody before a clause tells what files are like: I run a museum (and get lists
// with semicolons).
func (r *reader) before(i int) int {
	end := i + 1
	for ; r.At(end).Low != "and"; end++ {
		meaning, _ := r.sense(end)
		if r.At(end).Mark || is("matters", meaning) || is("input", meaning) || r.wishes(end) {
			return i
		}
	}
	if is("mine", r.At(i).Low) || end < i+3 {
		return i
	}
	return end
}

// opening gives the end of words before what is asked for that tell of whom it is for, or who wants it: for the archive of
// our club, my boss wants.
func (r *reader) opening(i int) int {
	if is("mine", r.At(i).Low) && !r.Ends(i+1) && is("wants", r.At(i+2).Low) {
		return i + 3
	}
	end := r.NextMark(i)
	if i > 0 || r.At(0).Low != "for" || r.At(end).Low != ":" || end > longestRow {
		return i
	}
	for k := i; k < end; k++ {
		if _, asked := r.longest(k, "operation"); asked > 0 || r.setting(k) > 0 {
			return i
		}
	}
	return end
}

// wanders gives the place behind words that only tell where to look for what another operation finds: searches a folder for
// (empty files).
func (r *reader) wanders(i int) int {
	if meaning, _ := r.sense(i); !strings.HasPrefix(meaning, "search") {
		return i
	}
	operation, pattern, end := r.match("", i, "operation")
	if operation != "search" || !is("wandering", pattern) || r.At(end).Low != "for" {
		return i
	}
	at := end + 1
	for meaning, n := r.sense(at); meaning == "" && !r.Ends(at); meaning, n = r.sense(at) {
		at += n
	}
	if other, _ := r.longest(at, "operation"); other == "" || other == "search" {
		return i
	}
	return at
}

// sentence gives the end of the sentence that holds a place.
func (r *reader) sentence(i int) int {
	for i < len(r.Tokens) && r.At(i).Low != "." {
		i++
	}
	return i
}

// purpose gives the end of a clause that tells what a tool is used for.
func (r *reader) purpose(i int) int {
	own := words.Text{Tokens: r.Tokens, Lexicon: words.Lexicon{Tables: Tables()}}
	told := own.Length(i, "purpose") > 0 || r.At(i).Low == "so" && r.enables(i+1)
	if !told || !r.begun && !r.At(i-1).Mark {
		return i
	}
	return r.NextMark(i)
}

// enables says whether words begin with somebody who can do something then: our accountant can.
func (r *reader) enables(i int) bool {
	for k := i; k <= i+longestOwner && !r.Ends(k) && !is("thing", r.At(k).Low); k++ {
		if is("ability", r.At(k).Low) {
			return k > i
		}
	}
	return false
}

// ofMine gives the end of words that tell whose files are meant, or who uses the tool: of my students, for translators.
func (r *reader) ofMine(i int) int {
	meaning, n := r.sense(i)
	if r.At(i).Low == "for" && is("people", r.At(i+1).Low) { // a tool for translators
		return i + 2
	}
	told := r.takes("F") || r.At(i).Low == "for" // not the uuid of my drive
	if !told || !is("lone", meaning) || !is("mine", r.At(i+n).Low) {
		return i
	}
	for end := i + n + 2; end <= i+n+longestOwner; end++ {
		meaning, _ := r.sense(end)
		if next, more := r.sense(end); next == "folder" || next == "file" { // in my itunes folder
			return end + more
		}
		word := meaning == "" || is("lone", meaning) || is("narrator", r.At(end).Low) || is("wish", r.At(end).Low)
		if word || r.Ends(end) || r.row(end).end+r.setting(end) > 0 {
			return end
		}
	}
	return i
}
