package records

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/glossary"
	"github.com/bundle-delivery/svc/internal/grammar"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// Word gives a word or a mark.
func (r *reader) Word(i int) string {
	t := r.At(i)
	if t.Quoted || t.Mark && (strings.Contains("()", t.Low) || t.Text == ";") {
		return ""
	}
	return t.Low
}

// Terminal finds what a rule leaves to the tables.
func (r *reader) Terminal(name string, i int) []grammar.Match {
	t := r.At(i)
	switch {
	case name == "open" || name == "close":
		return when(t.Mark && t.Low == map[string]string{"open": "(", "close": ")"}[name], i+1)
	case name == "nofield" || name == "goesonrule":
		return r.terminals[name](r, i)
	case name == "semi":
		return when(t.Mark && t.Text == ";", i+1)
	case t.Mark && name != "sofar", name == "language" && r.stamp(i):
		return nil
	case name == "quoted":
		return when(t.Quoted, i+1)
	}
	if find := r.terminals[name]; find != nil {
		return find(r, i)
	}
	if name == "fieldnoun" {
		if r.Is("of-land", r.At(i-2).Low) { // farms with fields
			return nil
		}
		name = "field-noun"
	}
	var out []grammar.Match
	for n := words.MaxPhrase + 2; n > 0; n-- {
		if r.marked(i, n) || name == "stop" && (r.happens(i) || r.Is("particle", r.Words(i, n)) && r.Ends(i+n) && !r.Ends(i-1)) { // runs of a machine; ends on, paid by
			continue
		}
		m, known := r.Vocabulary[r.Words(i, n)]
		if (known && m.Class == name || r.Is(name, r.Words(i, n))) && (name != "kind" || r.kept(m.Value) && r.impossible(i) == 0 && !r.headsThing(i)) {
			cost := 0
			also := r.Is("also-name", r.Words(i, n))
			if name == "polite" && r.Is("also-field", r.Words(i, n)) && r.At(i-1).Low == "," { // inspector, date, ok
				cost = 4
			}
			if name == "stop" && (also || r.Is("copula", r.Words(i, n))) || name == "kind" && also && english.IsPlural(r.At(i).Low) { // a toy, was; climbing routes
				cost = 2
			}
			if name == "stop" && also && (r.Is("tells-which", r.At(i-1).Low) || r.Is("gathers", r.At(i+n).Low) && !r.Is("never-held", r.At(i).Low)) { // visits per building, a client list
				continue
			}
			if name == "stop" && (also || m.Value == "filler") && r.At(i-1).Low == "," && r.At(i-1).Text != ";" && r.Ends(i+n) { // an item of a list: homework, used
				cost = 9
			}
			if name == "stop" && (r.Is("not-idle", r.Words(i, n)) || r.exact(r.At(i).Low) != nil) { // and each keeps a list of shots; users can, where users are kept
				cost = 9
			}
			out = append(out, grammar.Match{To: i + n, Cost: cost})
		}
	}
	return out
}

func when(is bool, to int) []grammar.Match {
	if !is {
		return nil
	}
	return []grammar.Match{{To: to}}
}

