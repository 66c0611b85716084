package template

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/engine/template/project"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/values"
	"github.com/bundle-delivery/svc/internal/words"
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
	site    bool
	slot    slot
	group   []string
	about   field  // what the request says of the field that is read
	pending []item // names of which it is not known yet what they name
	current *thing
	ofPlace bool     // the list that is read is of what there is in a place
	list    int      // how many lists were begun
	loose   bool     // the list was begun by "for"
	short   bool     // the list of fields was begun by the name of a thing
	outer   []reader // slots and places around the brackets that are read
	nested  *thing   // was told of with its fields in brackets
	skip    int      // what stands before this place is read
}

// camelCase finds where a word of a name ends.
var camelCase = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// item is a name that waits for what it names.
type item struct {
	words []string
	about field
	field bool // it is called a field
}

func (r *reader) run() {
	for i := 0; i < len(r.Tokens); {
		if r.Tokens[i].Mark {
			i = r.mark(i)
		} else {
			i = max(i+r.word(i), r.skip)
		}
	}
	r.expect(nowhere)
	r.untangle()
	r.account()
}

// word reads a phrase and gives the number of its words.
func (r *reader) word(i int) int {
	if n := r.toolWord(i); n > 0 {
		return n
	}
	if n := r.Aside(i, r.Auth != ""); n > 0 && r.project == nil && (!r.site || is("reason", r.At(i).Low)) {
		r.flush()
		return n
	}
	t := r.Tokens[i]
	m, n := r.Phrase(i)
	if n := r.pageWord(i, m, n); n > 0 {
		return n
	}
	if t.Quoted {
		return r.quoted(i)
	}
	if is("declares", t.Low) && plaintext.IsCapital(r.At(i+1).Text) && (r.At(i+2).Low == "(" || r.At(i+2).Low == ":") { // interface Task {
		return 1
	}
	if k := r.Length(i, "type"); r.slot == inThings && !r.site && r.current != nil && len(r.group) > 0 && (k > 1 || is("modal", t.Low)) && fieldOnly(lastOf(r.group)) {
		r.slot = inFields // "expenses, amount must be positive"
	}
	if taken := r.fieldWord(i); taken > 0 {
		return taken
	}
	if number := strings.ContainsFunc(t.Low, unicode.IsDigit) && project.NotFieldName(t.Low); m.Class == "" && !r.site && (number || words.MailLike.MatchString(t.Low)) {
		return r.number(i)
	}
	if strings.Contains(t.Low, "/") && m.Class == "" && !words.PathLike.MatchString(t.Low) {
		if r.site || len(r.group) == 0 || r.slot != inFields && !(r.slot == inThings && fieldOnly(lastOf(r.group))) {
			r.flush()
			r.unknown = append(r.unknown, t.Text)
		} else {
			r.about.Choices = values.Choices(r.Text, i, i+1)
		}
		return 1
	}
	if m.Class == "" || n == 1 && r.isName(i, m) {
		if r.slot != inIgnored {
			r.names = append(r.names, strings.Fields(t.Low)...)
		}
		if r.site && r.slot == inFields {
			if len(r.group) > 0 && t.Capital && !plaintext.IsCapital(r.At(i-1).Text) { // "cv of Leila"
				r.unknown = append(r.unknown, t.Text)
			}
			r.group = append(r.group, strings.Fields(t.Low)...)
			return 1
		}
		if r.group = append(r.group, t.Low); !r.site && camelCase.MatchString(t.Text) && !is("has", t.Low) {
			r.group[len(r.group)-1] = strings.ToLower(camelCase.ReplaceAllString(t.Text, "${1}_$2"))
		}
		return 1
	}
	return r.known(m, i, n)
}

