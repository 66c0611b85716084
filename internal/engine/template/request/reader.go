package request

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

//go:embed *.txt
var files embed.FS

// texts gives what files say.
func texts(names ...string) string {
	var out strings.Builder
	for _, name := range names {
		text, _ := files.ReadFile(name + ".txt")
		out.Write(append(text, '\n'))
	}
	return out.String()
}

// rules derive requests, and tables say what words are in them. They are read when they are asked first.
var (
	rules = sync.OnceValue(func() *grammar.Grammar {
		return grammar.New(texts("common", "records", "page", "tool", "change"))
	})
	tables = sync.OnceValue(func() map[string]map[string]string {
		return glossary.Tables(texts("words", "page-words", "tool-words", "change-words"))
	})
)

func is(table, phrase string) bool { _, ok := tables()[table][phrase]; return ok }

// reader finds in a text what the rules leave to it, and takes what they derive.
type reader struct {
	words.Text
	*Request
	old      []string        // the sections that a page has
	before   string          // what the words before it say that a page is about
	employer string          // where who asks works, by name
	strange  string          // a section that few pages have
	reached  []string        // how somebody is reached, of which a page is asked for
	current  *Thing          // what was named last
	topic    *Thing          // what stands before the kind of a project, and may only name that
	asides   []*grammar.Node // what was left out beside of what is kept
	asked    bool            // things were asked for, before any is told of
	several  [][2]string     // what is told as all that a thing has, by the names of both
	deeds    bool            // it is told what is done with records
	keeps    bool            // something is said to be kept
	own      *Thing          // stands before the kind of a project
	theirs   [][2]*Thing     // what is told as belonging to what stands before
	beside   []*Thing        // stands behind what belongs to others, and may belong to them too
	fresh    []*Thing        // what nobody asked for, and what is told of all the same
	subject  *Thing          // of which it was told last what it belongs to
	labels   int             // how many things are told with a list behind their name
	owner    string          // whom or what the project is for
	lone     bool            // the name of a page is a word between commas
}

// Word gives a word or a mark.
func (r *reader) Word(i int) string {
	switch t := r.At(i); {
	case t.Quoted, t.Mark && (t.Low == "(" || t.Low == ")" || t.Low == "."):
		return ""
	case t.Text == ";", t.Text == "->":
		return t.Text
	default:
		return t.Low
	}
}

var (
	plainWord = regexp.MustCompile(`^\d*[\pL][\pL\d+&'/_ -]*$`)
	number    = regexp.MustCompile(`^\d+$`)
	dotted    = regexp.MustCompile(`^\d+(\.\d+)+$`)
)

// runs are terminals of which each word may be any, up to some number, but for those that mean something for a project, and some more.
var runs = map[string]struct {
	most int
	but  []string
}{
	"few":    {5, []string{"loaded", "goes-further"}},
	"free":   {14, []string{"loaded"}}, // who asks, and what for
	"reason": {14, []string{"wishing"}},
	"lore":   {20, []string{"wishing", "wanting"}},
}

