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
	var f Field
	var kind string
	f.at = n.From
	name := child(n, "name")
	question := child(n, "question", "longname")
	switch {
	case question != nil:
		r.question(&f, question)
	case n.Note == "id": // which every record has
		return
	case n.Note == "pair":
		r.pair(n)
		return
	case n.Note == "strung":
		if !r.Ends(n.To) {
			r.Refuse(r.Written(n.From, r.EndOf(n.To)))
		}
		for _, p := range children(n, "{known") {
			r.add(Field{Name: r.nameOf(p.From, p.To), at: p.From}, "", nil)
		}
		return
	case child(n, "belonging") != nil:
		r.belonging(n)
		return
	case n.Note == "manyof":
		of, word := r.current, child(n, "{thing")
		if of == nil || r.find(r.nameOf(word.From, word.To)) == nil && r.asked && !r.elsewhere(word.From, word.To) {
			r.Refuse(r.Written(n.From, n.To))
			return
		}
		r.thing(word.From, word.To).belongs(of)
		r.current = of
		return
	case n.Note == "listof":
		word := child(n, "{listword")
		f.Name, kind = r.nameOf(word.From, word.To), values.Texts
	case name == nil && n.Note == "refers":
		word := child(n, "{mentioned")
		f.Name = one(r.nameOf(word.From, word.To))
	case name == nil:
		r.Refuse(r.Written(n.From, n.To))
		return
	default:
		f.Name = r.nameOf(name.From, name.To)
		if is("kind-alone", f.Name) && is("formal-field", r.At(name.To).Low) { // add a text field for it
			r.Refuse(r.Written(n.From, n.To))
		}
	}
	begin, last, _ := cutLast(f.Name)
	if n.Note == "file" || is("file-before", begin) && !r.Is("field", last) && !is("behind-field", last) || is("file-value", lastWord(r.said(n.From, n.To))) { // an uploaded PDF file
		r.Leave(r.said(n.From, n.To), "files are not kept")
		return
	}
	told, others := r.heldTo(&f, n)
	switch n.Note {
	case "refers":
		to := child(n, "{thing", "{mention", "{mentioned")
		f.refers = strings.TrimSuffix(r.nameOf(to.From, to.To), "_id")
	case "sized":
		size := child(n, "{number")
		if told == values.Text {
			f.Max = r.At(size.From).Low
		} else {
			others = append(others, r.Written(size.From-1, size.To))
		}
	}
	kind = cmp.Or(told, kind)
	r.elliptic(&f, n, kind)
	f.told = kind != "" || f.Choices != nil
	r.add(f, kind, others)
}

// elliptic refuses what may be said of several fields, or be the end of several names: name and email required, current and
// previous owner, released on, mandatory.
func (r *reader) elliptic(f *Field, n *grammar.Node, kind string) {
	name := child(n, "name")
	before := r.At(n.From - 3)
	if name != nil && r.At(n.From-1).Low == "and" && name.To == name.From+1 {
		units := before.Low == "in" && r.Is("type", "in "+f.Name)                                                                                                                                                  // price in EUR and USD
		shared := is("inside-field", before.Low) && name.From == n.From && !number.MatchString(r.At(n.From-2).Low) && !slices.Contains([]string{values.Number, values.Integer, values.Truth}, r.usualKind(f.Name)) // date of birth and death
		halves := is("half", r.At(n.From-2).Low) && is("half", f.Name) && !before.Mark && !is("function", before.Low)                                                                                              // tyre pressure front and rear
		if units || shared || halves {
			r.Refuse(r.Written(n.From-3, n.To))
		}
	}
	if det := child(n, "fielddet"); det != nil && is("needed", lastWord(r.said(det.From, det.To))) && r.At(n.To).Low == "and" && !is("needed", r.At(n.To+1).Low) && !is("function", r.At(n.To+1).Low) { // required title and author
		r.Refuse(r.Written(n.From, r.EndOf(n.To+1)))
	}
	if options := child(n, "{options"); options != nil && name != nil && options.From == name.To && strings.Contains(f.Name, "_") && !strings.Contains(r.At(options.From).Raw, "/") {
		r.Refuse(r.Written(n.From, n.To))
	}
	if next := r.At(n.To); !strings.Contains(f.Name, "_") && next.Low == "and" && len(n.Parts) == 1 && r.sharesLast(n.To+1, f.Name) {
		r.Refuse(r.Written(n.From, r.EndOf(n.To+1)))
	}
	if rule := child(n, "rule"); rule != nil && r.At(rule.From).Low != "(" && (f.Need != "" || f.Unique || f.Min+f.Max != "" && is("alike", f.Name) && is("alike", r.At(n.From-2).Low)) && r.At(n.From-1).Low == "and" && r.At(n.From-2).Low != "," && r.bareBefore(n.From-2) { // name and email required
		r.Refuse(r.Written(n.From-2, n.To))
	}
	usual := r.usualKind(f.Name)
	if measured := usual == values.Number || usual == values.Integer || is("long", lastWord(strings.ReplaceAll(f.Name, "_", " "))); kind == "" && (child(n, "{lonerule") != nil || child(n, "{limitrule") != nil && !measured && r.At(child(n, "{limitrule").From-1).Low == ",") { // released on, mandatory
		r.Refuse(r.Written(n.From, n.To))
	}
}

