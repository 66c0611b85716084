package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
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
	about     field // what the request says of the field that is read
	pending   []item // names of which it is not known yet what they name
	current   *thing
	ofPlace   bool     // the list that is read is of what there is in a place
	list      int      // how many lists were begun
	loose     bool     // the list was begun by "for"
	short     bool     // the list of fields was begun by the name of a thing
	outer     []reader // slots and places around the brackets that are read
	nested    *thing   // was told of with its fields in brackets
	skip      int      // what stands before this place is read
}

// item is a name that waits for what it names.
type item struct {
	words []string
	about field
	field bool // it is called a field
}

func (r *reader) run() {
	for i := 0; i < len(r.tokens); {
		if r.tokens[i].mark {
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
	if n := r.background(i); n > 0 {
		return n
	}
	t := r.tokens[i]
	m, n := r.phrase(i)
	if _, k := longest(r.reading, i, tables["introduces"]); k > 0 && r.project == nil && r.Subject == "" && len(r.things)+len(r.group) == 0 && (r.site || r.at(i+1).low != "have") {
		if r.slot = inIgnored; r.site { // a service has no use for what its owner is
			r.slot = inThings
		}
		return k
	}
	if _, k := longest(r.reading, i, tables["offers"]); r.site && k > 0 && r.Title+r.Subject != "" {
		r.flush()
		r.slot = inFields
		return k
	}
	if r.site {
		if n := r.siteName(i, m); n > 0 {
			return n
		}
	} else if t.quoted {
		return r.quoted(i)
	}
	k := max(r.longestName(i, "layout"), r.longestName(i, "section"))
	listed := (k > 0 || is("section", t.low)) && (r.ends(i+max(k, 1)) || r.isFigure(i+max(k, 1))) || m.Class == "" && r.at(i-1).low == "." && r.at(i+1).low == "," && !r.at(i+2).capital
	if r.site && (r.slot == nowhere || r.slot == inThings && r.at(i-1).mark) && r.Title+r.Subject != "" && listed {
		r.slot = inFields // a list of sections begins, and nothing says so
	}
	if r.site && k > 1 && (r.slot == inFields || r.slot == inRemoved) {
		r.group = append(r.group, strings.Fields(r.words(i, k))...)
		return k
	}
	if _, k := longest(r.reading, i, tables["type"]); r.slot == inThings && !r.site && r.current != nil && len(r.group) > 0 && (k > 1 || is("modal", t.low)) && fieldOnly(lastOf(r.group)) {
		r.slot = inFields // "expenses, amount must be positive"
	}
	if taken := max(r.limits(i), r.figures(i)); taken > 0 {
		return taken
	}
	if k := max(r.longestName(i, "field"), r.longestName(i, "also-field")); k > 1 && !r.site && r.slot == inFields && len(r.group) == 0 && r.ends(i-1) && r.ends(i+k) { // in service
		r.group = strings.Fields(r.words(i, k))
		return k
	}
	if kind, k := longest(r.reading, i, tables["type"]); (k > 1 || strings.Contains(t.low, "/")) && r.slot == inFields && !r.site {
		switch {
		case len(r.group) > 0 && (kind == kindBoolean || kind == kindStrings || t.low == "in"):
			r.about.Kind = kind // "sold yes/no"
			return k
		case len(r.group) == 0 && kind == kindTime && r.ends(i+k): // "date and time" alone is a field
			r.group, r.about.Kind = strings.Fields(r.words(i, k)), kind
			return k
		}
	}
	if plural := len(r.group) > 0 && english.IsPlural(lastOf(r.group)); !r.site && r.slot == inThings && plural && fieldOnly(t.low) && r.ends(i+1) && r.project == nil {
		r.flush() // "groceries name, price"
		r.slot = inFields
	}
	if other := r.find(t.low); r.short && r.slot == inFields && len(r.group) == 0 && other != nil && other != r.current && len(other.fields) == 0 && is("field", r.at(i+1).low) {
		r.current = other // "customer name, order total"
		return 1
	}
	told := r.site && is("fill-in", strings.Join(r.group, " ")) && t.capital // "our address Main Street"
	if number := strings.ContainsFunc(t.low, unicode.IsDigit) && notFieldName(t.low) && !r.site; m.Class == "" && (number || told || mailLike.MatchString(t.low)) {
		if n := len(r.group); n > 1 && is("inside-section", r.group[n-1]) { // contact us at
			r.group = r.group[:n-1]
		}
		if what := strings.Join(r.group, " "); r.site && is("fill-in", what) {
			r.context, r.group = append(r.context, what), nil
		}
		r.flush()
		switch next, k := r.phrase(i + 1); {
		case told:
			r.leave(lastOf(r.context), "yours to fill in")
			r.slot = inIgnored
		case r.site:
			r.Email = t.low
		case r.slot == inIgnored: // it belongs to what is left out
			r.group = append(r.group, t.low)
		case next.Class == isPageSize: // 100 per page
			r.PageSize, _ = strconv.Atoi(t.low)
			return k + 1
		case next.Class == isDetail:
			r.leave(t.low+" "+r.words(i+1, k), next.Value)
			return k + 1
		default:
			r.unknown = append(r.unknown, t.text)
		}
		return 1
	}
	if r.Kind == kindCommand && len(r.Operations) > 0 && m.Class != isOperation && m.Class != isLanguage {
		if _, k := longest(r.reading, i, tables["around"]); k > 0 {
			r.flush()
			return k
		}
	}
	if r.site && r.slot == inThings && m.Class == isHeart && is("advertised", m.Value) {
		r.group = append(r.group, strings.Fields(r.words(i, n))...)
		return n
	}
	if strings.Contains(t.low, "/") && m.Class == "" && !pathLike.MatchString(t.low) {
		if r.site || len(r.group) == 0 || r.slot != inFields && !(r.slot == inThings && fieldOnly(lastOf(r.group))) {
			r.flush()
			r.unknown = append(r.unknown, t.text)
		} else {
			r.about.Choices = r.choices(i, i+1)
		}
		return 1
	}
	if m.Class == "" || n == 1 && r.isName(i, m) {
		if r.site && r.slot == inFields && len(r.group) > 0 && t.capital && !plaintext.IsCapital(r.at(i-1).text) { // "cv of Leila"
			r.unknown = append(r.unknown, t.text)
		}
		if r.slot != inIgnored {
			r.names = append(r.names, strings.Fields(t.low)...)
		}
		if r.site && r.slot == inFields {
			r.group = append(r.group, strings.Fields(t.low)...)
			return 1
		}
		if r.group = append(r.group, t.low); !r.site && camelCase.MatchString(t.text) && !is("has", t.low) {
			r.group[len(r.group)-1] = strings.ToLower(camelCase.ReplaceAllString(t.text, "${1}_$2"))
		}
		return 1
	}
	return r.known(m, i, n)
}

// account holds the reading to the words that it took for names: one that is told nowhere is not understood.
func (r *reader) account() {
	guessed := map[string][]string{}
	told := slices.Concat(r.context, strings.Split(strings.Join(r.Sections, "-"), "-"), r.unknown, r.hearts, r.Left, r.Sections, r.removed, r.given, []string{r.Title, r.Subject, r.Place, r.Email})
	for _, t := range r.things {
		told = append(told, t.singular, english.Plural(t.singular))
		for _, f := range t.fields {
			if told = append(told, f.Name); slices.Contains(r.guessed, f.Name) && !slices.Contains(guessed[f.In().Words], f.Name) {
				guessed[f.In().Words] = append(guessed[f.In().Words], f.Name)
			}
		}
	}
	all := squeezed(strings.ToLower(strings.Join(told, ",")))
	for _, word := range r.names {
		if !strings.Contains(all, squeezed(word)) && !strings.Contains(all, squeezed(english.Singular(word))) && !is("adjective", word) && !is("type", word) && !is("collective", english.Singular(word)) {
			r.unknown = append(r.unknown, word)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(guessed)) {
		r.leave("a kind for "+english.List(guessed[kind]), "none was told: "+kind)
	}
}

// quoted reads what stands in quotes: a thing where one is expected, or else the project's name.
func (r *reader) quoted(i int) int {
	t := r.tokens[i]
	before := vocabulary[r.at(i-1).low].Class
	if (r.slot == inThings || before == isContainer) && len(r.group) == 0 && !notFieldName(strings.ReplaceAll(t.low, " ", "_")) {
		r.addThing(strings.Fields(t.low))
		r.slot = nowhere
		return 1
	}
	r.flush()
	r.Title = plaintext.Title(t.text)
	return 1
}

// known acts on a phrase that has a meaning.
func (r *reader) known(m meaning, i, n int) int {
	low, denied := r.words(i, n), r.slot == inRemoved
	next := r.at(i + n)
	ends := r.ends(i+n) || next.low == kindDate
	_, typed := longest(r.reading, i+n+1, tables["type"])
	begins := len(r.group) == 0 && tables["particle"][low] == "" && r.ends(i-1) && (r.ends(i+n+1) || typed > 1) && !next.mark && !next.capital && (vocabulary[next.low].Class == "" || vocabulary[next.low].Value == "filler" || low == "is" || typed > 1 && is("also-name", next.low))
	alone := len(r.group) == 0 && r.ends(i+n) && (r.ends(i-1) || vocabulary[r.at(i-1).low].Class == opensFields) // "from, to"
	inside := len(r.group) > 0 && low != "is" && m.Class == isStop && !next.mark && vocabulary[next.low].Class == ""
	if r.slot == inFields && !r.site && (alone && n == 1 && m.Class == isStop && !is("courtesy", low) && !strings.HasSuffix(low, "ly") || is("particle", low) && (alone && tables["particle"][low] != "number" || begins || inside || ends && len(r.group) > 0) || ends && m.Class == isRelation) { // "on display", "valid from", "assigned to"
		r.group = append(r.group, strings.Fields(low)...)
		return n
	}
	switch m.Class {
	case isStop:
		r.stop(low, i)
	case isJoin:
		if low == "or" && r.slot == inFields && !r.site && len(r.group) > 0 && !next.mark && vocabulary[next.low].Class == "" { // which of both?
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" or "+next.low)
		}
		if !r.site || r.slot != inThings || low != "&" {
			r.flush()
		}
	case isContainer, isKind:
		r.container(m, low, i+n)
	case opensThings:
		if end := r.surroundings(i + n); low == "for" && r.slot == inThings && len(r.group) > 0 && !r.site && end > 0 {
			r.flush() // votes for the class president
			return end - i
		}
		r.openThings(low)
	case opensFields:
		r.openFields(low, i)
	case opensPlace:
		if r.slot == inFields && len(r.group) > 0 && !r.site && !next.mark && r.project == nil && r.classAt(r.after(i+n, "a", "an", "the", "my", "our")) == "" { // a date in the future
			r.limit(r.words(i, r.endOf(i)-i))
			return r.endOf(i) - i
		}
		if r.flush(); r.site {
			r.slot = inPlace
		} else if k := r.after(i+n, "the", "my", "our", "each", "all"); r.slot == inRemoved && r.current != nil && r.find(r.at(k).low) == r.current {
			return k + 1 - i
		} else if end := r.surroundings(i + n); end > 0 {
			r.slot = nowhere
			return end - i
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
	case isPageSize: // pages of 10
		size, err := strconv.Atoi(r.at(r.after(i+n, ":", "is", "of")).low)
		if r.flush(); err != nil {
			r.leave(low, "a page size of its own")
			return n
		}
		r.PageSize = size
		return r.after(i+n, ":", "is", "of") + 1 - i
	case isOperation:
		if r.flush(); r.Kind != kindCommand {
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
			if m.Value != langTypeScript {
				r.cannot(low, "a site has no server of its own")
			}
			return n
		}
		k := r.after(i+n, ":", "is")
		if _, no := longest(r.reading, k, tables["nothing"]); is("deniable", m.Class) && (no > 0 || r.at(k).low == "no" && r.at(k+1).mark) { // "auth: none"
			r.option(m, i, n, true)
			return k + max(no, 1) - i
		}
		taken := r.option(m, i, n, denied)
		if taken == 0 {
			r.group = append(r.group, r.tokens[i].low)
			return 1
		}
		if m.Class == isDetail && (is("goes-on", next.low) || english.HasSuffix(low, " by", " to") || strings.Trim(next.low, "0123456789") != next.low) {
			r.slot = inIgnored
		}
		if behind := r.at(i + n + 1); m.Class == isGiven && (next.low == "with" || next.low == "for" && r.project != nil) && !behind.mark && vocabulary[behind.low].Class == "" { // "tests with pytest"
			r.slot = nowhere
			return taken + 1
		}
		if next.low == ":" && taken == n && (is("label", low) || m.Class == isGiven) { // "auth: yes", "db: file"
			r.slot = nowhere
			return r.after(i+n+1, "yes", "true", "on", "required", "enabled") - i
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
	what, behind := r.words(i, n), vocabulary[r.at(i+n).low].Class
	open := !r.at(i+n).mark && behind == ""
	describes := (m.Class == isDetail && !is("done-to", m.Value) || m.Value == "a game") && (open || behind == isContainer)
	switch {
	case r.site || r.slot != inFields && r.slot != inAdded && r.slot != inThings:
		return 0
	case r.slot == inFields && len(r.group) > 0 && r.at(i+n).low == "(", r.slot == inThings && (describes || (m.Class == isGiven || m.Class == isDetail) && len(r.group)+len(r.things) == 0 && (r.at(i+n).low == ":" || r.at(i+n).low == "(" || behind == opensFields)):
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
	r.leave(strings.TrimSpace(strings.Join(r.group, " ")+" "+r.words(i, n)), m.Value)
	r.group = nil
	return n
}

// stop reads a word that says nothing: it ends a name, unless it is part of one.
func (r *reader) stop(low string, i int) {
	next := r.at(i + 1)
	tracks, _ := r.phrase(i + 1)
	switch {
	case r.site && low == "at" && next.capital && r.Place == "":
		r.flush()
		r.slot = inPlace
	case !r.site && is("subject", low) && !next.mark && vocabulary[next.low].Class == "": // "what I eat"
		r.unknown = append(r.unknown, low+" "+next.low)
	case !r.site && is("relative", low) && r.slot == inThings && len(r.group) > 0 && !next.mark && vocabulary[next.low].Class == "": // timers that count down
		r.unknown = append(r.unknown, next.low)
	case r.slot == inFields && len(r.group) > 0 && !r.site && r.longestName(i, "condition") > 0 && !r.ends(i+1): // an end after the start
		r.limit(r.words(i, r.endOf(i)-i))
		r.skip = r.endOf(i)
	case !r.site && (r.slot == inFields || r.slot == inThings) && is("yields", low), low == "per" && r.slot == inThings:
		r.unknown, r.group = append(r.unknown, strings.TrimSpace(strings.Join(r.group, " ")+" "+low+" "+next.low)), nil
	case r.project != nil && is("alters", low) && !r.site:
		if to := r.at(r.after(i+1, "the", "a", "my", "our", "its")); vocabulary[to.low].Class == "" {
			r.unknown = append(r.unknown, low+" "+to.low)
		}
	case low == "can" && !r.site && r.slot == nowhere && tracks.Class == opensThings: // "so our choir can track"
		r.context, r.group = append(r.context, r.group...), nil
	case strings.HasSuffix(low, " can") && !r.site: // what they can is told next, and has to be known
		r.expect(nowhere)
	case low == "whether" && r.slot == inFields:
		r.flush()
		r.about.Kind = kindBoolean
	case r.about.Kind == kindBoolean && is("copula", low) && (low != "it" || len(r.group) == 0): // whether the order is paid
		r.context, r.group = append(r.context, r.group...), nil
	case len(r.group) == 0:
		if before := r.at(i - 1).low; (low == "need" || low == "needs") && r.current != nil && !r.site && before != "i" && before != "we" {
			r.slot = inFields
		} else if (r.slot == inThings || !r.site && (r.slot == inFields || r.slot == inAdded)) && is("breaks-list", low) {
			r.expect(nowhere)
		} else if r.site && low == "of" && r.slot == nowhere && r.Subject == "" {
			r.slot = inThings
		}
	case r.site && low == "of" && r.slot == inThings && next.capital && !plaintext.IsCapital(r.at(i+2).text) && !is("title-of-person", next.low): // the history of Rome
		r.unknown = append(r.unknown, strings.Join(r.group, " ")+" of "+next.text)
	case r.site && r.slot == nowhere && (low == "is" || low == "are"): // "the chair is Ann": nothing says where
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low), nil
	case r.site:
		if inside := r.slot == inFields && (is("inside-section", low) || is("object", low)) || r.slot == inThings && low == "of" && !next.mark && !next.capital && vocabulary[next.low].Class == ""; r.slot == inThings && !inside {
			r.flush()
			r.slot = nowhere
		} else if inside {
			r.group = append(r.group, low)
		}
	case low == "of" && r.slot == inThings && is("collective", english.Singular(lastOf(r.group))):
		r.group = nil
	case low == "of" && r.slot == inThings && r.find(r.at(r.after(i+1, "a", "an", "the", "each", "my", "our")).low) != nil: // invoices of the clients
		r.flush()
		r.slot = inParents
	case lastOf(r.group) == "of": // the cost of the trip
	case low == "of" && (r.slot == inFields || r.slot == inThings || r.slot == inAdded), low == "per" && r.slot == inFields:
		r.group = append(r.group, low)
	case !r.site && r.slot != inIgnored && r.slot != inRemoved && is("determiner", low) && slices.ContainsFunc(r.group, func(w string) bool { return !is("field", w) }): // a verb stood before it: "a player joins a team"
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" "+low+" "+next.low), nil
	case (low == "is" || low == "are") && (r.slot == nowhere || r.slot == inThings):
		if m, _ := r.phrase(r.after(i+1, "a", "an", "the")); m.Class == "" { // what it is would be a thing of its own
			r.unknown = append(r.unknown, strings.Join(r.group, " ")+" "+low)
		}
		r.flush()
		r.slot = nowhere
	case low == "by" && r.slot == inThings && !next.mark:
		r.flush()
		r.leave("by "+next.low, "grouping and selecting")
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

// container reads a kind of project, or what holds things: the names before it say of what.
func (r *reader) container(m meaning, low string, next int) {
	switch {
	case r.site && m.Class == isKind:
		r.page(low)
	case r.site && r.slot == inThings:
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
		if m.Class == isContainer && alone && (r.at(next).low == ":" || low == "list" && vocabulary[r.at(next-2).low].Class == isJoin) {
			r.current, r.slot = nil, inThings
		}
	}
}

// surroundings reads what things are in or for, which says nothing of them: the plants in my greenhouse.
// It gives the place behind, or none.
func (r *reader) surroundings(i int) int {
	end := r.after(i, "my", "our", "the")
	from := end
	for end < from+3 && !r.ends(end) && vocabulary[r.at(end).low].Class == "" && r.find(r.at(end).low) == nil {
		end++
	}
	if from == i && r.at(i-1).low != "the" || end == from || !r.ends(end) || english.IsPlural(r.at(end-1).low) || r.project != nil || len(r.things)+len(r.group)+len(r.pending) == 0 {
		return 0
	}
	r.context = append(r.context, r.words(from, end-from))
	return end
}

// openThings begins a list of things; of a site, what it is about.
func (r *reader) openThings(low string) {
	r.flush()
	r.list++
	r.loose = low == "for" && r.Kind == kindCommand
	switch {
	case r.site && r.project != nil && r.slot == inFields, !r.site && (r.slot == inRemoved || r.slot == inIgnored && low == "for"):
	case !r.site && r.slot == inFields && strings.HasSuffix(low, " of"):
		r.about.Kind = kindStrings
	case !r.site && r.project != nil && !english.HasSuffix(low, "for", "of", "on", "are"):
		r.expect(inAdded)
	default:
		r.slot = inThings
	}
}

// openFields begins a list of fields; of a site, of its sections.
func (r *reader) openFields(low string, i int) {
	switch {
	case r.site && is("section-end", low) && len(r.group) > 0:
		r.flush()
	case r.slot == inFields && !r.site && strings.HasPrefix(low, "with") && len(r.group) > 0 && fieldOnly(lastOf(r.group)) && is("deniable", r.classAt(i+len(strings.Fields(low)))): // "title, year with paging"
		r.flush()
		r.slot = nowhere
	case r.slot == inAdded && is("field-noun", low) && !r.site:
		r.flush()
		for k := range r.pending {
			r.pending[k].field = true
		}
	case r.slot == inFields && !r.site && low == "with" && len(r.group) > 0 && fieldOnly(lastOf(r.group)) && !english.IsPlural(lastOf(r.group)) && r.find(lastOf(r.group)) == nil: // a price with tax
		r.unknown, r.group = append(r.unknown, strings.Join(r.group, " ")+" with "+r.at(i+1).low), nil
	default:
		related := (r.slot == inParents || r.slot == inChildren) && r.at(i-len(r.group)-2).mark && is("determiner", r.at(i-len(r.group)-1).low)
		if (r.slot == inFields || related) && len(r.group) > 0 && !r.site {
			r.addThing(r.group) // the list has ended, and another thing is told of
			r.group, r.about = nil, field{}
		}
		r.open()
	}
}

// relation reads to what the thing that was just named belongs, or has.
func (r *reader) relation(m meaning, i int) {
	before := r.at(i - len(r.group) - 1)
	anew := before.mark && len(r.group) > 0 && english.IsPlural(lastOf(r.group)) || r.at(i-len(r.group)-2).mark && is("article", before.low) // "…, a question belongs to a survey"
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
