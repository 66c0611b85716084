package secrets

import (
	"bytes"
	"strings"
)

// settingKeys end the names of keys whose values are credentials.
var settingKeys = []struct {
	endings []string
	// whole says that the ending must be a word of its own: pass, but not compass.
	whole bool
	// password says that people choose such values, so that they need not look random.
	password bool
}{
	{endings: []string{"password", "passwd", "passphrase"}, password: true},
	{endings: []string{"pass", "pwd"}, whole: true, password: true},
	{endings: []string{
		"secret", "token", "secretkey", "secret_key", "secret_key_base", "secret-key", "apikey", "api_key", "api-key",
		"accesskey", "access_key", "access-key", "private_key", "private-key", "privatekey", "encryption_key", "signing_key",
	}},
}

const maxValue = 256

// assigned finds values of keys that name a credential, as YAML, JSON, TOML and files
// of settings write them: password: hunter2.
func assigned(text []byte) []Finding {
	lower := lowerASCII(text)
	var found []Finding
	for _, key := range settingKeys {
		kind, isSecret := "secret in a setting", random
		if key.password {
			kind, isSecret = "password in a setting", chosen
		}
		for _, ending := range key.endings {
			for from := 0; ; {
				at := bytes.Index(lower[from:], []byte(ending))
				if at < 0 {
					break
				}
				start := from + at
				from = start + len(ending)
				if key.whole && !wordBegins(text, start) || elsewhere(text, start) {
					continue
				}
				begin, end := settingValue(text, from)
				value := string(text[begin:end])
				if begin == end || standsForOther(value) || !isSecret(value) {
					continue
				}
				found = append(found, Finding{Kind: kind, Start: begin, End: end})
				from = end
			}
		}
	}
	return found
}

// lowerASCII keeps the length of a text, whatever else is in it.
func lowerASCII(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return out
}

// wordBegins reports whether a word of a key begins here: db_pass, dbPass.
func wordBegins(text []byte, at int) bool {
	if at == 0 {
		return true
	}
	before, here := text[at-1], text[at]
	return !wordByte(before) || before == '_' || 'a' <= before && before <= 'z' && 'A' <= here && here <= 'Z'
}

// elsewhere reports whether a name belongs to no setting but to a variable, such as
// ${NAME:-value}, or to the query of an address.
func elsewhere(text []byte, at int) bool {
	const longest = 64
	for n := 0; at > 0 && n < longest && wordByte(text[at-1]); n++ {
		at--
	}
	if at == 0 {
		return false
	}
	return bytes.IndexByte([]byte("$?&"), text[at-1]) >= 0 || text[at-1] == '{' && at > 1 && text[at-2] == '$'
}

// settingValue returns where the value of the key that ends here begins and ends; both
// are the same if no value follows on the line.
func settingValue(text []byte, at int) (begin, end int) {
	const maxGap = 32 // between a key and what separates it from its value
	gap := text[at:min(len(text), at+maxGap)]
	separator := bytes.TrimLeft(bytes.TrimLeft(gap, `"'\`), " \t")
	if len(separator) == 0 || separator[0] != ':' && separator[0] != '=' {
		return at, at
	}
	line := text[at:min(len(text), at+maxGap+2*maxValue)]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = bytes.TrimSuffix(line[:i], []byte("\r"))
	}
	rest := line[len(gap)-len(separator):]
	rest = bytes.TrimLeft(bytes.TrimLeft(rest, ":=>"), " \t")
	begin = at + len(line) - len(rest)
	if len(rest) == 0 {
		return at, at
	}
	switch quote := rest[0]; {
	case quote == '"' || quote == '\'':
		begin++
		if i := bytes.IndexByte(rest[1:], quote); i >= 0 && i <= maxValue {
			return begin, begin + i
		}
		return at, at
	case bytes.IndexByte([]byte("{[!&*|>`"), quote) >= 0: // a list, a tag, an anchor, a block
		return at, at
	}
	for _, comment := range []string{" #", "\t#", " ;", " //"} {
		rest, _, _ = bytes.Cut(rest, []byte(comment))
	}
	rest = bytes.TrimRight(rest, " \t,;}]")
	if len(rest) > maxValue {
		return at, at
	}
	return begin, begin + len(rest)
}

// chosen reports whether a value is a password that somebody chose: neither text for
// people nor the name of something.
func chosen(value string) bool {
	if len(value) < minPassword || strings.ContainsAny(value, " \t") || strings.Contains(value, "://") {
		return false
	}
	classes := classesOf(value)
	if classes&digit == 0 && nameLike(value) {
		return false
	}
	return classes&(lower|upper) != 0 && classes&(digit|symbol) != 0
}

// nameLike reports whether a value consists of up to three words of letters, as names
// of other things do: db-password-file, app.security.encoder. Names of variables have
// any number of words.
func nameLike(value string) bool {
	words := strings.FieldsFunc(value, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
	for _, word := range words {
		if classesOf(word)&^(lower|upper) != 0 {
			return false
		}
	}
	return len(words) <= 3 || classesOf(value)&lower == 0
}