// terminals gives how to find what tables alone do not tell.
func terminals() map[string]func(*reader, int) []grammar.Match {
	return map[string]func(*reader, int) []grammar.Match{
		"setting": func(r *reader, i int) []grammar.Match {
			var s settings.Settings
			end := s.Take(r.Text, i)
			if end <= i || r.ClassAt(i) == "heart" || r.stamp(i) || r.Length(i, "also-field") > end-i || !r.command && r.Is("command-only", r.At(i).Low) {
				return nil
			}
			switch one := end == i+1 && r.Is("setting-too", r.At(i).Low); {
			case r.Is("like-token", r.At(i-1).Low+" "+r.Words(i, end-i)): // basic auth
				return nil
			case r.At(i-1).Low == "," && r.At(end).Low == "(" && r.At(end+2).Low == "," && settings.Is(r.Text, end+1): // name, database (sqlite, postgres)
				return nil
			case one && !r.Ends(i-1) && r.class(i-1) == "" && !r.Is("function", r.At(i-1).Low): // a translation memory, final tests
				return nil
			case one && r.between(i) && (!settings.Is(r.Text, i+2) || r.ClassAt(i) == "license"): // email, token, used
				return []grammar.Match{{To: end, Cost: 2}}
			}
			return when(true, end)
		},
		"heart": func(r *reader, i int) []grammar.Match {
			n := r.impossible(i)
			if n > 0 && r.Is("also-name", r.Words(i, n)) {
				return []grammar.Match{{To: i + n, Cost: 9}}
			}
			return when(n > 0, i+n)
		},
		"token": func(r *reader, i int) []grammar.Match {
			m, n := r.Phrase(i)
			return when(m.Class == "auth" && r.Is("token-word", r.At(i+n-1).Low), i+n)
		},
		"platform": func(r *reader, i int) []grammar.Match { // what somebody may have already that a project needs
			m, n := r.Phrase(i)
			return when(m.Class == "language" || m.Value == project.SQLite || m.Value == project.Postgres, i+n)
		},
		"framework-name": func(r *reader, i int) []grammar.Match {
			m, n := r.Phrase(i)
			return when(m.Value == "a framework", i+n)
		},
		"oneof-tokens": func(r *reader, i int) []grammar.Match {
			m, n := r.Phrase(i)
			return when(m.Class == "auth" || r.Is("like-token", r.Words(i, n)), i+n)
		},
		"beyond": func(r *reader, i int) []grammar.Match {
			end := settings.Clause(r.Text, i)
			begins := r.Ends(i-1) || r.Is("function", r.At(i-1).Low)                                                      // but not name email plan
			typed := slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return r.Is("type-behind", t.Low) }) // a boolean flag admin
			either := r.At(i+1).Low == "or" && end == i+3                                                                 // solo or group
			return when(begins && !typed && !either && end > i+1 && r.beyond(i, end) != "" && !r.listsOn(i) && !r.tellsMore(i, end), end)
		},
		"rest": func(r *reader, i int) []grammar.Match { return when(!r.Ends(i), settings.Clause(r.Text, i)) },
		"name": func(r *reader, i int) []grammar.Match {
			title, end := r.NameAt(i)
			called := r.At(i).Quoted || plaintext.IsCapital(r.At(i).Text) && r.class(i) == "" || r.ClassAt(i-1) == "named" && !r.Is("function", r.At(i).Low)
			return when(title != "" && called, end)
		},
		"heads": func(r *reader, i int) []grammar.Match { // the project, where none are told of
			return when(r.Is("heads", r.At(i).Low) && r.find(r.At(i).Low) == nil && !r.elsewhere(i, i+1), i+1)
		},
		"aspect": func(r *reader, i int) []grammar.Match { // filters, where none are told of
			n := r.Length(i, "aspect")
			return when(n > 0 && r.Ends(i-1) && r.find(r.nameOf(i, i+n)) == nil && !r.elsewhere(i, i+1), i+n)
		},
		"to-stop": func(r *reader, i int) []grammar.Match { // but not where something is set
			end := i
			for ; end < len(r.Tokens) && (!r.At(end).Mark || r.At(end).Low == "," && r.At(end).Text != ";"); end++ {
				if m, _ := r.Phrase(end); r.Is("sets", m.Class) || m.Class == "port" {
					return nil
				}
			}
			return when(end > i && r.At(end).Low != ":" && r.At(end).Low != "(", end)
		},
		"title": func(r *reader, i int) []grammar.Match {
			title, end := r.NameAt(i)
			for end < len(r.Tokens) && !r.Ends(end) && (r.Is("in-title", r.class(end)) || plaintext.IsCapital(r.At(end).Text)) { // shelf api
				end++
			}
			return when(title != "", end)
		},
		"path": func(r *reader, i int) []grammar.Match {
			return when(words.PathLike.MatchString(r.At(i).Text), i+1)
		},
		"plural":  func(r *reader, i int) []grammar.Match { return r.names("plural", i, 4) },
		"several": func(r *reader, i int) []grammar.Match { return r.names("plural", i, 1) },
		"single":  func(r *reader, i int) []grammar.Match { return r.names("single", i, 4) },
		"proper": func(r *reader, i int) []grammar.Match { // a User model, but not a car model
			if i == r.begin || !plaintext.IsCapital(r.At(i).Text) {
				return nil
			}
			return r.names("single", i, 3)
		},
		"compound":  func(r *reader, i int) []grammar.Match { return r.names("single", i, 3) },
		"gathered":  func(r *reader, i int) []grammar.Match { return r.names("gathered", i, 4) },
		"nouns":     func(r *reader, i int) []grammar.Match { return r.names("nouns", i, 4) },
		"thingname": func(r *reader, i int) []grammar.Match { return r.names("thingname", i, 4) },
		"newname":   func(r *reader, i int) []grammar.Match { return when(!r.elsewhere(i, i+1) && r.open(i, false) > 0, i+1) },
		"holders": func(r *reader, i int) []grammar.Match { // decks, of which each flashcard is in one
			one := english.Singular(r.At(i).Low)
			return when(r.Is("holder", one) && one != r.At(i).Low && r.labelled(one, i, i+1), i+1)
		},
		"several-told": func(r *reader, i int) []grammar.Match { return when(len(r.Things) > 1, i) },
		"tolast": func(r *reader, i int) []grammar.Match { // one of food, rent, fun, and nothing behind
			end, count := i+1, 1
			for ; r.At(end).Low == ","; count++ {
				next := end + 2
				for ; next < end+4 && !r.Ends(next); next++ { // under review
				}
				if !r.Ends(next) || next > end+2 && r.Is("field", r.At(next-1).Low) {
					return nil
				}
				end = next
			}
			last := r.At(end - 1).Low
			return when(count > 2 && !r.Is("field", last) && !r.Is("also-field", last) && (end >= len(r.Tokens) || r.At(end).Low == "."), end)
		},
		"singlefield": func(r *reader, i int) (out []grammar.Match) { // the town where it was found, but not the tools they borrowed
			for _, m := range r.names("fieldname", i, 4) {
				if last := r.At(m.To - 1).Low; !english.IsPlural(last) || r.Is("field", last) {
					out = append(out, m)
				}
			}
			return out
		},
		"fieldname": func(r *reader, i int) []grammar.Match { return r.names("fieldname", i, 5) },
		"collective": func(r *reader, i int) []grammar.Match {
			return when(r.Is("collective", english.Singular(r.At(i).Low)), i+1)
		},
		"possessor": func(r *reader, i int) []grammar.Match { // flower shop's
			for end := i; end < i+3 && r.open(end, false) >= 0; end++ {
				if r.whose(end) {
					return []grammar.Match{{To: end + 1, Cost: end - i}}
				}
			}
			return nil
		},
		"rule": func(r *reader, i int) []grammar.Match {
			var rule values.Rules
			var kind string
			n := rule.Said(r.Text, i, &kind)
			if what, _ := r.Longest(i, "rule"); what == "example" && n > 1 && r.At(i+n).Low == "," && !strings.ContainsAny(r.Written(i, i+n), "0123456789") { // tags such as colour, size; but like B12, size
				return nil
			}
			asks := i - 1 // whether the pianist is there
			for ; !r.At(asks).Mark && r.At(asks).Low != "and" && r.At(asks).Low != "whether"; asks-- {
			}
			return when(n > 0 && (r.At(asks).Low != "whether" || r.At(i).Low != "is" && r.At(i).Low != "are"), i+n)
		},
		"plainrule": needs("required", "optional", "unique"),
		"need":      needs("required", "optional"),
		"alone-need": func(r *reader, i int) []grammar.Match { // required yes/no
			return when(r.alone(i), i+1)
		},
		"required": needs("required"),
		"unique":   needs("unique"),
		"kinds": func(r *reader, i int) []grammar.Match {
			n := r.Length(i, "type")
			if r.At(i).Low == "time" && r.Ends(i+1) { // start_time: time
				n = 1
			}
			if many := r.At(i - 2).Low; n == 1 && r.At(i-1).Low == ":" && r.Is("inner", english.Singular(many)) && r.Tables["type"][r.At(i).Low] != values.Text { // checks: date, state
				return []grammar.Match{{To: i + n, Cost: 2}}
			}
			if r.At(i-3).Low == ":" && r.elsewhere(i-2, i-1) && r.Ends(i+1) && r.Is("field", r.At(i).Low) { // invoices with positions: invoice: number, date
				return nil
			}
			alone := n == 1 && r.Is("field", r.At(i).Low) && r.At(i+1).Low == "," && r.colons() < 2 // rooms with a view: number, price
			return when(n > 0 && !alone, i+n)
		},
		"otherkind": func(r *reader, i int) []grammar.Match { // photo: image, owner: User, in a list of kinds
			n := r.Length(i, "other-kind")
			if n == 0 && plaintext.IsCapital(r.At(i).Text) && r.open(i, false) > 0 {
				n = 1
			}
			own := r.find(r.At(i).Low) == nil && !r.labelled(r.At(i).Low, i-2, i+1) && english.Singular(r.At(i-2).Low) == r.At(i).Low // category: Category
			return when(n > 0 && (own || r.references(i, true) == nil) && r.At(i-1).Low == ":" && r.kinds() && (r.Ends(i+n) || r.Length(i+n, "rule") > 0), i+n)
		},
		"selfset": func(r *reader, i int) []grammar.Match { // created_at auto
			n := r.Length(i, "self-set")
			return when(n > 0 && r.Ends(i+n) && !r.Ends(i-1), i+n)
		},
		"behind": func(r *reader, i int) []grammar.Match {
			n := r.Length(i, "type")
			return when(r.Is("type-behind", r.At(i).Low) || r.manyBehind(i) || n > 0 && (r.At(i).Low == "as" || strings.Contains(r.At(i).Low, "/") && r.Tables["type"][r.Words(i, n)] == values.Number), i+max(1, n))
		},
		"unit": func(r *reader, i int) []grammar.Match {
			n := r.Length(i, "type")
			another := r.At(i+n).Low == "and" && r.Is("type", "in "+r.At(i+n+1).Low) // in EUR and USD: is that one field?
			return when(n > 1 && r.At(i).Low == "in" && !another, i+n)
		},
		"truths": func(r *reader, i int) []grammar.Match {
			n := r.Length(i, "type")
			return when(n > 0 && r.Tables["type"][r.Words(i, n)] == values.Truth, i+n)
		},
		"described": func(r *reader, i int) []grammar.Match {
			end := r.Closes(i - 1)
			if r.At(i-1).Low != "(" || end <= i || slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Low == "•" }) { // lines below
				return nil
			}
			last := r.At(i - 2).Low
			one := said{name: []string{last}}
			r.describe(&one, i, end)
			cost := r.likeThing(last, i, end)
			kind := r.Tables["field"][last] // starts
			switch several := english.IsPlural(last) && !r.Is("type", "in "+r.Words(i, end-i)) && kind != values.Day && kind != values.DateTime && len(one.left)+len(one.rules.Choices) > 0; {
			case several && (!r.Is("field", last) || r.listsField(i, end)): // matches (home, away): a thing of its own
				return nil
			case several && one.kind != values.Texts, r.Is("moments", strings.Join(one.rules.Choices, " ")): // but days (mon, tue); when (start, end)
				cost += 15
			case len(one.left) > 0:
				cost += 3
			}
			return []grammar.Match{{To: end, Cost: cost}}
		},
		"reference": func(r *reader, i int) []grammar.Match { return r.references(i, false) },
		"references": func(r *reader, i int) (out []grammar.Match) {
			for _, m := range r.references(i, true) {
				if english.IsPlural(r.At(m.To - 1).Low) {
					out = append(out, m)
				}
			}
			return out
		},
		"mentioned": func(r *reader, i int) (out []grammar.Match) { // what is told of elsewhere
			for _, m := range r.names("thingname", i, 4) {
				if r.elsewhere(i, m.To) || r.find(r.nameOf(i, m.To)) != nil {
					out = append(out, m)
				}
			}
			return out
		},
		"logbook": func(r *reader, i int) []grammar.Match { // a complaint register, in which complaints are told
			return slices.DeleteFunc(r.names("gathered", i, 4), func(m grammar.Match) bool { return !r.Is("logbook", r.At(m.To-1).Low) })
		},
		"listed-below": func(r *reader, i int) []grammar.Match { // what is told with a list of its own: court bookings: courts (…), bookings (…)
			return slices.DeleteFunc(r.names("thingname", i, 4), func(m grammar.Match) bool {
				last := r.At(m.To - 1).Low
				for k := m.To; k < len(r.Tokens); k++ {
					if r.At(k).Low == last && r.At(k+1).Low == "(" {
						return false
					}
				}
				return true
			})
		},
		"other": func(r *reader, i int) (out []grammar.Match) { // what is no place, and told of elsewhere
			for _, m := range append(r.references(i, false), r.names("single", i, 3)...) {
				name := r.nameOf(i, m.To)
				t := r.find(name)
				many := slices.ContainsFunc(r.Tokens, func(w words.Token) bool { return w.Low == english.Plural(name) })
				if known := t != nil || many || r.labelled(name, i, m.To); r.elsewhere(i, m.To) && known && (t == nil || !t.place) {
					out = append(out, m)
				}
			}
			return out
		},
		"tiedto":   func(r *reader, i int) []grammar.Match { return r.references(i, true) },
		"manytold": func(r *reader, i int) []grammar.Match { return when(r.child != nil, i) }, // of what another has many
		"defaults": func(r *reader, i int) []grammar.Match {
			var rule values.Rules
			var kind string
			n := rule.Said(r.Text, i, &kind)
			plain := r.elsewhere(i+n-1, i+n) || values.Decimal.MatchString(rule.Default) || r.Is("truth", strings.ToLower(rule.Default)) || rule.Default == strings.ToUpper(rule.Default)
			return when(n > 0 && rule.Default != "" && plain, i+n)
		},
		"limits": func(r *reader, i int) []grammar.Match { // string, at most 50 characters
			var rule values.Rules
			var kind string
			n := rule.Said(r.Text, i, &kind)
			_, before := r.Longest(i-2, "type")
			counts := kind != "" || before > 0 || r.Is("field", r.At(i-2).Low) // but not room A102, min -20
			return when(n > 0 && rule.Min+rule.Max != "" && r.Ends(i+n) && counts, i+n)
		},
		"pointed": func(r *reader, i int) []grammar.Match { // berth -> Berth, poll: Poll
			if before := r.At(i - 1); r.At(i-3).Text == ";" && r.labelled(r.At(i-2).Low, 0, 0) && before.Text == "->" { // member -> name; loan -> book, member
				return nil
			} else if before.Text != "->" && !r.Is("refers", before.Low) && before.Low != "references" && !plaintext.IsCapital(r.At(i).Text) {
				return nil
			}
			return r.references(i, true)
		},
		"knownfield": func(r *reader, i int) (out []grammar.Match) {
			for end := i + 1; end < i+5 && !r.At(end-1).Mark; end++ {
				if len(r.owners(r.nameOf(i, end))) > 0 {
					out = append(out, grammar.Match{To: end})
				}
			}
			return out
		},
		"aged": func(r *reader, i int) []grammar.Match { // drivers must be at least 21
			t := r.exact(r.nameOf(i, i+1))
			return when(t != nil && t.field("age") != nil, i+1)
		},
		"options": func(r *reader, i int) []grammar.Match {
			end := values.ChoicesEnd(r.Text, i, true, true)
			return when(end > i+1 || end > i && strings.Contains(r.At(i).Raw, "/"), end) // but not class: grade
		},
		"either": func(r *reader, i int) []grammar.Match { // red, green or blue
			end := values.ChoicesEnd(r.Text, i, true, true)
			or := end > i && slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Low == "or" || strings.Contains(t.Raw, "/") })
			return when(or && r.Length(i, "rule") == 0, end)
		},
		"choices": func(r *reader, i int) []grammar.Match {
			if r.At(i-1).Text == "->" {
				return nil
			}
			end := values.ChoicesEnd(r.Text, i, true, true)
			for r.At(end).Low == ":" && r.At(end).Text != "=" && end > i+1 { // foil, epee, sabre, hand: left
				for end--; end > i && r.At(end).Low != ","; end-- {
				}
			}
			if english.IsPlural(r.At(i-2).Low) || r.Is("points", r.At(i-3).Low) && r.find(r.At(i-2).Low) != nil || i < 3 || r.At(i-3).Low == "." || end <= i+1 && (end == i || !strings.Contains(r.At(i).Raw, "/")) {
				return nil
			}
			return []grammar.Match{{To: end, Cost: r.likeThing(r.At(i-2).Low, i, end)}}
		},
		"retold": func(r *reader, i int) (out []grammar.Match) { // cars, where more is told of a car
			for _, m := range r.names("plural", i, 3) {
				if r.elsewhere(i, m.To) {
					out = append(out, m)
				}
			}
			return out
		},
		"untoldyet": func(r *reader, i int) []grammar.Match { // api: tickets with a subject; comments on tickets
			return when(!slices.ContainsFunc(r.Tokens[r.begin:i], func(t words.Token) bool { return t.Mark && (t.Low == ":" || t.Text == ";") }), i)
		},
		"first": func(r *reader, i int) []grammar.Match { return when(r.current == nil, i) },
		"nofields": func(r *reader, i int) []grammar.Match { // recipes: name. ingredients, steps (text): may be of a recipe
			return when(!slices.ContainsFunc(r.Things, func(t *Thing) bool { return len(t.Fields) > 0 }), i)
		},
		"sofar":  func(r *reader, i int) []grammar.Match { return when(r.current != nil && !r.severalTold(), i) }, // something was told of
		"untold": func(r *reader, i int) []grammar.Match { return when(len(r.current.Fields) == 0, i) },           // and nothing more
		"manages": func(r *reader, i int) []grammar.Match { // to manage; not for
			m, n := r.Phrase(i)
			return when(m.Class == "things" && (n > 1 || r.At(i).Low != "for"), i+n)
		},
		"deed": func(r *reader, i int) []grammar.Match {
			low, before := r.At(i).Low, r.At(i-1)
			if books := english.IsPlural(low) && !before.Mark && !r.Is("function", before.Low) && (r.Is("where-at", r.At(i+1).Low) || r.class(i+1) == "language" || r.class(i+1) == "database"); books || r.Length(i, "fixed-name") > 1 || strings.HasSuffix(low, "ing") || r.command && r.Is("seeks", low) { // library books in Python, api books python
				return nil
			}
			return r.verbs("keeps", i)
		},
		"keeping": func(r *reader, i int) []grammar.Match {
			if r.Is("done-with", r.At(i).Low) {
				return when(true, i+1)
			}
			if !strings.HasSuffix(r.At(i).Low, "ing") || r.Is("doing", r.At(i).Low) { // booking flights: those, or the bookings?
				return nil
			}
			return r.verbs("keeps", i)
		},
		"lives":  func(r *reader, i int) []grammar.Match { return append(r.verbs("life", i), r.verbs("lives", i)...) },
		"tale":   (*reader).tale,
		"reason": (*reader).reason,
		"saying": func(r *reader, i int) []grammar.Match { return r.upTo(i, 3) },
		"done":   func(r *reader, i int) []grammar.Match { return when(r.done(r.At(i).Low), i+1) },
		"acting": func(r *reader, i int) []grammar.Match {
			low := r.At(i).Low
			return when(low == "did" || r.open(i, true) > 0 && !r.Is("copula", low) && r.find(low) == nil, i+1)
		},
		"known": func(r *reader, i int) []grammar.Match {
			return when((r.Is("field", r.At(i).Low) || r.find(r.At(i).Low) != nil || r.labelled(r.At(i).Low, i, i+1)) && r.Ends(i+1), i+1)
		},
		"date": func(r *reader, i int) []grammar.Match { return when(r.Is("dates", english.Singular(r.At(i).Low)), i+1) },
		"unparted": func(r *reader, i int) []grammar.Match {
			n := r.Length(i, "field-pair")
			if n == 0 && r.whole(i) {
				n = 1
			}
			return when(n > 0, i+n)
		},
		"numbered": func(r *reader, i int) []grammar.Match { // player 1, player 2
			again := func(t words.Token) bool { return t.Low == r.At(i-1).Low }
			return when(oneFigure.MatchString(r.At(i).Raw) && r.Ends(i+1) && slices.ContainsFunc(r.Tokens[:i-1], again) != slices.ContainsFunc(r.Tokens[i:], again), i+1)
		},
		"otherfield": func(r *reader, i int) []grammar.Match { // one that is told of elsewhere
			return slices.DeleteFunc(r.names("fieldname", i, 3), func(m grammar.Match) bool { return !r.elsewhere(i, m.To) || !r.Ends(m.To) })
		},
		"figure": func(r *reader, i int) []grammar.Match { return when(values.Decimal.MatchString(r.At(i).Raw), i+1) },
		"nothing": func(r *reader, i int) []grammar.Match { // date | None
			return when(r.At(i-1).Text == "|" && (r.needs(i) == "optional" || r.At(i).Low == "none" || r.At(i).Low == "undefined"), i+1)
		},
		"stores": func(r *reader, i int) []grammar.Match { // store name, but not the store number
			return when(r.Is("stores", r.At(i).Low) && !r.Is("of-stores", r.At(i+1).Low), i+1)
		},
		"refers": func(r *reader, i int) []grammar.Match { // member ref; but not the patient reference, where there are no patients
			n := r.Length(i, "refers")
			before := r.At(i - 1)
			known := before.Mark || strings.HasSuffix(before.Low, "_id") || r.Is("determiner", before.Low) || r.elsewhere(i-1, i) || len(r.references(i+n, true)) > 0
			return when(n > 0 && known, i+n)
		},
		"listed": func(r *reader, i int) []grammar.Match {
			end := r.Closes(i - 1)
			return when(end > i && len(values.Choices(r.Text, i, end)) > 1, end)
		},
		"belongs": func(r *reader, i int) []grammar.Match {
			m, n := r.Phrase(i)
			return when(m.Class == "relation" && m.Value == "", i+n)
		},
		"hasit": func(r *reader, i int) []grammar.Match { // has garden, is electric
			low, next := r.At(i).Low, r.At(i+1).Low
			has := r.Is("has-or-needs", low) && r.At(i-1).Mark && r.Ends(i+2) && !r.Is("field", next) && r.find(next) == nil
			return when(has || low == "is" && r.Ends(i-1) && next != "either", i+1)
		},
		"goeson": func(r *reader, i int) []grammar.Match { // temperature on arrival, days to harvest, price for pupils
			last, low := r.At(i-1).Low, r.At(i).Low
			like := r.Is("field", last) || r.Is("also-field", last)
			switch low {
			case "to":
				like = r.Is("stretch", last)
			case "for":
				like = r.Is("priced", last)
			}
			end := i + 2
			if !r.Ends(end) {
				end++
			}
			return when(like && (r.Is("moment", low) || low == "in" && english.IsPlural(last) && r.Is("time-unit", english.Singular(last))) && r.open(i+1, true) > 0 && r.needs(i+1) == "" && !r.Is("points", r.At(i+1).Low) && r.Ends(end) && (end == i+2 || r.open(i+2, true) > 0), end)
		},
		"nofield": func(r *reader, i int) []grammar.Match { // url, title and tags: of what?
			last := r.At(i - 1).Low
			tables := r.At(i-2).Low == ":" && r.Is("tables", r.At(i-3).Low) // tables: material, price
			return when((!r.Is("field", english.Singular(last)) || r.Is("rather-thing", last) || r.Is("gathers", last)) && !tables, i)
		},
		"goesonrule": func(r *reader, i int) []grammar.Match { // name: text, required; or lines, which no commas part
			from := i - 1
			for from > r.begin && !r.At(from).Mark {
				from--
			}
			return when(r.Length(i-1, "type") > 0 || r.needs(i-1) != "" || r.At(i-1).Low == ")" || r.At(from).Low == "•" || r.At(r.NextMark(i+1)).Low == "•" || r.At(from).Text == ";", i)
		},
		"codes": func(r *reader, i int) []grammar.Match {
			return when(codes.MatchString(r.At(i).Raw), r.Behind(i))
		},
		"alternatives": func(r *reader, i int) []grammar.Match {
			end := values.ChoicesEnd(r.Text, i+r.Length(i, "modal"), true, true)
			if r.At(i-1).Low == "of" && r.Is("sort", r.At(i-2).Low) && r.NextMark(i) < end { // type of fuel, petrol or diesel
				return nil
			}
			return when(end > i && r.Length(i, "rule") == 0 && !r.Is("certain-choice", r.At(i).Low) && slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return t.Low == "or" }), end)
		},
		"slashed": func(r *reader, i int) []grammar.Match { // status in use / in stock / sold, but not name / status / since
			end := r.NextMark(i)
			for r.At(end).Text == "/" {
				end = r.NextMark(end + 1)
			}
			odd := slices.ContainsFunc(r.Tokens[i:end], func(t words.Token) bool { return !t.Mark && !plainName.MatchString(t.Low) }) // 1-0 / ½-½
			return when(r.At(r.NextMark(i)).Text == "/" && r.At(i-2).Text != "/" && !odd, end)
		},
		"behindchosen": func(r *reader, i int) []grammar.Match { return when(r.Is("chosen", r.At(i-1).Low), i) },
		"assigned":     func(r *reader, i int) []grammar.Match { return when(r.At(i-1).Text == "=", r.EndOf(i)) },
		"restricted": func(r *reader, i int) []grammar.Match { // photo ok, prescription only
			next := r.At(i + 1).Low
			return when(r.At(i-1).Mark && r.Ends(i+2) && r.open(i, true) > 0 && (r.Is("alright", next) || next == "only" && !r.Is("field", r.At(i).Low)), i+2)
		},
		"doing": func(r *reader, i int) []grammar.Match {
			if !r.Ends(i+1) && (r.Is("keep-verb", r.At(i).Low) || r.At(i).Low == "think") { // we note name, age
				return nil
			}
			return r.upTo(i, 5)
		},
		"words": func(r *reader, i int) []grammar.Match { // but not reports title severity status
			return slices.DeleteFunc(r.upTo(i, 6), func(m grammar.Match) bool { return r.usual(i, m.To) > 2 })
		},
		"whereabouts": func(r *reader, i int) (out []grammar.Match) {
			if r.done(r.At(i-1).Low) && !r.Is("determiner", r.At(i+1).Low) || r.Length(i, "type") > 1 { // paid in cash, in EUR and USD
				return nil
			}
			if r.ClassAt(i) != "place" && r.At(i).Low != "at" && r.At(i).Low != "on" || (r.Is("for-all", r.At(i+1).Low) || r.At(i+1).Low == "least" || r.At(i+1).Low == "most" || words.FigureLike.MatchString(r.At(i+1).Low)) {
				return nil
			}
			for end := i + 2; end < i+6 && !r.At(end-1).Mark && !r.Is("ends-place", r.At(end-1).Low) && !r.Is("copula", r.At(end-1).Low) && !r.Is("type-behind", r.At(end-1).Low) && !r.Is("framework-too", r.At(end-1).Low) && r.Vocabulary[r.At(end-1).Low].Value != "a database" && !slices.Contains([]string{"language", "database", "auth", "license"}, r.ClassAt(end-1)); end++ {
				out = append(out, grammar.Match{To: end, Cost: end - i})
			}
			return out
		},
		"behindsetting": func(r *reader, i int) []grammar.Match {
			m, n := r.Phrase(i)
			alone := r.At(i).Low == "of" || r.Is("particle", r.At(i).Low) || r.At(i).Low == "with" || r.Is("determiner", r.At(i).Low)
			return when(m.Class == "stop" && (n > 1 || !alone), i+n)
		},
		"remark": func(r *reader, i int) []grammar.Match { // nothing complicated
			m, n := r.Phrase(i)
			return when(m.Class == "stop" && n > 1 && r.Ends(i+n) && !r.Is("says-something", r.Words(i, n)), i+n)
		},
		"records": func(r *reader, i int) (out []grammar.Match) { // of which no record lists several
			for _, m := range r.names("plural", i, 4) {
				if last := r.At(m.To - 1).Low; !r.Is("field", last) && !r.Is("also-field", last) || r.Is("rather-thing", last) {
					out = append(out, m)
				}
			}
			return out
		},
		"kept-apart": func(r *reader, i int) []grammar.Match { // plus salespeople and sales; but photos may be of each
			return slices.DeleteFunc(r.names("plural", i, 3), func(m grammar.Match) bool {
				last := r.At(m.To - 1).Low
				return (r.Is("field", last) || r.Is("also-field", last) || r.Is("kept-too", last) || r.Is("inner", english.Singular(last))) && last != "sales"
			})
		},
		"of-ones": func(r *reader, i int) []grammar.Match { // comments on tickets, but not tags on posts
			return slices.DeleteFunc(r.names("plural", i, 3), func(m grammar.Match) bool { return !r.Is("of-one-each", english.Singular(r.At(m.To-1).Low)) })
		},
		"present": func(r *reader, i int) (out []grammar.Match) {
			for _, m := range r.names("nouns", i, 4) {
				if t := r.find(r.nameOf(i, m.To)); t != nil && t.known && !r.Is("partly", r.At(i-1).Low) {
					out = append(out, grammar.Match{To: m.To})
				}
			}
			return out
		},
		"old":      func(r *reader, i int) []grammar.Match { return r.olds(i, false) },
		"chosen":   func(r *reader, i int) []grammar.Match { return r.olds(i, true) },
		"software": func(r *reader, i int) []grammar.Match { return when(r.command && r.Is("software", r.At(i).Low), i+1) }, // a tool, where a command is asked for
		"teller": func(r *reader, i int) []grammar.Match { // behind things, they are those
			n := r.Length(i, "narrator")
			return when(n > 0 && (r.current == nil || !r.Is("they", r.At(i).Low)), i+n)
		},
		"denied": func(r *reader, i int) []grammar.Match {
			if r.ClassAt(i) != "denial" {
				return nil
			}
			return r.terminals["setting"](r, i)
		},
		"wanted": func(r *reader, i int) []grammar.Match {
			if r.ClassAt(i) == "denial" {
				return nil
			}
			return r.terminals["setting"](r, i)
		},
		"one-or-other": func(r *reader, i int) []grammar.Match { // mint or used; but not email or phone
			value := func(k int) bool {
				kind := cmp.Or(r.Tables["field"][r.At(k).Low], r.Tables["also-field"][r.At(k).Low], values.Truth)
				return r.Is("usual-value", r.At(k).Low) && !r.Is("truth", r.At(k).Low) || kind == values.Truth && r.open(k, true) > 0 && r.find(r.At(k).Low) == nil && !r.labelled(r.At(k).Low, k, k+1) && !r.Is("setting-too", r.At(k).Low) && r.class(k) != "license" && !r.Is("type", r.At(k).Low) && !r.Is("truth", r.At(k).Low)
			}
			described := false // a size, small or large
			for k := i - 2; k > r.begin && !r.At(k).Mark; k-- {
				described = described || r.Is("chosen", r.At(k).Low) || r.Is("no-title", r.At(k).Low) || r.Is("one-of-few", r.At(k).Low)
			}
			return when(!described && r.Ends(i-1) && r.At(i+1).Low == "or" && r.Ends(i+3) && value(i) && value(i+2), i+3)
		},
		"makes-one": func(r *reader, i int) []grammar.Match { return r.verbs("makes-it", i) }, // an employee submits claims
		"value":     func(r *reader, i int) []grammar.Match { return r.upTo(i, 2) },
		"half": func(r *reader, i int) []grammar.Match {
			at := r.After(i+2, "a", "an", "the") // a start and an end date
			one, other, what := r.At(i).Low, r.At(at).Low, english.Singular(r.At(at+1).Low)
			both := one + " " + other
			dates := (r.Is("twins", both) || r.done(one) && r.done(other)) && r.Is("dates", what)
			return when(r.At(i+1).Low == "and" && !r.Ends(at+1) && (dates || r.Is("halves", both) || r.Tables["pair"][one] == other || r.Is("side", one) && r.Is("side", other) || r.Is("attributive", one) && r.Is("attributive", other) || r.Is("has-phone", one) && r.Is("has-phone", other) && (what == "name" || what == "address")), i+1)
		},
		"usual-fields": func(r *reader, i int) []grammar.Match { return when(r.listsField(i, r.Closes(i-1)), i) }, // lines (product, price), but not days (mon, tue)
		"usual-first": func(r *reader, i int) []grammar.Match { // need a name, but not need cleaning
			at := r.After(i, "a", "an", "the")
			return when(slices.ContainsFunc(r.names("fieldname", at, 3), func(m grammar.Match) bool { return r.Is("field", r.At(m.To-1).Low) }), i)
		},
		"told-amount": func(r *reader, i int) []grammar.Match { // at a date and time, for a fee
			at := r.After(i, "a", "an")
			once := r.At(at).Low == "time" && slices.ContainsFunc(r.Tokens[r.begin:i], func(t words.Token) bool { return t.Low == "one" }) // one rider at a time
			return when(at > i && !once && (r.Is("dates", r.At(at).Low) && r.At(i-1).Low != "for" || r.Is("priced", r.At(at).Low)), i)
		},
		"quality": func(r *reader, i int) []grammar.Match { // a valid email, but not valid days
			return when(r.Is("quality", r.At(i).Low) && r.Is("has-form", r.At(i+1).Low), i+1)
		},
		"declares-any": func(r *reader, i int) []grammar.Match { // but not: for resource bookings
			joined := (r.At(i-1).Low == "for" || r.At(i-1).Low == "and") && english.IsPlural(r.At(i+1).Low)
			return when(r.Is("declares-any", r.At(i).Low) && !joined, i+1)
		},
		"declares": func(r *reader, i int) []grammar.Match {
			_, n := r.Longest(i, "declares")
			if again := r.elsewhere(i, i+n); n == 1 && (!again || english.IsPlural(r.At(i+1).Low)) && !r.Ends(i-1) && !plaintext.IsCapital(r.At(i+1).Text) { // rather model trains
				return []grammar.Match{{To: i + n, Cost: 2}}
			}
			return when(n > 0, i+n)
		},
		"typed": func(r *reader, i int) []grammar.Match {
			low, n := r.At(i).Low, r.Length(i, "type")
			known := r.Is("field", low) && !(r.Is("dates", low) && low != "year")
			if n == 1 && r.Is("field-pair", r.At(i-1).Low+" "+low) { // due date
				return nil
			}
			if r.Is("dates", low) && r.typed() && r.done(r.At(i-1).Low) && r.Ends(i-2) { // placed time
				return when(true, i+1)
			}
			if text := low == "text" && (r.Tables["field"][r.At(i-1).Low] == values.Text || r.needs(i+1) != ""); n == 0 || r.Ends(i-1) || !text && (known && low != "text" || !r.typed() && !strings.Contains(r.At(i-1).Text, "_")) {
				return nil
			}
			return when(true, i+n)
		},
	}
}

