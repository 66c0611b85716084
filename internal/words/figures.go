package words

import "regexp"

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
