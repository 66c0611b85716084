package template

import (
	"slices"
	"strings"
	"unicode"
)

// slot is what the next word that nobody knows would be the name of.
type slot int

const (
	nowhere slot = iota // of nothing: the word is not understood, unless what follows tells
	inThings
	inFields
	inParents
	inChildren
	inIgnored // of something that is left out
	inAdded   // of what a project gets
	inRemoved // of what it loses
	inRenamed
)

// recordReader reads a request for something that keeps records.
type recordReader struct {
	*reading
	slot    slot
	outer   []slot     // of the brackets that are open
	group   []string   // words that are one name
	kind    string     // of the field that is read, if the request says it
	waiting [][]string // names of which it is not known what they name
	added   []item
	current *thing
	ofPlace bool // the list that is read is of what there is in a place
}

// fieldNouns are what fields are called.
var fieldNouns = []string{"field", "fields", "attribute", "attributes", "column", "columns", "property", "properties"}

// item is something that a project gets.
type item struct {
	words []string
	kind  string
	field bool // it is called a field
}

func (r *recordReader) run() {
	for i := 0; i < len(r.tokens); {
		if r.tokens[i].mark {
			i = r.mark(i)
			continue
		}
		i += r.word(i)
	}
	r.endSentence()
	r.untangle()
	r.things = slices.DeleteFunc(r.things, func(t *thing) bool {
		return t.isPlace && len(t.fields) == 0 && slices.ContainsFunc(r.things, func(o *thing) bool { return !o.isPlace && !o.known })
	})
}

// untangle makes things of what was read as fields and is none: several plurals
// that nothing has as a rule, and those that are things anyway.
func (r *recordReader) untangle() {
	for _, t := range slices.Clone(r.things) {
		strange := func(f field) bool {
			return f.Kind == kindStrings && classes[fieldOf][f.Name] == "" && !strings.Contains(f.Name, "_")
		}
		several := len(t.fields) > 1 && !t.known && !slices.ContainsFunc(t.fields, func(f field) bool { return !strange(f) })
		for _, f := range t.fields {
			if several && !reservedThing(f.Name) {
				r.addThing([]string{f.Name})
			}
		}
		t.fields = slices.DeleteFunc(t.fields, func(f field) bool { return several || strange(f) && !t.known && r.find(f.Name) != nil })
	}
}

func reservedThing(name string) bool {
	return is(reservedNoun, singular(name)) || notIdentifier(plural(singular(name)))
}

// mark reads a mark and gives the place behind it.
func (r *recordReader) mark(i int) int {
	switch r.tokens[i].low {
	case ".":
		r.endSentence()
	case ",":
		r.flush()
	case bullet:
		r.flush()
		r.resolve()
		r.slot = inThings
		if r.current != nil {
			r.slot = inFields
		}
	case ":":
		if kind, n := r.typeAt(i + 1); r.slot == inFields && len(r.group) > 0 && kind != "" {
			r.kind = kind
			return i + 1 + n
		}
		r.open(inFields)
	case "(":
		if r.slot == inFields && len(r.group) > 0 {
			return r.remark(i)
		}
		outer := r.slot
		r.open(inFields)
		r.outer = append(r.outer, outer)
	case ")":
		r.flush()
		r.slot = nowhere
		if n := len(r.outer); n > 0 {
			r.slot, r.outer = r.outer[n-1], r.outer[:n-1]
		}
	}
	return i + 1
}

// remark reads what stands in brackets behind a field: its kind, or limits that
// are left out.
func (r *recordReader) remark(i int) int {
	end := i + 1
	for end < len(r.tokens) && r.tokens[end].low != ")" {
		end++
	}
	words := slices.DeleteFunc(strings.Split(r.words(i+1, end-i-1), " "), func(w string) bool { return is(isAdjective, w) || w == "," || w == "" })
	kind, known := classes[typeOf][strings.Join(words, " ")]
	if known {
		r.kind = kind
	} else if len(words) > 0 {
		r.left.add(strings.Join(words, " ")+" of "+strings.Join(r.group, " "), "limits and choices of a field")
	}
	return end + 1
}

// typeAt reads the kind of a field.
func (r *recordReader) typeAt(i int) (string, int) {
	for n := min(4, len(r.tokens)-i); n > 0; n-- {
		if kind, ok := classes[typeOf][r.words(i, n)]; ok {
			return kind, n
		}
	}
	return "", 0
}

