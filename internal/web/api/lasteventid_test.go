package api

import (
	"math"
	"testing"
)

func TestLastEventID(t *testing.T) {
	for _, test := range []struct {
		header []string
		query  string
		want   int64
	}{
		{nil, "", 0},
		{nil, "7", 7},
		{[]string{"5"}, "7", 5},
		{[]string{" 5 "}, "", 5},
		{[]string{"+5"}, "", 0},
		{[]string{"-5"}, "", 0},
		{[]string{"5x"}, "", 0},
		{[]string{""}, "7", 0},
		{[]string{"0005"}, "", 5},
		{[]string{"99999999999999999999999999"}, "", math.MaxInt64},
	} {
		if got := LastEventID(test.header, test.query); got != test.want {
			t.Errorf("%q and %q give %d, want %d", test.header, test.query, got, test.want)
		}
	}
}
