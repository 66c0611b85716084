package secrets

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
)

// tokenStart begins the header of each JSON web token: {" in base64.
var tokenStart = []byte("eyJ")

const (
	maxToken     = 16 << 10
	minSignature = 22 // characters: 16 bytes
)

// webTokens finds signed JSON web tokens. Each byte is looked at a bounded number of
// times: a run of their characters is passed as a whole.
func webTokens(text []byte) []Finding {
	var found []Finding
	for from := 0; ; {
		at := bytes.Index(text[from:], tokenStart)
		if at < 0 {
			return found
		}
		start := from + at
		from = start + len(tokenStart)
		if joinedBefore(text[:start]) || start > 0 && (text[start-1] == '-' || text[start-1] == '.') {
			continue
		}
		for from < len(text) && tokenByte(text[from]) {
			from++
		}
		token := bytes.TrimRight(text[start:from], ".")
		if bold, ok := bytes.CutSuffix(token, []byte("__")); ok && bytes.HasSuffix(text[:start], []byte("__")) {
			token = bold
		}
		if len(token) <= maxToken && signedToken(string(token)) {
			found = append(found, Finding{Kind: "JSON web token", Start: start, End: start + len(token)})
		}
	}
}

func tokenByte(c byte) bool { return wordByte(c) || c == '-' || c == '.' }

// signedToken reports whether a text is a JSON web token that opens something. One
// without a signature opens nothing, that of jwt.io is known to everybody, and one for
// the role anon is meant for browsers.
func signedToken(token string) bool {
	parts := strings.Split(token, ".")
	if len(parts) != 3 || len(parts[2]) < minSignature || placeholder([]byte(parts[2])) {
		return false
	}
	var header struct {
		Algorithm string `json:"alg"`
	}
	var claims map[string]any
	if decodePart(parts[0], &header) != nil || decodePart(parts[1], &claims) != nil {
		return false
	}
	return header.Algorithm != "" && !strings.EqualFold(header.Algorithm, "none") && claims["sub"] != "1234567890" && claims["role"] != "anon"
}

func decodePart(part string, v any) error {
	text, err := base64.RawURLEncoding.DecodeString(part)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}
