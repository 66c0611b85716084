package request

import (
	_ "embed" // the grammar and its tables
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

//go:embed common.txt
var commonText string

//go:embed records.txt
var recordsText string

//go:embed page.txt
var pageText string

//go:embed tool.txt
var toolText string

//go:embed change.txt
var changeText string

var (
	//go:embed words.txt
	wordsText string
	//go:embed page-words.txt
	pageWordsText string
	//go:embed tool-words.txt
	toolWordsText string
	//go:embed change-words.txt
	changeWordsText string
)

// rules derive requests, and tables say what words are in them. They are read when they are asked first.
var (
	rules = sync.OnceValue(func() *grammar.Grammar {
		return grammar.New(commonText + "\n" + recordsText + "\n" + pageText + "\n" + toolText + "\n" + changeText)
	})
	tables = sync.OnceValue(func() map[string]map[string]string {
		return glossary.Tables(wordsText + "\n" + pageWordsText + "\n" + toolWordsText + "\n" + changeWordsText)
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
	fresh    []*Thing        // what nobody asked for, and what is told of all the same
	subject  *Thing          // of which it was told last what it belongs to
	sentence int             // where what is told begins
	labels   int             // how many things are told with a list behind their name
	allKind  string          // of all fields of a list
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
)

// Terminal gives where words end that begin at a place and are of a sort.
func (r *reader) Terminal(name string, i int) (out []grammar.Match) {
	t := r.At(i)
	switch name {
	case "stop":
		return when(t.Mark && t.Low == ".", i+1)
	case "open", "close":
		return when(t.Mark && t.Low == map[string]string{"open": "(", "close": ")"}[name], i+1)
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
	switch name {
	case "quotedname":
		return when(t.Quoted && t.Text == t.Low && plainWord.MatchString(t.Low), i+1)
	case "mention":
		return when(plaintext.IsCapital(t.Text) && r.nameWord(i) && r.elsewhere(i, i+1), i+1)
	case "feature":
		return slices.DeleteFunc(r.phrases(i, 3, func(last string) bool { return !english.IsPlural(last) && !r.Is("type-behind", last) }), func(m grammar.Match) bool {
			return r.elsewhere(i, m.To) || strings.HasPrefix(r.At(i-1).Low, "ha") && r.usualKind(r.At(m.To-1).Low) != "" || !r.Ends(m.To)
		})
	case "method":
		return when(t.Low == "endpoints for", i+1)
	case "quotedtitle":
		return when(t.Quoted && plaintext.Title(t.Text) != "" && !words.PathLike.MatchString(t.Text), i+1)
	case "valuelist": // in a line of its own: difficulty: easy, medium, hard
		end := i
		for !r.At(end).Mark || r.At(end).Low == "," {
			if r.class(r.At(end).Low) == "join" && r.At(end).Low != "or" || r.At(end).Low == "," && r.EndOf(end+1) > end+3 {
				return nil
			}
			end++
		}
		name := r.At(i - 2)
		fields := slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return r.usualKind(t.Low) != "" && r.usualKind(t.Low) != values.Truth })
		return when((r.At(i-3).Low == words.Bullet || !fields && (i == 2 || is("article", r.At(i-3).Low))) && r.At(i-1).Text != "-" && (is("valued", name.Low) || r.Is("no-title", name.Low)) && r.choosable(i, end) && len(values.Choices(r.Text, i, end)) > 1 && r.Length(i, "type") == 0 && !r.Any("needed", i, end), end)
	case "limitrule":
		var rule values.Rules
		n := rule.Said(r.Text, i, new(string))
		return when(n > 0 && rule.Min+rule.Max != "" && r.At(i+n).Mark, i+n)
	case "quoted":
		return when(t.Quoted, i+1)
	case "number":
		return when(number.MatchString(t.Low), i+1)
	case "port":
		return when(number.MatchString(t.Low) && len(t.Low) > 1 && r.numberEnds(i+1), i+1)
	case "path":
		return when(words.PathLike.MatchString(t.Text) || plainWord.MatchString(t.Text), i+1)
	case "title":
		title, end := r.NameAt(i)
		certain := t.Quoted || plaintext.IsCapital(t.Text) || r.At(i-1).Low != "is"
		return when(title != "" && certain && (t.Quoted || plaintext.IsCapital(t.Text) || !is("behind-field", t.Low)), end)
	case "word":
		return when(r.nameWord(i), i+1)
	case "reason":
		for n := 1; n <= 14 && r.plain(i, n) && !r.setsSomething(i+n-1) && !is("wishing", r.At(i+n-1).Low); n++ {
			out = append(out, grammar.Match{To: i + n, Cost: 1})
		}
		return out
	case "free":
		return r.free(i)
	case "lore":
		for n := 1; n <= 20 && r.plain(i, n) && !r.setsSomething(i+n-1) && !is("wishing", r.At(i+n-1).Low) && !is("wanting", r.At(i+n-1).Low); n++ {
			out = append(out, grammar.Match{To: i + n, Cost: 1})
		}
		return out
	case "few":
		return slices.DeleteFunc(r.free(i), func(m grammar.Match) bool {
			return m.To > i+5 || slices.ContainsFunc(r.Tokens[i:m.To], func(t words.Token) bool { return t.Low == "and" || t.Low == "or" || t.Low == "who" })
		})
	case "things":
		return r.notOnly(i, r.phrases(i, 4, func(last string) bool { return english.IsPlural(last) || is("plural-only", last) }))
	case "one":
		return r.notOnly(i, r.phrases(i, 4, func(last string) bool { return !english.IsPlural(last) }))
	case "owner":
		return r.owners(i)
	case "thing":
		return r.notOnly(i, r.phrases(i, 3, func(string) bool { return true }))
	case "collection": // a todo list, my record collection
		return slices.DeleteFunc(r.phrases(i, 4, func(last string) bool { return is("collection", last) }), func(m grammar.Match) bool {
			return m.To == i+1 && tables()["holds"][r.At(i).Low] == ""
		})
	case "mentioned":
		return r.mentioned(i)
	case "field":
		return r.fieldNames(i)
	case "value":
		return when(!(r.At(i-1).Text == "=" && r.Length(i, "type") > 0) && (plainWord.MatchString(t.Low) && !is("function", t.Low) || number.MatchString(t.Low) || t.Low == "new" || t.Quoted), i+1)
	case "collectionword":
		return when(is("collection", t.Low) || is("collection", english.Singular(t.Low)), i+1)
	case "listword":
		kinds := r.Is("type", t.Low) || r.Is("type", english.Singular(t.Low)) // a list of strings
		return when(r.nameWord(i) && english.IsPlural(t.Low) && !kinds, i+1)
	case "alltype":
		return r.ofTable(i, r.Tables["type"])
	case "known":
		return when(r.nameWord(i) && r.Is("field", t.Low), i+1)
	case "shared":
		return slices.DeleteFunc(r.phrases(i, 2, english.IsPlural), func(m grammar.Match) bool { return !is("shared", r.At(m.To-1).Low) })
	case "lonerule":
		return slices.DeleteFunc(r.rule(i, true), func(m grammar.Match) bool { return !r.At(m.To).Mark })
	case "defaultrule":
		if t.Low == "default" || t.Low == "which" {
			return r.rule(i, false)
		}
		return nil
	case "detail", "given":
		return slices.DeleteFunc(r.ofClass(i, name, ""), func(m grammar.Match) bool { // an item of a list: size, colour
			low := r.At(i).Low
			item := r.Ends(i-1) && r.Ends(m.To) && !r.afterSetting(i)
			if item && r.Kind != project.Site && is("item-too", r.At(m.To-1).Low) {
				return true
			}
			return m.To == i+1 && (r.Is("also-name", low) && name == "detail" || item && (r.Is("also-name", low) || r.Is("field", low) || r.Is("also-field", low) || is("item-too", low)))
		})
	case "fixed-field":
		return r.ofTable(i, tables()[name])
	case "auth", "database":
		return slices.DeleteFunc(r.ofClass(i, name, ""), func(m grammar.Match) bool { // an item of a list: number, floor, secure
			return m.To == i+1 && (r.Ends(i-1) && r.Ends(m.To) && is("item-too", t.Low) && !r.afterSetting(i) || t.Low == "sql" && r.nameWord(m.To)) // SQL snippets
		})
	case "license":
		return slices.DeleteFunc(r.ofClass(i, "license", ""), func(m grammar.Match) bool { return r.Vocabulary[r.Words(i, m.To-i)].Value == project.None })
	case "language":
		if is("language-files", r.At(i+1).Low) { // only go files
			return nil
		}
		if t.Low == "ts" && r.At(i-1).Low == "," && r.class(r.At(i-2).Low) == "" { // which may be a time
			return nil
		}
	case "type":
		return r.ofTable(i, r.Tables["type"])
	case "types":
		return r.typeBehind(i)
	case "rule", "plainrule":
		return r.rule(i, name == "plainrule")
	case "state", "happened":
		if is("needed", t.Low) {
			return nil
		}
		done := english.HasSuffix(t.Low, "ed", "en") && r.nameWord(i) || is("participle", t.Low)
		end := i + 1
		if done && is("particle", r.At(i+1).Low) { // picked up
			end++
		}
		return when(done || name == "state" && r.nameWord(i) && !english.IsPlural(t.Low), end)
	case "asked": // what they can help with
		if r.At(i-1).Low == "who" && !english.HasSuffix(t.Low, "s", "ed", "en") && !is("function", t.Low) && !is("participle", t.Low) { // members, who borrow them
			return nil
		}
		for n := 1; n <= 6 && r.plain(i, n) && !r.setsSomething(i+n-1) && !is("no-asked", r.At(i+n-1).Low) && (!is("wanting", r.At(i+n-1).Low) || is("needing", r.At(i+n-1).Low) && is("pronoun", r.At(i+n-2).Low) && r.At(i+n-2).Low != "i" && r.At(i+n-2).Low != "we") && (!r.Is("field", r.At(i+n-1).Low) || is("pronoun", r.At(i+n-2).Low)); n++ {
			if r.Ends(i+n) || r.Length(i+n, "type") > 0 {
				return when(n > 1 || !is("function", t.Low), i+n)
			}
		}
		return nil
	case "possessive", "possessed": // our customers' measurements, our customers' names
		known := r.Is("field", r.At(i+1).Low) || r.Is("field", english.Singular(r.At(i+1).Low)) || r.Length(i+1, "field") > 1
		return when(r.nameWord(i) && (english.HasSuffix(t.Text, "s'") || english.HasSuffix(t.Raw, "'s")) && known == (name == "possessed"), i+1)
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
		switch r.Vocabulary[r.Words(i+1-n, n)].Class {
		case "language", "database", "auth", "given", "license", "cors", "kind":
			return true
		}
	}
	return false
}

// ofClass finds phrases of the vocabulary.
func (r *reader) ofClass(i int, class, value string) (out []grammar.Match) {
	for n := 1; n <= words.MaxPhrase && r.plain(i, n); n++ {
		if m, ok := r.Vocabulary[r.Words(i, n)]; ok && m.Class == class && (value == "" || m.Value == value) {
			out = append(out, grammar.Match{To: i + n})
		}
	}
	return out
}

func (r *reader) ofTable(i int, table map[string]string) (out []grammar.Match) {
	for n := 1; n <= words.MaxPhrase && r.plain(i, n); n++ {
		if _, ok := table[r.Words(i, n)]; ok {
			out = append(out, grammar.Match{To: i + n})
		}
	}
	return out
}

// plain says whether words without marks and quotes stand at a place.
func (r *reader) plain(i, n int) bool {
	return i+n <= len(r.Tokens) && !slices.ContainsFunc(r.Tokens[i:i+n], func(t words.Token) bool { return t.Mark || t.Quoted })
}

// class is what the vocabulary says of a word, which may be part of a name all the same.
func (r *reader) class(w string) string { return r.Vocabulary[w].Class }

// typeBehind finds a kind of values right behind a name.
func (r *reader) typeBehind(i int) []grammar.Match {
	return slices.DeleteFunc(r.ofTable(i, r.Tables["type"]), func(m grammar.Match) bool {
		truth := r.Tables["type"][r.Words(i, m.To-i)] == values.Truth
		if r.isType(i) {
			return false
		}
		return m.To == i+1 && !truth && !strings.Contains(r.At(i-1).Low, "_") && !r.Is("type-behind", r.At(i).Low) && !strings.Contains(r.At(i).Low, "/")
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
	if what, _ := r.Longest(i, "rule"); what == "example" && n > 0 && (r.At(i+n).Low == "," || r.At(i+n).Low == "and") { // category like food, rent
		return nil
	}
	if rule.Default != "" && n > 2 && strings.Contains(rule.Default, " ") {
		return nil
	}
	return when(n > 0 && (!plain || rule.Need != "" || rule.Unique), i+n)
}

// options finds values of which a field has one.
func (r *reader) options(i int) []grammar.Match {
	if low := r.At(i).Low; r.At(i).Mark || strings.HasPrefix(r.At(i).Raw, "/") || is("asking", low) || is("tells-choices", low) || is("needed", low) {
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
	for at := i; at < end; at = r.EndOf(at) + 1 {
		if !told && r.EndOf(at) > r.Behind(at) {
			return nil
		}
	}
	return when(end > i && r.choosable(i, end), end)
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
	end := r.Closes(i - 1)
	if r.At(i-1).Low != "(" || end <= i || is("beside-field", r.At(i).Low) || slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Low == words.Bullet || t.Low == "(" }) {
		return nil
	}
	fields, listed, types, last := 0, 0, 0, false
	valued := is("valued", r.At(i-2).Low) || r.Is("no-title", r.At(i-2).Low)
	for at := i; at < end; at = max(r.EndOf(at), at+r.Length(at, "type")) + 1 {
		if listed++; r.EndOf(at) == at+1 && r.Is("field", r.At(at).Low) && r.Tables["type"][r.At(at).Low] == "" && r.Tables["field"][r.At(at).Low] != values.Truth && (english.IsPlural(r.At(i-2).Low) || r.At(at).Raw != strings.ToUpper(r.At(at).Raw)) && r.At(i-2).Low != "enum" && (!r.Is("type", "in "+r.At(at).Low) || english.IsPlural(r.At(i-2).Low)) {
			fields++
		}
		if listed > 1 && strings.ContainsAny(r.At(at).Raw, "0123456789") && strings.LastIndex(r.At(at).Raw, "-") > 0 || r.EndOf(at) > at+1 && r.Is("type-behind", r.At(r.EndOf(at)-1).Low) && !r.Is("type", r.Words(at, r.EndOf(at)-at)) { // ages (0-5, 6-10), player (name string, seed int)
			return nil
		}
		if last = r.Length(at, "rule") > 0; last || r.Length(at, "type") > 0 && (!valued || r.Is("type-behind", r.At(at).Low)) {
			types++
		}
	}
	if listed > 1 && types == 0 && is("no-choice", r.At(i-2).Low) { // a name (first, last)
		return nil
	}
	if listed == 1 && fields == 1 && english.IsPlural(r.At(i-2).Low) { // owners (name)
		return nil
	}
	mixed := types > 0 && !last && types < listed && listed > 2 && r.Length(i, "type")+r.Length(i, "rule") == 0
	colon := slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Mark && t.Low == ":" })
	return when(r.choosable(i, end) && (listed < 2 || fields == 0 || types == 0 && valued) && !mixed && !colon, end)
}

// numberEnds says whether a number is told to its end.
func (r *reader) numberEnds(i int) bool {
	return (r.At(i).Low != "-" && r.At(i).Text != "-" || !number.MatchString(r.At(i+1).Low)) && !plaintext.IsCapital(r.At(i).Text)
}
