package bundlezip

import (
	"strings"
	"unicode"
)

// foldCase is the full case folding of Unicode for a text in form NFD. The
// library for it also knows about languages, and builds its tables whenever a
// program that links it starts, which for the client is a good part of that
// start. A test holds the two against each other for every character.
func foldCase(text string) string {
	var out strings.Builder
	out.Grow(len(text))
	for _, r := range text {
		if letters := foldsToSeveral(r); letters != "" {
			out.WriteString(letters)
		} else {
			out.WriteRune(foldLetter(r))
		}
	}
	return out.String()
}

// foldLetter folds a character that stays one.
func foldLetter(r rune) rune {
	switch {
	case r == 'ı': // its capital is that of i, and yet it is no i
		return r
	case unicode.Is(unicode.Cherokee, r): // its small letters came late
		return unicode.ToUpper(r)
	}
	// By way of the capitals all forms of a letter meet: σ and ς, s and ſ.
	return unicode.ToLower(unicode.ToUpper(r))
}

// foldsToSeveral are the letters that a character folds to if they are more than
// one. Characters that NFD takes apart are not among them.
func foldsToSeveral(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'ŉ':
		return "\u02bcn"
	case 'ẚ':
		return "a\u02be"
	case 'ﬀ':
		return "ff"
	case 'ﬁ':
		return "fi"
	case 'ﬂ':
		return "fl"
	case 'ﬃ':
		return "ffi"
	case 'ﬄ':
		return "ffl"
	case 'ﬅ', 'ﬆ':
		return "st"
	case 'և':
		return "\u0565\u0582"
	case 'ﬓ':
		return "\u0574\u0576"
	case 'ﬔ':
		return "\u0574\u0565"
	case 'ﬕ':
		return "\u0574\u056b"
	case 'ﬖ':
		return "\u057e\u0576"
	case 'ﬗ':
		return "\u0574\u056d"
	}
	return ""
}
