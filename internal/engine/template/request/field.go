package request

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// field gives a field of a thing by its name.
func (t *Thing) field(name string) *Field {
	k := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name })
	if k < 0 {
		return nil
	}
	return &t.Fields[k]
}

// field takes one value of the records that were named last.
func (r *reader) field(n *grammar.Node) {
	f := Field{at: n.From}
	kind := ""
	name, question := child(n, "name"), child(n, "question", "longname")
	switch {
	case question != nil:
		r.question(&f, question)
	case n.Note == "id": // which every record has
		if r.among("figure-id", n.From, n.To) {
			r.Leave(r.words(n), "records get an id of their own, which is a text")
		}
		return
	case n.Note == "pair": // start and end date
		head := child(n, "{head", "numberof")
		for _, p := range children(n, "{half") {
			r.add(Field{Name: r.name(p) + "_" + r.name(head), at: p.From}, "", nil)
		}
		return
	case n.Note == "bothtyped": // start and end as date and time
		for _, p := range children(n, "{half") {
			r.add(Field{Name: r.name(p), at: p.From, told: true}, r.kindOf(child(n, "{type", "{types")), nil)
		}
		return
	case n.Note == "strung":
		for _, p := range children(n, "{known") {
			r.add(Field{Name: r.name(p), at: p.From}, "", nil)
		}
		return
	case child(n, "belonging") != nil:
		r.belonging(n)
		return
	case n.Note == "manyof":
		of, p := r.current, child(n, "{thing")
		if of == nil || r.asked && !r.elsewhere(p.From, p.To) {
			r.doubt(n)
			return
		}
		r.thing(p.From, p.To).belongs(of)
		r.current = of
		return
	case n.Note == "listof":
		f.Name, kind = r.name(child(n, "{listword")), values.Texts
	case name == nil && n.Note != "refers": // what may mean something else, for which there are rows
		r.doubt(n)
		return
	case name == nil: // author (ref)
		f.Name = one(r.name(child(n, "{mentioned")))
	default:
		f.Name = r.name(name)
		if is("kind-alone", f.Name) && is("formal-field", r.At(name.To).Low) { // add a text field for it
			r.doubt(n)
		}
	}
	if r.isFile(f.Name, n) { // an uploaded PDF file
		r.Leave(r.words(n), "files are not kept")
		return
	}
	told, others := r.heldTo(&f, n)
	switch n.Note {
	case "refers":
		f.refers = strings.TrimSuffix(r.name(child(n, "{thing", "{mention", "{mentioned")), "_id")
	case "sized":
		if size := child(n, "{number"); told == values.Text {
			f.Max = r.At(size.From).Low
		} else {
			others = append(others, r.Written(size.From-1, size.To))
		}
	}
	kind = cmp.Or(told, kind)
	f.told = kind != "" || f.Choices != nil
	r.elliptic(&f, n, kind)
	r.add(f, kind, others)
}

// settingNames are words of which a slip is no field.
var settingNames = []string{"licence", "license", "language", "database", "storage", "framework"}

// unchecked is what texts are not held to: a valid email.
const unchecked = "valid"

// checkable says whether a word at a place begins what may be valid, where others are valid for some time: not valid days.
func (r *reader) checkable(i int) bool {
	kind := cmp.Or(r.usualKind(r.At(i).Low), r.usualKind(r.At(r.EndOf(i)-1).Low))
	return !r.Ends(i) && !is("behind-field", r.At(i).Low) && (kind == values.Text || kind == values.Day)
}

// isFile says whether the values of a field would be files.
func (r *reader) isFile(name string, n *grammar.Node) bool {
	begin, last, _ := cutLast(name)
	return n.Note == "file" || is("file-value", lastWord(r.words(n))) ||
		is("file-before", begin) && !is("behind-field", last) && !r.Is("field", last)
}

