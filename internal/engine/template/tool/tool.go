// Package tool reads what a command-line tool is asked to do: the operations on files
// and texts that a request names, the options that they have, and the settings.
//
// Words are traced to what they mean here: a photo is a file, displays is show. The rows
// of tools.txt say in such words what a tool does and is told. A clause that only tells
// who asks, or what for, is left out as it stands; whatever else says something and is in
// no row is not understood.
package tool

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/words"
)

// Tool is what a tool was understood to be.
type Tool struct {
	settings.Settings
	Operations []string
}

// Why something is left out.
const (
	notThere   = "options of a tool"
	whenCalled = "what the tool is told where it is called"
	usedFor    = "what it is used for"
	// printed begins what is said of a file for what a tool prints.
	printed = "it goes to the standard output"
	// unattended is said of what would have to run without anybody, as tools.txt says it.
	unattended = "never nothing runs by itself"
	// everyKind is said of tools that are told folders.
	everyKind = "all files of the folder are taken, whatever their kind"
	// allOfIt is said of what no option does, where no other is told.
	allOfIt = "no, and nothing is left without it"
	// namesAlone is said where files are named, and lines may be as well.
	namesAlone = "--names for the names alone"
	// ofItsOwn begins what is said of several files that become others.
	ofItsOwn = "each file gives one of its own"
	// bySample is said of how lines look whose columns have no names.
	bySample = "columns are told by their numbers, and what stands between them with --delimiter C"
	// chosenByName is said of tools that are told files, as tools.txt says it.
	chosenByName = "files are chosen by their names where the tool is called"
)

// longestOwner is how many words say at most whose files are meant, behind "of my".
const longestOwner = 4

// reader reads one request from its beginning to its end.
type reader struct {
	words.Text
	*Tool
	named   []string // operations that are named somewhere, as far as is known
	leads   []string // how the rows of this sentence began
	told    []row    // what was told of operations
	flags   []string // options that were told
	shares  []share  // what was asked for of each thing of a kind
	joined  bool     // and, or or a comma stands before
	begun   bool     // something was asked for
	figures bool     // a sum or the like is spoken of, or a column
	tables  bool     // CSV is spoken of
	// Markdown is spoken of, or a number in each line
	markdown, numbers bool
	// what is known of the words at places
	kinds, senses map[int]meant
}

// WorksOn says whether something is what tools work on, and nothing of which records are kept: a folder.
func WorksOn(thing string) bool { return is("worked-on", thing) }

// Keeps says whether something is kept: to store search terms.
func Keeps(x words.Text) bool {
	return slices.ContainsFunc(x.Tokens, func(t words.Token) bool { return is("keeping", t.Low) })
}

// Computing says whether a word is for what a computer or the net knows, and nobody writes down: a process.
func Computing(word string) bool {
	return is("computing", word) || is("computing", english.Singular(word))
}

// Commands says whether something is a command of a tool and no field: add, check off.
func Commands(field string) bool { return is("record-command", field) }

// Finds says whether a tool is to show or to change what is there, and nothing is said of keeping any: to list open ports, but
// not to add and list notes.
func Finds(x words.Text) (finds bool) {
	adds, shows := false, false
	for i, t := range x.Tokens {
		begins := i == 0 || x.At(i-1).Mark || x.ClassAt(i-1) == "kind" || x.ClassAt(i-1) == "language" || is("finder", x.At(i-1).Low)
		if is("kept", t.Low) && (begins || !strings.HasPrefix(t.Low, "log")) { // but not to delete log entries
			return false
		}
		adds, shows = adds || is("adding", t.Low), shows || is("finding", t.Low) && !x.Is("article", x.At(i-1).Low) // but not to make a list
		finds = finds || begins && i > 0 && (is("adding", t.Low) || is("finding", t.Low)) && !x.At(i+1).Mark && i+1 < len(x.Tokens)
	}
	return finds && !(adds && shows)
}