// heldTo takes what is said of the values of a field, and gives their kind, and what they cannot be held to.
func (r *reader) heldTo(f *Field, n *grammar.Node) (kind string, others []string) {
	for _, p := range children(n, "fielddet", "{type", "{types", "{lonetype", "{rule", "{plainrule", "{options", "{valuelist", "{described", "{limitrule", "rule") {
		switch p.Name {
		case "fielddet":
			switch word := lastWord(r.said(p.From, p.To)); {
			case word == "one" && r.At(p.From-1).Low == "least" && r.usualKind(f.Name) == "": // at least one item
				r.Refuse(r.Written(n.From, n.To))
			case is("maybe", word):
				f.Need = "optional"
			case r.Tables["rule"][word] == "unique":
				f.Unique = true
			default:
				f.Need = cmp.Or(f.Need, r.Tables["rule"][word])
			}
		case "{lonetype":
			kind = r.Tables["type"][r.Words(p.From, p.To-p.From)]
		case "{type", "{types":
			one, first := p.To == p.From+1, p.From < n.To-1 && p.From == n.From
			if one && r.At(p.From-1).Low == ":" && !r.Is("type-behind", r.At(p.From).Low) && r.Is("field", r.At(p.From).Low) && (english.IsPlural(r.At(p.From-2).Low) || len(r.current.Fields) == 0 && r.At(p.To).Low == "," && r.At(r.NextMark(p.To+1)).Low != ":") && !r.Says("type-behind") || one && first && r.At(p.From).Low == "flag" { // with tables: number, seats
				r.Refuse(r.Written(n.From, n.To))
			}
			if english.IsPlural(r.At(p.From-2).Low) && is("for-one", r.At(p.From-1).Low) && r.elsewhere(p.From-2, p.From-1) { // guests have a name, events a date
				r.Refuse(r.Written(n.From, n.To))
			}
			kind = r.Tables["type"][r.Words(p.From, p.To-p.From)]
		case "rule":
			if value := child(p, "{value"); value != nil {
				f.Default = r.Written(value.From, value.To)
			}
			if p.Note == "optional" {
				f.Need = p.Note
			}
			for _, inner := range children(p, "{rule", "{plainrule", "{lonerule", "{defaultrule", "{limitrule") {
				f.Said(r.Text, inner.From, &kind)
			}
		case "{rule", "{plainrule", "{limitrule":
			f.Said(r.Text, p.From, &kind)
		case "{options", "{valuelist":
			if f.Choices = values.Choices(r.Text, p.From, p.To); len(f.Choices) < 2 || is("comparing", f.Choices[len(f.Choices)-1]) { // 2000 or later
				r.Refuse(r.Written(p.From, p.To))
			}
		case "{described":
			list, vague := f.Described(r.Text, strings.Split(f.Name, "_"), p.From, p.To, &kind)
			switch {
			case len(list) > 1 && f.Choices == nil:
				if f.Choices = list; vague {
					r.Refuse(r.Written(n.From, n.To))
				}
			case len(list) > 0:
				if r.elsewhere(p.From, p.To) || slices.ContainsFunc(r.Tokens[p.From:p.To], func(t words.Token) bool { return t.Low == "and" || t.Low == "only" }) { // manager (employee), seat (row and number)
					r.Refuse(r.Written(n.From, n.To))
				}
				others = append(others, list...)
			}
		}
	}
	return kind, others
}