// elliptic refuses what may be said of several fields, or be the end of several names: name and email required, current and
// previous owner, released on, mandatory.
func (r *reader) elliptic(f *Field, n *grammar.Node, kind string) {
	name, rule, options, limit := child(n, "name"), child(n, "rule"), child(n, "{options"), child(n, "{limitrule")
	det, short := child(n, "fielddet"), !strings.Contains(f.Name, "_")
	alike := f.Min+f.Max != "" && is("alike", f.Name) && r.isAny(n.From-2, "alike") // width and height between 1 and 100
	switch behind, ahead := r.At(n.From-1).Low == "and", r.At(n.To).Low == "and"; {
	case behind && name != nil && name.From == n.From && name.To == n.From+1 && r.sharesFirst(f.Name, n):
		r.Refuse(r.Written(n.From-3, n.To))
	case ahead && det != nil && is("needed", lastWord(r.words(det))) && !r.isAny(n.To+1, "needed", "function"): // required title and author
		r.Refuse(r.Written(n.From, r.EndOf(n.To+1)))
	case ahead && short && len(n.Parts) == 1 && r.sharesLast(n.To+1, f.Name):
		r.Refuse(r.Written(n.From, r.EndOf(n.To+1)))
	case behind && rule != nil && r.At(rule.From).Low != "(" && !(det != nil && is("of-this", r.At(rule.From).Low) && r.At(rule.From+1).Low != "are") && (f.Need != "" || f.Unique || alike) && r.bareBefore(n.From-2):
		r.Refuse(r.Written(n.From-2, n.To)) // name and email required
	case options != nil && !short && options.From == name.To && !strings.Contains(r.At(options.From).Raw, "/"):
		r.doubt(n)
	case kind == "" && (child(n, "{lonerule") != nil || limit != nil && r.At(limit.From-1).Low == "," && !r.limited(f.Name)):
		r.doubt(n) // released on, mandatory
	}
}

// sharesFirst says whether a field may share what stands before it with the one before.
func (r *reader) sharesFirst(name string, n *grammar.Node) bool {
	before, first := r.At(n.From-2).Low, r.At(n.From-3)
	usual := r.usualKind(name)
	measured := usual == values.Number || usual == values.Integer || usual == values.Truth
	unlike := english.IsPlural(before) != english.IsPlural(name) || before == "birth" && !is("beside-birth", name) // number of pages and shelf
	return is("inside-field", first.Low) && !measured && !unlike && !number.MatchString(before) ||                 // date of birth and death
		first.Low == "in" && r.Is("type", "in "+name) || // price in EUR and USD
		is("half", before) && is("half", name) && !first.Mark && !is("function", first.Low) // tyre pressure front and rear
}

// limited says whether values of a field have limits: numbers, and long texts.
func (r *reader) limited(name string) bool {
	usual := r.usualKind(name)
	return usual == values.Number || usual == values.Integer || is("long", lastWord(name))
}

// heldTo takes what is said of the values of a field, and gives their kind, and what they cannot be held to.
func (r *reader) heldTo(f *Field, n *grammar.Node) (kind string, others []string) {
	for _, p := range children(n, "rule", "fielddet") {
		switch p.Note {
		case "optional":
			f.Need = p.Note
		case unchecked:
			others = append(others, unchecked)
		}
	}
	for _, p := range children(n, "fielddet", "{type", "{types", "{lonetype", "{options", "{valuelist", "{valuerun", "{described", "{value",
		"{rule", "{plainrule", "{limitrule", "{lonerule", "{defaultrule", "{signrule") {
		switch p.Name {
		case "fielddet":
			switch word := r.At(p.To - 1).Low; {
			case word == "one" && r.At(p.From-1).Low == "least" && (r.usualKind(f.Name) == "" || is("people", f.Name)): // at least one item
				r.doubt(n)
			case is("maybe", word):
				f.Need = "optional"
			case r.Is("rule", word):
				f.Said(r.Text, p.To-1, &kind)
			}
		case "{type", "{types", "{lonetype":
			several := p.Name == "{lonetype" && r.kindOf(p) == values.Texts && !english.IsPlural(f.Name) // name, list of strings
			if kind = r.kindOf(p); several || r.isAnother(p) || p.From == n.From && p.To < n.To && r.At(p.From).Low == "flag" {
				r.doubt(n)
			}
		case "{options", "{valuelist":
			if f.Choices = values.Choices(r.Text, p.From, p.To); len(f.Choices) < 2 || is("comparing", f.Choices[len(f.Choices)-1]) {
				r.doubt(p) // 2000 or later
			}
		case "{valuerun":
			f.Choices = slices.DeleteFunc(strings.Fields(r.Written(p.From, p.To)), func(word string) bool { return word == "or" })
		case "{value":
			f.Default = r.Written(p.From, p.To)
		case "{described":
			list, vague := f.Described(r.Text, strings.Split(f.Name, "_"), p.From, p.To, &kind)
			switch {
			case is("of-all", r.At(p.From).Low): // nuts, gluten, milk (all booleans)
				r.doubt(n)
			case len(list) > 1 && f.Choices == nil:
				if f.Choices = list; vague {
					r.doubt(n)
				}
			case len(list) > 0:
				letters := func(o string) bool { return r.Tables["unit"][lastWord(o)] == values.Text }                                               // 3-5 uppercase letters
				if slices.ContainsFunc(list, letters) && kind != values.Text || r.elsewhere(p.From, p.To) || r.among("goes-on-with", p.From, p.To) { // manager (employee), seat (row and number)
					r.doubt(n)
				}
				others = append(others, list...)
			}
		default:
			f.Said(r.Text, p.From, &kind)
		}
	}
	return kind, others
}