// needs finds words that say whether a field is needed, or of two that have the same value.
func needs(what ...string) func(*reader, int) []grammar.Match {
	return func(r *reader, i int) []grammar.Match {
		return when(slices.Contains(what, r.needs(i)) && !r.needed(i) && !r.alone(i), i+r.Length(i, "rule"))
	}
}

// alone says whether a word for a rule is a field of its own, which is true or false: label, type, required yes/no.
func (r *reader) alone(i int) bool {
	low := r.At(i).Low
	return (r.Is("need-word", low) || low == "unique") && (r.Ends(i-1) || r.Is("indefinite", r.At(i-1).Low)) && r.truth(i+1)
}

// listsOn says whether a list of fields goes on at a place, whatever is told behind its last one: count and a rank that nobody has twice.
func (r *reader) listsOn(i int) bool {
	at := r.After(i, "a", "an", "the")
	return slices.ContainsFunc(r.names("fieldname", at, 3), func(m grammar.Match) bool {
		on := r.At(m.To).Low == "and" && r.Is("field", r.At(m.To-1).Low) || r.Is("points-out", r.At(m.To).Low) && r.Length(m.To+1, "obliges") > 0
		return on && (m.To == at+1 || r.beyond(at, m.To) == "")
	})
}

// headsThing says whether a word begins the name of a thing that was told of, by itself before a list, or as before: service
// history, service: date.
func (r *reader) headsThing(i int) bool {
	return r.exact(r.nameOf(i, i+2)) != nil || r.At(i+1).Low == ":" && slices.ContainsFunc(r.Things, func(t *Thing) bool { return strings.HasPrefix(t.Name, r.At(i).Low+"_") })
}