// fieldWord reads what begins, ends or describes a field.
func (r *reader) fieldWord(i int) int {
	t := r.Tokens[i]
	if taken := r.limits(i); taken > 0 || r.site {
		return taken
	}
	if t.Low == "name" && r.slot == inFields && r.rule(i+1, &field{}) > 0 { // "name is required" tells no name
		r.group = append(r.group, t.Low)
		return 1
	}
	if k := max(r.Length(i, "field"), r.Length(i, "also-field")); k > 1 && r.slot == inFields && len(r.group) == 0 && r.Ends(i-1) && r.Ends(i+k) { // in service
		r.group = strings.Fields(r.Words(i, k))
		return k
	}
	if kind, k := r.Longest(i, "type"); (k > 1 || strings.Contains(t.Low, "/")) && r.slot == inFields {
		switch {
		case len(r.group) > 0 && (kind == kindBoolean || kind == kindStrings || t.Low == "in" || t.Low == "as" || strings.Contains(t.Low, "/")):
			r.about.Kind = kind // "sold yes/no"
			return k
		case len(r.group) == 0 && kind == kindTime && r.Ends(i+k): // "date and time" alone is a field
			r.group, r.about.Kind = strings.Fields(r.Words(i, k)), kind
			return k
		}
	}
	if plural := len(r.group) > 0 && english.IsPlural(lastOf(r.group)); r.slot == inThings && plural && fieldOnly(t.Low) && r.Ends(i+1) && r.project == nil {
		r.flush() // "groceries name, price"
		r.slot = inFields
	}
	if other := r.find(t.Low); r.short && r.slot == inFields && len(r.group) == 0 && other != nil && other != r.current && len(other.fields) == 0 && is("field", r.At(i+1).Low) {
		r.current = other // "customer name, order total"
		return 1
	}
	return 0
}

// number reads a number that is no part of a field: how many records a list gives at once, or something unknown.
func (r *reader) number(i int) int {
	t := r.Tokens[i]
	r.flush()
	switch next, k := r.Phrase(i + 1); {
	case r.slot == inIgnored: // it belongs to what is left out
		r.group = append(r.group, t.Low)
	case next.Class == isPageSize: // 100 per page
		r.PageSize, _ = strconv.Atoi(t.Low)
		return k + 1
	case next.Class == isDetail:
		r.leave(t.Low+" "+r.Words(i+1, k), next.Value)
		return k + 1
	case len(r.Operations) > 0 && !r.At(i-1).Mark:
		r.leave(r.Words(i-1, 2), "what the tool is told where it is called")
	default:
		r.unknown = append(r.unknown, t.Text)
	}
	return 1
}

// quoted reads what stands in quotes: a thing where one is expected, or else the project's name.
func (r *reader) quoted(i int) int {
	t := r.Tokens[i]
	before := vocabulary[r.At(i-1).Low].Class
	if (r.slot == inThings || before == isContainer) && len(r.group) == 0 && !project.NotFieldName(strings.ReplaceAll(t.Low, " ", "_")) {
		r.addThing(strings.Fields(t.Low))
		r.slot = nowhere
		return 1
	}
	r.flush()
	r.Title = plaintext.Title(t.Text)
	return 1
}

