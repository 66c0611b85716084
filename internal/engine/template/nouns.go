package template

import (
	"slices"
	"strings"
	"unicode"
)

// thing is a noun of the prompt that may become a resource.
type thing struct {
	singular string
	fields   []field
	dropped  []drop
	strong   bool // a plural, or said right before a word like "API" or "list"
}

// drop is a field that a thing was said to have and cannot get.
type drop struct{ name, why string }

// wordsOf splits text into lower-case words of a to z and digits. Punctuation
// becomes words of its own, a word with other letters a gap.
func wordsOf(text string) []string {
	text = strings.NewReplacer("to-do", "todo", "to do list", "todo list", "'s ", " ", "’s ", " ", "-", " ", "_", " ").Replace(strings.ToLower(text))
	var out []string
	var b strings.Builder
	foreign := false // a letter that identifiers cannot have spoils its whole word
	flush := func() {
		if foreign {
			out = append(out, ",")
		} else if b.Len() > 0 {
			out = append(out, b.String())
		}
		b.Reset()
		foreign = false
	}
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsMark(r):
			foreign = true
		case strings.ContainsRune(".;!?\n", r):
			flush()
			out = append(out, ".")
		case r == ' ' || r == '\t':
			flush()
		default:
			flush()
			out = append(out, ",")
		}
	}
	flush()
	return out
}

// nounReader walks over words and collects things and their fields.
type nounReader struct {
	things  []thing
	group   []string // adjacent words that may be one noun phrase
	asField bool     // the words follow "with", so they may describe a thing
}

// thingsIn finds what a sentence is about. It knows no grammar: it drops the
// words that it knows to be none, takes the head of each phrase that is left,
// and prefers plurals, since people say "an API for orders".
func thingsIn(text string) []thing {
	r := &nounReader{}
	words := wordsOf(text)
	for i, w := range words {
		switch {
		case secretFields[w] && r.asField && (i+1 == len(words) || !secretUses[words[i+1]]):
			r.flush(false)
			r.drop(w, whySecret)
		case w == "with" || w == "having" || w == "has" || w == "have" || w == "including" || w == "include":
			r.flush(false)
			r.asField = true
		case w == "." || w == "for" || w == "manage" || w == "track" || w == "also":
			r.flush(false)
			r.asField = false
		case r.asField && knownFields[w] != "" && i+1 < len(words) && knownFields[words[i+1]] != "": // a unit price, of all units
			r.group = append(r.group, w)
		case techWords[w] || w == "list" || w == "lists":
			r.flush(true)
		case fillerWords[w] && !(r.asField && (knownFields[w] != "" || fieldModifiers[w])), notIdentifier(w), len(w) < 2:
			r.flush(false)
		default:
			r.group = append(r.group, w)
		}
	}
	r.flush(false)
	return r.chosen()
}

func (r *nounReader) flush(beforeTech bool) {
	group := r.group
	r.group = nil
	if len(group) == 0 || len(group) == 1 && fieldModifiers[group[0]] {
		return
	}
	word := headOf(group)
	if r.asField && len(r.things) > 0 {
		if f, ok := phraseField(group); ok {
			t := &r.things[len(r.things)-1]
			if t.fields = addField(t.fields, f); !hasField(t.fields, f.Name) {
				r.drop(f.Name, whyManyFields)
			}
			return
		}
	}
	s := singular(word)
	if r.asField && unusableField(word) {
		if word != "id" { // which every record has
			r.drop(word, whyTaken)
		}
		return
	}
	if unusableNoun(s) || len(s) < 2 || notIdentifier(plural(s)) {
		return
	}
	if i := slices.IndexFunc(r.things, func(t thing) bool { return t.singular == s }); i >= 0 {
		r.things[i].strong = r.things[i].strong || s != word || beforeTech
		return
	}
	r.things = append(r.things, thing{singular: s, strong: s != word || beforeTech || plural(s) == word})
}

// drop notes a field that the last thing cannot get.
func (r *nounReader) drop(name, why string) {
	if n := len(r.things); n > 0 {
		r.things[n-1].dropped = append(r.things[n-1].dropped, drop{name, why})
	}
}

