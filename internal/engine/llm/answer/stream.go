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