// known acts on a phrase that has a meaning.
func (r *reader) known(m meaning, i, n int) int {
	low, denied := r.Words(i, n), r.slot == inRemoved
	next := r.At(i + n)
	ends := r.Ends(i+n) || next.Low == kindDate || next.Low == "is" || next.Low == "must"
	typed := r.Length(i+n+1, "type")
	begins := len(r.group) == 0 && tables["particle"][low] == "" && r.Ends(i-1) && (r.Ends(i+n+1) || typed > 1) && !next.Mark && !next.Capital && (vocabulary[next.Low].Class == "" || vocabulary[next.Low].Value == "filler" || low == "is" || typed > 1 && is("also-name", next.Low))
	alone := len(r.group) == 0 && r.Ends(i+n) && (r.Ends(i-1) || vocabulary[r.At(i-1).Low].Class == opensFields) // "from, to"
	inside := len(r.group) > 0 && low != "is" && m.Class == isStop && !next.Mark && vocabulary[next.Low].Class == ""
	if low == "no" && r.slot == inFields && len(r.group) > 0 && r.Ends(i+1) { // serial no
		r.group = append(r.group, low)
		return n
	}
	if several := len(r.group) > 0 && english.IsPlural(lastOf(r.group)); r.slot == inFields && !r.site && (low != "with" || !several) && (alone && n == 1 && m.Class == isStop && !is("courtesy", low) && !strings.HasSuffix(low, "ly") || is("particle", low) && (alone && tables["particle"][low] != "number" || begins || inside || ends && len(r.group) > 0) || ends && m.Class == isRelation) { // "on display", "valid from", "assigned to"
		r.group = append(r.group, strings.Fields(low)...)
		return n
	}
	switch m.Class {
	case isStop:
		r.stop(low, i)
	case isJoin:
		if low == "or" && r.slot == inFields && !r.site && len(r.group) > 0 && !next.Mark && vocabulary[next.Low].Class == "" { // which of both?
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" or "+next.Low)
		}
		if !r.site || r.slot != inThings || low != "&" {
			r.flush()
		}
	case isContainer, isKind:
		r.container(m, low, i+n)
	case opensThings:
		if low == "for" && r.slot == inThings && len(r.group) > 0 && !r.site && english.IsPlural(lastOf(r.group)) && english.IsPlural(next.Low) && r.At(i+2).Mark { // inspection reports for elevators:
			r.leave("for "+next.Low, "what records are for")
			return 2
		}
		if end := r.surroundings(i + n); low == "for" && r.slot == inThings && len(r.group) > 0 && !r.site && end > 0 {
			r.flush() // votes for the class president
			return end - i
		}
		r.openThings(low)
	case opensFields:
		r.openFields(low, i)
	case opensPlace:
		if r.slot == inFields && len(r.group) > 0 && !r.site && !next.Mark && r.project == nil && r.ClassAt(r.After(i+n, "a", "an", "the", "my", "our")) == "" { // a date in the future
			r.limit(r.Words(i, r.EndOf(i)-i))
			return r.EndOf(i) - i
		}
		if r.flush(); r.site {
			return r.place(i, n)
		} else if k := r.After(i+n, "the", "my", "our", "each", "all"); r.slot == inRemoved && r.current != nil && r.find(r.At(k).Low) == r.current {
			return k + 1 - i
		} else if end := r.surroundings(i + n); end > 0 {
			r.slot = nowhere
			return end - i
		} else if r.slot != inIgnored && r.slot != inRemoved {
			r.slot = nowhere
		}
	case isRelation:
		if r.relation(m, i); next.Mark {
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
	case isPageSize: // pages of 10
		at := r.After(i+n, ":", "is", "of")
		r.flush()
		if size, err := strconv.Atoi(r.At(at).Low); err == nil {
			r.PageSize = size
			return at + 1 - i
		}
		r.leave(low, "a page size of its own")
	case isOperation:
		if r.flush(); r.Kind != project.Command {
			r.cannot(low, "a command-line tool")
		}
	case isNamed:
		return r.named(m, i, n)
	default:
		if taken := r.beside(m, i, n); taken > 0 {
			return taken
		}
		r.flush()
		if r.site && is("serverless", m.Class) {
			// What a page has no place for is not left out silently.
			if m.Value != project.TypeScript {
				r.cannot(low, "a site has no server of its own")
			}
			return n
		}
		k := r.After(i+n, ":", "is")
		if no := r.Length(k, "nothing"); is("deniable", m.Class) && (no > 0 || r.At(k).Low == "no" && r.At(k+1).Mark) { // "auth: none"
			r.option(m, i, n, true)
			return k + max(no, 1) - i
		}
		taken := r.option(m, i, n, denied)
		if taken == 0 {
			r.group = append(r.group, r.Tokens[i].Low)
			return 1
		}
		if r.slot == inFields && !r.site && vocabulary[r.At(i-1).Low].Class == opensFields && m.Class != isDetail { // "with token and pages" is no list of fields
			r.slot = nowhere
		}
		if m.Class == isDetail && (is("goes-on", next.Low) || !r.site && is("determiner", next.Low) || english.HasSuffix(low, " by", " to") || strings.Trim(next.Low, "0123456789") != next.Low) {
			r.slot = inIgnored
		}
		if behind := r.At(i + n + 1); m.Class == isGiven && (next.Low == "with" || next.Low == "for" && r.project != nil) && !behind.Mark && vocabulary[behind.Low].Class == "" { // "tests with pytest"
			r.slot = nowhere
			return taken + 1
		}
		if next.Low == ":" && taken == n && (is("label", low) || m.Class == isGiven) { // "auth: yes", "db: file"
			r.slot = nowhere
			return r.After(i+n+1, "yes", "true", "on", "required", "enabled") - i
		}
		if denied && !r.site && m.Class != isGiven && m.Class != isDetail && m.Class != isHeart {
			r.removed = append(r.removed, "")
		}
		return taken
	}
	return n
}

