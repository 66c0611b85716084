package secrets

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode/utf16"
)

// FindInFile returns the credentials in a file, in the order in which they stand. It
// finds what Find does, and also passwords in addresses and, in files of settings,
// values of keys such as password and api_key. Text in UTF-16 is decoded first, with
// or without a byte order mark; Start and End then count bytes of the decoded text.
//
// A value that stands for another (${PASSWORD}, changeme, the user's own name) is none.
func FindInFile(name string, content []byte) []Finding {
	text := decoded(content)
	found := slices.Concat(findAll(text), addressPasswords(text, illustrates(name)))
	if hasSettings(name) {
		found = append(found, assigned(text)...)
	}
	return numbered(text, found)
}

// decoded returns a text in UTF-8 if it is one in UTF-16, and otherwise as it is.
func decoded(content []byte) []byte {
	order := orderOf(content)
	if order == nil {
		return content
	}
	units := make([]uint16, len(content)/2)
	for i := range units {
		units[i] = order.Uint16(content[2*i:])
	}
	return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
}

// orderOf returns the byte order of a text in UTF-16, and nil for anything else. Without
// a byte order mark most characters must be of ASCII: their other byte is 0.
func orderOf(content []byte) binary.ByteOrder {
	if len(content) < 2 {
		return nil
	}
	switch [2]byte(content) {
	case [2]byte{0xff, 0xfe}:
		return binary.LittleEndian
	case [2]byte{0xfe, 0xff}:
		return binary.BigEndian
	}
	var zeros [2]int // at even and at odd places
	for i, c := range content {
		if c == 0 {
			zeros[i&1]++
		}
	}
	switch most := len(content) / 4; { // half of the characters
	case zeros[1] > most && zeros[0] <= zeros[1]/16:
		return binary.LittleEndian
	case zeros[0] > most && zeros[1] <= zeros[0]/16:
		return binary.BigEndian
	}
	return nil
}

// hasSettings reports whether a file of this name holds keys with values.
func hasSettings(name string) bool {
	base := strings.ToLower(path.Base(name))
	return strings.HasPrefix(base, ".env") || base == ".npmrc" || base == ".yarnrc" || slices.Contains([]string{
		".yaml", ".yml", ".json", ".jsonc", ".json5", ".toml", ".ini", ".cfg", ".conf", ".config", ".cnf", ".properties", ".env", ".tfvars",
	}, path.Ext(base))
}

// illustrates reports whether what stands in a file of this name is likely to be
// an example.
func illustrates(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains([]string{".md", ".mdx", ".rst", ".adoc"}, path.Ext(name)) ||
		strings.Contains(name, "example") || strings.Contains(name, "sample") || strings.Contains(path.Base(name), "template")
}
