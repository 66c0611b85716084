package template

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
)

// mark reads a mark and gives the place behind it.
func (r *reader) mark(i int) int {
	switch low := r.Tokens[i].Low; low {
	case ".":
		r.expect(nowhere)
		r.outer, r.about = nil, field{}
		return r.terse(i + 1)
	case ",":
		had := len(r.group) > 0
		r.flush()
		if r.Tokens[i].Text == ";" {
			r.list++
		}
		lists := r.site && r.project == nil && r.Title+r.Subject != "" && r.ListsParts(i+1)
		switch {
		case r.slot == inPlace && lists:
			r.slot = inFields
		case r.slot == inPlace, r.site && had && r.slot == inThings && (r.At(i+1).Quoted || r.At(i+1).Capital) && vocabulary[r.At(i+1).Low].Class == "" && !is("section", r.At(i+1).Low):
			r.slot = nowhere
		case r.site && (r.slot == inThings && had || r.slot == inIgnored || r.slot == nowhere && lists): // a list goes on where the subject is known
			r.slot = inFields
		case r.slot == nowhere:
			return r.terse(i + 1)
		}
	case words.Bullet:
		r.flush()
		r.resolve()
		if r.slot = inThings; r.site || r.current != nil {
			r.slot = inFields
		}
	case ":", "(":
		if what := strings.Join(r.group, " "); r.site && low == ":" && is("fill-in", what) && (r.IsFigure(i+1) || words.MailLike.MatchString(r.At(i+1).Low)) { // "phone: 555 0142"
			r.context, r.group = append(r.context, what), nil
			return i + 1
		}
		if name, end := r.NameAt(i + 1); low == ":" && r.project == nil && is("page-label", strings.Join(r.group, " ")) && name != "" && (r.site || r.slot == nowhere && r.At(end).Low == "." && !is("type", strings.ToLower(name))) {
			what := strings.Join(r.group, " ")
			r.Decided(tables["page-label"][what]).Set(name)
			r.context, r.group = append(r.context, what), nil
			return end
		}
		if low == "(" && r.site && is("tongue", r.At(i+1).Low) { // a translator (German, Polish)
			end := i
			for r.At(end).Low != ")" && end < len(r.Tokens) {
				end++
			}
			r.leave(r.Written(i+1, end), "yours to say in the text")
			return end
		}
		if low == "(" && r.site && r.Place == "" && r.At(i+1).Capital { // Northwind Advisory (London)
			if r.flush(); r.Title == "" {
				r.slot = nowhere
			} else {
				r.slot = inPlace
			}
			break
		}
		if n := r.Length(i+1, "layout"); low == "(" && r.site && r.slot != inFields && n == 0 && !is("section", r.At(i+1).Low) && !r.At(i+1).Mark {
			r.unknown = append(r.unknown, r.At(i+1).Text) // of whom or what it is said is not told
		}
		if low == ":" {
			if end := r.item(i); end > 0 { // "- code: string, unique"
				return end
			}
		}
		if kind, n := r.Longest(i+1, "type"); kind != "" && (low == ":" && r.slot == inFields && len(r.group) > 0 || r.slot == inAdded) {
			r.about.Kind = kind
			if r.flush(); r.slot == inAdded && len(r.pending) > 0 {
				r.pending[len(r.pending)-1].about.Kind, r.pending[len(r.pending)-1].field = kind, true
			}
			return r.After(i+1+n, ")")
		}
		if end := r.reference(i + 1); end > 0 {
			return end
		}
		if words := r.group; (r.slot == inParents || r.slot == inChildren) && len(words) > 0 && r.Ends(i-len(words)-1) || low == ":" && r.slot == inFields && len(words) > 0 && !r.site && len(r.outer) == 0 && (r.find(lastOf(words)) != nil || r.listed(i)) {
			r.slot, r.group = inThings, nil
			r.addThing(words)
		}
		if r.Tokens[i].Text == "=" && r.slot == inFields && is("type-behind", r.At(i-1).Low) && (len(r.group) > 0 || r.reopen(i)) {
			r.about.Default = r.At(i + 1).Raw
			return r.Behind(i + 1)
		}
		if low == ":" && r.slot == inFields && len(r.group) > 0 && !r.site {
			if n := r.rule(i+1, &r.about); n > 0 {
				return i + 1 + n
			}
			if end := values.ChoicesEnd(r.Text, i+1, is("no-title", lastOf(r.group)), !english.IsPlural(lastOf(r.group))); end > 0 {
				r.about.Choices = values.Choices(r.Text, i+1, end)
				return end
			}
			if is("no-title", lastOf(r.group)) { // where the choices end is not told
				r.unknown = append(r.unknown, strings.Join(r.group, " ")+": "+r.At(i+1).Low)
				return i + 1
			}
		}
		if low == "(" && (r.slot == inFields || r.slot == inAdded) && len(r.group) > 0 && !r.site {
			if end := r.remark(i); end > 0 {
				return end
			}
			if r.slot == inFields && len(r.current.fields) > 0 && r.current != r.nested && r.outer == nil { // lines in the midst of an invoice
				r.unknown = append(r.unknown, strings.Join(r.group, " ")+" ("+r.At(i+1).Low)
			}
			if r.slot == inFields {
				owner, have := r.current, is("owns", r.At(i-len(r.group)-1).Low)
				r.addThing(r.group)                                                 // its fields follow
				if r.group, r.nested = nil, r.current; have && r.current != owner { // owners (name) have dogs (name, breed)
					r.current.parents = append(r.current.parents, owner)
				}
			}
		}
		before := reader{slot: r.slot, ofPlace: r.ofPlace}
		if r.open(); low == "(" {
			r.outer = append(r.outer, before)
		}
	case ")":
		if r.flush(); r.site {
			break
		}
		r.slot = nowhere
		if n := len(r.outer); n > 0 {
			r.slot, r.ofPlace, r.outer = r.outer[n-1].slot, r.outer[n-1].ofPlace, r.outer[:n-1]
		}
	}
	return i + 1
}