// isAnother says whether a kind of values is rather another field: with tables: number, seats.
func (r *reader) isAnother(p *grammar.Node) bool {
	word := r.At(p.From).Low
	first := r.current != nil && len(r.current.Fields) == 0 && r.At(p.To).Low == "," && r.At(r.NextMark(p.To+1)).Low != ":"
	return p.To == p.From+1 && r.At(p.From-1).Low == ":" && (first || english.IsPlural(r.At(p.From-2).Low)) &&
		r.Is("field", word) && !r.Is("type-behind", word) && !r.Says("type-behind")
}

// bareBefore says whether the field that ends at a place has no rules of its own.
func (r *reader) bareBefore(i int) bool {
	return !r.At(i).Mark && r.Length(i, "rule") == 0 && !r.Is("type-behind", r.At(i).Low)
}

// sharesLast says whether a field may share the last word of the one behind it: current and previous owner.
func (r *reader) sharesLast(next int, name string) bool {
	next = r.After(next, "a", "an", "the")
	end := r.EndOf(next)
	if slices.Contains(strings.Fields(r.said(next, end)), "of") { // name and phone of the owner
		first := r.At(next).Low
		return r.At(next+1).Low == "of" && (!is("of-itself", first) || is("of-both", first) && is("of-both", name))
	}
	_, sure := values.Guess(r.Lexicon, []string{name})
	noun := r.At(next-3).Low == "," && !is("half", name) && !is("attributive", name) && !english.HasSuffix(name, "al", "ive", "ous", "ic", "ary", "ing", "an", "ish", "ese", "er") // name, yarn and needle size
	open := !sure && r.usualKind(name) == "" && !is("ends-field", name) && !noun || strings.HasSuffix(name, "ed") && !strings.HasSuffix(name, "eed")                               // but: breed and birth date
	return open && end > next+1 && !english.IsPlural(name) && !slices.ContainsFunc(r.Tokens[next:end], func(t words.Token) bool {
		return is("function", t.Low) || r.Is("type-behind", t.Low)
	})
}

// belonging takes what the records that were named last belong to.
func (r *reader) belonging(n *grammar.Node) {
	of := r.current
	if of == nil {
		r.doubt(n)
		return
	}
	for _, to := range children(n, "{thing", "{mentioned") {
		of.belongs(r.thing(to.From, to.To))
	}
	r.current = of
}

