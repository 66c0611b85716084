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
		Title("  Müller & Söhne <script>"): "Müller & Söhne script", Title("&--'"): "", Title("Dr. Lee and W. H. Lee & Co."): "Dr. Lee and W. H. Lee & Co", Title("a note. b"): "a note. b", Title("config.yaml..x"): "config yaml x", Line("a\x00\u202eb\n c", 9): "a b c", Line("abcdef", 3): "abc",
		Spelled("todo-api"): "Todo API", Spelled("house-to-rent"): "House to Rent", Spelled("the-way-in"): "The Way In", Capital("élan"): "Élan", Markdown("a_b <i>&"): `a\_b &lt;i&gt;&amp;`,
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if !IsCapital("Été") || IsCapital("été") || IsCapital("") {
		t.Error("capitals are not told from others")
	}
}