// olds gives where the name of a field ends that a project has, or that of a thing; or of a field that is one of some values.
func (r *reader) olds(i int, chosen bool) (out []grammar.Match) {
	for _, m := range r.names("fieldname", i, 6) {
		name, _, _ := strings.Cut(r.nameOf(i, m.To), "_of_")
		is := func(t *Thing) bool {
			f := t.called(name)
			return t.known && f != nil && (!chosen || f.Choices != nil)
		}
		if t := r.find(name); t != nil && t.known && !chosen || slices.ContainsFunc(r.Things, is) {
			out = append(out, grammar.Match{To: m.To})
		}
	}
	return out
}

// severalTold says whether several things were named last and nothing told of them, so that nobody knows of which what follows is.
func (r *reader) severalTold() bool {
	if fields := r.current.Fields; len(fields) == 1 && english.IsPlural(fields[0].Name) && fields[0].told == "" { // houses with rooms
		return true
	}
	return len(r.current.Fields) == 0 && slices.ContainsFunc(r.named, func(t *Thing) bool { return t != r.current && !t.place })
}

// likeThing says how unlikely a list in brackets is to be what one field may be, as it is like what a thing holds.
func (r *reader) likeThing(name string, from, to int) int {
	if slices.ContainsFunc(r.Tokens[from:to], func(t words.Token) bool { return t.Mark && (t.Text == "/" || t.Text == "|") }) { // pending / accepted
		return 0
	}
	like, typed, all, named := 0, 0, 0, r.Is("of-one", r.At(from).Low) && r.Ends(from+1)
	for i := from; i < to; i++ {
		end := min(r.NextMark(i), to)
		for ; end < to && r.At(end).Low != "," && r.At(end).Text != ";"; end = min(r.NextMark(end+1), to) {
		}
		if end == i { // a mark behind another
			continue
		}
		last := r.At(end - 1).Low
		named = named || last == "name" || end == i+1 && !r.Is("field", name) && !r.Is("chosen", name) && r.labelled(last, i, end) // flight (drone, pilot), where drones have a list
		switch all++; {
		case slices.ContainsFunc(r.Tokens[i+1:end], func(t words.Token) bool { return r.Is("type", t.Low) }):
			typed++
		case r.Is("field", last), r.Is("also-field", last), r.Is("alone-too", last), end > i+1 && r.Is("particle", last), strings.Contains(last, "_"), r.elsewhere(i, end):
			like++
		}
		i = end
	}
	switch {
	case all < 2:
	case named || 2*like > all && !r.Is("field", name) && !r.Is("chosen", name) && typed == 0: // owner (name, phone)
		return mostUnlikely + all
	case typed > 0 && 2*(like+typed) >= all, 2*like > all && r.Tables["field"][name] != values.Text && !r.Is("chosen", name):
		return 3 * all
	}
	return 0
}