// word reads a phrase and gives the number of its words.
func (r *recordReader) word(i int) int {
	t := r.tokens[i]
	if t.quoted {
		r.flush()
		r.title = cleanTitle(t.text)
		return 1
	}
	m, n := r.phrase(i)
	if m.class == "" && mailLike.MatchString(t.low) || m.class == "" && strings.ContainsFunc(t.low, unicode.IsDigit) && notFieldName(t.low) {
		r.flush()
		r.unknown = append(r.unknown, t.text)
		return 1
	}
	if r.reading.kind == kindCommand && len(r.operations) > 0 && m.class != isOperation && m.class != isLanguage {
		for k := min(4, len(r.tokens)-i); k > 0; k-- {
			if is(aroundOperation, r.words(i, k)) {
				r.flush()
				return k
			}
		}
	}
	if m.class == "" || n == 1 && r.isName(i) {
		r.group = append(r.group, t.low)
		return 1
	}
	return r.known(m, i, n)
}

// isName says whether a word that has a meaning of its own is a name here.
func (r *recordReader) isName(i int) bool {
	low := r.tokens[i].low
	if r.project != nil && r.find(low) != nil && r.slot != nowhere {
		return true
	}
	next, _ := r.phrase(i + 1)
	if c := vocabulary[low].class; len(r.group) > 0 && r.slot == inThings && (c == isGiven || c == isDetail) || r.slot == inFields && r.reading.kind != kindCommand && slices.Contains([]string{"options", "types", "flags"}, low) {
		return true
	}
	if !is(alsoName, low) {
		return false
	}
	alone := r.at(i+1).mark || slices.Contains([]class{isJoin, opensFields, isLanguage, isTo, isRelation, opensPlace, isRemoving, isContainer, isKind}, next.class) || classes[typeOf][r.at(i+1).low] != ""
	switch r.slot {
	case inThings, inParents, inChildren:
		return len(r.group) == 0 && (singular(low) != low || alone)
	case inFields:
		return singular(low) == low && (alone || len(r.group) == 0 && next.class == "" && vocabulary[low].class == isStop) || len(r.group) > 0 && alone && vocabulary[low].class == isStop
	case inAdded, inRemoved, inRenamed:
		return singular(low) == low && alone
	case nowhere:
		return len(r.group) == 0 && (next.class == opensFields || next.class == isRelation || r.at(i+1).low == "(") && singular(low) != low
	}
	return false
}

