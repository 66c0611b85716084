package request

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
)

// finish mends what only the whole request tells: which things are but the place of others, and which belong together.
func (b *builder) finish() {
	b.fromStories()
	b.children()
	b.relate()
	b.rename()
	b.drop()
	b.pair()
	b.lately()
	b.sound()
	b.tellGuesses()
}

// sound refuses names that nothing can have.
func (b *builder) sound() {
	seen := map[string]bool{}
	for _, t := range b.Things {
		if name := project.Squeezed(t.Name); project.NotResource(t.Name) || seen[name] {
			b.Unknown = append(b.Unknown, strings.ReplaceAll(t.Name, "_", " "))
		} else {
			seen[name] = true
		}
		for _, f := range t.Fields {
			if project.NotFieldName(f.Name) {
				b.Unknown = append(b.Unknown, strings.ReplaceAll(f.Name, "_", " "))
			}
		}
	}
}

// lately makes days of what was done last: last watered.
func (b *builder) lately() {
	for _, t := range b.Things {
		for k, f := range t.Fields {
			if !f.Sure && f.Kind == "string" && f.Choices == nil && strings.HasPrefix(f.Name, "last_") && english.HasSuffix(f.Name, "ed", "en", "done", "read") {
				t.Fields[k].Kind = "date"
			}
		}
	}
}

// pair gives what begins and ends the kind that both have.
func (b *builder) pair() {
	for _, t := range b.Things {
		at := func(name string) *Field {
			if k := slices.IndexFunc(t.Fields, func(f Field) bool { return f.Name == name && (f.Kind == "string" || f.Kind == "strings") && !f.Sure }); k >= 0 {
				return &t.Fields[k]
			}
			return nil
		}
		for begin, end := range b.Text.Tables["begins-and-ends"] {
			if one, other := at(begin), at(end); one != nil && other != nil {
				one.Kind, other.Kind = "datetime", "datetime"
			}
		}
	}
}

// fromStories takes what a story tells of for the thing whose fields nothing else names.
func (b *builder) fromStories() {
	for _, each := range b.stories {
		if len(b.loose) > 0 && len(b.Things) == 0 {
			b.thing(strings.Fields(each), false)
			b.Left = slices.DeleteFunc(b.Left, func(o Omission) bool { return o.Why == background && strings.Contains(o.What, each) })
		}
	}
	for _, it := range b.loose {
		b.Unknown = append(b.Unknown, strings.Join(it.words, " "))
	}
}

// children makes things of plurals that are all that is told of a thing: invoices with line items.
func (b *builder) children() {
	for _, t := range slices.Clone(b.Things) {
		plurals := b.Kind == API && len(t.Fields) > 0 && !slices.ContainsFunc(t.Fields, func(f Field) bool { return f.Kind != "strings" || f.Sure })
		if !plurals {
			continue
		}
		told := t.Fields
		t.Fields = nil
		for _, f := range told {
			if english.Singular(f.Name) == t.Name {
				b.Unknown = append(b.Unknown, f.Name)
				continue
			}
			b.current, b.many = t, !t.weak
			b.thing(strings.Split(f.Name, "_"), false)
		}
	}
}

// relate makes relations of fields that stand for things: a rental has a car.
func (b *builder) relate() {
	for _, t := range b.Things {
		t.Fields = slices.DeleteFunc(t.Fields, func(f Field) bool {
			other := b.find(f.Name)
			switch {
			case f.Ref != "":
				return false
			case b.idOf(t, f) != nil: // user_id, beside users
				t.Parents = append(t.Parents, b.idOf(t, f))
				return true
			case other == t && english.IsPlural(f.Name):
				b.Unknown = append(b.Unknown, f.Name)
				return true
			case other == nil || other == t || b.Kind == Command || strings.HasPrefix(other.Name, f.Name+"_"):
				return false
			case english.IsPlural(f.Name):
				if len(other.Parents) == 0 && !slices.Contains(t.Parents, other) {
					other.Parents = append(other.Parents, t)
				}
				return true
			case f.Kind == "string" && f.Choices == nil && len(other.Fields)+len(other.Parents) > 0:
				if !slices.Contains(t.Parents, other) {
					t.Parents = append(t.Parents, other)
				}
				return true
			}
			return false
		})
	}
}