// references gives where the name of a thing ends that a field may stand for.
func (r *reader) references(i int, several bool) (out []grammar.Match) {
	for end := i + 1; end < i+4 && !r.Ends(end-1); end++ {
		if name := r.nameOf(i, end); (several || !english.IsPlural(name)) && (r.find(name) != nil || r.labelled(name, i, end)) {
			out = append(out, grammar.Match{To: end})
		}
	}
	return out
}

// colons counts the kinds that stand behind a colon.
func (r *reader) colons() (n int) {
	for i := range r.Tokens {
		if r.At(i).Low == ":" && r.At(i).Mark && r.Length(i+1, "type") > 0 {
			n++
		}
	}
	return n
}

// stamp says whether ts is no language, but when something was measured: sensor, value, ts.
func (r *reader) stamp(i int) bool {
	return r.At(i).Low == "ts" && r.Ends(i-1) && r.Ends(i+1) && i > 0 && r.At(i-1).Low != "." && (r.Is("stamped", r.At(i-2).Low) || r.Is("stamped", r.At(i+2).Low))
}

// manyBehind says whether a word says what is kept of several of something before it: likes number, tags list.
func (r *reader) manyBehind(i int) bool {
	last := r.At(i - 1).Low
	if figure := r.Tables["field"][last[strings.LastIndex(last, "_")+1:]] == values.Number; figure && r.At(i).Low == "number" && r.Ends(i+1) { // title string, daily fee number; but not a VAT number
		return slices.ContainsFunc(r.Tokens, func(t words.Token) bool { return r.Is("type-behind", t.Low) })
	}
	return r.Is("type-behind-many", r.At(i).Low) && !r.At(i-1).Mark && (r.Ends(i-2) || r.Is("determiner", r.At(i-2).Low)) && english.IsPlural(last) && r.Ends(i+1) && r.Tables["field"][last] != values.Text && !r.Is("field", last+" "+r.At(i).Low) && !r.Is("also-field", last+" "+r.At(i).Low)
}