// bareBefore says whether the field that ends at a place has no rules of its own.
func (r *reader) bareBefore(i int) bool {
	return !r.At(i).Mark && r.Length(i, "rule") == 0 && !r.Is("type-behind", r.At(i).Low)
}

// sharesLast says whether a field may share the last word of the one behind it: current and previous owner.
func (r *reader) sharesLast(next int, name string) bool {
	next = r.After(next, "a", "an", "the")
	_, sure := values.Guess(r.Lexicon, []string{name})
	end := r.EndOf(next)
	if slices.ContainsFunc(r.Tokens[next:end], func(t words.Token) bool { return t.Low == "of" }) { // name and phone of the owner
		return r.At(next+1).Low == "of" && (!is("of-itself", r.At(next).Low) || is("of-both", r.At(next).Low) && is("of-both", name))
	}
	return end > next+1 && (!sure && r.usualKind(name) == "" && !is("ends-field", name) || strings.HasSuffix(name, "ed")) && !english.IsPlural(name) && !slices.ContainsFunc(r.Tokens[next:end], func(t words.Token) bool { return is("function", t.Low) || r.Is("type-behind", t.Low) })
}

// pair takes two fields that share their last word: start and end date.
func (r *reader) pair(n *grammar.Node) {
	head := child(n, "{head", "numberof")
	for _, p := range children(n, "{half") {
		r.add(Field{Name: r.nameOf(p.From, p.To) + "_" + r.nameOf(head.From, head.To), at: p.From}, "", nil)
	}
}

// belonging takes what the records that were named last belong to.
func (r *reader) belonging(n *grammar.Node) {
	of := r.current
	if of == nil {
		r.Refuse(r.Written(n.From, n.To))
		return
	}
	for _, to := range children(n, "{thing", "{mentioned") {
		of.belongs(r.thing(to.From, to.To))
	}
	r.current = of
}

func lastWord(said string) string { return said[strings.LastIndex(said, " ")+1:] }

// question takes a field that is told as a question: whether it is paid.
func (r *reader) question(f *Field, n *grammar.Node) {
	word := func(name string) string {
		if p := child(n, name); p != nil {
			return r.nameOf(p.From, p.To)
		}
		return ""
	}
	state := cmp.Or(word("{state"), word("{happened"))
	f.Sure = true
	switch n.Note {
	case "truth":
		f.Name, f.Kind = state, values.Truth
	case "truthhas":
		f.Name, f.Kind = r.nameOf(n.From, n.To), values.Truth
	case "truthof":
		f.Name, f.Kind = word("{one")+"_"+state, values.Truth
	case "when":
		f.Name, f.Kind = state+"_on", values.Day
		if strings.Contains(" "+r.said(n.From, n.To)+" ", " last ") {
			f.Name = "last_" + state
		}
	case "truthverb":
		f.Name, f.Kind = r.nameOf(r.After(n.From, "whether", "if", "it", "they", "he", "she"), n.To), values.Truth
	case "since":
		f.Name, f.Kind = "since", values.Day
	case "where":
		f.Name, f.Kind = state+"_where", values.Text
	case "who":
		f.Name, f.Kind = state+"_by", values.Text
		if r.At(n.To-1).Low == "to" { // who it was lent to
			f.Name = state + "_to"
		}
	case "howmuch":
		f.Name, f.Kind, f.Sure = r.nameOf(n.From, n.To), values.Number, false
	case "told":
		f.Name, f.Kind, f.Sure = r.nameOf(r.After(n.From, "the", "a", "name", "of"), n.To), values.Text, false
	case "named":
		f.Name, f.Sure = cmp.Or(word("{field"), word("{mentioned")), false
	case "what":
		f.Name, f.Kind = strings.ReplaceAll(r.nameOf(n.From, n.To), "whats", "what_is"), values.Text
	case "howmany":
		all := strings.Split(r.nameOf(n.From, n.To), "_")
		if p := child(n, "{state"); p != nil || r.At(n.From).Low == "how" {
			all = all[:2]
			for _, w := range children(n, "{word", "{state") {
				all = append(all, r.nameOf(w.From, w.To))
			}
		}
		f.Name, f.Kind = "number_of_"+strings.Join(all[2:], "_"), values.Integer
		if len(all) < 3 { // how many I saw
			f.Name = "count"
		} else if is("participle", all[2]) { // how many left
			f.Name = "number_" + strings.Join(all[2:], "_")
		}
	default: // the price I paid, the month they paid
		kind := r.usualKind(word("{word"))
		f.Name, f.Kind, f.Sure = word("{word")+"_"+state, cmp.Or(kind, values.Text), kind != ""
	}
}