// headOf picks the noun of a phrase: its last plural, or its last word that is
// not a verbal noun.
func headOf(group []string) string {
	for _, w := range slices.Backward(group) {
		if singular(w) != w && knownFields[singular(w)] != kindBoolean {
			return w
		}
	}
	for _, w := range slices.Backward(group) {
		if !strings.HasSuffix(w, "ing") || verbalNouns[w] {
			return w
		}
	}
	return group[len(group)-1]
}

// fieldOf reads a word that describes a thing. A plural that is no known
// attribute is a thing of its own.
func fieldOf(w string) (field, bool) {
	if unusableField(w) {
		return field{}, false
	}
	if kind, ok := knownFields[w]; ok {
		return field{w, kind}, true
	}
	s := singular(w)
	if s == w {
		return field{w, kindString}, true
	}
	if kind, ok := knownFields[s]; ok && !thingsAndFields[s] {
		return field{s, kind}, true
	}
	return field{}, false
}

// phraseField reads the words that describe a thing. Two of them are one field:
// a due date is no date like any other.
func phraseField(group []string) (field, bool) {
	head := headOf(group)
	f, ok := fieldOf(head)
	if unusableField(head) { // a user id is none of the names that are taken
		f, ok = field{head, kindString}, len(group) > 1
	}
	if !ok || len(group) < 2 || head != group[len(group)-1] || plainAdjectives[group[len(group)-2]] {
		return f, ok && !unusableField(f.Name)
	}
	if name := group[len(group)-2] + "_" + f.Name; !notFieldName(name) && !unusableField(name) {
		f.Name = name
		if boundWords[group[len(group)-2]] && f.Kind != kindNumber {
			f.Kind = kindInteger
		}
	}
	return f, !unusableField(f.Name)
}

// chosen drops weak candidates beside strong ones, and places beside things.
func (r *nounReader) chosen() []thing {
	things := r.things
	if slices.ContainsFunc(things, func(t thing) bool { return t.strong }) {
		things = slices.DeleteFunc(things, func(t thing) bool { return !t.strong })
	}
	isPlace := func(t thing) bool { return places[t.singular] != "" }
	if slices.ContainsFunc(things, func(t thing) bool { return !isPlace(t) }) {
		for _, t := range things {
			if isPlace(t) && len(t.fields)+len(t.dropped) > 0 {
				i := slices.IndexFunc(things, func(t thing) bool { return !isPlace(t) })
				things[i].dropped = append(things[i].dropped, t.dropped...)
				for _, f := range t.fields {
					things[i].fields = addField(things[i].fields, f)
				}
			}
		}
		return slices.DeleteFunc(things, isPlace)
	}
	for i := range things {
		things[i].singular = places[things[i].singular]
	}
	return things
}

func hasField(fields []field, name string) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.Name == name })
}

func addField(fields []field, f field) []field {
	if hasField(fields, f.Name) || len(fields) >= maxFields {
		return fields
	}
	return append(fields, f)
}

// resourceOf gives a thing the fields that one expects of it and those that the
// prompt named.
func resourceOf(t thing) resource {
	r := resource{Singular: t.singular, Plural: plural(t.singular)}
	if usual, ok := usualFields[t.singular]; ok {
		r.Fields = slices.Clone(usual)
	} else if titledThings[t.singular] {
		r.Fields = []field{{"title", kindString}}
	} else {
		r.Fields = []field{{"name", kindString}}
	}
	for _, f := range t.fields {
		r.Fields = addField(r.Fields, f)
	}
	return r
}

func addResource(resources []resource, r resource) []resource {
	if len(resources) >= maxResources || slices.ContainsFunc(resources, func(o resource) bool {
		return o.Singular == r.Singular || o.Plural == r.Plural
	}) {
		return resources
	}
	return append(resources, r)
}

// sectionsIn finds the parts of a page that a prompt asks for, in its order.
func sectionsIn(text string) []string {
	var out []string
	for _, w := range wordsOf(text) {
		if s := knownSections[w]; s != "" && !slices.Contains(out, s) && len(out) < maxSections {
			out = append(out, s)
		}
	}
	return out
}
