package grammar

import (
	"fmt"
	"strings"
	"testing"
)

const menu = `
# what people order
order = <polite>? <dish> (and <dish>)* please?
polite = i'd like | could i have
dish = <amount>? {dish} <without>*
amount = a | two | very+ large | dish~ of
without = without <side> | with no <side>
side = {side}
side = {anything} !5
`

// text is a list of words; a dish is one word, or two.
type text []string

func (t text) Word(i int) string { return t[i] }

func (t text) Terminal(name string, i int) (out []Match) {
	known := map[string]string{"dish": "soup pie apple-pie", "side": "salt"}
	for n := 1; n <= 2 && i+n <= len(t); n++ {
		if strings.Contains(" "+known[name]+" ", " "+strings.Join(t[i:i+n], "-")+" ") || name == "anything" {
			out = append(out, Match{To: i + n})
		}
	}
	return out
}

// written gives a derivation as brackets.
func written(n *Node, t text) string {
	if n == nil {
		return "nothing"
	}
	if len(n.Parts) == 0 {
		return fmt.Sprintf("%s:%s", n.Name, strings.Join(t[n.From:n.To], " "))
	}
	var parts []string
	for _, p := range n.Parts {
		parts = append(parts, written(p, t))
	}
	return fmt.Sprintf("%s(%s)", n.Name, strings.Join(parts, " "))
}

func TestTextsAreDerived(t *testing.T) {
	t.Parallel()
	g := New(menu)
	for _, each := range []struct {
		text, want string
		far        int
	}{
		{"soup", "order(dish({dish:soup))", 1},
		{"i'd like two apple pie please", "order(polite:i'd like dish(amount:two {dish:apple pie))", 6},
		{"soup and a pie and soup", "order(dish({dish:soup) dish(amount:a {dish:pie) dish({dish:soup))", 6},
		{"soup without salt with no salt", "order(dish({dish:soup without(side({side:salt)) without(side({side:salt))))", 6},
		{"soup without sugar", "order(dish({dish:soup without(side({anything:sugar))))", 3},
		{"very very large soup", "order(dish(amount:very very large {dish:soup))", 4},
		{"dish of soup", "order(dish(amount:dish of {dish:soup))", 3},
		{"dishes of soup", "order(dish(amount:dishes of {dish:soup))", 3},
		{"large soup", "nothing", 0},
		{"soup and two rats", "nothing", 3},
		{"please", "nothing", 0},
	} {
		words := text(strings.Fields(each.text))
		n, far := g.Read("order", words, 0, len(words))
		if got := written(n, words); got != each.want || far != each.far {
			t.Errorf("%q: %s, up to %d, not %s, up to %d", each.text, got, far, each.want, each.far)
		}
	}
}

func TestTheLikeliestReadingIsTaken(t *testing.T) {
	t.Parallel()
	g := New("s = <unlikely>\ns = <likely>\nunlikely = {anything} !2\nlikely = {anything} !1")
	words := text{"soup"}
	if n, _ := g.Read("s", words, 0, 1); n == nil || n.Parts[0].Name != "likely" || n.Cost != 1 {
		t.Error(written(n, words))
	}
}

func TestTablesThatAreNoGrammarAreRefused(t *testing.T) {
	t.Parallel()
	for _, table := range []string{"order", "order = <dish>", "order = a ) b"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q", table)
				}
			}()
			New(table)
		}()
	}
}

// A note says what the reading means that was taken, and not another of the same rule.
func TestTheReadingThatIsTakenHasItsNote(t *testing.T) {
	t.Parallel()
	g := New("order = <amount> soup\namount = a =1\namount = two | a couple of =2\namount = a couple of !1 =3")
	for request, want := range map[string]string{"a soup": "1", "two soup": "", "a couple of soup": "2"} {
		words := text(strings.Fields(request))
		if n, _ := g.Read("order", words, 0, len(words)); n == nil || n.Parts[0].Note != want {
			t.Errorf("%s: %+v", request, n)
		}
	}
}