// idOf gives the thing of which a field holds the id.
func (b *builder) idOf(t *Thing, f Field) *Thing {
	name, ok := strings.CutSuffix(f.Name, "_id")
	if other := b.find(name); ok && other != t && !f.Unique {
		return other
	}
	return nil
}

// rename calls a place after what it holds, where nothing else is named that it may hold.
func (b *builder) rename() {
	for _, t := range b.Things {
		if t.holds == "" || !t.weak || b.others(t) {
			continue
		}
		if told := func(o *Thing) bool { return o != t && len(o.Fields) > 0 }; len(t.Fields) > 0 && slices.ContainsFunc(b.Things, told) {
			t.weak = false // Office: city, address. Employee: name
			continue
		}
		if t.holds != t.Name && t.holds+"_list" != t.Name {
			b.leave(t.said, "records are called "+strings.ReplaceAll(english.Plural(t.holds), "_", " "))
		}
		t.Name, t.weak = t.holds, false
	}
}

// others says whether some other thing is told of more.
func (b *builder) others(t *Thing) bool {
	if len(t.Fields)+len(t.Parents) > 0 || b.isParent(t) {
		return false
	}
	if english.HasSuffix(t.Name, "_record", "_entry") {
		t.weak = t.weak || slices.ContainsFunc(b.Things, func(o *Thing) bool { return len(o.Fields) > 0 })
	}
	return slices.ContainsFunc(b.Things, func(o *Thing) bool { return o != t && (!o.weak || len(o.Fields) > 0) })
}

func (b *builder) isParent(t *Thing) bool {
	return slices.ContainsFunc(b.Things, func(o *Thing) bool { return slices.Contains(o.Parents, t) })
}

// drop takes away what only says where the things are, or what they are called together.
func (b *builder) drop() {
	b.Things = slices.DeleteFunc(b.Things, func(t *Thing) bool {
		short := slices.IndexFunc(b.Things, func(o *Thing) bool {
			return o != t && len(o.Fields) > 0 && strings.HasSuffix(t.Name, o.Name)
		})
		last := t.Name[strings.LastIndex(t.Name, "_")+1:]
		switch {
		case b.Kind == Command && (b.Text.Is("no-record", last) || len(t.Fields) == 0 && !b.Text.Is("has", last)):
			b.Unknown = append(b.Unknown, english.Plural(strings.ReplaceAll(t.Name, "_", " ")))
			return true
		case !b.others(t):
			return false
		case short >= 0:
			b.leave(strings.ReplaceAll(english.Plural(t.Name), "_", " "), "called "+strings.ReplaceAll(english.Plural(b.Things[short].Name), "_", " ")+" for short")
			return true
		case t.alone && b.fielded() > 0 && !b.Text.Is("has", last):
			b.leave(t.said, background)
			return true
		case t.weak && !t.context:
			b.Unknown = append(b.Unknown, t.said)
			return true
		case t.weak:
			b.leave(t.said, background)
			return true
		}
		return false
	})
}

// fielded counts the things of which fields are told.
func (b *builder) fielded() (n int) {
	for _, t := range b.Things {
		if len(t.Fields) > 0 {
			n++
		}
	}
	return n
}

// tellGuesses tells of the fields of which neither the request nor their name tells the kind.
func (b *builder) tellGuesses() {
	called := map[string]string{"string": "text", "number": "number", "integer": "whole number", "boolean": "true or false", "strings": "list of texts", "date": "date", "datetime": "date and time"}
	guessed, order := map[string][]string{}, []string(nil)
	for _, t := range b.Things {
		for _, f := range t.Fields {
			if f.Sure || f.Ref != "" {
				continue
			}
			if guessed[f.Kind] == nil {
				order = append(order, f.Kind)
			}
			guessed[f.Kind] = append(guessed[f.Kind], f.Name)
		}
	}
	for _, kind := range order {
		b.leave("a kind for "+english.List(slices.Compact(guessed[kind])), "none was told: "+called[kind])
	}
}
