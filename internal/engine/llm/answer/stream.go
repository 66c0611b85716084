package answer

import "strings"

// Stream tells the lines of a content while the answer comes. It stops telling where
// it is not sure; [Content] decides what the content is.
type Stream struct {
	Mark Mark
	Emit func(line string) error

	state streamState
	line  strings.Builder // the last, without its end
}

type streamState int

const (
	before streamState = iota
	thinking
	first // the line after the mark
	inside
	over
)

// Write takes the next piece of an answer.
func (s *Stream) Write(piece string) error {
	for s.state != over {
		line, rest, ended := strings.Cut(piece, "\n")
		s.line.WriteString(line)
		if !ended {
			return nil
		}
		whole := s.line.String() + "\n"
		s.line.Reset()
		piece = rest
		if err := s.take(whole); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stream) take(line string) error {
	switch s.state {
	case before:
		if _, opens := s.Mark.opens(line); opens {
			s.state = first
		} else if at := thinkOpen.FindStringIndex(line); at != nil && !thinkClose.MatchString(line[at[1]:]) {
			s.state = thinking
		}
	case thinking:
		if thinkClose.MatchString(line) {
			s.state = before
		}
	case first, inside:
		_, opens := s.Mark.opens(line)
		_, fences := isFence(line)
		if opens || s.Mark.closes(line) || s.state == first && (fences || thinkOpen.MatchString(line) || preface.MatchString(strings.TrimSpace(line))) {
			s.state = over
			return nil
		}
		s.state = inside
		return s.Emit(line)
	case over:
	}
	return nil
}

// HasMark says whether an answer opens the content of a file.
func HasMark(text string, mark Mark) bool {
	text, _ = withoutThinking(text)
	for line := range strings.Lines(text) {
		if _, opens := mark.opens(line); opens {
			return true
		}
	}
	return false
}

// Within says whether an answer that broke off did so inside the content of a file.
func Within(text string, mark Mark) bool {
	text, _ = withoutThinking(text)
	within := false
	for line := range strings.Lines(text) {
		if _, opens := mark.opens(line); opens && strings.HasSuffix(line, "\n") {
			within = true
		} else if mark.closes(line) {
			within = false
		}
	}
	return within
}

// Joiner takes the continuation of a content that was cut off in the middle of a
// line, and passes on what follows it: after the opening mark, and without the line
// where it is said again.
func Joiner(mark Mark, line string, emit func(string) error) func(string) error {
	pending, open, done := "", false, false
	return func(piece string) error {
		if done {
			return emit(piece)
		}
		pending += piece
		for !open {
			first, rest, ended := strings.Cut(pending, "\n")
			if !ended {
				return nil
			}
			_, open = mark.opens(first)
			pending = rest
		}
		if len(pending) < len(line) && strings.HasPrefix(line, pending) {
			return nil
		}
		done = true
		return emit(strings.TrimPrefix(pending, line))
	}
}
