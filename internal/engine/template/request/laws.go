package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
)

// laws hold whatever way a request was read: what breaks one is not understood.
func (b *builder) laws() {
	b.verbs()
	b.settings()
	b.otherKinds()
	b.skipped()
	b.pageLaws()
	for _, t := range b.Things {
		if what := b.examples(t); what != "" {
			b.Unknown = append(b.Unknown, what)
		}
		if b.late(t) || b.glued(t) || b.within(t) {
			b.Unknown = append(b.Unknown, strings.ReplaceAll(t.Name, "_", " "))
		}
		for k, f := range t.Fields {
			if b.twice(t.Fields[:k], f.Name) || b.listsFields(f) || b.isClause(f) {
				b.Unknown = append(b.Unknown, strings.ReplaceAll(f.Name, "_", " "))
			}
		}
	}
	b.rulesTold()
}

// verbs takes what stands behind "API to" for what is done, and for no part of a name: record songs, water plants.
func (b *builder) verbs() {
	for i, w := range b.Text.Tokens {
		before := b.Text.At(i - 2)
		asks := b.Text.Is("asks-to", b.Text.ClassAt(i-2)) || b.Text.Is("asks-to", before.Low)
		if w.Mark || b.Text.At(i-1).Low != "to" || !asks {
			continue
		}
		for _, t := range b.Things {
			rest, ok := strings.CutPrefix(t.Name, w.Low+"_")
			if free := b.find(rest) == t || b.find(rest) == nil; ok && free && !project.NotResource(rest) {
				t.Name = rest
				b.leave(w.Low, background)
			}
		}
	}
}

// settings takes what an API is for, and nothing is told of, for no kind of record where others are told with their fields.
func (b *builder) settings() {
	told := slices.ContainsFunc(b.Things, func(t *Thing) bool { return len(t.Fields) > 0 })
	b.Things = slices.DeleteFunc(b.Things, func(t *Thing) bool {
		bare := len(t.Fields)+len(t.Parents) == 0 && !b.isParent(t)
		if !told || !bare || !b.alone(t) {
			return false
		}
		b.leave("for "+strings.ReplaceAll(english.Plural(t.Name), "_", " "), background)
		return true
	})
}

// pageLaws refuses a place with several figures, which is a list with its prices, and takes what somebody is
// for the subject of a page, and for no part of it: Jane Miller, computer science student.
func (b *builder) pageLaws() {
	figures := 0
	for w := range strings.FieldsSeq(b.Place) {
		if strings.ContainsAny(w, "0123456789") {
			figures++
		}
	}
	if figures > 1 {
		b.Unknown = append(b.Unknown, b.Place)
	}
	if b.Kind != Site || b.Subject != "" || b.Title == "" || len(b.Sections) < 2 {
		return
	}
	if all := strings.Split(b.Sections[0], "-"); b.Text.Is("what-people-are", all[len(all)-1]) {
		b.Subject, b.Sections = strings.Join(all, " "), b.Sections[1:]
	}
}

// otherKinds refuses a word for another kind of project that stands in a list and became no field: title, landing page.
func (b *builder) otherKinds() {
	for i := range b.Text.Tokens {
		m, n := b.Text.Phrase(i)
		item := b.Text.At(i-1).Low == "," && b.Text.Ends(i+n)
		if b.Kind != API || m.Class != "kind" || m.Value != Site || !item {
			continue
		}
		name := strings.ReplaceAll(b.Text.Words(i, n), " ", "_")
		if !slices.ContainsFunc(b.Things, func(t *Thing) bool { return b.twice(t.Fields, name) }) {
			b.Unknown = append(b.Unknown, b.Text.Words(i, n))
		}
	}
}

// skipped refuses an item of a list that consists of words that say little, and became nothing: home team.
func (b *builder) skipped() {
	for i := range b.Text.Tokens {
		if low := b.Text.At(i - 1).Low; b.Kind != API || low != "," && low != ":" {
			continue
		}
		end := i
		for b.Text.Vocabulary[b.Text.At(end).Low].Value == "filler" {
			end++
		}
		if low := b.Text.At(end).Low; end < i+2 || low != "," && end < len(b.Text.Tokens) {
			continue
		}
		name := strings.ReplaceAll(b.Text.Words(i, end-i), " ", "_")
		if !slices.ContainsFunc(b.Things, func(t *Thing) bool { return b.twice(t.Fields, name) }) {
			b.Unknown = append(b.Unknown, b.Text.Words(i, end-i))
		}
	}
}

// alone says whether a thing is named once, behind "for", and with a colon behind it.
func (b *builder) alone(t *Thing) bool {
	n := len(strings.Split(t.Name, "_"))
	for i := n; i < len(b.Text.Tokens); i++ {
		if b.Text.At(i).Low != ":" || !t.is(strings.ReplaceAll(b.Text.Words(i-n, n), " ", "_")) {
			continue
		}
		before := i - n - 1
		for before > 0 && b.Text.Is("light", b.Text.At(before).Low) {
			before--
		}
		return b.Text.At(before).Low == "for"
	}
	return false
}