// kinds says whether kinds stand behind the colons of a list, and not what records hold.
func (r *reader) kinds() bool {
	for i := range r.Tokens {
		if r.At(i).Low == ":" && r.At(i).Mark && r.Is("type-behind", r.At(i+1).Low) {
			return true
		}
	}
	return r.colons() > 1
}

// listsField says whether the usual name of a field stands in a list.
func (r *reader) listsField(from, to int) bool {
	for i := from; i < to; i++ {
		if low := r.At(i).Low; r.Ends(i+1) && (r.Is("field", low) || r.Is("also-field", low)) && r.Tables["field"][low] != values.Truth {
			return true
		}
	}
	return false
}

// labelled says whether a list of what a thing holds stands somewhere behind its name, outside of a part of the text.
func (r *reader) labelled(name string, from, to int) bool {
	for i, t := range r.Tokens {
		if next := r.At(i + 1); (i < from || i >= to) && !t.Mark && english.Singular(spelled(t)) == english.Singular(name) && (next.Mark && (next.Low == ":" || next.Low == "(") || !next.Mark && r.Is("owns", next.Low)) {
			return true
		}
	}
	return false
}

// typed says whether kinds stand behind the names of fields: title string, pages int.
func (r *reader) typed() bool {
	n := 0
	for i := range r.Tokens {
		if r.Is("type-behind", r.At(i).Low) && !r.At(i-1).Mark {
			n++
		}
		if r.Length(i, "type") > 0 && strings.Contains(r.At(i-1).Text, "_") { // line_no text
			n += 2
		}
	}
	return n > 1
}

