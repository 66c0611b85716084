package words

import (
	"regexp"
	"strings"
	"unicode"
)

// What numbers and telephone numbers are like.
var (
	FigureLike = regexp.MustCompile(`^[+€$£]?\d[\d.,:%€$£]*(?:st|nd|rd|th|am|pm|h)?$`)
	PhoneLike  = regexp.MustCompile(`^\+?[\d(][\d ().-]{3,24}\d$`)
)

// IsFigure says whether a number stands at a place, or what belongs to one beside it: a month, a currency.
func (x Text) IsFigure(i int) bool {
	plain := func(t Token) bool {
		return !t.Quoted && (FigureLike.MatchString(t.Low) || PhoneLike.MatchString(t.Low) || x.Vocabulary[t.Low].Value == "dates")
	}
	return plain(x.At(i)) || x.Is("figure", x.At(i).Low) && (plain(x.At(i-1)) || plain(x.At(i+1)))
}

// Figures gives how many words from a place are figures in a row: dates, hours, numbers.
func (x Text) Figures(i int) (n int) {
	for x.IsFigure(i+n) || n > 0 && x.Is("between-figures", x.At(i+n).Low) && x.IsFigure(i+n+1) {
		n++
	}
	return n
}

// Calendar gives figures as they are written, the number of their digits, and what of a calendar is among them.
func (x Text) Calendar(from, to int) (text string, digits int, has map[string]bool) {
	text, has = x.Written(from, to), map[string]bool{}
	for _, t := range x.Tokens[from:to] {
		has[x.Tables["calendar"][strings.TrimLeft(t.Low, "0123456789.:")]] = true // 7pm
	}
	for _, c := range text {
		if unicode.IsDigit(c) {
			digits++
		}
	}
	return text, digits, has
}
