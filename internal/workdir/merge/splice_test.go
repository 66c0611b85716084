package merge

import (
	"errors"
	"testing"
)

func TestSplicesThatTouchAreRefused(t *testing.T) {
	for name, tt := range map[string]struct {
		all  []splice
		want string
		err  error
	}{
		"apart":           {[]splice{{4, 5, "E"}, {0, 1, "A"}}, "AbcdE", nil},
		"side by side":    {[]splice{{0, 2, "x"}, {2, 3, "y"}}, "xyde", nil},
		"in one place":    {[]splice{{1, 1, "x"}, {1, 1, "y"}}, "axybcde", nil},
		"overlapping":     {[]splice{{0, 3, "x"}, {2, 4, "y"}}, "", errOverlap},
		"backwards":       {[]splice{{3, 2, "x"}}, "", errOverlap},
		"beyond the end":  {[]splice{{4, 6, "x"}}, "", errOverlap},
		"nothing to move": {nil, "abcde", nil},
	} {
		if got, err := applySplices("abcde", tt.all); got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