func (r *reader) upTo(i, n int) (out []grammar.Match) {
	for end := i + 1; end < i+n+1 && !r.At(end-1).Mark && r.At(end-1).Low != "and" && r.At(end-1).Low != "or"; end++ {
		out = append(out, grammar.Match{To: end, Cost: end - i})
	}
	return out
}

// verbs gives where a verb of a table ends, in any of its forms.
func (r *reader) verbs(table string, i int) (out []grammar.Match) {
	for n := words.MaxPhrase; n > 0; n-- {
		is := func(base string) bool { return r.Is(table, base+strings.TrimPrefix(r.Words(i, n), r.At(i).Low)) }
		if !r.marked(i, n) && slices.ContainsFunc(english.Bases(r.At(i).Low), is) {
			out = append(out, grammar.Match{To: i + n})
		}
	}
	return out
}

// asking are the classes of words that ask for something.
var asking = []string{"kind", "language", "database", "auth", "cors", "license", "port", "module", "named", "page-size", "operation", "heart", "detail", "relation", "fields"}

// tale gives how far somebody may tell of himself: up to what asks for something.
func (r *reader) tale(i int) []grammar.Match {
	return r.told(i, func(k int) bool { return r.Length(k, "demand") > 0 })
}

// reason gives how far somebody may tell why something is wanted, in words that ask for something elsewhere. What a list behind
// it is of nobody knows, and that something else is so as well is no reason: so is the name.
func (r *reader) reason(i int) []grammar.Match {
	if c := r.class(i); r.Is("imperative", r.At(i).Low) || r.Is("keep-verb", r.At(i).Low) || c == "adding" || c == "removing" { // so add a year
		return nil
	}
	if low := r.At(i).Low; low == "is" || low == "are" {
		return nil
	}
	asked := slices.ContainsFunc(r.Tokens[:i], func(t words.Token) bool { return r.Vocabulary[t.Low].Class == "kind" })
	out := r.told(i, func(k int) bool { return r.Is("able", r.At(k).Low) })
	return slices.DeleteFunc(out, func(m grammar.Match) bool {
		return asked && r.At(m.To).Low == ":" && (r.At(i-2).Mark || english.IsPlural(r.At(m.To-1).Low)) // so we can track visits: date
	})
}

