package secrets

import (
	"bytes"
	"regexp"
)

// keyStart is the first line of a private key in PEM. What follows it counts: programs
// that read keys hold the line alone.
var keyStart = regexp.MustCompile(`^-----BEGIN ((?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?)-----`)

const (
	// keyWindow is more than a private key takes up.
	keyWindow = 64 << 10
	// keyBody is the least base64 of a private key: Ed25519 has 64 characters.
	keyBody = 60
)

// privateKeys finds private keys in PEM, also inside a string with \n for its line
// ends. One that is cut off counts to its last line.
func privateKeys(text []byte) []Finding {
	var found []Finding
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte("-----BEGIN "))
		if at < 0 {
			return found
		}
		start := from + at
		from = start + 1
		window := text[start:min(len(text), start+keyWindow)]
		head := keyStart.FindSubmatch(window)
		if head == nil {
			continue
		}
		body := window[len(head[0]):]
		length := keyText(body)
		if base64Length(body[:length]) < keyBody {
			continue
		}
		end := len(head[0]) + length
		if last := []byte("-----END " + string(head[1]) + "-----"); bytes.HasPrefix(window[end:], last) {
			end += len(last)
		}
		found = append(found, Finding{Kind: "private key", Start: start, End: start + end})
		from = start + end
	}
}

// keyText is how much of a text can be the inside of a PEM block: base64, headers of
// old formats, white space, and what a string of a program makes of line ends.
func keyText(text []byte) int {
	for i, c := range text {
		switch {
		case c == '-' && bytes.HasPrefix(text[i:], []byte("-----")):
			return i
		case wordByte(c), bytes.IndexByte([]byte("+/= \t\r\n\\\"'+,:;.-()"), c) >= 0:
		default:
			return i
		}
	}
	return len(text)
}

// base64Length counts the characters of the lines that hold base64 and nothing else.
func base64Length(text []byte) int {
	n := 0
	for _, line := range bytes.FieldsFunc(text, func(c rune) bool { return c == '\n' || c == '\r' || c == '\\' }) {
		line = bytes.Trim(line, " \t\"'+,;")
		if bytes.ContainsAny(line, " :.-()") {
			continue
		}
		n += len(line)
	}
	return n
}