// add gives a field to the thing that was named last.
func (r *reader) add(f Field, kind string, others []string) {
	if r.current == nil {
		r.Refuse("what has " + strings.ReplaceAll(f.Name, "_", " "))
		return
	}
	if f.Name == "id" { // which every record has
		if kind != "" && kind != values.Text {
			r.Leave("id ("+kind+")", "records get an id of their own, which is a text")
		}
		return
	}
	for _, c := range f.Choices { // required|unique, first name/last name/email
		if lastWord(c) == "name" || is("parts", strings.ToLower(c)) || slices.ContainsFunc(strings.Fields(c), func(w string) bool { return is("needed", w) || r.Is("type-behind", w) && w != "double" }) {
			r.Refuse(strings.Join(f.Choices, ", "))
		}
	}
	if usual, sure := values.Guess(r.Lexicon, strings.Split(f.Name, "_")); kind == values.Text && f.Min != "" && f.Min == f.Max && sure && usual == values.Integer { // a year of 4 digits
		kind, others, f.Min, f.Max = usual, append(others, "exactly "+f.Min+" digits"), "", ""
	}
	guess := kind == "" && f.Kind != "" && !f.Sure
	kind = cmp.Or(kind, f.Kind, r.allKind)
	if single := one(f.Name); single != f.Name && !f.told && r.usualKind(f.Name) == "" && (is("one-each", single) || slices.Contains([]string{values.Number, values.Day, values.DateTime}, r.usualKind(single))) { // products with prices
		if k := len(r.current.Fields) - 1; k >= 0 && r.current.Fields[k].Kind == values.Texts && r.At(f.at-1).Low == "and" { // ingredients and amounts
			r.Refuse(r.Written(f.at-2, f.at+1))
		}
		f.Name = single
	}
	name := strings.Split(f.Name, "_")
	if usual, certain := values.Guess(r.Lexicon, name); kind == "" && usual == values.Text && certain && is("long", name[len(name)-1]) && f.Choices == nil && f.Min+f.Max != "" { // a title of at most 120
		kind = usual
	}
	if usual, _ := values.Guess(r.Lexicon, name); kind == "" && usual == values.Text && len(name) > 2 && name[len(name)-2] == "per" && f.Choices == nil { // milk per day
		kind, guess = values.Number, true
	}
	var rest []string
	sure := f.Sure
	f.Kind, f.Rules, f.Sure, rest = f.Settled(r.Lexicon, name, kind)
	f.Sure = (f.Sure || sure) && !guess
	if f.Kind == values.Day && f.Name == "day" && len(others) > 0 { // day (mon-fri)
		r.Refuse(f.Name)
	}
	for _, o := range append(rest, others...) {
		r.Leave(o+" of "+strings.ReplaceAll(f.Name, "_", " "), "a rule that its values cannot be held to")
	}
	if last := lastWord(strings.Join(name, " ")); r.Is("secret", last) && f.Kind != values.Truth {
		r.Leave(strings.Join(name, " "), "secrets are not kept in the clear")
		return
	}
	if len(f.Name) == 1 && !is("letter", f.Name) || f.Kind == values.Truth && len(rest) > 0 && strings.HasPrefix(rest[0], "min ") || name[len(name)-1] == "number" && f.Default != "" && !f.told { // a number starting at 1000, open 9-17
		r.Refuse(f.Name)
	}
	if last := lastWord(strings.Join(name, " ")); strings.HasSuffix(last, "ing") && !is("doing-noun", last) && !r.Is("field", last) {
		r.Refuse(strings.Join(name, " "))
	}
	if last := name[len(name)-1]; english.IsPlural(last) && one(last) == r.current.Name && r.usualKind(last) == "" { // only adult dogs, friends with friends
		r.Refuse(strings.Join(name, " "))
	}
	if !f.told && r.wished(name) {
		r.Refuse(strings.Join(name, " "))
	}
	if known := r.current.field(f.Name); known != nil && !f.told && (f.Unique || f.Need != "") && known.Need == "" && !known.Unique && f.Default+f.Min+f.Max == "" { // an email, the email must be unique
		known.Need, known.Unique = f.Need, f.Unique
		return
	} else if known != nil && known.early && !f.told && f.Need == "" && !f.Unique && f.Default+f.Min+f.Max == "" {
		known.early = false
		return
	} else if known != nil {
		r.Refuse(strings.ReplaceAll(f.Name, "_", " ") + " twice")
		return
	}
	r.current.Fields = append(r.current.Fields, f)
}