// question takes a field that is told as a question, of which the note says what it is: whether it is paid.
func (r *reader) question(f *Field, n *grammar.Node) {
	word := func(names ...string) string {
		var all []string
		for _, p := range children(n, names...) {
			all = append(all, r.name(p))
		}
		return strings.Join(all, "_")
	}
	begin := r.After(n.From, "whether", "if", "it", "they", "he", "she", "the", "a", "name", "of")
	if begin > n.From && r.isAny(n.From, "whether") { // whether it is on display
		begin = r.After(begin, "is", "are", "was", "were")
	}
	if is("pronoun", r.At(n.From+1).Low) && is("auxiliary", r.At(n.From).Low) { // did they sign it
		begin = r.After(n.From+2, "be", "a", "an", "any", "the")
	}
	state, counted := word("{state", "{happened"), word("{word", "{state")
	kind, name, sure := strings.Cut(n.Note, ":")
	if !sure {
		kind, name, _ = strings.Cut(n.Note, "~")
	}
	f.Kind, f.Sure = kind, sure
	f.Name = strings.NewReplacer("{state}", state, "{one}", word("{one", "{things"), "{word}", word("{word"), "{counted}", counted,
		"{field}", word("{field", "{mentioned"), "{}", r.nameOf(begin, n.To)).Replace(name)
	switch first, _, _ := strings.Cut(counted, "_"); {
	case kind == "usual": // the price I paid, the month they paid
		usual := r.usualKind(word("{word"))
		f.Kind, f.Sure = cmp.Or(usual, values.Text), usual != ""
		if last := r.At(n.To - 1).Low; is("behind-field", last) && usual == values.Text { // the country they came from
			f.Name += "_" + last
		}
	case kind == values.Day && slices.Contains(strings.Fields(r.words(n)), "last"):
		f.Name = "last_" + state
	case strings.HasSuffix(name, "_by") && r.At(n.To-1).Low == "to": // who it was lent to
		f.Name = state + "_to"
	case kind == values.Integer && is("participle", first): // how many left
		f.Name = "number_" + counted
	}
}

// add gives a field to the thing that was named last.
func (r *reader) add(f Field, kind string, others []string) {
	switch {
	case r.current == nil:
		r.Refuse("what has " + spaced(f.Name))
		return
	case f.Name == "id": // which every record has
		return
	}
	single := one(f.Name)
	if single != f.Name && !f.told && r.usualKind(f.Name) == "" && (is("one-each", single) || r.measures(single)) { // products with prices
		if k := len(r.current.Fields) - 1; k >= 0 && r.current.Fields[k].Kind == values.Texts && r.At(f.at-1).Low == "and" {
			r.Refuse(r.Written(f.at-2, f.at+1)) // ingredients and amounts
		}
		f.Name = single
	}
	name := strings.Split(f.Name, "_")
	last := name[len(name)-1]
	usual, sure := values.Guess(r.Lexicon, name)
	guess := kind == "" && f.Kind != "" && !f.Sure
	if kind = cmp.Or(kind, f.Kind); kind == "" && usual == values.Text && f.Choices == nil {
		switch {
		case sure && is("long", last) && f.Min+f.Max != "": // a title of at most 120
			kind = usual
		case len(name) > 2 && name[len(name)-2] == "per": // milk per day
			kind, guess = values.Number, true
		}
	}
	if digits := f.Min; kind == values.Text && digits != "" && digits == f.Max && sure && usual == values.Integer { // a year of 4 digits
		kind, f.Min, f.Max = usual, "", ""
		others = append(others, "exactly "+digits+" digits")
	}
	told := f.Sure
	var rest []string
	f.Kind, f.Rules, f.Sure, rest = f.Settled(r.Lexicon, name, kind)
	if f.Kind != values.Text { // a valid date
		others = slices.DeleteFunc(others, func(o string) bool { return o == unchecked })
	}
	f.Sure = (f.Sure || told) && !guess
	for _, o := range append(rest, others...) {
		r.Leave(o+" of "+spaced(f.Name), "a rule that its values cannot be held to")
	}
	if r.Is("secret", last) && f.Kind != values.Truth {
		r.Leave(spaced(f.Name), "secrets are not kept in the clear")
		return
	}
	hours := f.Kind == values.Truth && len(rest) > 0 && strings.HasPrefix(rest[0], "min ") // open 9-17
	if hours || r.impossible(f, name, len(others) > 0) {
		r.Refuse(spaced(f.Name))
	}
	bare := !f.told && f.Default+f.Min+f.Max == ""
	ruled := f.Unique || f.Need != ""
	switch known := r.current.field(f.Name); {
	case known == nil:
		r.current.Fields = append(r.current.Fields, f)
	case bare && ruled && known.Need == "" && !known.Unique: // a price, the price is needed
		known.Need, known.Unique = f.Need, f.Unique
	case bare && !ruled && known.early:
		known.early = false
	default:
		r.Refuse(spaced(f.Name) + " twice")
	}
}