// Terminal gives where words end that begin at a place and are of a sort.
func (r *reader) Terminal(name string, i int) (out []grammar.Match) {
	t := r.At(i)
	switch name {
	case "stop":
		return when(t.Mark && t.Low == ".", i+1)
	case "open":
		return when(t.Low == "(", i+1)
	case "close":
		return when(t.Low == ")", i+1)
	case "equals":
		return when(t.Text == "=", i+1)
	case "options":
		return r.options(i)
	case "described":
		return r.bracketed(i)
	}
	if t.Mark {
		return nil
	}
	if run, ok := runs[name]; ok {
		for n := 1; n <= run.most && r.plain(i, n) && !r.setsSomething(i+n-1) && !r.isAny(i+n-1, run.but...); n++ {
			out = append(out, grammar.Match{To: i + n, Cost: 1})
		}
		return out
	}
	either := func(string) bool { return true }
	switch name {
	case "quotedname":
		return when(t.Quoted && t.Text == t.Low && plainWord.MatchString(t.Low), i+1)
	case "mention":
		return when(plaintext.IsCapital(t.Text) && r.nameWord(i) && r.elsewhere(i, i+1), i+1)
	case "feature":
		return slices.DeleteFunc(r.phrases(i, 3, singular), func(m grammar.Match) bool {
			last := r.At(m.To - 1).Low
			return r.Is("type-behind", last) || strings.HasPrefix(r.At(i-1).Low, "ha") && r.usualKind(last) != "" ||
				!r.Ends(m.To) || r.elsewhere(i, m.To)
		})
	case "quotedtitle":
		return when(t.Quoted && plaintext.Title(t.Text) != "" && !words.PathLike.MatchString(t.Text), i+1)
	case "valuelist":
		return r.valueList(i)
	case "valuerun":
		return r.valueRun(i)
	case "limitrule":
		var rule values.Rules
		n := rule.Said(r.Text, i, new(string))
		return when(rule.Min+rule.Max != "" && r.At(i+n).Mark, i+n)
	case "quoted":
		return when(t.Quoted, i+1)
	case "dotted": // Go 1.22
		return when(dotted.MatchString(t.Low), i+1)
	case "number", "port":
		return when(number.MatchString(t.Low), i+1)
	case "path":
		return when(words.PathLike.MatchString(t.Text) || plainWord.MatchString(t.Text), i+1)
	case "title":
		title, end := r.NameAt(i)
		certain := t.Quoted || plaintext.IsCapital(t.Text) || r.At(i-1).Low != "is" && !is("behind-field", t.Low)
		return when(title != "" && certain, end)
	case "word":
		return when(r.nameWord(i), i+1)
	case "things":
		return r.notOnly(i, r.phrases(i, 4, func(last string) bool { return english.IsPlural(last) || is("plural-only", last) }))
	case "one":
		return r.notOnly(i, r.phrases(i, 4, singular))
	case "thing":
		return r.notOnly(i, r.phrases(i, 3, either))
	case "owner":
		return r.owners(i)
	case "body": // a model railway club
		return slices.DeleteFunc(r.phraseOf(i, 4), func(m grammar.Match) bool {
			last := r.At(m.To - 1).Low
			return !is("body", last) && !is("premises", last)
		})
	case "collection": // a todo list, my record collection
		return slices.DeleteFunc(r.phrases(i, 4, func(last string) bool { return is("collection", last) }), func(m grammar.Match) bool {
			return m.To == i+1 && tables()["holds"][t.Low] == ""
		})
	case "mentioned": // what stands elsewhere too, with all of its words: not thirsty plants
		return slices.DeleteFunc(r.phrases(i, 2, either), func(m grammar.Match) bool { return !r.elsewhere(i, i+1) || !r.elsewhere(i, m.To) })
	case "field":
		return r.fieldNames(i)
	case "value":
		figure := number.MatchString(t.Low)
		fits := figure || t.Quoted || t.Low == "new" || plainWord.MatchString(t.Low) && !is("function", t.Low)
		return when(fits && !(r.At(i-1).Text == "=" && r.Length(i, "type") > 0), i+1)
	case "collectionword":
		return when(is("collection", t.Low) || is("collection", one(t.Low)), i+1)
	case "listword": // but: a list of strings
		return slices.DeleteFunc(r.found(i, english.IsPlural), func(m grammar.Match) bool {
			last := r.At(m.To - 1).Low
			ofWords := m.To <= i+2 && r.nameWord(i) && (r.nameWord(m.To-1) || r.Is("also-name", one(last)))
			return !ofWords || r.Is("type", last) || r.Is("type", one(last))
		})
	case "known":
		return when(r.nameWord(i) && r.Is("field", t.Low), i+1)
	case "shared":
		return r.phrases(i, 2, func(last string) bool { return is("shared", last) })
	case "signrule": // a positive int
		return when(is("sign", t.Low), i+1)
	case "lonerule":
		return slices.DeleteFunc(r.rule(i, true), func(m grammar.Match) bool { return !r.At(m.To).Mark })
	case "defaultrule":
		if t.Low == "default" || t.Low == "which" {
			return r.rule(i, false)
		}
		return nil
	case "rule", "plainrule":
		return r.rule(i, name == "plainrule")
	case "detail", "given", "auth", "database":
		return slices.DeleteFunc(r.ofClass(i, name, ""), func(m grammar.Match) bool { return r.listed(i, m.To, name) })
	case "detailby": // sorted by expiry
		return slices.DeleteFunc(r.ofClass(i, "detail", ""), func(m grammar.Match) bool { return r.At(m.To-1).Low != "by" })
	case "language":
		if is("language-files", r.At(i+1).Low) { // only go files
			return nil
		}
	case "license":
		return slices.DeleteFunc(r.ofClass(i, name, ""), func(m grammar.Match) bool {
			return r.Vocabulary[r.Words(i, m.To-i)].Value == project.None
		})
	case "type", "alltype":
		return r.ofTable(i, r.Tables["type"])
	case "types":
		return r.typeBehind(i)
	case "state", "happened":
		done := english.HasSuffix(t.Low, "ed", "en") && r.nameWord(i) || is("participle", t.Low)
		fits := done || name == "state" && r.nameWord(i) && !english.IsPlural(t.Low)
		end := i + 1
		if done && is("particle", r.At(end).Low) { // picked up
			end++
		}
		return when(fits && !is("needed", t.Low), end)
	case "asked":
		return r.asking(i)
	case "checkedword":
		return when(t.Low == unchecked && r.checkable(i+1), i+1)
	case "possessive", "possessed": // our customers' measurements, our customers' names
		known := r.Is("field", r.At(i+1).Low) || r.Is("field", one(r.At(i+1).Low)) || r.Length(i+1, "field") > 1
		whose := english.HasSuffix(t.Text, "s'") || english.HasSuffix(t.Raw, "'s")
		return when(whose && r.nameWord(i) && known == (name == "possessed"), i+1)
	case "kind-api":
		return r.ofClass(i, "kind", project.API)
	case "kind-command":
		return r.ofClass(i, "kind", project.Command)
	}
	if out, known := r.pageTerminal(name, i); known {
		return out
	}
	if out, known := r.toolTerminal(name, i); known {
		return out
	}
	if out := r.ofClass(i, name, ""); out != nil {
		return out
	}
	return r.ofTable(i, tables()[name])
}