// terse begins the list of the fields of a thing that was told of before, where nothing but the fields says so:
// "tickets. subject, body", "customer name and email, order total". It gives the place where the list begins.
func (r *reader) terse(i int) int {
	if before := r.ClassAt(i - 2); r.site || r.project != nil || len(r.group)+len(r.pending) > 0 || before == isAdding || before == isRemoving {
		return i
	}
	t, first := r.find(r.At(i).Low), i
	if t != nil && len(t.fields) == 0 && (is("field", r.At(i+1).Low) || r.Ends(i+2) && is("also-field", r.At(i+1).Low)) {
		first++
	} else if t = nil; len(r.things) == 1 && len(r.things[0].fields) == 0 {
		t = r.things[0]
	}
	known, several := values.FieldsFollow(r.Text, first)
	if t == nil || known < 2 || !several && first == i {
		return i
	}
	r.current, r.slot, r.short = t, inFields, first > i
	return first
}

// reference reads what a field refers to, behind a mark: "course: reference to Course", "commander (an astronaut)".
func (r *reader) reference(i int) int {
	m, n := r.Phrase(i)
	if m.Class != isRelation {
		n = 0
	}
	k := r.After(i+n, "a", "an", "one", "the", "to")
	t := r.find(r.At(k).Low)
	if r.site || r.slot != inFields || len(r.group) == 0 || t == nil || !r.Ends(k+1) {
		return 0
	}
	if told := n > 0 || k > i || t.is(lastOf(r.group)); !told && !plaintext.IsCapital(r.At(k).Text) {
		return 0
	}
	r.about.Kind = project.Ref + t.singular
	for k++; r.At(k).Low == ","; { // "belongs to a customer, required"
		n := r.rule(k+1, &r.about)
		if n == 0 {
			break
		}
		k += n + 1
	}
	r.flush()
	if r.At(i-1).Low == "(" {
		k = r.After(k, ")")
	}
	return k
}

// item reads what an item of a list says of a field behind its name, if that is all that it says.
func (r *reader) item(i int) int {
	end, about := r.SentenceEnd(i+1), r.about
	if r.site || r.slot != inFields || len(r.group) == 0 || r.At(i-len(r.group)-1).Low != words.Bullet || end == i+1 {
		return 0
	}
	if list, _ := about.Described(r.Text, r.group, i+1, end, &about.Kind); len(list) > 0 {
		return 0
	}
	r.about = about
	return end
}

// listed says whether the name before a place is that of an item of a list, and several parts of it follow.
func (r *reader) listed(i int) bool {
	begins := r.At(i-len(r.group)-1).Low == words.Bullet && (!is("field", lastOf(r.group)) || plaintext.IsCapital(r.At(i-1).Text) && is("field", r.At(i+1).Low)) || len(r.current.fields) == 0 && english.IsPlural(lastOf(r.group)) // an office with items: colour, place
	return begins && strings.Contains(r.Words(i+1, r.SentenceEnd(i+1)-i-1), ",")
}

