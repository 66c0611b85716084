package edit

import "testing"

// Empty lines stand everywhere, and say nothing about a place.
func TestThePlaceIsWhereTheWordsStand(t *testing.T) {
	for name, tt := range map[string]struct {
		lines, wanted []string
		at            int
		found         bool
	}{
		"a line after empty ones": {[]string{"\n", "\n", "target\n"}, []string{"target\n", "\n", "\n", "x\n"}, 2, true},
		"most of the lines":       {[]string{"b\n", "x\n", "a\n", "\tb\n", "c\n"}, []string{"a\n", "b\n", "c\n"}, 2, true},
		"only empty ones":         {[]string{"\n", "\n"}, []string{"\n", "y\n"}, 0, false},
	} {
		if at, found := alignLines(tt.lines, tt.wanted); at != tt.at || found != tt.found {
			t.Errorf("%s: line %d, %t", name, at, found)
		}
	}
}