func singular(last string) bool { return !english.IsPlural(last) }

// listed says whether a word that means something of a class for a project is rather an item of a list: size, colour, secure.
func (r *reader) listed(i, to int, class string) bool {
	low, last := r.At(i).Low, r.At(to-1).Low
	item := r.Ends(i-1) && r.Ends(to) && !r.afterSetting(i)
	switch alone := to == i+1; {
	case class == "auth" || class == "database":
		return alone && (item && is("item-too", low) || low == "sql" && r.nameWord(to)) // SQL snippets
	case item && r.Kind != project.Site && is("item-too", last):
		return true
	default:
		also := r.Is("also-name", low)
		return alone && (also && class == "detail" || item && (also || r.Is("field", low) || r.Is("also-field", low) || is("item-too", low)))
	}
}

// asking finds what is asked about a record, up to its end: what they can help with.
func (r *reader) asking(i int) []grammar.Match {
	first := r.At(i).Low
	done := english.HasSuffix(first, "s", "ed", "en") || is("participle", first)
	if r.At(i-1).Low == "who" && !done && !is("function", first) || // members, who borrow them
		r.At(i-2).Low == "which" && !is("function", first) { // which suggests recipes
		return nil
	}
	for at := i; at < i+6 && r.plain(at, 1) && !r.setsSomething(at) && !is("no-asked", r.At(at).Low) && r.class(r.At(at).Low) != "heart"; at++ {
		low, before := r.At(at).Low, r.At(at-1).Low
		said := is("pronoun", before)
		needed := is("needing", low) && said && before != "i" && before != "we"
		if is("wanting", low) && !needed || r.Is("field", low) && !said {
			return nil
		}
		if r.Ends(at+1) || r.Length(at+1, "type") > 0 {
			return when(at > i || !is("function", low), at+1)
		}
	}
	return nil
}

func when(is bool, to int) []grammar.Match {
	if !is {
		return nil
	}
	return []grammar.Match{{To: to}}
}

// afterSetting says whether the item of a list before a place is a setting, so that this may be one too: with SQLite, tests.
func (r *reader) afterSetting(i int) bool {
	for i--; i > 0 && r.Ends(i); i-- {
	}
	for n := 1; n <= 3 && n <= i+1; n++ {
		if is("beside-setting", r.class(r.Words(i+1-n, n))) {
			return true
		}
	}
	return false
}

// found finds phrases that something is so of.
func (r *reader) found(i int, is func(phrase string) bool) (out []grammar.Match) {
	for n := 1; n <= words.MaxPhrase && r.plain(i, n); n++ {
		if is(r.Words(i, n)) {
			out = append(out, grammar.Match{To: i + n})
		}
	}
	return out
}

