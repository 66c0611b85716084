package english

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// word is a word or a mark of a prompt.
type word struct {
	raw, low string
	mark     bool // punctuation, or the end of a line
	used     bool
}

// reader holds a request while its forms are read.
type reader struct {
	words []word
	spec  spec.Spec
	old   *spec.Spec // what is changed; nil: a new project
	lines []string   // of a change
	title string     // that the project is called
}

var pieces = regexp.MustCompile(`[^\s,;:.()"!?]+(?:[.@:/][^\s,;:.()"!?]+)*|[,;:.()"!?\n]`)

// maxWords bounds the work for a request; what is longer is not read as a whole.
const maxWords = 500

func newReader(prompt string) *reader {
	r := &reader{}
	for _, piece := range pieces.FindAllString(strings.TrimSpace(prompt), maxWords) {
		low := strings.ToLower(piece)
		if other := map[string]string{"w/": "with", "+": "and", "&": "and"}[low]; other != "" {
			low = other
		}
		mark := strings.Contains(",;:.()\"!?\n-*=", piece)
		r.words = append(r.words, word{raw: piece, low: low, mark: mark})
	}
	return r
}

// low returns the i-th word in lower case, or nothing beyond the ends.
func (r *reader) low(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i].low
}

func (r *reader) use(from, to int) {
	for i := from; i < to; i++ {
		r.words[i].used = true
	}
}

// free reports whether the i-th word is a word that no form has used.
func (r *reader) free(i int) bool {
	return i >= 0 && i < len(r.words) && !r.words[i].used && !r.words[i].mark
}

// skip returns the first place from i on that is no article.
func (r *reader) skip(i int) int {
	for slices.Contains([]string{"a", "an", "the", "my", "our", "some"}, r.low(i)) && !r.words[i].used {
		i++
	}
	return i
}

// reading returns which words were used and which were not understood.
func (r *reader) reading() (out Reading) {
	for _, w := range r.words {
		switch {
		case w.mark:
		case w.used:
			out.Understood = append(out.Understood, w.raw)
		case !is("nothing", w.low):
			out.NotUnderstood = append(out.NotUnderstood, w.raw)
		}
	}
	out.Sure = len(out.NotUnderstood) == 0 && len(r.words) < maxWords
	return out
}

var plainName = regexp.MustCompile(`^[a-z][a-z0-9]{0,23}([_-][a-z0-9]{1,23}){0,2}$`)

// items reads a list such as "title, an author and isbn unique" from i on, and
// returns its items and the place behind. It stops at what is no item.
func (r *reader) items(i int) (list []item, end int) {
	for i < len(r.words) {
		at := r.skip(i)
		for at < len(r.words) && slices.Contains([]string{"\n", "-", "*"}, r.low(at)) {
			at = r.skip(at + 1)
		}
		one, next := r.item(at)
		if one.name == "" {
			return list, i
		}
		list, i = append(list, one), next
		joined := false
		for slices.Contains([]string{",", ";", "and", "&", "\n", "plus"}, r.low(i)) && !r.words[i].used {
			i, joined = i+1, true
		}
		if !joined {
			return list, i
		}
	}
	return list, i
}

// item is a field or a section of a list.
type item struct {
	name, rule string
	choices    []string
	from, to   int
}

// item reads one item: at most three words, and a rule before or behind.
func (r *reader) item(i int) (out item, end int) {
	var name []string
	out.from = i
	for ; r.free(i) && len(name) < 4; i++ {
		w := r.low(i)
		switch {
		case len(name) > 0 && strings.Contains(w, "/"):
		case is("rules", w) && out.rule == "":
			out.rule = w
			continue
		case w == "and" || w == "plus" || is("ends", w) || is("features", w) || !plainName.MatchString(w):
			ends := w == "and" || w == "plus" || r.old != nil && slices.Contains([]string{"to", "of", "from", "in"}, w)
			if !ends {
				return item{}, out.from
			}
		default:
			name = append(name, w)
			continue
		}
		break
	}
	if len(name) == 0 || len(name) > 3 {
		return item{}, out.from
	}
	i = r.choices(&out, i)
	out.name, out.to = strings.Join(name, " "), i
	return out, i
}

// choices reads "(open, closed)" and "open/closed" behind the name of a field.
func (r *reader) choices(out *item, i int) int {
	if r.free(i) && strings.Contains(r.low(i), "/") {
		out.choices = strings.Split(r.words[i].raw, "/")
		return i + 1
	}
	if r.low(i) != "(" {
		return i
	}
	for at := i + 1; r.free(at) && plainName.MatchString(r.low(at)); at += 2 {
		out.choices = append(out.choices, r.words[at].raw)
		if r.low(at+1) == ")" && len(out.choices) > 1 {
			return at + 2
		}
		if r.low(at+1) != "," {
			break
		}
	}
	out.choices = nil
	return i
}

// nouns reads a list of plurals such as "books, authors and blog posts" from i on.
func (r *reader) nouns(i int) (list []string, end int) {
	for {
		at := r.skip(i)
		noun, next := r.plural(at)
		if noun == "" {
			return list, i
		}
		list, i = append(list, noun), next
		joined := i
		for slices.Contains([]string{",", "and"}, r.low(joined)) {
			joined++
		}
		if again, _ := r.plural(r.skip(joined)); again == "" {
			return list, i
		}
		i = joined
	}
}

// plural reads a plural of at most two words and returns its noun.
func (r *reader) plural(i int) (noun string, end int) {
	for n := 1; n <= 2; n++ {
		at := i + n - 1
		if !r.free(at) || is("ends", r.low(at)) || is("features", r.low(at)) || !plainName.MatchString(r.low(at)) {
			return "", i
		}
		if isPlural(r.low(at)) && !(n == 2 && is("nothing", r.low(i))) {
			var words []string
			for k := i; k < at; k++ {
				words = append(words, r.low(k))
			}
			return strings.Join(append(words, spec.SingularOf(r.low(at))), " "), at + 1
		}
	}
	return "", i
}

// record returns the index of a record of the new project, which it adds if it is
// not there.
func (r *reader) record(noun string) int {
	i := r.spec.Find(noun)
	if i < 0 {
		r.spec.Kind, r.spec.Records, i = spec.API, append(r.spec.Records, spec.Record{Noun: noun}), len(r.spec.Records)
	}
	return i
}

// addFields adds a list of fields to a record. A plural that is no known field is
// left unread: records have no lists.
func (r *reader) addFields(i int, list []item) {
	rec := &r.spec.Records[i]
	for _, one := range list {
		words := strings.Fields(one.name)
		if last := words[len(words)-1]; isPlural(last) && !spec.IsUsual(one.name) {
			continue
		}
		f := spec.Field{Name: one.name, Choices: one.choices}
		if to := r.spec.Find(strings.TrimSuffix(one.name, "_id")); to >= 0 && to != i {
			f = spec.Field{Name: r.spec.Records[to].Noun, To: r.spec.Records[to].Noun}
		}
		f.Unique = one.rule == "unique"
		if one.rule != "unique" {
			f.Need = one.rule
		}
		if !slices.ContainsFunc(rec.Fields, func(other spec.Field) bool { return spec.ColumnName(other.Name) == spec.ColumnName(f.Name) }) {
			rec.Fields = append(rec.Fields, f)
		}
		r.use(one.from, one.to)
	}
}