// change reads the verbs that change a project; of a new one, what people do with its records.
func (r *reader) change(m meaning, i, n int) int {
	next, _ := r.Phrase(i + n)
	alone := r.At(i+n).Mark || next.Class == isJoin || next.Class == isContainer && r.slot == inFields
	r.flush()
	switch {
	case m.Class == isTo && r.slot == inAdded && len(r.pending) > 0:
		r.slot = inTarget
	case m.Class == isTo:
		if r.slot != inIgnored && r.slot != inParents {
			r.slot = nowhere
		}
	case m.Class == isRenaming:
		return r.rename(i, n)
	case m.Class == isAdding && r.site:
		r.slot = inFields
	case m.Class == isRemoving && r.site:
		r.slot = inRemoved
	case r.project == nil && alone:
		r.given, r.slot = append(r.given, r.Words(i, n)), nowhere
	case r.project == nil && m.Class == isRemoving && r.Kind == project.Command && (len(r.Operations) > 0 || is("no-record", english.Singular(r.At(r.After(i+n, "the", "a", "all", "my")).Low))):
		r.cannot(r.Words(i, n), "work on media and data")
	case r.project == nil && m.Class == isRemoving && r.current != nil && r.find(r.At(r.After(i+n, "the", "a", "all", "my")).Low) == nil: // a field that was just told
		r.unknown = append(r.unknown, r.Words(i, n)+" "+r.At(r.After(i+n, "the", "a", "all", "my")).Low)
	case r.project == nil:
		r.slot = inThings
	case m.Class == isAdding:
		r.expect(inAdded)
	default:
		r.expect(inRemoved)
		r.current = nil
		for k := i + n; !r.At(k).Mark || r.At(k).Low == ","; k++ { // "remove the price from books"
			if r.At(k).Low == "from" {
				r.current = r.find(r.At(r.After(k+1, "the", "my", "our", "each", "all")).Low)
			}
		}
	}
	return n
}

// rename reads a new name for the project; things keep theirs, and their records with it.
func (r *reader) rename(i, n int) int {
	name, end := r.NameAt(r.After(i+n, "to", "as", ":"))
	if behind := r.At(end); name == "" || !r.site && strings.Contains(r.Words(i, n), "title") || r.project == nil || !behind.Mark && vocabulary[behind.Low].Class != isJoin {
		r.unknown = append(r.unknown, r.Words(i, n))
		return n
	}
	r.Title = name
	return end - i
}

// target reads the name behind "to": that of what something is added to.
func (r *reader) target(words []string) {
	t := r.find(lastOf(words))
	if t == nil {
		r.unknown = append(r.unknown, "to "+strings.Join(words, " "))
	}
	for _, each := range r.pending {
		last := lastOf(each.words)
		switch {
		case t == nil:
		case !each.field && each.about.Kind == "" && english.IsPlural(last) && tables["field"][last] == "":
			r.current = nil
			if r.addThing(each.words); r.current != nil { // not every name can be one of a thing
				r.current.parents = append(r.current.parents, t)
			}
		default:
			r.addField(t, each.words, each.about)
		}
	}
	r.pending, r.slot = nil, nowhere
	if t != nil {
		r.current = t
	}
}

// named reads what follows "called": the name of the project, of a thing or of a field.
func (r *reader) named(m meaning, i, n int) int {
	before := r.At(i - 1).Low
	r.flush()
	switch {
	case is("field-noun", before) && !r.site:
	case vocabulary[before].Class == isContainer && !strings.HasSuffix(before, "app") && !r.site, english.HasSuffix(before, "endpoint", "endpoints"):
		r.slot = inThings
	default:
		return max(n, r.option(m, i, n, false))
	}
	return n
}

// container reads a kind of project, or what holds things: the names before it say of what.
func (r *reader) container(m meaning, low string, next int) {
	switch {
	case r.site && m.Class == isKind:
		r.page(low)
	case r.site && (r.slot == inThings || r.slot == inFields && !is("never-section", low)):
		r.group = append(r.group, strings.Fields(low)...)
	case (r.slot == inFields || r.slot == inAdded) && m.Class == isContainer && len(r.group) > 0 && !is("holds", low): // user management is no user
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low), nil
	case !r.site:
		alone, list := len(r.group) == 0, r.list
		if m.Class == isKind {
			r.list = -1
		}
		r.settle()
		r.list = list
		if m.Class == isKind && (r.slot == inThings || r.slot == inFields || r.slot == inIgnored) {
			r.slot = nowhere
		}
		if m.Class == isContainer && alone && (r.At(next).Low == ":" || low == "list" && vocabulary[r.At(next-2).Low].Class == isJoin) {
			r.current, r.slot = nil, inThings
		}
	}
}