// Nearest gives the operation in whose rows most of the words of a request stand. Empty: none is near.
func Nearest(x words.Text) (operation string) {
	best, scores := 0.5, map[string]float64{}
	x = parted(x)
	for i, t := range x.Tokens {
		word := cmp.Or(Tables()["means"][stem(t.Low)], stem(t.Low))
		rates, all := speaking()[word], 0.0
		for _, rate := range rates {
			all += rate
		}
		if t.Mark || is("lone", word) || x.ClassAt(i) == "language" {
			continue
		}
		for each, rate := range rates {
			scores[each] += rate / all
		}
	}
	for _, each := range slices.Sorted(maps.Keys(scores)) {
		if scores[each] > best {
			operation, best = each, scores[each]
		}
	}
	return operation
}

// Operations gives the operations that a request names.
func Operations(x words.Text) []string { return Read(x).Operations }

// Read reads what a tool is asked to do. What is told of an operation may stand before it: the first reading finds the
// operations, the second reads everything.
func Read(x words.Text) *Tool {
	x = parted(x)
	named := read(x, nil).Operations
	if len(named) == 0 {
		x, named = resolved(x)
	}
	t := read(x, named)
	if len(t.Operations) == 0 {
		t.Operations = named
	}
	slices.Sort(t.Operations)
	return t
}

// resolved puts what was spoken of for a pronoun, if that names an operation: I have a CSV, sort it.
func resolved(x words.Text) (words.Text, []string) {
	var topic []words.Token
	token := func(w string) words.Token { return words.Token{Text: w, Low: w, Raw: w} }
	for i, t := range x.Tokens {
		meaning := cmp.Or(Tables()["means"][stem(t.Low)], stem(t.Low))
		if filename.MatchString(t.Low) {
			meaning = Tables()["filename"][t.Low[strings.LastIndex(t.Low, ".")+1:]]
		}
		switch {
		case meaning == "line" && is("share", x.At(i-1).Low), topic == nil && is("topic", meaning):
			topic = []words.Token{token(meaning)}
			if Tables()["means"][stem(x.At(i-1).Low)] == "duplicate" { // my drive is full of duplicate pictures, find them
				topic = []words.Token{token("duplicate"), token(meaning)}
			}
		case topic != nil && is("pronoun", t.Low):
			tokens := slices.Replace(slices.Clone(x.Tokens), i, i+1, topic...)
			told := words.Text{Tokens: tokens, Lexicon: x.Lexicon}
			if named := read(told, nil).Operations; len(named) > 0 {
				return told, named
			}
		}
	}
	return x, nil
}

func read(x words.Text, named []string) *Tool {
	r := &reader{Text: x, Tool: &Tool{}, named: slices.Clone(named), kinds: map[int]meant{}, senses: map[int]meant{}}
	r.figures = slices.ContainsFunc(x.Tokens, func(t words.Token) bool {
		return is("figure", stem(t.Low)) || is("column", stem(t.Low)) || stem(t.Low) == "row"
	})
	r.tables = r.hasSample() || slices.ContainsFunc(x.Tokens, func(t words.Token) bool { return stem(t.Low) == "csv" || strings.HasSuffix(t.Low, ".csv") })
	r.markdown = !r.tables && slices.ContainsFunc(x.Tokens, func(t words.Token) bool { return is("markdown", t.Low) })
	if r.numbers = r.figures && !r.tables && r.numberInLine(); r.numbers {
		clear(r.kinds)
		clear(r.senses)
	}
	for i := 0; i < len(r.Tokens); {
		i = r.next(i)
	}
	r.weigh()
	r.refuseSwallowed()
	for _, each := range r.shares {
		r.judge(each)
	}
	r.refuseOpaque()
	return r.Tool
}

