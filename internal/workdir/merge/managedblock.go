package merge

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// The words on the two lines around a managed block. The owner stands in both,
// so that several projects can have a block each in one file.
const (
	blockBegin = ">>> svc %s: managed block, edits in here are replaced >>>"
	blockEnd   = "<<< svc %s <<<"
)

// ManagedBlock replaces what stands between the owner's two marker lines, or
// appends such a block. Text outside of it is never touched. Markers that are
// broken, doubled or out of order are a conflict of the whole file.
func ManagedBlock(in Input) Result {
	style, ok := commentOf(in.Path)
	if !ok {
		if in.Current == nil {
			return newFile(in)
		}
		return fileConflict(in, "files of this kind know no comments, so there is no place for the marks of a managed block")
	}
	if strings.ContainsAny(in.Owner, " \t\r\n") || in.Owner == "" {
		return fileConflict(in, "the managed block has no usable owner id")
	}
	if in.Current == nil {
		in.Current = []byte{}
		r := ManagedBlock(in)
		r.Changed, r.Added = true, []string{""}
		return r
	}
	if r, done := trivialResult(in); done {
		return r
	}
	bom, src := splitBOM(in.Current)
	_, incoming := splitBOM(in.Incoming)
	eol := eolOf(src)
	if src == "" {
		eol = eolOf(incoming)
	}
	begin, end := style.line(fmt.Sprintf(blockBegin, in.Owner)), style.line(fmt.Sprintf(blockEnd, in.Owner))
	if found, err := findMarks(incoming, style, in.Owner); err != nil || found.begin >= 0 {
		return fileConflict(in, "the incoming text itself contains the marks of a managed block")
	}
	body := withEOL(incoming, eol)
	if body != "" && !strings.HasSuffix(body, "\n") {
		body += eol
	}
	found, err := findMarks(src, style, in.Owner)
	if err != nil {
		return fileConflict(in, err.Error())
	}
	if found.begin >= 0 {
		if found.bodyEnd == found.body && body == "" || withEOL(src[found.body:found.bodyEnd], "\n") == withEOL(body, "\n") {
			return Result{Content: in.Current}
		}
		out := src[:found.body] + body + src[found.bodyEnd:]
		return finish(in, Result{Content: []byte(bom + out), Updated: []string{"managed block of " + in.Owner}})
	}
	lead := ""
	switch {
	case src == "":
	case !strings.HasSuffix(src, "\n"):
		lead = eol + eol
	case !strings.HasSuffix(src, "\n"+eol) && src != eol:
		lead = eol
	}
	out := src + lead + begin + eol + body + end
	if src == "" || strings.HasSuffix(src, "\n") {
		out += eol
	}
	return finish(in, Result{Content: []byte(bom + out), Added: []string{"managed block of " + in.Owner}})
}

// marks are the offsets of a managed block; begin is -1 if there is none.
type marks struct {
	begin, body, bodyEnd, end int
}

// findMarks looks for the marker lines of one owner. A line counts as a marker
// by its arrows and its owner, whatever is written between them.
func findMarks(src string, style commentStyle, owner string) (marks, error) {
	found := marks{begin: -1}
	closed := false
	at := 0
	for _, line := range diff.SplitLines(src) {
		text, isComment := style.text(line)
		switch {
		case !isComment:
		case isMark(text, ">>>", owner):
			if found.begin >= 0 {
				return marks{}, fmt.Errorf("the mark that begins the managed block of %s stands there twice", owner)
			}
			found.begin, found.body = at, at+len(line)
		case isMark(text, "<<<", owner):
			if found.begin < 0 || closed {
				return marks{}, fmt.Errorf("the mark that ends the managed block of %s has none that begins it", owner)
			}
			closed = true
			found.bodyEnd, found.end = at, at+len(line)
		}
		at += len(line)
	}
	if found.begin >= 0 && !closed {
		return marks{}, fmt.Errorf("the managed block of %s does not end: the closing mark is missing", owner)
	}
	return found, nil
}

func isMark(text, arrow, owner string) bool {
	rest, ok := strings.CutPrefix(text, arrow+" svc "+owner)
	if !ok || !strings.HasSuffix(text, arrow) {
		return false
	}
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " ")
}
