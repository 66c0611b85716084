package template

import (
	"strings"
	"unicode"
)

// slot is what the next word that nobody knows would be the name of.
type slot int

const (
	nowhere   slot = iota // nothing, unless what follows tells
	inThings              // what records are kept of; of a site, what it is about
	inFields              // fields of a thing; of a site, its sections
	inParents             // what a thing belongs to
	inChildren
	inPlace   // where what a site is about is
	inIgnored // something that is left out
	inAdded   // what a project gets
	inRemoved // what it loses
	inTarget  // to what it is added
)

// reader reads a request word by word. Unknown words are gathered in group until
// something ends them; what they name is told by the slot.
type reader struct {
	*reading
	site      bool
	slot      slot
	group     []string
	fieldKind string // of the field that is read, if the request says it
	pending   []item // names of which it is not known yet what they name
	current   *thing
	ofPlace   bool     // the list that is read is of what there is in a place
	list      int      // how many lists were begun
	outer     []reader // slots and places around the brackets that are read
}

// item is a name that waits for what it names.
type item struct {
	words []string
	kind  string
	field bool // it is called a field
}

func (r *reader) run() {
	for i := 0; i < len(r.tokens); {
		if r.tokens[i].mark {
			i = r.mark(i)
		} else {
			i += r.word(i)
		}
	}
	r.endSentence()
	r.untangle()
}

// word reads a phrase and gives the number of its words.
func (r *reader) word(i int) int {
	t := r.tokens[i]
	m, n := r.phrase(i)
	if _, k := longest(r.reading, i, tables["introduces"]); k > 0 && r.project == nil && r.Subject == "" && len(r.things)+len(r.group) == 0 && (r.site || r.at(i+1).low != "have") {
		if r.slot = inIgnored; r.site { // a service has no use for what its owner is
			r.slot = inThings
		}
		return k
	}
	if r.site {
		if n := r.siteName(i, m); n > 0 {
			return n
		}
	} else if t.quoted {
		return r.quoted(i)
	}
	_, k := longest(r.reading, i, tables["layout"])
	if next := r.at(i + max(k, 1)); r.site && (r.slot == nowhere || r.slot == inThings && r.at(i-1).mark) && r.Title+r.Subject != "" && (k > 0 || is("section", t.low)) && (next.mark || vocabulary[next.low].class == isJoin) {
		r.slot = inFields // a list of sections begins, and nothing says so
	}
	if r.site && k > 1 && (r.slot == inFields || r.slot == inRemoved) {
		r.group = append(r.group, strings.Fields(r.words(i, k))...)
		return k
	}
	if taken := r.limits(i); taken > 0 {
		return taken
	}
	if kind, k := longest(r.reading, i, tables["type"]); k > 1 && r.slot == inFields && len(r.group) > 0 && (kind == kindBoolean || kind == kindStrings) {
		r.fieldKind = kind // "sold yes/no"
		return k
	}
	if number := strings.ContainsFunc(t.low, unicode.IsDigit) && notFieldName(t.low); m.class == "" && (number || mailLike.MatchString(t.low)) {
		if r.site && is("fill-in", strings.Join(r.group, " ")) {
			r.group = nil
		}
		r.flush()
		switch {
		case r.site && number:
			r.leave(t.low, "numbers and dates are yours to fill in")
		case r.site:
			r.Email = t.low
		default:
			r.unknown = append(r.unknown, t.text)
		}
		return 1
	}
	if r.Kind == kindCommand && len(r.Operations) > 0 && m.class != isOperation && m.class != isLanguage {
		if _, k := longest(r.reading, i, tables["around"]); k > 0 {
			r.flush()
			return k
		}
	}
	if r.site && r.slot == inThings && m.class == isHeart && is("advertised", m.value) {
		r.group = append(r.group, strings.Fields(r.words(i, n))...)
		return n
	}
	if m.class == "" || n == 1 && r.isName(i, m) {
		r.group = append(r.group, t.low)
		return 1
	}
	return r.known(m, i, n)
}