// weigh refuses what was told and is nothing alone, now that everything is read.
func (r *reader) weigh() {
	for _, each := range r.told {
		flag, _, _ := strings.Cut(each.told, " ")
		need := Tables()["needs"][flag]
		switch {
		case len(r.Operations) > 0 && !slices.Contains(r.Operations, each.of): // that turned out to be told of another
			r.Refuse(each.what)
		case strings.Contains(each.told, "--remove") && slices.Contains(r.flags, "--min"): // large files and empty folders, and removes them
			r.Refuse(each.what)
		case each.told == allOfIt && len(r.flags) == 0, need != "" && !slices.Contains(r.flags, need):
			r.Hearts = append(r.Hearts, settings.Omission{What: each.what, Why: notThere})
		}
	}
	for i, t := range r.Tokens {
		meaning, _ := r.sense(i + 1)
		tooMany := slices.Contains(r.Operations, "compare") && is("too-many", t.Low) && is("compared", meaning)
		oneOfMany := r.converts() && is("alone", t.Low) && (is("become", r.At(i-1).Low) || is("become", r.At(i-2).Low)) && is("converted", meaning) && r.several() && !r.eachTold()
		noNumbers := slices.Contains(r.Operations, "column") && is("unnumbered", t.Low) && r.isColumn(i) && !is("grouping", r.At(i-1).Low)
		switch {
		case tooMany:
			r.Hearts = append(r.Hearts, settings.Omission{What: r.text(i, i+2), Why: "two are compared"})
		case oneOfMany:
			r.Leave(r.text(i, i+2), ofItsOwn+", on the standard output")
		case noNumbers:
			r.Hearts = append(r.Hearts, settings.Omission{What: t.Low, Why: "only the numbers of a column are told"})
		}
	}
}

// refuseSwallowed refuses what is an operation where it is told by itself, and was taken for a part of another: count words,
// (search text) and replace text. Of two, the second may well be told of the first: sort lines and remove duplicates.
func (r *reader) refuseSwallowed() {
	if len(r.Operations) == 0 {
		return
	}
	heads, missing, first := map[string]bool{}, []string{}, false
	for i := range r.Tokens {
		begins := r.At(i-1).Low == "," || r.At(i-1).Low == ":" || r.ClassAt(i-1) == "join" || is("finder", r.At(i-1).Low) || i == 0
		if !begins {
			continue
		}
		end := i + 1
		for !r.At(end).Mark && r.ClassAt(end) != "join" {
			end++
		}
		operation, pattern := r.upTo(i, end)
		if r.At(i).Low == "list" && end > i+1 { // list files
			operation, pattern = "tree", "list file"
		}
		if !strings.Contains(pattern, " ") {
			continue
		}
		heads[operation] = true
		switch missed := !slices.Contains(r.Operations, operation); {
		case missed:
			missing = append(missing, r.text(i, end))
			first = first || len(heads) == 1 && operation != "search" && operation != "tree" // which what is done with it takes up
		case slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return is("pronoun", t.Low) }):
			first = false
		}
	}
	if len(heads) > 2 || len(heads) == 2 && first {
		for _, what := range missing {
			r.Refuse(what)
		}
	}
}

// upTo gives the operation that the words between two places name by themselves, and its row.
func (r *reader) upTo(i, end int) (operation, pattern string) {
	part := *r
	part.Tokens, part.kinds, part.senses = r.Tokens[:end], map[int]meant{}, map[int]meant{}
	operation, pattern, _ = part.match("", i, "operation")
	return operation, pattern
}

// converts says whether files become others, each by itself.
func (r *reader) converts() bool {
	return slices.ContainsFunc(r.Operations, func(operation string) bool { return is("converter", operation) })
}

// several says whether more than one file is spoken of.
func (r *reader) several() bool {
	return slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return is("several", t.Low) })
}

// eachTold says whether it was told that each file gives something of its own.
func (r *reader) eachTold() bool {
	return slices.ContainsFunc(r.Left, func(o settings.Omission) bool { return strings.HasPrefix(o.Why, "each file gives") })
}

// either says whether words tell which files or lines are meant, with "or" between them and others that do: a tool takes what
// all of them tell.
func (r *reader) either(i int, found row) bool {
	narrows := func(flag string) bool {
		return is("narrows", flag) && !slices.Contains(strings.Fields(found.told), flag)
	}
	tells := slices.ContainsFunc(strings.Fields(found.told), func(flag string) bool { return is("narrows", flag) })
	return tells && r.At(i-1).Low == "or" && slices.ContainsFunc(r.flags, narrows)
}

