package english

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// reader holds a request while its forms are read.
type reader struct {
	words   []string // of the request, and its marks
	text    string   // what no phrase has used
	old     *spec.Spec
	spec    spec.Spec
	lines   []string          // of a change
	set     map[string]string // the options that are named
	subject string            // what the project is for, if that is no record
	noun    string            // the same without words such as app
	title   string
	last    int      // the record of which the request spoke last
	doubts  []string // words that were not understood
	unsure  bool
}

// maxWords bounds the work for a request; what is longer is not read as a whole.
const maxWords = 400

var (
	bullets = regexp.MustCompile(`:?[ \t]*\r?\n[ \t]*(?:[-*•]|\d+[.)])[ \t]+`)
	dashes  = regexp.MustCompile(`\s+[-–—]+\s+`)
	both    = regexp.MustCompile(`(?i)\b(first|start|opening|min) (?:and|/) (last|end|closing|max) (\w+)`)
	pieces  = regexp.MustCompile(`\n|[,;:.()!?]|[^\s,;:.()!?"]{1,60}(?:[.@/][^\s,;:.()!?"]{1,60})*`)
	marks   = map[string]string{";": ".", "!": ".", "?": ".", "\n": ".", "&": "and", "+": "and", "plus": "and", "w/": "with"}
	// asides are where a clause begins in the middle of a sentence.
	asides = sync.OnceValues(func() (has, belongs *regexp.Regexp) {
		return compile(` (?:(?:,|:|and|where|which) )+((?:{each} )?[\w-]+(?: [\w-]+)? (?:(?:also|should|must) )?{has}) `),
			compile(` (?:(?:,|and|where|which) )+((?:{each} )?(?:[\w-]+ )?{belongs} to) `)
	})
)

func newReader(prompt string, old *spec.Spec) *reader {
	r := &reader{old: old, set: map[string]string{}, last: -1}
	if old != nil {
		r.spec = old.Clone()
	}
	long := len(prompt) > 8*maxWords
	prompt = strings.ToValidUTF8(prompt[:min(len(prompt), 8*maxWords)], "")
	prompt = both.ReplaceAllString(dashes.ReplaceAllString(bullets.ReplaceAllString(prompt, " • "), " : "), "$1 $3 and $2 $3")
	r.words = pieces.FindAllString(prompt, maxWords)
	r.unsure = len(r.words) == maxWords || long
	for i, w := range r.words {
		if other := marks[strings.ToLower(w)]; other != "" {
			r.words[i] = other
		} else {
			r.words[i] = corrected(w)
		}
	}
	r.text = " " + strings.Join(r.words, " ") + " "
	return r
}

// corrected returns a word of the forms in place of one that is nearly it.
func corrected(word string) string {
	low := strings.ToLower(word)
	if len(low) < 5 || is("known", low) || isPlural(low) {
		return word
	}
	for _, list := range []string{"language", "store", "auth", "api", "site"} {
		for _, known := range slices.Sorted(maps.Keys(lists()[list])) {
			if len(known) > 5 && near(low, known) {
				return known
			}
		}
	}
	return word
}

// near reports whether one letter is missing, added, changed, or swapped with the next.
func near(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	i := 0
	for i < len(a)-1 && a[i] == b[i] {
		i++
	}
	if len(a) == len(b) {
		return a[i+1:] == b[i+1:] || a[i:i+2] == b[i+1:i+2]+b[i:i+1] && a[i+2:] == b[i+2:]
	}
	return len(b) == len(a)+1 && (a[i:] == b[i+1:] || a == b[:len(a)])
}

// run reads the phrases of a request, and then its clauses.
func (r *reader) run(forms []Form) {
	for _, f := range forms {
		if !strings.HasPrefix(f.pattern, "^") {
			r.cut(f)
		}
	}
	has, belongs := asides()
	text := belongs.ReplaceAllString(has.ReplaceAllString(r.text, " . $1 "), " . $1 ")
	for clause := range strings.SplitSeq(text, " . ") {
		if clause = trim(clause); clause != "" && !slices.ContainsFunc(forms, func(f Form) bool { return r.clause(f, clause) }) {
			r.doubt(clause)
		}
	}
}

// cut takes the phrases of a form out of the text.
func (r *reader) cut(f Form) {
	for from := 0; from < len(r.text); {
		m := compiled()[f.pattern].FindStringSubmatchIndex(r.text[from:])
		if m == nil {
			return
		}
		if f.read(r, groups(r.text[from:], m)) {
			r.text = r.text[:from+m[0]] + " " + r.text[from+m[1]:]
			from += m[0]
		} else {
			from += m[1] - 1
		}
	}
}

func (r *reader) clause(f Form, clause string) bool {
	m := compiled()[f.pattern].FindStringSubmatch(clause)
	return strings.HasPrefix(f.pattern, "^") && m != nil && f.read(r, m)
}

func groups(text string, at []int) (out []string) {
	for i := 0; i < len(at); i += 2 {
		out = append(out, text[max(at[i], 0):max(at[i+1], 0)])
	}
	return out
}

// trim takes words without meaning off both ends of a clause.
func trim(clause string) string {
	words := strings.Fields(clause)
	for len(words) > 0 && (words[0] == "." || is("nothing", words[0])) {
		words = words[1:]
	}
	for len(words) > 0 && (words[len(words)-1] == "." || is("nothing", words[len(words)-1])) {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

// doubt notes words that were not understood.
func (r *reader) doubt(text string) {
	r.unsure = r.unsure || text != ""
	for word := range strings.FieldsSeq(text) {
		if !is("nothing", word) && !slices.Contains([]string{":", "(", ")", ".", "•"}, word) {
			r.doubts = append(r.doubts, word)
		}
	}
}
