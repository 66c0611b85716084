package plaintext

import (
	"strings"
	"testing"
)

// Promise: template-untrusted-text
func TestNamesForProgramsAreMadeOfAnyText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Müller & Söhne": "mueller-soehne", "Café Été": "cafe-ete", "Joe's Pizza": "joes-pizza", "Żabka 24": "zabka-24", "../etc/passwd": "etc-passwd", "42nd Street": "nd-street", "日本": "",
		strings.Repeat("ab ", 30): strings.Repeat("ab-", 13) + "a",
	} {
		if got := Slug(text); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}

// Promise: template-untrusted-text
func TestTextIsCleanedForPeople(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		Line("a\x00\u202eb\n c", 9): "a b c", Line("abcdef", 3): "abc",
		Spelled("todo-api"): "Todo API", Spelled("house-to-rent"): "House to Rent", Spelled("the-way-in"): "The Way In", Capital("élan"): "Élan", Markdown("a_b <i>&"): `a\_b &lt;i&gt;&amp;`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestLinesAreToldFromOtherTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, "a  b": true, "日本 5": true, "123456": false, " a": false, "a ": false, "a\nb": false, "a\x00": false, "a\u202eb": false, "a\u00a0b": false, "\xff": false} {
		if IsLine(text, 5) != want {
			t.Errorf("%q", text)
		}
	}
}