// commands gives the place behind a list of operations that are named as commands, and all of these: subcommands: search, replace.
func (r *reader) commands(i int) (named []string, end int) {
	if !is("commands", r.At(i).Low) {
		return nil, i
	}
	end = r.After(i+1, ":")
	for k := end; r.Tables["does"][r.At(k).Low] != ""; {
		named, end = append(named, r.At(k).Low), k+1
		for k = end; r.At(k).Low == "," || r.ClassAt(k) == "join"; k++ {
		}
		if k == end {
			break
		}
	}
	return named, end
}

// next reads what begins at a place, and gives the place behind it.
func (r *reader) next(i int) int {
	meaning, n := r.sense(i)
	found, setting := r.row(i), r.setting(i)
	commands, last := r.commands(i)
	clause, why := r.beside(i)
	switch {
	case r.At(i).Mark:
		if r.joined = strings.Contains(",(", r.At(i).Low); !r.joined && r.At(i).Low != ")" {
			r.leads = nil
		}
		return i + 1
	case r.flag(i) > i:
		return r.flagged(i)
	case r.exit(i) > i:
		return r.exits(i)
	case r.ClassAt(i) == "join" && found.end == 0:
		r.joined = true
		return i + 1
	case (i == 0 || is("titled", r.At(i-1).Low)) && r.At(i+1).Low == ":" && r.isKind(i): // wordfreq: prints the most frequent words
		r.Title = r.At(i).Raw
		return i + 2
	case r.At(i).Quoted && strings.Contains(r.At(i).Text, " --"): // `csvpick data.csv --column country`
		return r.leave(i, i+1, whenCalled)
	case r.At(i).Quoted && call.MatchString(r.At(i).Text) && r.At(i-1).Low == "like": // something like `sumcol list.csv`
		r.Title, _, _ = strings.Cut(r.At(i).Text, " ")
		return r.leave(i, i+1, whenCalled)
	case is("usage", r.At(i).Low) && r.At(i+1).Low == ":": // usage: sumcol list.csv amount
		return r.leave(i+2, r.sentence(i), whenCalled)
	case clause > i:
		return r.leave(i, clause, why)
	case r.At(i).Low == "unless" && r.flag(i+1) > i+1: // unless -o is given
		return i + 1
	case r.wanders(i) > i:
		return r.wanders(i)
	case r.At(i).Low == "language" && r.At(i+1).Low == ":":
		return i + 2
	case len(commands) > 1:
		r.takeOperations(commands)
		return last
	case is("share", r.At(i).Low) && is("own", stem(r.At(i+1).Low)) && !r.isGroup(i+1): // disk usage per user
		r.Refuse(r.text(i, i+2))
		return i + 2
	case found.end > i && found.end >= setting:
		r.take(i, found)
		return found.end
	case meaning == "" && i+n >= setting:
		return i + n
	case setting > i:
		return r.set(i)
	case r.ofMine(i) > i:
		return r.leave(i, r.ofMine(i), settings.Background)
	case meaning == "save" && r.Ends(r.After(i+n, "them", "it")): // and saves them
		return r.leave(i, i+n, notThere)
	case is("lone", meaning): // what follows is judged for itself
		return i + n
	}
	end := i + 1
	for !r.Ends(end) && r.row(end).end == 0 && r.setting(end) == 0 {
		end++
	}
	r.Refuse(r.text(i, end))
	return end
}

// beside gives the end of a clause that is left out as it stands, and why.
func (r *reader) beside(i int) (end int, why string) {
	if end := r.columnsTold(i); end > i {
		if slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Text == ";" }) { // date;text;amount
			return end, "with --delimiter C"
		}
		return end, settings.Background
	}
	for _, each := range []struct {
		ends func(int) int
		why  string
	}{
		{r.opening, settings.Background},
		{r.delimited, "with --delimiter C"},
		{r.contents, settings.Background},
		{r.sample, bySample},
		{r.aside, settings.Background},
		{r.purpose, usedFor},
		{r.extra, notThere},
	} {
		if end := each.ends(i); end > i {
			return end, each.why
		}
	}
	return i, ""
}