// quoted reads what stands in quotes: a thing where one is expected, or else the project's name.
func (r *reader) quoted(i int) int {
	t := r.tokens[i]
	before := vocabulary[r.at(i-1).low].class
	if (r.slot == inThings || before == isContainer) && len(r.group) == 0 && !notIdentifier(t.low) && before != isNamed {
		r.addThing([]string{t.low})
		r.slot = nowhere
		return 1
	}
	r.flush()
	r.Title = cleanTitle(t.text)
	return 1
}

// known acts on a phrase that has a meaning.
func (r *reader) known(m meaning, i, n int) int {
	low, denied := r.words(i, n), r.slot == inRemoved
	next := r.at(i + n)
	ends := next.mark || vocabulary[next.low].class == isJoin || next.low == kindDate
	if ends && r.slot == inFields && !r.site && (len(r.group) > 0 && is("particle", low) || m.class == isRelation) { // "valid from", "assigned to"
		r.group = append(r.group, strings.Fields(low)...)
		return n
	}
	switch m.class {
	case isStop:
		r.stop(low, i)
	case isJoin:
		if !r.site || r.slot != inThings || low != "&" {
			r.flush()
		}
	case isContainer, isKind:
		r.container(m, low, i+n)
	case opensThings:
		r.openThings(low)
	case opensFields:
		r.openFields(low)
	case opensPlace:
		if r.flush(); r.site {
			r.slot = inPlace
		} else if r.slot != inIgnored && r.slot != inRemoved {
			r.slot = nowhere
		}
	case isRelation:
		if r.relation(m, i); next.mark {
			r.unknown = append(r.unknown, low)
		}
	case isDenial:
		r.flush()
		taken := r.deny(i + n)
		if taken == 0 {
			r.unknown = append(r.unknown, low)
		}
		return n + taken
	case isAdding, isRemoving, isRenaming, isTo:
		return r.change(m, i, n)
	case isOperation:
		if r.flush(); r.Kind != kindCommand {
			r.cannot(low, "a command-line tool")
		}
	case isNamed:
		return r.named(m, i, n)
	default:
		r.flush()
		if r.site && is("serverless", string(m.class)) {
			// What a page has no place for is not left out silently.
			if m.value != langTypeScript {
				r.cannot(low, "a site has no server of its own")
			}
			return n
		}
		if k := r.after(i+n, ":", "is"); is("deniable", string(m.class)) && (is("nothing", r.at(k).low) || r.at(k).low == "no" && r.at(k+1).mark) { // "auth: none"
			r.option(m, i, n, true)
			return k + 1 - i
		}
		taken := r.option(m, i, n, denied)
		if taken == 0 {
			r.group = append(r.group, r.tokens[i].low)
			return 1
		}
		if m.class == isDetail && (is("goes-on", next.low) || hasSuffix(low, " by", " to")) {
			r.slot = inIgnored
		}
		if behind := r.at(i + n + 1); m.class == isGiven && (next.low == "with" || next.low == "for" && r.project != nil) && !behind.mark && vocabulary[behind.low].class == "" { // "tests with pytest"
			r.slot = nowhere
			return taken + 1
		}
		if next.low == ":" && taken == n && (is("label", low) || m.class == isGiven) { // "auth: yes", "db: file"
			r.slot = nowhere
			return r.after(i+n+1, "yes", "true", "on", "required", "enabled") - i
		}
		if denied && !r.site && m.class != isGiven && m.class != isDetail && m.class != isHeart {
			r.removed = append(r.removed, "")
		}
		return taken
	}
	return n
}

