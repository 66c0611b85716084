package values_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/values"
)

func TestRulesGoWithTheKindOfTheirValues(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind  string
		rules values.Rules
		bad   bool
	}{
		{values.Text, values.Rules{}, false},
		{values.Text, values.Rules{Need: "required", Unique: true, Min: "4", Max: "9"}, false},
		{values.Text, values.Rules{Default: "in use", Choices: []string{"in use", "A+"}}, false},
		{values.Text, values.Rules{Default: "lost", Choices: []string{"in use", "A+"}}, true},
		{values.Text, values.Rules{Choices: []string{"one"}}, true},
		{values.Text, values.Rules{Choices: []string{"one", "a\"b"}}, true},
		{values.Text, values.Rules{Choices: []string{"one", "three"}, Max: "3"}, true},
		{values.Text, values.Rules{Unique: true, Default: "x"}, true},
		{values.Text, values.Rules{Unique: true, Max: "3"}, true},
		{values.Text, values.Rules{Min: "1"}, true},
		{values.Text, values.Rules{Min: "9", Max: "8"}, true},
		{values.Number, values.Rules{Default: "0.5", Min: "-1", Max: "1.25"}, false},
		{values.Number, values.Rules{Default: "2", Max: "1.25"}, true},
		{values.Number, values.Rules{Min: "1e3"}, true},
		{values.Number, values.Rules{Choices: []string{"1", "2"}}, true},
		{values.Integer, values.Rules{Unique: true, Min: "1", Max: "5"}, false},
		{values.Integer, values.Rules{Unique: true, Min: "1", Max: "4"}, true},
		{values.Integer, values.Rules{Min: "1.5"}, true},
		{values.Truth, values.Rules{Default: "true"}, false},
		{values.Truth, values.Rules{Default: "yes"}, true},
		{values.Truth, values.Rules{Unique: true}, true},
		{values.Truth, values.Rules{Min: "1"}, true},
		{values.Day, values.Rules{Unique: true}, false},
		{values.Day, values.Rules{Default: "2026-01-31"}, true},
		{"another", values.Rules{Need: "required"}, false},
		{"another", values.Rules{Unique: true}, true},
		{"another", values.Rules{Max: "9"}, true},
	} {
		if got := test.rules.Bad(test.kind); got != test.bad {
			t.Errorf("%s %+v: bad is %v", test.kind, test.rules, got)
		}
	}
}

func TestGoodValuesKeepToTheRules(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		kind, usual string
		rules       values.Rules
		first       string
	}{
		{values.Text, "a first name", values.Rules{}, "a first name"},
		{values.Text, "a first name", values.Rules{Unique: true}, "a first name"},
		{values.Text, "a first name", values.Rules{Unique: true, Max: "6"}, "txname"},
		{values.Text, "a first name", values.Rules{Min: "14"}, "xxa first name"},
		{values.Text, "a first name", values.Rules{Choices: []string{"b", "c"}}, "b"},
		{values.Text, "line 2", values.Rules{Unique: true, Max: "5"}, "inex2"},
		{values.Integer, "3", values.Rules{}, "3"},
		{values.Integer, "3", values.Rules{Min: "100"}, "100"},
		{values.Integer, "3", values.Rules{Unique: true, Min: "1", Max: "5"}, "1"},
		{values.Integer, "3", values.Rules{Unique: true, Max: "0"}, "-4"},
		{values.Number, "9.5", values.Rules{Min: "0.25", Max: "0.5"}, "0.5"},
		{values.Truth, "true", values.Rules{Default: "false"}, "true"},
	} {
		seen := map[string]bool{}
		for n := 1; n <= 4; n++ {
			value := test.rules.Good(test.kind, test.usual, n)
			if seen[value] = true; !test.rules.Takes(test.kind, value) || n == 1 && value != test.first {
				t.Errorf("%s %+v: %q", test.kind, test.rules, value)
			}
		}
		if want := map[bool]int{true: 4, false: 1}[test.rules.Unique]; len(seen) != want {
			t.Errorf("%s %+v: %v", test.kind, test.rules, seen)
		}
	}
	days := values.Rules{Unique: true}
	if a, b := days.Good(values.Day, "2026-01-31", 1), days.Good(values.DateTime, "2026-01-31T09:30:00Z", 3); a != "2026-01-31" || b != "2026-01-29T09:30:00Z" {
		t.Errorf("%s, %s", a, b)
	}
}
