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

// Begun cuts an answer that broke off inside the content of a file where that begins.
func Begun(text string, mark Mark) (before, content string) {
	rest, _ := withoutThinking(text) // the end of the text, at least from the mark on
	from := 0
	for line := range strings.Lines(rest) {
		from += len(line)
		if _, opens := mark.opens(line); opens {
			content = rest[from:]
		}
	}
	return strings.TrimSuffix(text, content), content
}

// head are the first lines of a content by which one that begins anew is known: none
// where too little has come, or where they stand in it again.
func head(content string) string {
	const lines, least = 3, 8
	end := 0
	for range lines {
		at := strings.IndexByte(content[end:], '\n')
		if at < 0 {
			break
		}
		end += at + 1
	}
	if first := content[:end]; len(strings.TrimSpace(first)) >= least && strings.Count(content, first) == 1 {
		return first
	}
	return ""
}

// Joiner takes the continuation of a content that was cut off in the middle of a
// line, and passes on what follows it: after the opening mark, and without the line
// where it is said again. A continuation that is the file from its beginning takes the
// place of what came: anew is called before it is passed on.
func Joiner(mark Mark, content string, anew func(), emit func(string) error) func(string) error {
	pending, open, done := "", false, false
	line, first := content[strings.LastIndexByte(content, '\n')+1:], head(content)
	if line != "" && strings.HasPrefix(first, line) {
		first = "" // it may be that line
	}
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
		if len(pending) < len(first) && strings.HasPrefix(first, pending) {
			return nil
		}
		done = true
		if first != "" && strings.HasPrefix(pending, first) {
			anew()
			return emit(pending)
		}
		return emit(strings.TrimPrefix(pending, line))
	}
}
