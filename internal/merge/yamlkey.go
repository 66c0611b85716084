package merge

import "strings"

// longestKey is a little less than the longest key that parsers must accept.
const longestKey = 1000

// keyAhead reports whether a key with its colon stands at the position.
func (r *yamlReader) keyAhead() (bool, error) {
	switch c := r.peek(0); c {
	case '"', '\'':
		saved := *r
		_, err := r.quoted(-1)
		single := err == nil && !hasNewline(r.src, saved.at, r.at)
		r.blanks()
		isKey := single && r.peek(0) == ':' && isBreak(r.peek(1))
		*r = saved
		return isKey, nil
	case '&', '!', '*':
		saved := *r
		if _, err := r.name(); err != nil {
			return false, err
		}
		r.blanks()
		isKey, err := r.keyAhead()
		isKey = isKey || r.peek(0) == ':' && isBreak(r.peek(1))
		*r = saved
		if isKey {
			err = r.fail("keys with anchors, tags or aliases are not supported")
		}
		return false, err
	case '[', '{', '|', '>', '#', '%', '@', '`', ',', ']', '}':
		return false, nil
	}
	return plainKeyEnd(r.src[r.at:lineEnd(r.src, r.at)]) >= 0, nil
}

// plainKeyEnd is the offset of the colon that ends a plain key, or -1.
func plainKeyEnd(line string) int {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ':':
			if i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t' {
				return i
			}
		case '#':
			if i > 0 && (line[i-1] == ' ' || line[i-1] == '\t') {
				return -1
			}
		}
	}
	return -1
}

// key reads a key and its colon.
func (r *yamlReader) key(f *field) error {
	start := r.at
	if c := r.peek(0); c == '"' || c == '\'' {
		text, err := r.quoted(-1)
		if err != nil {
			return err
		}
		f.key, f.keyEnd = text, r.at
		r.blanks()
	} else {
		r.at += plainKeyEnd(r.src[r.at:lineEnd(r.src, r.at)])
		raw := strings.TrimRight(r.src[start:r.at], " \t")
		if !isPlainStart(raw) {
			r.at = start
			return r.fail("a key begins with a character that has a meaning of its own")
		}
		f.key, f.keyEnd = keyText(raw), start+len(raw)
	}
	f.rawKey = r.src[start:f.keyEnd]
	r.mergeKeys = r.mergeKeys || f.rawKey == "<<"
	if r.at-start > longestKey {
		return r.fail("a key is too long")
	}
	r.at++ // the colon
	return nil
}

// keyText is the canonical form of a plain key, so that 0x10 and 16 meet.
func keyText(raw string) string {
	n := &node{raw: raw}
	n.resolveYAML()
	if n.kind == numberKind || n.kind == floatKind {
		return n.text
	}
	return raw
}

// isPlainStart reports whether a plain scalar may begin like s.
func isPlainStart(s string) bool {
	if s == "" {
		return false
	}
	switch s[0] {
	case '-', '?', ':':
		return len(s) > 1 && s[1] != ' ' && s[1] != '\t'
	}
	return strings.IndexByte(",[]{}#&*!|>'\"%@`", s[0]) < 0
}