// take does what a row says.
func (r *reader) take(i int, found row) {
	r.begun, r.joined = true, false
	if meaning, _ := r.sense(i); found.lead == "" { // the last first, each once
		if strings.HasPrefix(found.pattern, meaning+" howmany ") { // tells the number of rows and columns
			meaning += " howmany"
		}
		others := slices.DeleteFunc(r.leads, func(lead string) bool { return lead == meaning })
		r.leads = slices.Insert(others, 0, meaning)
	}
	first := found.operation != "" && !slices.Contains(r.Operations, found.operation)
	another := first && len(r.Operations) > 0
	goesOn := r.After(i+1, "them", "it") > i+1 || is("possessive", r.At(i-1).Low)
	tallies := is("tally", found.of) && strings.HasPrefix(found.told, "--count")
	switch {
	case another && goesOn, // makes a password and hashes it, a password and its hash: no operation goes on with what another gives
		tallies && goesOn, // removes blank lines and counts them
		first && is("objectless", found.pattern) && len(r.named) > 1: // counts words and removes duplicates
		r.Refuse(r.text(i, found.end))
	}
	r.takeOperations(strings.Fields(found.operation))
	r.leaveKinds(i, found)
	what := r.text(i, found.end)
	if found.of != "" && found.of != "any" {
		r.told = append(r.told, row{of: found.of, told: found.told, what: what})
	}
	_, never := strings.CutPrefix(found.told, "never ")
	has := !never && found.told != "no"
	if has {
		for _, text := range r.texts(i, found.end) {
			r.Leave(text, whenCalled)
		}
		r.share(i, found)
	}
	switch {
	case found.of == "any" && found.told == "yes" && r.nowhere(found.pattern): // the uuid of my drive
		r.Refuse(what)
	case has && !strings.HasPrefix(found.told, printed) && !r.takesFiles() && r.oneFile(i, found.end):
		r.Hearts = append(r.Hearts, settings.Omission{What: what, Why: "the tool is told folders where it is called"})
	case found.told == "--names" && r.ClassAt(found.end) == "join" && r.meansAt(found.end+1) == "linenumber",
		found.told == namesAlone && (r.At(found.end).Low == "," || r.At(found.end).Low == ":" || r.ClassAt(found.end) == "join"): // and the line
		r.Given = append(r.Given, what)
	case found.told == "yes" && found.of != "any" && !is("lone", found.pattern) && r.asOption(i, found.end):
		r.Leave(what, "it is so without an option")
	case found.told == "yes":
		r.Given = append(r.Given, what)
	case found.told == chosenByName && !r.takesFiles():
		r.Leave(what, notThere)
	case r.either(i, found):
		r.Refuse("or " + what)
	case strings.HasPrefix(found.told, "--"):
		r.flags = append(r.flags, strings.Fields(found.told)...)
		r.Leave(what, "with "+found.told+r.onlyOf(found))
	case found.told != "":
		r.judged(what, found.told)
	}
}

// meansAt gives what the words at a place mean.
func (r *reader) meansAt(i int) string {
	meaning, _ := r.sense(i)
	return meaning
}

func (r *reader) takeOperations(operations []string) {
	for _, operation := range operations {
		for _, list := range []*[]string{&r.named, &r.Operations} {
			if !slices.Contains(*list, operation) {
				*list = append(*list, operation)
			}
		}
	}
}

// onlyOf says of which operation alone an option is, if another is named that is known to be without it.
func (r *reader) onlyOf(found row) string {
	for _, operation := range r.named {
		if books()[operation+optionOf][found.pattern] == "no" {
			return ", of " + found.of + " only"
		}
	}
	return ""
}