// surroundings reads what things are in or for, which says nothing of them: the plants in my greenhouse.
// It gives the place behind, or none.
func (r *reader) surroundings(i int) int {
	end := r.After(i, "my", "our", "the", "a", "an", "small")
	from := end
	for end < from+3 && !r.Ends(end) && vocabulary[r.At(end).Low].Class == "" && r.find(r.At(end).Low) == nil {
		end++
	}
	house := is("institution", r.At(end-1).Low) || is("place-of", r.At(end-1).Low)
	if from == i && r.At(i-1).Low != "the" || is("article", r.At(i).Low) && r.At(i).Low != "the" && !house || end == from || !r.Ends(end) || english.IsPlural(r.At(end-1).Low) || r.project != nil || len(r.things)+len(r.group)+len(r.pending) == 0 {
		return 0
	}
	r.context = append(r.context, r.Words(from, end-from))
	return end
}

// openThings begins a list of things; of a site, what it is about.
func (r *reader) openThings(low string) {
	r.flush()
	r.list++
	r.loose = low == "for" && r.Kind == project.Command
	switch {
	case r.site && r.project != nil && r.slot == inFields, !r.site && (r.slot == inRemoved || r.slot == inIgnored && low == "for"):
	case !r.site && r.slot == inFields && strings.HasSuffix(low, " of"):
		r.about.Kind = kindStrings
	case !r.site && r.project != nil && !english.HasSuffix(low, "for", "of", "on", "are"):
		r.expect(inAdded)
	case r.site && !is("about-page", low): // a blog that i can edit
		r.unknown = append(r.unknown, low)
	default:
		r.slot = inThings
	}
}

// openFields begins a list of fields; of a site, of its sections.
func (r *reader) openFields(low string, i int) {
	switch {
	case r.site && is("section-end", low) && len(r.group) > 0:
		r.flush()
	case r.slot == inFields && !r.site && strings.HasPrefix(low, "with") && len(r.group) > 0 && fieldOnly(lastOf(r.group)) && is("deniable", r.ClassAt(i+len(strings.Fields(low)))): // "title, year with paging"
		r.flush()
		r.slot = nowhere
	case english.HasSuffix(low, "their", "its") && r.current != nil && !r.site && r.project == nil && (r.At(i+3).Low == "(" || r.At(i+3).Low == ":"): // customers and their orders (date, total)
		r.flush()
		r.slot = inChildren
	case r.slot == inAdded && is("field-noun", low) && !r.site:
		r.flush()
		for k := range r.pending {
			r.pending[k].field = true
		}
	case r.slot == inFields && !r.site && low == "with" && len(r.group) > 0 && fieldOnly(lastOf(r.group)) && !english.IsPlural(lastOf(r.group)) && r.find(lastOf(r.group)) == nil: // a price with tax
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" with "+r.At(i+1).Low), nil
	default:
		related := (r.slot == inParents || r.slot == inChildren) && r.At(i-len(r.group)-2).Mark && is("determiner", r.At(i-len(r.group)-1).Low)
		if (r.slot == inFields || related) && len(r.group) > 0 && !r.site {
			r.addThing(r.group) // the list has ended, and another thing is told of
			r.group, r.about = nil, field{}
		}
		r.open()
	}
}

// relation reads to what the thing that was just named belongs, or has.
func (r *reader) relation(m meaning, i int) {
	before := r.At(i - len(r.group) - 1)
	anew := before.Mark && len(r.group) > 0 && english.IsPlural(lastOf(r.group)) || r.At(i-len(r.group)-2).Mark && is("article", before.Low) // "…, a question belongs to a survey"
	if words := r.group; len(words) > 0 && (anew || r.slot == inParents || r.slot == inChildren || r.find(lastOf(words)) != nil) {
		r.group = nil
		r.settle()
		r.addThing(words)
	}
	r.settle()
	if r.slot = inParents; m.Value != "" {
		r.slot = inChildren
	}
}