// stop reads a word that says nothing: it ends a name, unless it is part of one.
func (r *reader) stop(low string, i int) {
	next := r.at(i + 1)
	switch {
	case strings.HasSuffix(low, " can") && !r.site: // what they can is told next, and has to be known
		r.expect(nowhere)
	case low == "whether" && r.slot == inFields:
		r.flush()
		r.fieldKind = kindBoolean
	case r.fieldKind == kindBoolean && is("copula", low) && (low != "it" || len(r.group) == 0): // whether the order is paid
		r.group = nil
	case len(r.group) == 0:
		if before := r.at(i - 1).low; (low == "need" || low == "needs") && r.current != nil && !r.site && before != "i" && before != "we" {
			r.slot = inFields
		} else if (r.slot == inThings || !r.site && (r.slot == inFields || r.slot == inAdded)) && is("breaks-list", low) {
			r.expect(nowhere)
		} else if r.site && low == "of" && r.slot == nowhere && r.Subject == "" {
			r.slot = inThings
		}
	case r.site:
		if r.slot == inThings {
			r.flush()
			r.slot = nowhere
		}
	case low == "of" && r.slot == inThings && is("collective", singular(lastOf(r.group))):
		r.group = nil
	case low == "of" && (r.slot == inFields || r.slot == inThings), low == "per" && r.slot == inFields:
		r.group = append(r.group, low)
	case (low == "is" || low == "are") && (r.slot == nowhere || r.slot == inThings):
		if m, _ := r.phrase(r.after(i+1, "a", "an", "the")); m.class == "" { // what it is would be a thing of its own
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+low)
		}
		r.flush()
		r.slot = nowhere
	case is("unit", low) && r.slot == inFields:
		r.fieldKind = kindNumber
		r.flush()
	case low == "by" && r.slot == inThings && !next.mark:
		r.flush()
		r.leave("by "+next.low, "grouping and selecting")
		r.slot = inIgnored
	case (low == "need" || low == "needs") && r.slot != inFields:
		r.openFields(low)
	case is("object", low): // "link them"
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low), nil
	case r.slot != nowhere:
		if r.flush(); r.slot == inThings || is("breaks-list", low) {
			r.slot = nowhere
		}
	}
}

// container reads a kind of project, or what holds things: the names before it say of what.
func (r *reader) container(m meaning, low string, next int) {
	switch {
	case r.site && m.class == isKind:
		r.page(low)
	case r.site && r.slot == inThings:
		r.group = append(r.group, strings.Fields(low)...)
	case !r.site:
		alone, list := len(r.group) == 0, r.list
		if m.class == isKind {
			r.list = -1
		}
		r.settle()
		r.list = list
		if m.class == isKind && (r.slot == inThings || r.slot == inFields || r.slot == inIgnored) {
			r.slot = nowhere
		}
		if m.class == isContainer && alone && (r.at(next).low == ":" || low == "list" && vocabulary[r.at(next-2).low].class == isJoin) {
			r.current, r.slot = nil, inThings
		}
	}
}

// openThings begins a list of things; of a site, what it is about.
func (r *reader) openThings(low string) {
	r.flush()
	r.list++
	switch {
	case r.site && r.project != nil && r.slot == inFields, !r.site && (r.slot == inRemoved || r.slot == inIgnored && low == "for"):
	case !r.site && r.slot == inFields && strings.HasSuffix(low, " of"):
		r.fieldKind = kindStrings
	case !r.site && r.project != nil && !hasSuffix(low, "for", "of", "on", "are"):
		r.expect(inAdded)
	default:
		r.slot = inThings
	}
}

// openFields begins a list of fields; of a site, of its sections.
func (r *reader) openFields(low string) {
	switch {
	case r.site && is("section-end", low) && len(r.group) > 0:
		r.flush()
	case r.slot == inAdded && is("field-noun", low) && !r.site:
		r.flush()
		for k := range r.pending {
			r.pending[k].field = true
		}
	default:
		if r.slot == inFields && len(r.group) > 0 && !r.site {
			r.addThing(r.group) // the list has ended, and another thing is told of
			r.group, r.fieldKind = nil, ""
		}
		r.open()
	}
}

// relation reads to what the thing that was just named belongs, or has.
func (r *reader) relation(m meaning, i int) {
	anew := r.at(i-len(r.group)-2).mark && is("article", r.at(i-len(r.group)-1).low) // "…, a question belongs to a survey"
	if words := r.group; len(words) > 0 && (anew || r.slot == inParents || r.slot == inChildren || r.find(lastOf(words)) != nil) {
		r.group = nil
		r.addThing(words)
	}
	r.settle()
	if r.slot = inParents; m.value != "" {
		r.slot = inChildren
	}
}