// setting gives the place behind a setting that begins at a place, or 0.
func (r *reader) setting(i int) int {
	m, n := r.Phrase(i)
	if r.written(i) > 0 || m.Class == "named" && (r.At(i+n).Low == "of" || r.ofFiles(i)) {
		return 0
	}
	refused := m.Class == "heart" && (n > 1 || !known()[stem(r.At(i).Low)])
	switch {
	case slices.Contains([]string{"language", "license", "module", "named"}, m.Class), refused:
		return i + n
	case r.isTitle(i):
		return i + 1
	case m.Class == "denial" && (&settings.Settings{}).Take(r.Text, i) > i:
		return (&settings.Settings{}).Take(r.Text, i)
	}
	return 0
}

// ofFiles says whether names are spoken of that files get, and not that of the tool: so the name is lowercase.
func (r *reader) ofFiles(i int) bool {
	return r.begun && slices.Contains(r.named, "rename") && !r.Ends(i-1) && r.At(r.After(i, "the", "each")).Low == "name"
}

// isTitle says whether the name of the tool stands at a place: in quotes, behind what the tool is.
func (r *reader) isTitle(i int) bool {
	return r.At(i).Quoted && i > 0 && (is("titled", r.At(i-1).Low) || r.ClassAt(i-1) == "language")
}

// set takes a setting.
func (r *reader) set(i int) int {
	m, n := r.Phrase(i)
	r.joined = false
	if r.isTitle(i) {
		n = 0
	} else if end := r.eitherLanguage(i); end > i {
		return end
	} else if m.Class != "named" {
		return max(r.Take(r.Text, i), i+n)
	}
	at := r.After(i+n, ":", "it")
	if before, _ := r.sense(i - 1); before == "piece" && r.begun {
		return r.leave(i-1, r.Behind(at), notThere)
	} else if is("nameless", before) && r.begun { // files called img_1.jpg
		return r.leave(i-1, r.Behind(at), whenCalled)
	}
	if filename.MatchString(r.At(at).Low) && r.begun { // pieces named part1.txt, part2.txt
		end := at + 1
		for r.At(end).Low == "," && filename.MatchString(r.At(end+1).Low) {
			end += 2
		}
		return r.leave(i, end, notThere)
	}
	title, end := r.NameAt(at)
	if t := r.At(at); !t.Quoted && !t.Capital && !t.Mark { // a name without capitals is one word: more may be a wish
		title, end = t.Raw, r.Behind(at)
	}
	if r.Title = title; title == "" || is("article", strings.ToLower(title)) {
		r.Refuse(r.text(i, i+n))
	}
	return max(end, i+n)
}

// extra gives the end of a clause that asks for more than an operation does, of what tools do beside: and draws a bar.
func (r *reader) extra(i int) int {
	begins := r.joined || r.At(i-1).Mark || r.ClassAt(i-1) == "join" || is("turn", r.At(i-1).Low)
	if !begins || len(r.named) == 0 || !is("extra", r.At(i).Low) || r.isText(i) {
		return i
	}
	end, known := i, false
	for ; !r.At(end).Mark && r.setting(end) == 0; end++ {
		if r.ClassAt(end) == "join" && r.row(end+1).end > 0 {
			break
		}
		known = known || is("beside", r.At(end).Low)
	}
	if !known {
		return i
	}
	return end
}

func (r *reader) leave(from, to int, why string) int {
	r.Leave(r.text(from, to), why)
	return to
}

// text gives words in lower case, without marks.
func (r *reader) text(from, to int) string {
	var out []string
	for _, t := range r.Tokens[max(0, from):to] {
		if !t.Mark {
			out = append(out, t.Low)
		}
	}
	return strings.Join(out, " ")
}

// eitherLanguage takes the first of two languages that will both do, and gives the place behind them: Go or Python.
func (r *reader) eitherLanguage(i int) int {
	m, n := r.Phrase(i)
	other, more := r.Phrase(i + n + 1)
	if m.Class != "language" || r.At(i+n).Low != "or" || other.Class != "language" {
		return i
	}
	r.Take(r.Text, i)
	return i + n + 1 + more
}