// examples gives what stands in brackets behind a thing and is only what it may be, where its fields are told besides:
// lab equipment (microscopes, scales), name, room.
func (b *builder) examples(t *Thing) string {
	var plurals []string
	for _, f := range t.Fields {
		if f.Kind == "strings" && !f.Sure {
			plurals = append(plurals, f.Name)
		}
	}
	if len(plurals) < 2 || len(plurals) == len(t.Fields) || b.Text.At(b.firstMention(plurals[0])-1).Low != "(" {
		return ""
	}
	return strings.ReplaceAll(strings.Join(plurals, ", "), "_", " ")
}

// late says whether nothing is told of a thing that is named behind the fields of another: no thing is born there.
func (b *builder) late(t *Thing) bool {
	if len(t.Fields)+len(t.Parents) > 0 || b.isParent(t) {
		return false
	}
	born := min(b.firstMention(t.Name), b.firstMention(english.Plural(t.Name)))
	return slices.ContainsFunc(b.Things, func(o *Thing) bool {
		return len(o.Fields) > 0 && b.firstMention(o.Fields[0].Name) < born && born < len(b.Text.Tokens)
	})
}

// within says whether a thing is told of inside the list of fields of another: a date, a number of frames with brood.
func (b *builder) within(t *Thing) bool {
	plural := english.Plural(t.Name)
	i := b.firstMention(plural)
	return b.Text.At(i-1).Low == "of" && b.Text.At(i+1+strings.Count(plural, "_")).Low == "with"
}

// glued says whether a name begins with that of another thing, in the plural: tenants rent apartments.
func (b *builder) glued(t *Thing) bool {
	return slices.ContainsFunc(b.Things, func(o *Thing) bool {
		return o != t && strings.HasPrefix(t.Name, english.Plural(o.Name)+"_")
	})
}

// firstMention gives the place where a name stands first, or the end.
func (b *builder) firstMention(name string) int {
	l := ledger{Request: b.Request, Text: b.Text}
	for i := range b.Text.Tokens {
		if l.mentions(i, Field{Name: name}) > 0 {
			return i
		}
	}
	return len(b.Text.Tokens)
}

// twice says whether one of some fields has a name, or that in the other number.
func (b *builder) twice(fields []Field, name string) bool {
	return slices.ContainsFunc(fields, func(f Field) bool { return english.Singular(f.Name) == english.Singular(name) })
}

// listsFields says whether what a field can be are names of fields, or of kinds of records: they are no choices.
func (b *builder) listsFields(f Field) bool {
	last := f.Name[strings.LastIndex(f.Name, "_")+1:]
	if b.Text.Is("no-title", last) || b.Text.Is("field", last) && !english.IsPlural(last) {
		return false
	}
	usual := 0
	for _, c := range f.Choices {
		all := strings.Fields(strings.ToLower(c))
		kind := b.Text.Tables["field"][all[len(all)-1]]
		if kind != "" && kind != "boolean" || b.find(strings.Join(all, "_")) != nil {
			usual++
		}
	}
	return usual > 1
}

// isClause says whether the name of a field is part of a sentence: alert when value.
func (b *builder) isClause(f Field) bool {
	all := strings.Split(f.Name, "_")
	if len(all) < 2 || all[0] == "random" {
		return all[0] == "random" || b.Text.Is("never-alone", all[0]) && !f.Sure
	}
	does := b.Text.Is("never-first", all[0]) && b.Text.Is("goes-with-verb", all[1])
	return does || len(all) > 2 && b.Text.Is("joins-clause", all[1])
}

// rulesTold refuses a rule that nothing is held to, and nothing tells of.
func (b *builder) rulesTold() {
	if len(b.Things) == 0 {
		return
	}
	said := strings.Join(b.Unknown, " ")
	for _, o := range slices.Concat(b.Left, b.Hearts) {
		said += " " + o.What
	}
	held := map[string]bool{"required": b.Auth != ""}
	for _, t := range b.Things {
		for _, f := range t.Fields {
			held[f.Need] = true
			held["unique"], held["default"] = held["unique"] || f.Unique, held["default"] || f.Default != ""
		}
	}
	for _, w := range b.Text.Tokens {
		rule := b.Text.Tables["rule"][w.Low]
		known := rule == "unique" || rule == "required" || rule == "optional" || rule == "default"
		if known && !w.Quoted && !held[rule] && !strings.Contains(said, w.Low) {
			b.Unknown = append(b.Unknown, w.Low)
			held[rule] = true
		}
	}
}
