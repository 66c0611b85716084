package mcp

import (
	"strings"
	"testing"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir/generate"
)

// Promise: unreadable-shown
func TestAnUnreadableRequestIsAnsweredWithOneThatCanBeRead(t *testing.T) {
	refused := &svc.Suggestion{Spec: "api\nbook: title\u200b", NotUnderstood: []string{"please\n"}}
	got := refusalOf(&generate.Refusal{Message: "No.", Suggestion: *refused})
	if f := got.Failure; got.Status != "refused" || f.Message != "No." || f.Suggestion.Spec != "api\nbook: title·" || !strings.HasPrefix(f.Suggestion.NotUnderstood[0], "please") || !strings.Contains(got.Next, "suggestion.spec") {
		t.Errorf("the answer is %+v with %+v", got, f)
	}
	for word, s := range map[string]svc.Suggestion{
		"edit it": {Spec: "api", Unchanged: true, NotUnderstood: []string{"blue"}}, "lacks it": {Spec: "api"},
	} {
		if got := refusalOf(&generate.Refusal{Message: "No.", Suggestion: s}); !strings.Contains(got.Next, word) || got.Failure.Suggestion.Unchanged != s.Unchanged {
			t.Errorf("%+v is answered with %q", s, got.Next)
		}
	}
	got = refusalOf(&generate.Refusal{Message: "No."})
	if got.Failure.Suggestion != nil || !strings.Contains(got.Next, "change the request") {
		t.Errorf("the answer without a suggestion is %+v with %+v", got, got.Failure)
	}
	told := tell(&svc.Transcript{}, client.Generation{Error: &svc.ErrorEvent{Code: "CONSTRAINT_UNRESOLVABLE", Suggestion: refused}})
	if s := told.Failure.Suggestion; s == nil || s.Spec != "api\nbook: title·" || !strings.Contains(told.Next, "suggestion.spec") {
		t.Errorf("the run is %+v with %+v", told, told.Failure)
	}
}

// Promise: mcp-data
func TestWhatCannotBeSeenIsShown(t *testing.T) {
	const hostile = "a\x1b[2J\u202e\u200b\U000e0041\U000e0101\ufe01b\r\nc\td\n"
	if got, want := visible(hostile), "a·[2J·····b\nc\td\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := line(hostile), "a·[2J·····b c d "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]bool{hostile: true, "plain\ttext\r\n": false, "\U0001f468\u200d\U0001f469 \u2764\ufe0f": false, "x\U000e0001": true} {
		if hasHidden([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

// Promise: mcp-data
func TestKeysAreStruckOut(t *testing.T) {
	secret := strings.Repeat("0a", 16)
	for text, want := range map[string]string{
		"svc_abcd1234_" + secret:                     "svc_abcd1234_…",
		`{"a":"xsvc_abcd1234_` + secret + `ffrest"}`: `{"a":"xsvc_abcd1234_…ffrest"}`,
		"svc_abcd1234_" + secret[1:]:                 "svc_abcd1234_" + secret[1:],
		"svc_abcd_" + secret:                         "svc_abcd_" + secret,
	} {
		if got := string(strike([]byte(text))); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}

func TestTextsAreCutAtALine(t *testing.T) {
	for _, tc := range []struct {
		text  string
		limit int
		want  string
		short bool
	}{
		{"one\ntwo\n", 8, "one\ntwo\n", false},
		{"one\ntwo\n", 6, "one\n", true},
		{"äö", 3, "ä", true},
		{"one\n", 0, "", true},
		{"one\n", -5, "", true},
		{"", 0, "", false},
	} {
		if got, short := cut(tc.text, tc.limit); got != tc.want || short != tc.short {
			t.Errorf("%q at %d: %q, %v", tc.text, tc.limit, got, short)
		}
	}
}
