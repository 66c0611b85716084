package console

import (
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// faulty is a lexer that gives up in the middle, as some do.
type faulty struct{ chroma.Lexer }

func (faulty) Tokenise(*chroma.TokeniseOptions, string) (chroma.Iterator, error) {
	told := false
	return func() chroma.Token {
		if told {
			panic("no such state")
		}
		told = true
		return chroma.Token{Type: chroma.Keyword, Value: "func"}
	}, nil
}

func TestATextThatCannotBeColouredIsShownPlain(t *testing.T) {
	never, always := func() bool { return false }, func() bool { return true }
	if tokens, ok := words(faulty{}, "func main() {}", never); ok || tokens != nil {
		t.Errorf("a lexer that panics gives %v", tokens)
	}
	if tokens, ok := words(lexers.Get("go"), "func main() {}", always); ok || tokens != nil {
		t.Errorf("a lexer that is late gives %v", tokens)
	}
	tokens, ok := words(lexers.Get("go"), "func main() {}", never)
	if !ok || len(tokens) < 4 {
		t.Errorf("the words are %v", tokens)
	}
	text := ""
	for _, token := range tokens {
		text += token.Value
	}
	if strings.TrimSpace(text) != "func main() {}" {
		t.Errorf("the words together are %q", text)
	}
	large, err := colour("main.go", strings.Repeat("// <b>\n", colouredFile/4))
	if err != nil || strings.Contains(string(large), "<b>") || strings.Contains(string(large), `class="c-c1"`) {
		t.Errorf("a large file is coloured or not escaped (%v)", err)
	}
}