// beside reads a detail with the words around it: contact form submissions are things, file attachments no field.
func (r *reader) beside(m meaning, i, n int) int {
	what, behind := r.Words(i, n), vocabulary[r.At(i+n).Low].Class
	open := !r.At(i+n).Mark && behind == ""
	describes := m.Class == isGiven && is("in-name", r.At(i+n).Low) || (m.Class == isDetail && !is("done-to", m.Value) || m.Value == "a game") && (open || behind == isContainer)
	switch {
	case r.site || r.slot != inFields && r.slot != inAdded && r.slot != inThings:
		return 0
	case r.slot == inFields && strings.Join(r.group, " ") == "last" && r.Ends(i+n): // last tested
		r.group = append(r.group, what)
		return n
	case r.slot == inFields && len(r.group) > 0 && r.At(i+n).Low == "(", r.slot == inThings && len(r.group) > 0 && m.Class == isDetail && english.IsPlural(what) && behind == opensThings, r.slot == inThings && (describes || (m.Class == isGiven || m.Class == isDetail) && len(r.things) == 0 && (r.At(i+n).Low == ":" || r.At(i+n).Low == "(" || behind == opensFields)):
		r.group = append(r.group, strings.Fields(what)...)
		return n
	case m.Class != isGiven && m.Class != isDetail || r.slot == inThings || !open && (len(r.group) == 0 || english.IsPlural(lastOf(r.group))):
		return 0
	case open:
		n++
	}
	if m.Class == isGiven {
		m.Value = "in a way of its own"
	}
	r.leave(strings.TrimSpace(strings.Join(r.group, " ")+" "+r.Words(i, n)), m.Value)
	r.group = nil
	return n
}

