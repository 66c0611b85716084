package llm

import (
	"strings"
)

// fileExtractor takes the text of a file out of an answer as it streams: between its
// marks, or without a fence around it where a model forgot the marks. It holds
// back only what might be the beginning of an end.
type fileExtractor struct {
	emit func(string) error
	// repeated is what a continuation may say again before it goes on.
	repeated string

	state   extractState
	pending string // not yet emitted
}

type extractState int

const (
	beforeMark extractState = iota // looking for the beginning
	repeating                      // comparing with what was said before
	marked                         // until the closing mark
	fenced                         // until the closing fence
	plain                          // until the end
	over
)

// maxPreface is how far a model may talk before the mark comes.
const maxPreface = 2 << 10

const fenceMark = "```"

// write takes the next piece of an answer.
func (x *fileExtractor) write(piece string) error {
	x.pending += piece
	return x.advance(false)
}

// end takes the end of the answer. Where it was cut off, what may have been the
// beginning of the closing mark is not text.
func (x *fileExtractor) end(complete bool) error {
	if !complete && x.state == marked {
		x.pending = ""
	}
	return x.advance(true)
}

// closed says whether the mark that ends a file has come.
func (x *fileExtractor) closed() bool { return x.state == over }

func (x *fileExtractor) advance(last bool) error {
	if x.state == beforeMark && !x.begin(last) {
		return nil
	}
	if x.state == repeating && !x.skip(last) {
		return nil
	}
	switch x.state {
	case marked:
		if before, _, found := strings.Cut(x.pending, closeMark); found {
			x.state, x.pending = over, ""
			return x.emitText(before)
		}
		return x.emitExcept(heldBack(x.pending, closeMark, last))
	case fenced:
		return x.emitExcept(x.fenceHeld(last))
	case plain:
		return x.emitExcept(0)
	case beforeMark, repeating, over:
	}
	x.pending = ""
	return nil
}

// begin decides where the text begins; false: that is not known yet.
func (x *fileExtractor) begin(last bool) bool {
	if _, after, found := strings.Cut(x.pending, openMark); found {
		if strings.Trim(after, "\r") == "" && !last {
			return false // the end of the mark's line may come
		}
		x.pending, x.state = strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n"), marked
	} else if !last && len(x.pending) < maxPreface {
		return false
	} else if line, after, found := strings.Cut(strings.TrimLeft(x.pending, " \r\n"), "\n"); found && strings.HasPrefix(line, fenceMark) {
		x.pending, x.state = after, fenced
	} else {
		x.state = plain
	}
	if x.repeated != "" {
		x.state = repeating
	}
	return true
}

// skip leaves out what a continuation says again; false: that is not known yet.
func (x *fileExtractor) skip(last bool) bool {
	if !last && len(x.pending) < len(x.repeated) && strings.HasPrefix(x.repeated, x.pending) {
		return false
	}
	x.pending = strings.TrimPrefix(x.pending, x.repeated)
	x.repeated, x.state = "", marked
	return true
}

// fenceHeld is how much of the end may be the closing fence: the fence in a
// line of its own with nothing but space after it.
func (x *fileExtractor) fenceHeld(last bool) int {
	trimmed := strings.TrimRight(x.pending, " \r\n")
	body, found := strings.CutSuffix(trimmed, fenceMark)
	if found && (body == "" || strings.HasSuffix(body, "\n")) {
		if last {
			x.pending = body
			return 0
		}
		return len(x.pending) - len(body)
	}
	if last {
		return 0
	}
	if i := strings.LastIndexByte(x.pending, '\n'); i >= 0 && strings.Trim(x.pending[i+1:], "`") == "" {
		return len(x.pending) - i - 1
	}
	return 0
}

// heldBack is how much of the end of a text may be the beginning of a mark.
func heldBack(text, mark string, last bool) int {
	if last {
		return 0
	}
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}

// emitExcept emits everything but the last n bytes.
func (x *fileExtractor) emitExcept(n int) error {
	cut := len(x.pending) - n
	out := x.pending[:cut]
	x.pending = x.pending[cut:]
	return x.emitText(out)
}

func (x *fileExtractor) emitText(s string) error {
	if s == "" {
		return nil
	}
	return x.emit(s)
}