// phraseOf finds all words up to some number that set nothing.
func (r *reader) phraseOf(i, most int) (out []grammar.Match) {
	for n := 1; n <= most && r.plain(i, n) && !r.setsSomething(i+n-1) && !is("function", r.At(i+n-1).Low); n++ {
		out = append(out, grammar.Match{To: i + n})
	}
	return out
}

// ofClass finds phrases of the vocabulary, and ofTable those of a table.
func (r *reader) ofClass(i int, class, value string) []grammar.Match {
	return r.found(i, func(phrase string) bool {
		m := r.Vocabulary[phrase]
		return m.Class == class && (value == "" || m.Value == value)
	})
}

func (r *reader) ofTable(i int, table map[string]string) []grammar.Match {
	return r.found(i, func(phrase string) bool { _, ok := table[phrase]; return ok })
}

// plain says whether words without marks and quotes stand at a place.
func (r *reader) plain(i, n int) bool {
	return i+n <= len(r.Tokens) && !slices.ContainsFunc(r.Tokens[i:i+n], func(t words.Token) bool { return t.Mark || t.Quoted })
}

// class is what the vocabulary says of a word, which may be part of a name all the same.
func (r *reader) class(w string) string { return r.Vocabulary[w].Class }

// typeBehind finds a kind of values right behind a name.
func (r *reader) typeBehind(i int) []grammar.Match {
	if r.isType(i) {
		return r.ofTable(i, r.Tables["type"])
	}
	low := r.At(i).Low
	certain := r.Is("type-behind", low) || r.Tables["type"][low] == values.Truth || strings.Contains(low, "/")
	return slices.DeleteFunc(r.ofTable(i, r.Tables["type"]), func(m grammar.Match) bool {
		return m.To == i+1 && !certain && !strings.Contains(r.At(i-1).Low, "_")
	})
}

// isType says whether a word that may end a name is the kind of the values that stand before it: name text, fee number, tags list.
func (r *reader) isType(i int) bool {
	usual := r.Tables["field"][r.At(i-1).Low]
	switch r.At(i).Low {
	case "text":
		return r.At(i-1).Low != "body" && (usual == values.Text || r.Says("type-behind"))
	case "number":
		return usual == values.Number && r.At(i-1).Low != "vat" && (r.Says("type-behind") || is("plain-number", r.At(i-1).Low))
	case "list", "array":
		return english.IsPlural(r.At(i - 1).Low)
	}
	return false
}

// rule finds what values are held to.
func (r *reader) rule(i int, plain bool) []grammar.Match {
	var rule values.Rules
	var kind string
	n := rule.Said(r.Text, i, &kind)
	what, _ := r.Longest(i, "rule")
	if next := r.At(i + n).Low; what == "example" && (next == "," || next == "and") { // category like food, rent
		return nil
	}
	if n > 2 && strings.Contains(rule.Default, " ") {
		return nil
	}
	return when(n > 0 && (!plain || rule.Need != "" || rule.Unique), i+n)
}

// options finds values of which a field has one.
func (r *reader) options(i int) []grammar.Match {
	if r.At(i).Mark || r.isAny(i, "asking", "tells-choices", "needed") {
		return nil
	}
	if next := r.NextMark(i); r.At(next).Text == "/" { // new / in progress / solved
		for r.At(next).Text == "/" {
			next = r.NextMark(next + 1)
		}
		return when(r.choosable(i, next), next)
	}
	end := values.ChoicesEnd(r.Text, i, false, true)
	told := is("tells-choices", r.At(i-1).Low) || r.At(i-1).Low == ":"
	if end == 0 && is("lists-choices", r.said(i-2, i)) {
		end = values.ChoicesEnd(r.Text, i, true, true)
	}
	if end == 0 && r.At(i-1).Low == "either" { // either win, loss or draw
		if end = values.ChoicesEnd(r.Text, i, true, true); !slices.Contains(strings.Fields(r.said(i, end)), "or") {
			end = 0
		}
	}
	for at := i; at < end; at = r.EndOf(at) + 1 {
		if !told && r.EndOf(at) > r.Behind(at) {
			return nil
		}
	}
	return when(end > i && r.choosable(i, end), end)
}