// told gives how far somebody may tell of what is no part of a project: up to words of which one, or a function, says that they are.
func (r *reader) told(i int, asks func(int) bool) (out []grammar.Match) {
	for end := i; end < len(r.Tokens) && !r.At(end).Mark; end++ {
		m, _ := r.Phrase(end)
		low := r.At(end).Low
		asked := slices.Contains(asking, m.Class) && !r.Is("owns", low) || asks(end)
		if asked && !r.Is("little", low) && !r.everyday(end) && !r.Is("worked-on", r.At(end+1).Low) {
			break
		}
		if r.clauseEnds(end + 1) {
			out = append(out, grammar.Match{To: end + 1, Cost: (end - i) / 2})
		}
	}
	return out
}

// clauseEnds says whether somebody who tells something may end at a place: because it got lost I need.
func (r *reader) clauseEnds(i int) bool {
	n := r.Length(i, "narrator")
	return r.Ends(i) || r.ClassAt(i) == "join" || r.Is("parts-clause", r.At(i).Low) || n > 0 && r.Is("wish", r.At(i+n).Low)
}

// everyday says whether words that ask for something elsewhere are of everyday life in what somebody tells of himself: what is
// used so far, when something is, how often it is, and what the project is written in anyway.
func (r *reader) everyday(i int) bool {
	m, _ := r.Phrase(i)
	return r.Length(i, "used-now") > 0 || r.Length(i, "how-often") > 0 || m.Value == "dates" || m.Class == "language" && m.Value == r.Language
}

// kept says whether projects of a kind keep records here.
func (r *reader) kept(kind string) bool {
	return kind == project.API || r.command && kind == project.Command
}

func (r *reader) phrase(i, n int) (m glossary.Meaning, ok bool) {
	if r.marked(i, n) {
		return m, false
	}
	m, ok = r.Vocabulary[r.Words(i, n)]
	return m, ok
}

func (r *reader) marked(i, n int) bool {
	for k := i; k < i+n; k++ {
		if k >= len(r.Tokens) || r.At(k).Mark {
			return true
		}
	}
	return false
}
