package merge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// jsonFormat is JSON, also with comments and trailing commas.
var jsonFormat = format{name: "JSON", parse: parseJSON, edit: newJSONEditor, compare: compareJSON}

// errTooDeep names maxDepth.
var errTooDeep = errors.New("it is nested more than 200 levels deep")

// jsonScanner reads JSON with comments and remembers places.
type jsonScanner struct {
	src      string
	at       int
	comments bool // a comment was seen
}

// parseJSON reads a whole file.
func parseJSON(src string) (*node, error) {
	s := &jsonScanner{src: src}
	if _, err := s.gap(); err != nil {
		return nil, err
	}
	n, err := s.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := s.gap(); err != nil {
		return nil, err
	}
	if s.at != len(src) {
		return nil, s.fail("there is text after the end of the value")
	}
	n.hasComments = s.comments
	return n, nil
}

func (s *jsonScanner) fail(msg string) error {
	return fmt.Errorf("line %d: %s", 1+strings.Count(s.src[:min(s.at, len(s.src))], "\n"), msg)
}

// gapInfo says what a stretch between two tokens ends with.
type gapInfo struct {
	contentEnd  int // end of the last comment, or where the gap began
	lineComment bool
}

// gap skips white space and comments.
func (s *jsonScanner) gap() (gapInfo, error) {
	info := gapInfo{contentEnd: s.at}
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			s.at++
		case strings.HasPrefix(s.src[s.at:], "//"):
			s.at = lineEnd(s.src, s.at)
			info, s.comments = gapInfo{contentEnd: s.at, lineComment: true}, true
		case strings.HasPrefix(s.src[s.at:], "/*"):
			i := strings.Index(s.src[s.at+2:], "*/")
			if i < 0 {
				return info, s.fail("a comment does not end")
			}
			s.at += i + 4
			info, s.comments = gapInfo{contentEnd: s.at}, true
		default:
			return info, nil
		}
	}
	return info, nil
}

func (s *jsonScanner) value(depth int) (*node, error) {
	if s.at >= len(s.src) {
		return nil, s.fail("the file ends too early")
	}
	switch c := s.src[s.at]; {
	case c == '{':
		return s.container(dictKind, '}', depth)
	case c == '[':
		return s.container(listKind, ']', depth)
	case c == '"':
		start := s.at
		text, err := s.str()
		if err != nil {
			return nil, err
		}
		return &node{kind: stringKind, text: text, raw: s.src[start:s.at], start: start, end: s.at}, nil
	default:
		return s.word()
	}
}

// word reads null, a boolean or a number.
func (s *jsonScanner) word() (*node, error) {
	start := s.at
	for s.at < len(s.src) && strings.IndexByte("+-.0123456789abcdefghijklmnopqrstuvwxyzE", s.src[s.at]) >= 0 {
		s.at++
	}
	raw := s.src[start:s.at]
	n := &node{text: raw, raw: raw, start: start, end: s.at}
	switch {
	case raw == "null":
		n.kind = nullKind
	case raw == "true" || raw == "false":
		n.kind = boolKind
	case isJSONNumber(raw):
		n.kind, n.text = numberKind, decimal(raw)
	default:
		s.at = start
		return nil, s.fail("a value is expected")
	}
	return n, nil
}

// isJSONNumber reports whether s is a number: of the values of JSON, the one
// that begins with a digit or a minus sign.
func isJSONNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && json.Valid([]byte(s))
}

// str reads a string and returns what it says.
func (s *jsonScanner) str() (string, error) {
	start, escaped := s.at, false
	for s.at++; s.at < len(s.src); s.at++ {
		switch c := s.src[s.at]; {
		case c == '"':
			s.at++
			if !escaped {
				return s.src[start+1 : s.at-1], nil
			}
			var text string
			if err := json.Unmarshal([]byte(s.src[start:s.at]), &text); err != nil {
				return "", s.fail("a string is malformed")
			}
			return text, nil
		case c == '\\':
			escaped = true
			s.at++
		case c < ' ':
			return "", s.fail("a string has a control character")
		}
	}
	return "", s.fail("a string does not end")
}

// container reads an object or an array.
func (s *jsonScanner) container(k kind, closer byte, depth int) (*node, error) {
	if depth >= maxDepth {
		return nil, errTooDeep
	}
	n := &node{kind: k, start: s.at, flow: true}
	s.at++
	detail := bracketDetail{lastEnd: s.at, padded: strings.HasPrefix(s.src[s.at:], " ")}
	for {
		gapStart := s.at
		info, err := s.gap()
		if err != nil {
			return nil, err
		}
		detail.contentEnd, detail.endsInLineComment = info.contentEnd, info.lineComment
		behind, above := jsonComments(s.src[gapStart:s.at])
		if last := len(n.fields) - 1; last >= 0 {
			n.fields[last].lineComment = behind
		}
		if s.at < len(s.src) && s.src[s.at] == closer {
			s.at++
			n.end, n.inline, n.brackets = s.at, !hasNewline(s.src, n.start, s.at), detail
			n.raw = s.src[n.start:n.end]
			return n, nil
		}
		if n.size() > 0 && !detail.trailingComma {
			return nil, s.fail("a comma is expected")
		}
		if err := s.member(n, depth, above); err != nil {
			return nil, err
		}
		detail.lastEnd, detail.trailingComma = s.at, false
		if info, err = s.gap(); err != nil {
			return nil, err
		}
		if s.at < len(s.src) && s.src[s.at] == ',' {
			s.at++
			detail.trailingComma = true
			continue
		}
		s.at = detail.lastEnd
	}
}

// member reads one entry of a container; above are the comments before it.
func (s *jsonScanner) member(n *node, depth int, above []string) error {
	if n.kind == listKind {
		item, err := s.value(depth + 1)
		n.items = append(n.items, item)
		return err
	}
	f := field{keyStart: s.at, headComment: above}
	if s.at >= len(s.src) || s.src[s.at] != '"' {
		return s.fail("a key in double quotes is expected")
	}
	var err error
	if f.key, err = s.str(); err != nil {
		return err
	}
	f.keyEnd = s.at
	f.rawKey = s.src[f.keyStart:s.at]
	if _, err = s.gap(); err != nil {
		return err
	}
	if s.at >= len(s.src) || s.src[s.at] != ':' {
		return s.fail("a colon is expected")
	}
	s.at++
	if _, err = s.gap(); err != nil {
		return err
	}
	if f.value, err = s.value(depth + 1); err != nil {
		return err
	}
	if !n.add(f) {
		n.readOnly = fmt.Sprintf("has the key %q twice", f.key)
	}
	return nil
}
