package secrets

import "bytes"

var (
	keyBegin = []byte("-----BEGIN ")
	// keyStart is the first line of a private key in PEM. What follows it counts:
	// programs that read keys hold the line alone.
	keyStart = pattern(`^-----BEGIN ((?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?)-----`)
	// keyGap is what stands between the lines of a key: line ends, and what strings
	// of programs, quotations, addresses and HTML make of them.
	keyGap = pattern(`^(?:\s|\\+[nrt]|\\+\s|%0[AaDd]|<br ?/?>|&gt;|[>"',;|#*]|[+/]+(?:\s|$))+`)
	// keyHeader is a header of an old format. Where line ends became spaces, it ends
	// where the key begins.
	keyHeader = pattern(`^([A-Za-z][A-Za-z\-]{0,30}: [^\n\r\\<]{0,200}?)(?:[\n\r\\<]| [A-Za-z0-9+/]{40})`)
	// keyWord is one line of a key; that of a checksum begins with =.
	keyWord = pattern(`^=?(?:[A-Za-z0-9+/]|\\/)+={0,2}`)
	// keyTail tells the short last line of a key from a word of a sentence.
	keyTail = pattern(`[0-9+/=]|[a-z][A-Z]`)
	keyRun  = pattern(`[A-Za-z0-9+/]{16,}`)
)

const (
	// keyWindow is more than a private key takes up.
	keyWindow = 64 << 10
	// keyBody is the least base64 of a private key: Ed25519 has 64 characters.
	keyBody = 60
	// keyLine is the shortest line of one that has no end, but its last.
	keyLine = 40
)

// privateKeys finds private keys in PEM, however their line ends are written. One
// that is cut off counts to its last line.
func privateKeys(text []byte) []Finding {
	var found []Finding
	for from := 0; ; {
		at := bytes.Index(text[from:], keyBegin)
		if at < 0 {
			return found
		}
		start := from + at
		from = start + 1
		window := text[start:min(len(text), start+keyWindow)]
		head := keyStart().FindSubmatch(window)
		if head == nil {
			continue
		}
		length := keyLength(window[len(head[0]):], []byte("-----END "+string(head[1])+"-----"))
		if length == 0 {
			continue
		}
		from = start + len(head[0]) + length
		found = append(found, Finding{Kind: "private key", Start: start, End: from})
	}
}

// keyLength is how much of what follows the first line of a private key belongs to
// the key: all up to its last line where that follows, and otherwise what surely is
// base64. 0: there is no key.
func keyLength(body, last []byte) int {
	if next := bytes.Index(body, keyBegin); next >= 0 {
		body = body[:next]
	}
	length := keyLines(body)
	if end := bytes.Index(body, last); end >= 0 && (length > 0 || mostlyBase64(body[:end])) {
		return end + len(last)
	}
	return length
}

// keyLines is the length of the headers and lines of a key at the start of a text.
func keyLines(text []byte) int {
	at := 0
	for {
		at += len(keyGap().Find(text[at:]))
		header := keyHeader().FindSubmatch(text[at:])
		if header == nil {
			break
		}
		at += len(header[1])
	}
	end, total := 0, 0
	for short := false; ; {
		at += len(keyGap().Find(text[at:]))
		word := keyWord().Find(text[at:])
		if len(word) < keyLine {
			if end == 0 || !keyTail().Match(word) || short && word[0] != '=' {
				break
			}
			short = true
		} else if short {
			break
		}
		at += len(word)
		end, total = at, total+len(word)
	}
	if total < keyBody {
		return 0
	}
	return end
}

// mostlyBase64 says whether what stands between the first and the last line of a
// key is one, in lines of another form.
func mostlyBase64(text []byte) bool {
	n := 0
	for _, run := range keyRun().FindAll(text, -1) {
		n += len(run)
	}
	return n >= keyBody && 2*n >= len(text)
}
