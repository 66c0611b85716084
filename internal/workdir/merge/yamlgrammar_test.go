package merge

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestYAMLGrammar names the corners of the grammar at which a reader is easily
// too generous. What is accepted must mean to the library what it means to us;
// of what is refused, the reason must be the right one.
func TestYAMLGrammar(t *testing.T) {
	const tab = "a tab is used to indent"
	// The reasons of the library, which knows that something is wrong there and not what.
	const noKey, noItem, noComma = "a map goes on with what is no key", "a list goes on with what is no item", "brackets are not closed or lack a comma"
	tests := []struct {
		name, src, refused string
	}{
		{"alias", "a: &x 1\nb: *x\n", ""},
		{"alias on the next line", "a: &x 1\nb:\n  *x\n", ""},
		{"alias in a list", "- &x 1\n- *x\n", ""},
		{"alias in a list, on the next line", "- &x 1\n-\n  *x\n", ""},
		{"alias in brackets", "a: &x 1\nb: [*x, {c: *x}]\n", ""},
		{"anchor of nothing before an alias as the next item", "- &x\n- *x\n", ""},
		{"anchor of nothing before an alias as the next value", "a: &x\nb: *x\n", ""},
		{"anchor of a list with an alias in it", "- &x 1\n- &y\n  - *x\n", ""},
		{"tag of a map with an alias in it", "a: &x 1\nb: !t\n  c: *x\n", ""},
		{"anchor and alias", "a: &x 1\nb: &y *x\n", noKey},
		{"anchor and its own alias", "a: &x *x\n", noKey},
		{"tag and alias", "a: &x 1\nb: !t *x\n", noKey},
		{"tag, anchor and alias", "a: &x 1\nb: !t &y *x\n", noKey},
		{"anchor above an alias", "a: &x 1\nb: &y\n *x\n", noKey},
		{"tag above an alias", "a: &x 1\nb: !t\n  *x\n", noKey},
		{"anchor above an alias, with a comment", "a: &x 1\nb: &y # why\n\n  # not\n  *x\n", noKey},
		{"anchor above an alias in a list", "- &x 1\n- &y\n  *x\n", noItem},
		{"tag above an alias in a list", "- &x 1\n- - !t\n    *x\n", noItem},
		{"tag and alias in a list", "- &x 1\n- !t *x\n", noItem},
		{"anchor above an alias as the document", "&x\n*x\n", "there is text after the end of the value"},
		{"anchor and alias with carriage returns", "a: &x 1\r\nb: &y\r\n *x\r\n", noKey},
		{"anchor and alias in brackets", "a: &x 1\nb: [&y *x]\n", noComma},
		{"tag and alias as a value in brackets", "a: &x 1\nb: {c: !t *x}\n", noComma},
		{"anchor and alias as a key", "a: &x 1\n&y *x : 2\n", noKey},
		{"alias as a key", "a: &x 1\n*x : 2\n", "keys with anchors"},
		{"tag and alias as an explicit key", "? !t *x\n: 2\n", noKey},
		{"anchor and alias as a later explicit key", "a: &x 1\n? &y *x\n: 2\n", noKey},
		{"properties on two lines", "a: &x\n  !t 1\n", "twice"},
		{"two anchors on two lines", "a: &x\n  &y 1\n", noKey},
		{"anchor before a dash", "a: &x - 1\n", "a list item stands where none can be"},
		{"anchor behind its value", "a: 1 &x\nb: *x\n", "stands for no anchor"},
		{"alias and more", "a: &x 1\nb: *x 2\n", noKey},

		{"colon on the line of its key", "{a : 1, \"b\" : 2, 'c':\n 3}\n", ""},
		{"colon below its key", "{a\n: 1}\n", noComma},
		{"colon below a quoted key", "{\"a\"\n: 1}\n", noComma},
		{"colon below its key and a comment", "{a # why\n : 1}\n", noComma},
		{"colon below its key, deeper", "a: {b: {c\n  : 1}}\n", noComma},
		{"colon below an item", "a: [b\n  : 1]\n", noComma},

		{"colon before a comma", "{a:, b: 1}\n", "a colon needs a space"},
		{"block text that is not indented", "a:\n|\n b\n", "the indentation does not fit"},
		{"anchor below its key, above a list beside it", "a:\n  &x\n- 1\n", "the indentation does not fit"},
		{"quotes whose second line is not indented", "a: \"x\ny\"\n", "not indented far enough"},

		{"tabs in brackets that are the document", "{\n\t\"a\": 1\n\t}\n", ""},
		{"tab behind the indentation of brackets", "a: [\n \t1\n \t]\n", ""},
		{"tabs between values in brackets", "a: [\t1\t,\t2\t]\n", ""},
		{"tab as the indentation of an item", "a: [\n\t1]\n", tab},
		{"tab before a closing bracket", "a: {b\n\t}\n", tab},
		{"tab before a closing bracket, deeper", "a:\n  b: [1\n  \t]\n", tab},
		{"tab before a comma", "- {a: 1\n\t, b: 2}\n", tab},
		{"tab in a blank line of brackets", "a: [1\n\t\n ]\n", tab},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n, err := parseYAML(tt.src)
			switch {
			case tt.refused == "" && err != nil:
				t.Fatalf("%q is refused: %v", tt.src, err)
			case tt.refused != "" && (err == nil || !strings.Contains(err.Error(), tt.refused)):
				t.Fatalf("%q: the error is %v, and should say %q", tt.src, err, tt.refused)
			}
			if diff := yamlOracle(tt.src, n, err); diff != "" {
				t.Errorf("%q: %s", tt.src, diff)
			}
		})
	}
}

// yamlTokens are what YAML is made of, and the ends of lines that change what
// the next token means. Those that often lead to an accepted text are there
// more than once.
var yamlTokens = []string{
	"\n", "\n", "\n ", "\n  ", "\n    ", "\n\n", "\r\n", "\r\n ", " ", " ", "  ", "\t", "\n\t",
	"- ", "- ", "-", "? ", "?", ": ", ": ", ":", ":\n ", ":\n  ", ":\n", "\n:", "a", "b", "0", "~", "é", "\u00a0",
	"&x", "&x ", "&y ", "*x", "*x ", "*y", "!t", "!t ", "!!str ", "!", "&", "*", "<<", "=", "%", "@", "`", "\\", "\\n",
	"\"", "'", "\"a\"", "'b'", "\"a\":", "\"a\n", "'a\n ", "|", ">", "|-", ">+", "|2", ">1-", "|\n ", ">\n  ", "|+\n ",
	"#", " #", " # c", "\n#", "[", "]", "{", "}", ",", ", ", "[a, ", "{a: ", "{a", "\n]", "\n}", "\n,", "---", "--- ", "...",
	"a: ", "b: ", "- a", "\n- ", "\n  - ", "\n  a: ", "\n  b", "\na: ", "\nb: ", "a: &x 1\n", "- &x 1\n",
}

// TestYAMLTokens holds the reader against the library on texts that are tokens
// in any order, which reaches corners of the grammar sooner than random bytes.
func TestYAMLTokens(t *testing.T) {
	texts := rapid.SliceOfN(rapid.SampledFrom(yamlTokens), 1, 14)
	rapid.Check(t, func(t *rapid.T) {
		for range 200 {
			src := strings.Join(texts.Draw(t, "tokens"), "")
			if !isText([]byte(src)) {
				continue
			}
			n, err := parseYAML(src)
			if diff := yamlOracle(src, n, err); diff != "" {
				t.Fatalf("%q: %s", src, diff)
			}
		}
	})
}
