package merge

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// AppendUnique adds the lines of the bundle that the user's file lacks at its
// end, in the bundle's order. Lines are compared without their line ending and
// white space at their end. Blank lines count for nothing by themselves, and a
// comment is only added together with a line of its paragraph.
//
// In files like .gitignore the last line that matches decides, and a line that
// begins with "!" negates those above it. There a pattern goes in above the
// first such line of the user's, which so keeps its effect, and a line that says
// the opposite of one of the user's is a conflict.
func AppendUnique(in Input) Result {
	if r, done := trivialResult(in); done {
		return r
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	a := newAppender(in, src, incoming)
	for _, line := range diff.SplitLines(incoming) {
		a.line(line)
	}
	if len(a.added) == 0 {
		return Result{Content: in.Current, Conflicts: a.conflicts}
	}
	content := bom + a.result(src)
	return finish(in, Result{Content: []byte(content), Added: a.added, Conflicts: a.conflicts})
}

// appender takes the lines of a bundle one after the other and decides where
// each goes.
type appender struct {
	isComment    func(string) bool
	have         map[string]bool // lines that are in the file, or will be
	pending      []string        // comments that belong to the next line
	afterComment bool            // the line before is a comment
	atEnd        addition
	added        []string
	conflicts    []Conflict
	policy       Policy

	// Only in ignore files, where the order of lines matters:
	incoming       map[string]bool // the lines of the bundle; nil in other files
	firstNegation  int             // where the paragraph of the user's first "!" line begins; -1 if there is none
	beforeNegation addition        // goes there
	afterNegation  bool            // the bundle has had a "!" line
}

// addition is the lines that are added at one place.
type addition struct {
	lines     []string
	blankLine bool // one is due before the next line
	follows   bool // text precedes the first line
}

func (d *addition) put(lines ...string) {
	if d.blankLine && (len(d.lines) > 0 || d.follows) {
		d.lines = append(d.lines, "")
	}
	d.blankLine = false
	d.lines = append(d.lines, lines...)
}

func newAppender(in Input, src, incoming string) *appender {
	comment, hasComments := commentOf(in.Path)
	a := &appender{have: make(map[string]bool), policy: in.Policy, firstNegation: -1}
	a.isComment = func(line string) bool {
		return hasComments && comment.close == "" && strings.HasPrefix(strings.TrimSpace(line), comment.open)
	}
	at, paragraph := 0, 0
	ordered := strings.HasSuffix(in.Path, "ignore")
	for _, line := range diff.SplitLines(src) {
		id := lineID(line)
		a.have[id] = true
		at += len(line)
		switch {
		case id == "":
			paragraph = at
		case ordered && id[0] == '!' && a.firstNegation < 0:
			a.firstNegation = paragraph
		}
	}
	if ordered {
		a.incoming = make(map[string]bool)
		for _, line := range diff.SplitLines(incoming) {
			a.incoming[lineID(line)] = true
		}
	}
	a.atEnd = addition{blankLine: endsInSection(src, a.isComment), follows: needsGap(src)}
	return a
}

func (a *appender) line(line string) {
	id := lineID(line)
	switch {
	case id == "":
		a.beforeNegation.blankLine, a.atEnd.blankLine, a.pending = true, true, nil
	case a.isComment(line):
		if !a.afterComment {
			a.pending = nil // a new heading inside of the paragraph
		}
		if !a.have[id] {
			a.pending = append(a.pending, id)
		}
	case a.have[id]:
		a.afterNegation = a.afterNegation || a.incoming != nil && id[0] == '!'
	case a.contradicts(id):
		c := Conflict{Where: id, Reason: "your file says the opposite", Outcome: Kept}
		if a.policy == Theirs {
			c.Outcome = TakenTheirs
			a.put(&a.atEnd, id)
		}
		a.conflicts = append(a.conflicts, c)
	case a.firstNegation >= 0 && !a.afterNegation && id[0] != '!':
		a.put(&a.beforeNegation, id)
	default:
		a.put(&a.atEnd, id)
	}
	a.afterComment = a.isComment(line)
}

// put adds a line, with the comments above it.
func (a *appender) put(to *addition, id string) {
	var lines []string
	for _, line := range append(a.pending, id) {
		if !a.have[line] {
			a.have[line] = true
			lines = append(lines, line)
		}
	}
	to.put(lines...)
	a.added = append(a.added, lines...)
	a.afterNegation = a.afterNegation || a.incoming != nil && id[0] == '!'
	a.pending = nil
}

// result is the user's text with what was added.
func (a *appender) result(src string) string {
	eol := eolOf(src)
	out := src
	if len(a.beforeNegation.lines) > 0 {
		out = src[:a.firstNegation] + strings.Join(a.beforeNegation.lines, eol) + eol + eol + src[a.firstNegation:]
	}
	if len(a.atEnd.lines) > 0 {
		out = appendLines(out, a.atEnd.lines, eol)
	}
	return out
}

// contradicts says whether the user's file has the opposite of a line, which the
// bundle does not know.
func (a *appender) contradicts(id string) bool {
	if a.incoming == nil {
		return false
	}
	opposite, negative := strings.CutPrefix(id, "!")
	if !negative {
		opposite = "!" + id
	}
	return a.have[opposite] && !a.incoming[opposite]
}

// endsInSection reports whether the last paragraph of a text has a heading,
// under which added lines would seem to belong.
func endsInSection(src string, isComment func(string) bool) bool {
	lines := diff.SplitLines(src)
	for i := len(lines) - 1; i >= 0; i-- {
		if lineID(lines[i]) == "" {
			return false
		}
		if isComment(lines[i]) {
			return true
		}
	}
	return false
}

// needsGap reports whether a text ends in a line that is not blank.
func needsGap(src string) bool {
	lines := diff.SplitLines(src)
	return len(lines) > 0 && lineID(lines[len(lines)-1]) != ""
}

// lineID is what two lines have in common when they count as the same.
func lineID(line string) string { return strings.TrimRight(line, " \t\r\n") }

// appendLines puts lines at the end of a text. A text without a final newline
// stays without one.
func appendLines(src string, lines []string, eol string) string {
	added := strings.Join(lines, eol)
	switch {
	case src == "":
		return added + eol
	case strings.HasSuffix(src, "\n"):
		return src + added + eol
	default:
		return src + eol + added
	}
}