// valueList finds values of a field behind its name, in a line of their own or where they are no fields: difficulty: easy, medium, hard.
func (r *reader) valueList(i int) []grammar.Match {
	end := i
	for ; !r.At(end).Mark || r.At(end).Low == ","; end++ {
		low := r.At(end).Low
		if r.class(low) == "join" && low != "or" || low == "," && r.EndOf(end+1) > end+3 {
			return nil
		}
	}
	what, before := r.At(i-2).Low, r.At(i-3).Low
	field := func(t words.Token) bool { return r.usualKind(t.Low) != "" && r.usualKind(t.Low) != values.Truth }
	alone := before == words.Bullet || (i == 2 || is("article", before)) && !slices.ContainsFunc(r.Tokens[i:end], field)
	valued := (is("valued", what) || r.Is("no-title", what)) && r.Length(i, "type") == 0
	return when(alone && valued && r.choosable(i, end) && !r.Any("needed", i, end), end)
}

// valueRun finds values of a field that follow each other without commas, and are known as such: size small medium or large.
func (r *reader) valueRun(i int) []grammar.Match {
	value := func(at int) bool {
		raw := r.At(at).Raw
		return is("usual-value", r.At(at).Low) || len(raw) == 1 && plaintext.IsCapital(raw)
	}
	end, values, before := i, 0, r.At(i-1).Low
	least := 3
	if is("valued", before) || r.Is("no-title", before) {
		least = 2
	}
	for ; value(end) || end > i && r.At(end).Low == "or" && r.plain(end+1, 1) && r.Ends(end+2); end++ { // red white or rosé
		if r.At(end).Low == "or" {
			end++
		}
		values++
	}
	behind := r.Ends(end) || r.Length(end, "rule") > 0
	return when(values >= least && behind && !english.IsPlural(before) && !value(i-1), end)
}

// choosable says whether what stands between two places may be values of a field, and no names of others.
func (r *reader) choosable(from, to int) bool {
	for i := from; i < to; i++ {
		if low := r.At(i).Low; !r.At(i).Mark && (is("asking", low) && r.At(i).Text != "A" || r.class(low) == "auth") {
			return false
		}
	}
	return true
}

// bracketed finds what brackets hold that tells more of a field.
func (r *reader) bracketed(i int) []grammar.Match {
	end, before := r.Closes(i-1), r.At(i-2).Low
	deeper := func(t words.Token) bool { return t.Mark && strings.Contains("(:"+words.Bullet, t.Low) }
	if end <= i || is("beside-field", r.At(i).Low) || slices.ContainsFunc(r.Tokens[i:end], deeper) {
		return nil
	}
	fields, listed, types, last := 0, 0, 0, false
	valued, several := is("valued", before) || r.Is("no-title", before), english.IsPlural(before)
	for at := i; at < end; at = max(r.EndOf(at), at+r.Length(at, "type")) + 1 {
		t, to := r.At(at), r.EndOf(at)
		listed++
		ranged := listed > 1 && strings.ContainsAny(t.Raw, "0123456789") && strings.LastIndex(t.Raw, "-") > 0
		if ranged || to > at+1 && r.Is("type-behind", r.At(to-1).Low) { // ages (0-5, 6-10), player (name string, seed int)
			return nil
		}
		if to == at+1 && before != "enum" && r.mayBeField(t, several) {
			fields++
		}
		if last = r.Length(at, "rule") > 0; last || r.Length(at, "type") > 0 && (!valued || r.Is("type-behind", t.Low)) {
			types++
		}
	}
	switch begun := r.Length(i, "type")+r.Length(i, "rule") > 0; {
	case listed > 1 && types == 0 && is("no-choice", before): // a name (first, last)
		return nil
	case listed == 1 && fields == 1 && several: // owners (name)
		return nil
	case listed > 2 && types > 0 && types < listed && !last && !begun:
		return nil
	}
	return when(r.choosable(i, end) && (listed < 2 || fields == 0 || types == 0 && valued), end)
}

// mayBeField says whether a word in brackets may be a field of what stands before them.
func (r *reader) mayBeField(t words.Token, several bool) bool {
	kind, field := r.Tables["field"][t.Low]
	return field && kind != values.Truth && !r.Is("type", t.Low) && (several || t.Raw != strings.ToUpper(t.Raw) && !r.Is("type", "in "+t.Low))
}