// usualKind is the kind of values that fields of a name usually have, or nothing.
func (r *reader) usualKind(name string) string {
	last := lastWord(strings.ReplaceAll(name, "_", " "))
	return cmp.Or(r.Tables["field"][last], r.Tables["also-field"][last])
}

// amend takes what fields that are told elsewhere are held to.
func (r *reader) amend(n *grammar.Node) {
	if n.Note == "all" {
		rule := child(n, "{plainrule")
		for _, t := range r.Things {
			for k := range t.Fields {
				t.Fields[k].Said(r.Text, rule.From, new(string))
			}
		}
		return
	}
	for _, p := range children(n, "{field") {
		name := r.nameOf(p.From, p.To)
		if r.exact(name) != nil { // a user must be at least 18
			r.Refuse(r.Written(n.From, n.To))
			return
		}
		var found []*Field
		for _, t := range r.Things {
			if f := t.field(name); f != nil {
				found = append(found, f)
			}
		}
		if exact := len(found) > 0; !exact {
			for _, t := range r.Things {
				for k, f := range t.Fields {
					if f.Name == one(name) || strings.HasSuffix(f.Name, "_"+name) || strings.HasPrefix(f.Name, name+"_") {
						found = append(found, &t.Fields[k])
					}
				}
			}
		}
		first := len(found) == 0 && len(r.Things) == 1 && !english.IsPlural(name)
		if first { // told for the first time
			if r.usualKind(name) == "" && !r.tells(n) {
				r.Refuse(r.Written(n.From, n.To))
			}
			r.current = r.Things[0]
			r.add(Field{Name: name, at: p.From}, "", nil)
			if f := r.current.field(name); f != nil {
				f.early = true
			}
			found = append(found, r.current.field(name))
		}
		if len(found) != 1 || found[0] == nil {
			r.Refuse(r.Written(n.From, n.To))
			return
		}
		f := found[0]
		kind := ""
		if f.Sure {
			kind = f.Kind
		}
		for _, rule := range children(n, "{rule", "{plainrule", "{options", "{type", "{value") {
			switch rule.Name {
			case "{value":
				f.Default = r.Written(rule.From, rule.To)
				continue
			case "{options":
				f.Choices = values.Choices(r.Text, rule.From, rule.To)
				continue
			case "{type":
				kind = r.Tables["type"][r.Words(rule.From, rule.To-rule.From)]
				continue
			}
			f.Said(r.Text, rule.From, &kind)
		}
		f.Unique = f.Unique || n.Note == "unique"
		var rest []string
		f.Kind, f.Rules, f.Sure, rest = f.Settled(r.Lexicon, strings.Split(f.Name, "_"), kind)
		for _, o := range rest {
			if first { // the path should be /kitties
				r.Refuse(r.Written(n.From, n.To))
			}
			r.Leave(o+" of "+strings.ReplaceAll(f.Name, "_", " "), "a rule that its values cannot be held to")
		}
	}
}

// tells says whether what a field is held to tells that it is one: a voice is soprano, alto or bass.
func (r *reader) tells(n *grammar.Node) bool {
	if options := child(n, "{options"); options != nil {
		return slices.ContainsFunc(r.Tokens[options.From:options.To], func(t words.Token) bool { return t.Low == "or" })
	}
	kind := ""
	if rule := child(n, "{rule"); rule != nil {
		new(values.Rules).Said(r.Text, rule.From, &kind)
	}
	return kind != "" || child(n, "{plainrule", "{type") != nil
}