// stop reads a word that says nothing: it ends a name, unless it is part of one.
func (r *reader) stop(low string, i int) {
	next := r.At(i + 1)
	switch {
	case r.site && low == "at" && next.Capital && r.Place == "":
		r.flush()
		r.slot = inPlace
	case r.Kind == project.Command && is("subject", low) && r.slot == inThings && len(r.group) > 0 && english.IsPlural(lastOf(r.group)) && (r.ClassAt(i+1) == "" || next.Low == "have" && r.ClassAt(i+2) == ""): // the books I lent to friends
		for r.skip = i + 2; !r.Ends(r.skip) && (r.ClassAt(r.skip) == "" || r.ClassAt(r.skip) == isTo || r.ClassAt(r.skip) == isStop); r.skip++ {
		}
	case !r.site && is("subject", low) && !next.Mark && vocabulary[next.Low].Class == "": // "what I eat"
		r.unknown = append(r.unknown, low+" "+next.Low)
	case !r.site && is("relative", low) && r.slot == inThings && len(r.group) > 0 && !next.Mark && vocabulary[next.Low].Class == "": // timers that count down
		r.unknown = append(r.unknown, next.Low)
	case r.slot == inFields && len(r.group) > 0 && !r.site && r.Length(i, "condition") > 0 && !r.Ends(i+1): // an end after the start
		if is("object", r.At(r.EndOf(i)-1).Low) { // transfer money between them
			r.unknown = append(r.unknown, strings.Join(r.group, " "))
		}
		r.limit(r.Words(i, r.EndOf(i)-i))
		r.skip = r.EndOf(i)
	case !r.site && (r.slot == inFields || r.slot == inThings) && is("yields", low), low == "per" && r.slot == inThings:
		r.unknown, r.group = append(r.unknown, strings.TrimSpace(strings.Join(r.group, " ")+" "+low+" "+next.Low)), nil
	case r.project != nil && is("alters", low) && !r.site:
		if to := r.At(r.After(i+1, "the", "a", "my", "our", "its")); vocabulary[to.Low].Class == "" {
			r.unknown = append(r.unknown, low+" "+to.Low)
		}
	case low == "can" && !r.site && r.slot == nowhere && r.ClassAt(i+1) == opensThings: // "so our choir can track"
		r.context, r.group = append(r.context, r.group...), nil
	case strings.HasSuffix(low, " can") && !r.site: // what they can is told next, and has to be known
		r.expect(nowhere)
	case low == "whether" && r.slot == inFields:
		r.flush()
		r.about.Kind = kindBoolean
	case r.about.Kind == kindBoolean && is("copula", low) && (low != "it" || len(r.group) == 0): // whether the order is paid, whether snacks are included
		if len(r.group) > 0 && r.find(lastOf(r.group)) != nil {
			r.context, r.group = append(r.context, r.group...), nil
		}
	case len(r.group) == 0:
		if before := r.At(i - 1).Low; (low == "need" || low == "needs") && r.current != nil && !r.site && before != "i" && before != "we" {
			r.slot = inFields
		} else if (r.slot == inThings || !r.site && (r.slot == inFields || r.slot == inAdded)) && is("breaks-list", low) {
			r.expect(nowhere)
		} else if r.site && low == "of" && r.slot == nowhere && r.Subject == "" {
			r.slot = inThings
		}
	case r.site && low == "of" && r.slot == inThings && next.Capital && !plaintext.IsCapital(r.At(i+2).Text) && !is("title-of-person", next.Low): // the history of Rome
		r.unknown = append(r.unknown, strings.Join(r.group, " ")+" of "+next.Text)
	case r.site && r.slot == nowhere && (low == "is" || low == "are") && !is("fill-in", strings.Join(r.group, " ")): // "the chair is Ann": nothing says where
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low), nil
	case r.site:
		if inside := r.slot == inFields && (is("inside-section", low) || is("object", low)) || r.slot == inThings && low == "of" && !next.Mark && !next.Capital && vocabulary[next.Low].Class == ""; r.slot == inThings && !inside {
			r.flush()
			r.slot = nowhere
		} else if inside {
			r.group = append(r.group, low)
		}
	case low == "of" && r.slot == inThings && is("collective", english.Singular(lastOf(r.group))):
		r.group = nil
	case low == "of" && r.slot == inThings && is("whose", next.Low) && r.At(r.EndOf(i)).Mark && r.find(r.At(i+2).Low) == nil: // the meter readings of our apartments
		r.context = append(r.context, r.Words(i, r.EndOf(i)-i))
		r.skip = r.EndOf(i)
	case low == "of" && r.slot == inThings && r.find(r.At(r.After(i+1, "a", "an", "the", "each", "my", "our")).Low) != nil: // invoices of the clients
		r.flush()
		r.slot = inParents
	case lastOf(r.group) == "of": // the cost of the trip
	case low == "of" && (r.slot == inFields || r.slot == inThings || r.slot == inAdded), low == "per" && r.slot == inFields:
		r.group = append(r.group, low)
	case !r.site && r.slot != inIgnored && r.slot != inRemoved && is("determiner", low) && slices.ContainsFunc(r.group, func(w string) bool { return !is("field", w) }): // a verb stood before it: "a player joins a team"
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low+" "+next.Low), nil
	case (low == "is" || low == "are") && (r.slot == nowhere || r.slot == inThings):
		if m, _ := r.Phrase(r.After(i+1, "a", "an", "the")); m.Class == "" { // what it is would be a thing of its own
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+low)
		}
		r.flush()
		r.slot = nowhere
	case low == "by" && r.slot == inThings && !next.Mark:
		r.flush()
		r.leave("by "+next.Low, "grouping and selecting")
		r.slot = inIgnored
	case (low == "need" || low == "needs") && r.slot != inFields:
		r.openFields(low, i)
	case is("object", low): // "link them"
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low), nil
	case r.slot != nowhere:
		if r.flush(); r.slot == inThings || is("breaks-list", low) {
			r.slot = nowhere
		}
	}
}
