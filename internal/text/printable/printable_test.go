package printable_test

import (
	"encoding/json"
	"testing"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

const hostile = "a\x1b[2J\u009b\x7f\u202e\u2066\u200f\u061c\u2028\xffb\nc\td\n  e"

// Promise: terminal-safe
func TestWhatSteersIsShownAsSomethingElse(t *testing.T) {
	for name, tc := range map[string]struct{ got, want string }{
		"text":     {printable.Text(hostile), "a·[2J·······\ufffdb\nc\td\n  e"},
		"line":     {printable.Line(hostile), "a·[2J·······\ufffdb c d   e"},
		"indented": {printable.Indented(hostile), "a·[2J·······\ufffdb\n  c d\n  e"},
		"quoted":   {printable.Quoted(hostile), "  a·[2J·······\ufffdb\n  c d\n  e"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %q, want %q", name, tc.got, tc.want)
		}
	}
}

// Promise: terminal-safe
func TestJSONIsReadTheSame(t *testing.T) {
	text, err := json.Marshal("a\x1b[2J\u009b\x7f\u202eb")
	if err != nil {
		t.Fatal(err)
	}
	const want = `"a\u001b[2J\u009b\u007f\u202eb"`
	if got := string(printable.JSON(text)); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A terminal may take a byte that is no character for anything.
func TestBytesThatAreNoCharactersAreShownAsSuch(t *testing.T) {
	for in, want := range map[string]string{"\"a\xffb\"": "\"a\uFFFDb\"", "\"\xc2\x9b1m\"": `"\u009b1m"`, "\"\x9b1m\"": "\"\uFFFD1m\"", "\"\uFFFD\"": "\"\uFFFD\""} {
		if got := string(printable.JSON([]byte(in))); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestQuotedWordsSurviveAShell(t *testing.T) {
	for word, want := range map[string]string{"./a-b/c.pem": "./a-b/c.pem", "my folder": "'my folder'", "it's": `'it'\''s'`, "": "''", "$HOME": "'$HOME'"} {
		if got := printable.ShellWord(word); got != want {
			t.Errorf("%q is quoted as %s, want %s", word, got, want)
		}
	}
}