// impossible says whether nothing can be called like a field, or what is told of it makes no sense.
func (r *reader) impossible(f Field, name []string, others bool) bool {
	last := name[len(name)-1]
	rules := func(w string) bool { return is("needed", w) || r.Is("type-behind", w) && w != "double" }
	noValue := func(c string) bool {
		return lastWord(c) == "name" || is("parts", strings.ToLower(c)) || slices.ContainsFunc(strings.Fields(c), rules)
	}
	switch {
	case slices.ContainsFunc(f.Choices, noValue), // first name/last name/email, required|unique
		f.Name == "day" && f.Kind == values.Day && others, // day (mon-fri)
		len(f.Name) == 1 && !is("letter", f.Name),
		len(name) > 5 && f.Kind == values.Text && !f.told && !f.Sure && !is("asks", name[0]), // which suggests new recipes using a model
		is("sign", f.Name) && f.Kind != values.Truth,                                         // tare: positive int
		last == "number" && f.Default != "" && !f.told,                                       // a number starting at 1000
		strings.HasSuffix(last, "ing") && !is("doing-noun", last) && !r.Is("field", last) && f.Choices == nil && f.Min+f.Max == "" &&
			!(f.told && len(name) > 2 && is("of-doing", name[len(name)-2])), // the time of the last emptying
		!slices.Contains(settingNames, f.Name) && english.Meant(f.Name, settingNames) != f.Name, // storge in sqlite
		english.IsPlural(last) && one(last) == r.current.Name && r.usualKind(last) == "":        // only adult dogs, friends with friends
		return true
	}
	return !f.told && r.wished(name)
}

// usualKind is the kind of values that fields of a name usually have, or nothing.
func (r *reader) usualKind(name string) string {
	last := lastWord(name)
	return cmp.Or(r.Tables["field"][last], r.Tables["also-field"][last])
}

// amend takes what fields that are told elsewhere are held to.
func (r *reader) amend(n *grammar.Node) {
	for _, p := range children(n, "{field") {
		name := r.name(p)
		if r.exact(name) != nil { // a user must be at least 18
			r.doubt(n)
			return
		}
		found := r.fields(func(f *Field) bool { return f.Name == name })
		if len(found) == 0 {
			found = r.fields(func(f *Field) bool {
				return f.Name == one(name) || strings.HasSuffix(f.Name, "_"+name) || strings.HasPrefix(f.Name, name+"_")
			})
		}
		first := len(found) == 0 && len(r.Things) == 1 && !english.IsPlural(name)
		if first { // told for the first time
			if r.usualKind(name) == "" && !r.tells(n) {
				r.doubt(n)
			}
			r.current = r.Things[0]
			r.add(Field{Name: name, at: p.From, early: true}, "", nil)
			found = r.fields(func(f *Field) bool { return f.Name == name })
		}
		if len(found) != 1 {
			r.doubt(n)
			return
		}
		f := found[0]
		kind, _ := r.heldTo(f, n)
		if f.Sure {
			kind = cmp.Or(kind, f.Kind)
		}
		f.Unique = f.Unique || n.Note == "unique"
		var rest []string
		f.Kind, f.Rules, f.Sure, rest = f.Settled(r.Lexicon, strings.Split(f.Name, "_"), kind)
		if first && len(rest) > 0 { // the path should be /kitties
			r.doubt(n)
		}
		for _, o := range rest {
			r.Leave(o+" of "+spaced(f.Name), "a rule that its values cannot be held to")
		}
	}
	ruled := func(f *Field) bool { return n.Note == "all" || n.Note == "rest" && f.Need == "" }
	for _, f := range r.fields(ruled) {
		f.Said(r.Text, child(n, "{plainrule").From, new(string))
	}
}

// fields gives those of all things that something is so of.
func (r *reader) fields(is func(*Field) bool) (out []*Field) {
	for _, t := range r.Things {
		for k := range t.Fields {
			if is(&t.Fields[k]) {
				out = append(out, &t.Fields[k])
			}
		}
	}
	return out
}

// tells says whether what a field is held to tells that it is one: a voice is soprano, alto or bass.
func (r *reader) tells(n *grammar.Node) bool {
	if options := child(n, "{options"); options != nil {
		return slices.Contains(strings.Fields(r.words(options)), "or")
	}
	var f Field
	kind, _ := r.heldTo(&f, n)
	return kind != "" || len(f.Choices) > 1 || child(n, "{plainrule") != nil
}