// known acts on a phrase that has a meaning.
func (r *recordReader) known(m meaning, i, n int) int {
	low := r.words(i, n)
	switch m.class {
	case isStop:
		if low == "of" && r.slot == inFields && len(r.group) > 0 {
			r.group = append(r.group, low)
			return n
		}
		if (low == "on" || low == "at") && r.slot == inFields && len(r.group) > 0 && (r.at(i+1).mark || vocabulary[r.at(i+1).low].class == isJoin) {
			r.group = append(r.group, low)
			return n
		}
		if len(r.group) > 0 && r.slot != nowhere {
			r.flush()
			if r.slot == inThings {
				r.slot = nowhere
			}
		}
	case isJoin:
		r.flush()
	case isContainer, isKind:
		r.settle()
		if m.class == isKind && r.slot == inThings {
			r.slot = nowhere
		}
	case opensThings:
		if r.slot == inFields && strings.HasSuffix(low, " of") {
			r.flush()
			r.kind = kindStrings
			return n
		}
		r.flush()
		if r.slot != inRemoved && (r.slot != inIgnored || low != "for") {
			r.slot = inThings
		}
	case opensFields:
		if r.slot == inFields && len(r.group) > 0 {
			r.addThing(r.group) // the list has ended, and another thing is told of
			r.group, r.kind = nil, ""
		}
		if r.slot == inAdded && slices.Contains(fieldNouns, low) {
			r.flush()
			for k := range r.added {
				r.added[k].field = true
			}
			return n
		}
		r.open(inFields)
	case opensPlace:
		if r.slot == inRemoved && low == "from" {
			r.flush()
			return n
		}
		r.flush()
		if r.slot != inIgnored {
			r.slot = nowhere
		}
	case isRelation:
		r.settle()
		r.slot = inParents
		if m.value != "" {
			r.slot = inChildren
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
		if r.reading.kind == kindCommand {
			r.flush()
			return n
		}
		r.hearts = append(r.hearts, low+" (a command-line tool)")
	case isNamed:
		return r.named(m, i, n)
	default:
		return r.optional(m, i, n)
	}
	return n
}

func (r *recordReader) optional(m meaning, i, n int) int {
	r.flush()
	taken := r.option(m, i, n, r.slot == inRemoved)
	switch {
	case taken == 0:
		r.group = append(r.group, r.tokens[i].low)
		return 1
	case m.class == isDetail:
		next := r.at(i + n).low
		if last := r.at(i + n - 1).low; next == "by" || next == "on" || next == "for" || next == "to" || last == "by" || last == "to" {
			r.slot = inIgnored
		}
	case r.slot == inRemoved && m.class != isGiven && m.class != isDetail && m.class != isHeart:
		r.removed = append(r.removed, "")
	}
	return taken
}

// named reads what follows "called": the name of the project, of a thing or of a field.
func (r *recordReader) named(m meaning, i, n int) int {
	switch before := r.at(i - 1).low; {
	case slices.Contains([]string{"resource", "resources", "endpoint", "endpoints", "entity", "model", "table", "collection"}, before):
		r.flush()
		r.slot = inThings
		return n
	case slices.Contains(fieldNouns, before):
		r.flush()
		return n
	}
	r.flush()
	if taken := r.option(m, i, n, false); taken > 0 {
		return taken
	}
	return n
}

// change reads the verbs with which a project is continued.
func (r *recordReader) change(m meaning, i, n int) int {
	if m.class == isTo {
		return r.target(i, n)
	}
	r.flush()
	switch {
	case m.class == isRenaming && r.project != nil:
		next := i + n
		for r.at(next).low == "to" || r.at(next).low == "the" || r.at(next).low == "resource" || r.at(next).low == "endpoint" || r.at(next).low == "as" || r.at(next).low == ":" {
			next++
		}
		if from := r.find(r.at(next).low); from != nil && r.at(next-1).low != "to" {
			for k := next + 1; k < next+3; k++ {
				if r.at(k).low == "to" || r.at(k).low == "as" || r.at(k).low == "into" {
					r.renamed = [2]string{from.singular, singular(r.at(k + 1).low)}
					return k + 2 - i
				}
			}
		}
		if name, end := r.nameAt(next); name != "" {
			r.title = name
			return end - i
		}
		r.unknown = append(r.unknown, r.words(i, n))
	case r.project == nil && m.class == isRemoving && r.reading.kind == kindCommand:
		r.hearts = append(r.hearts, r.words(i, n)+" (work on media and data)")
	case r.project == nil: // what the program lets people do
		r.slot = inThings
	case m.class == isAdding:
		r.slot = inAdded
	case m.class == isRemoving:
		r.slot = inRemoved
	default:
		r.unknown = append(r.unknown, r.words(i, n))
	}
	return n
}

// target reads to what something is added.
func (r *recordReader) target(i, n int) int {
	r.flush()
	if r.slot != inAdded || len(r.added) == 0 {
		if r.slot != inIgnored {
			r.slot = nowhere
		}
		return n
	}
	next := i + n
	for vocabulary[r.at(next).low].class == isStop {
		next++
	}
	t := r.find(r.at(next).low)
	if t == nil {
		r.unknown = append(r.unknown, "to "+r.at(next).text)
		r.added, r.slot = nil, nowhere
		return next + 1 - i
	}
	for _, a := range r.added {
		last := a.words[len(a.words)-1]
		if !a.field && a.kind == "" && singular(last) != last && classes[fieldOf][last] == "" {
			r.addThing(a.words)
			r.current.parents = append(r.current.parents, t.singular)
			continue
		}
		r.addField(t, a.words, a.kind)
	}
	r.added, r.current, r.slot = nil, t, nowhere
	return next + 1 - i
}

// open ends a name and begins a list of fields, or of the things in a place.
func (r *recordReader) open(s slot) {
	r.resolve()
	if r.slot == inIgnored {
		r.slot = nowhere
	}
	r.settle()
	r.slot, r.ofPlace = s, r.current != nil && r.current.isPlace
	if r.current == nil {
		r.slot = inThings
	}
}

// settle makes things of the names before something that says they are.
func (r *recordReader) settle() {
	if r.slot == nowhere {
		if len(r.group) > 0 {
			r.waiting = append(r.waiting, r.group)
		}
		r.group = nil
		for _, words := range r.waiting {
			r.addThing(words)
		}
		r.waiting = nil
		return
	}
	r.flush()
}

// resolve makes things, or a field, of what is added and was not said to what.
func (r *recordReader) resolve() {
	r.flushAdded()
	for _, a := range r.added {
		last := a.words[len(a.words)-1]
		switch plain := singular(last) == last || classes[fieldOf][last] == kindStrings; {
		case (plain || a.field) && len(r.project.Resources) == 1:
			r.addField(r.things[0], a.words, a.kind)
		case a.field || plain && classes[fieldOf][last] != "":
			r.unknown = append(r.unknown, strings.Join(a.words, " "))
		default:
			r.addThing(a.words)
		}
	}
	if len(r.added) > 0 {
		r.added = nil
		r.slot = nowhere
	}
}

func (r *recordReader) flushAdded() {
	if r.slot == inAdded {
		r.flush()
	}
}

func (r *recordReader) endSentence() {
	r.resolve()
	r.flush()
	for _, words := range r.waiting {
		r.unknown = append(r.unknown, strings.Join(words, " "))
	}
	r.waiting, r.outer, r.slot, r.kind = nil, nil, nowhere, ""
}

// flush ends the name that is read.
func (r *recordReader) flush() {
	words, kind := r.group, r.kind
	r.group, r.kind = nil, ""
	if len(words) == 0 {
		r.kind = kind
		return
	}
	switch r.slot {
	case nowhere:
		r.waiting = append(r.waiting, words)
	case inThings:
		r.addThing(words)
	case inFields:
		last := words[len(words)-1]
		if r.current == nil || r.ofPlace && singular(last) != last {
			r.addThing(words)
			return
		}
		r.addField(r.current, words, kind)
	case inParents, inChildren:
		if one := r.current; one != nil {
			r.addThing(words)
			other := r.current
			if r.slot == inChildren {
				one, other = other, one
			}
			one.parents = append(one.parents, other.singular)
			r.current = one
		}
	case inAdded:
		r.added = append(r.added, item{words: words, kind: kind})
	case inRemoved:
		r.remove(words)
	}
}

func (r *recordReader) remove(words []string) {
	if t := r.find(words[len(words)-1]); t != nil && (len(words) == 1 || t.singular == words[0]) {
		r.removed = append(r.removed, t.singular)
		return
	}
	name := strings.Join(words, "_")
	for _, t := range r.things {
		if hasField(t.fields, name) {
			r.removed = append(r.removed, name+" of "+t.singular)
			return
		}
	}
	r.unknown = append(r.unknown, strings.Join(words, " "))
}

// find gives a thing by its name in the singular or plural.
func (r *reading) find(word string) *thing {
	for _, t := range r.things {
		if t.singular == word || plural(t.singular) == word || t.singular == singular(word) {
			return t
		}
	}
	return nil
}

// addThing adds what words name, or finds it again, and makes it the current one.
func (r *recordReader) addThing(words []string) {
	name := strings.Join(words, " ")
	last := words[len(words)-1]
	s := singular(last)
	if t := r.find(last); t != nil {
		t.isPlace = false
		r.current = t
		return
	}
	place := classes[placeOf][name]
	if place == "" {
		place = classes[placeOf][last]
	}
	if place != "" && !(s != last && place != s) {
		if t := r.find(place); t != nil {
			r.current = t
			return
		}
		r.current = &thing{singular: place, isPlace: place != s}
		r.things = append(r.things, r.current)
		return
	}
	if len(words) > 4 || len(s) < 2 || is(reservedNoun, s) || slices.ContainsFunc(words, notFieldName) || notIdentifier(plural(s)) {
		r.unknown = append(r.unknown, name)
		return
	}
	r.current = &thing{singular: s}
	r.things = append(r.things, r.current)
}

// addField gives a thing a field.
func (r *recordReader) addField(t *thing, words []string, kind string) {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return is(isAdjective, w) })
	if n := len(words); n > 1 && is(typeBehind, words[n-1]) {
		kind, words = classes[typeOf][words[n-1]], words[:n-1]
	} else if n > 1 && is(typeBehind, words[0]) {
		kind, words = classes[typeOf][words[0]], words[1:]
	}
	if len(words) == 0 {
		return
	}
	name := strings.Join(words, "_")
	switch {
	case name == "id":
		return
	case is(isSecret, words[len(words)-1]):
		r.left.add(name+" of "+plural(t.singular), whySecret)
		return
	case is(reservedField, strings.ReplaceAll(name, "_", "")):
		r.left.add(name+" of "+plural(t.singular), whyTaken)
		return
	case notFieldName(name) || len(words) > 4:
		r.unknown = append(r.unknown, strings.Join(words, " "))
		return
	case hasField(t.fields, name):
		return
	case len(t.fields) >= maxFields:
		r.left.add(name+" of "+plural(t.singular), whyManyFields)
		return
	}
	if kind == "" {
		kind = kindOf(strings.Split(name, "_"))
	}
	t.fields = append(t.fields, field{name, kind})
}
