package former

import (
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/settings"
	"github.com/bundle-delivery/svc/internal/english"
)

const storedSo = "what is stored under the old name would be lost"

// fieldAt reads the name of a field that there is, and of the only thing that has it.
func (c *changer) fieldAt(i, to int) (t *Thing, f *Field, end int) {
	at := c.skip(i)
	at += c.Length(at, "field-noun")
	var all []string
	for k := at; k < to && !c.At(k).Mark && len(all) < longestName+2; k++ {
		all = append(all, spelled(c.At(k)))
		if owner, name := c.whose(all); owner != nil && owner.field(name) != nil && owner.field(name).old {
			t, f, end = owner, owner.field(name), k+1
		}
	}
	return t, f, end + c.Length(end, "field-noun")
}

// holdTo holds a field that there is to what an item says.
func (c *changer) holdTo(t *Thing, f *Field, it item) {
	it.words, it.told = strings.Split(f.Name, "_"), true
	c.field(t, it)
}

// replace reads a field that others are there for from now on: replace location with latitude and longitude.
func (c *changer) replace(i, to int) int {
	t, f, end := c.fieldAt(i+1, to)
	at := c.After(end, "with", "by")
	if c.At(i).Low != "replace" || t == nil || at == end {
		return i
	}
	l := c.items(at, to)
	if k := c.skip(at); c.Length(k, "type") > 0 && c.Ends(k+c.Length(k, "type")) { // by a number: another kind, or a field called so?
		return i
	}
	if len(l.items) == 0 || !c.whole(l.end, to) || slices.ContainsFunc(l.items, c.several) {
		return i
	}
	c.Removed = append(c.Removed, f.Name+" of "+t.Name)
	c.give(l, t)
	return l.end
}

// rename reads another name of a thing or a field: rename breed to race, breed should be called race.
func (c *changer) rename(i, to int) int {
	_, n := c.Phrase(i)
	from := i
	if c.At(i).Low == "rename" && n == 1 {
		from = i + 1
	}
	thing, end := c.known(from)
	t, f, last := c.fieldAt(from, to)
	name := max(end, last)
	if from > i {
		name = c.After(name, "to", "as", "into")
	} else {
		name += c.Length(name, "called-now")
	}
	stop := min(c.EndOf(name), to)
	if (thing == nil) == (t == nil) || name == max(end, last) || name >= stop || stop-name > longestName || !c.whole(stop, to) || c.At(name).Mark {
		return i
	}
	var all []string
	for k := name; k < stop; k++ {
		all = append(all, spelled(c.At(k)))
	}
	to2 := strings.Join(all, "_")
	switch {
	case !c.goodName(all) || project.NotFieldName(to2) || c.find(to2) != nil:
		return i
	case !c.fluid:
		c.Hearts = append(c.Hearts, settings.Omission{What: c.text(i, stop), Why: storedSo})
	case thing != nil:
		c.Renamed = append(c.Renamed, Renaming{Thing: thing.Name, To: english.Singular(to2)})
	case f.Ref != "" || t.field(to2) != nil || c.Is("reserved-field", project.Squeezed(to2)):
		return i
	default:
		c.Renamed = append(c.Renamed, Renaming{Thing: t.Name, Field: f.Name, To: to2})
	}
	return stop
}

// retype reads what a field is from now on: change the year to text, change priority to a number from 1 to 3.
func (c *changer) retype(i, to int) int {
	t, f, end := c.fieldAt(i+1, to)
	at := c.After(c.After(end, "to", "into"), "a", "an")
	if !c.Is("retypes", c.At(i).Low) || t == nil || at == end {
		return i
	}
	var it item
	kind, k := c.Longest(at, "type")
	it.kind, it.told, it.from = kind, k > 0, at
	end, ok := c.goesOn(&it, at+k, to)
	if !ok || !it.told || !c.whole(end, to) {
		return i
	}
	it.end = end
	c.holdTo(t, f, it)
	return end
}

// addChoices reads what a field may be beside what it could: add cancelled to the status, status can also be cancelled.
func (c *changer) addChoices(i, to int) int {
	n := max(c.Length(i, "adds"), 0)
	if m, k := c.Phrase(i); m.Class == "adding" {
		n = max(n, k)
	}
	if t, f, end := c.fieldAt(i, to); t != nil && c.Length(end, "may-also-be") > 0 {
		from := end + c.Length(end, "may-also-be")
		return c.moreChoices(t, f, i, from, min(c.EndOf(from), to))
	}
	for k := i + n + 1; n > 0 && k < min(c.EndOf(i), to); k++ {
		if t, f, end := c.fieldAt(k+1, to); c.At(k).Low == "to" && t != nil && c.whole(end, to) && c.moreChoices(t, f, i, c.overDescribed(i+n), k) > i {
			return end
		}
	}
	return i
}

// moreChoices lets a field that is one of several values be one of those between two places too.
func (c *changer) moreChoices(t *Thing, f *Field, i, from, to int) int {
	list := c.options(from, to)
	if len(f.Choices) == 0 || len(list) == 0 || slices.ContainsFunc(list, unlikely) {
		return i
	}
	all := slices.Clone(f.Choices)
	for _, each := range list {
		if !slices.Contains(all, each) {
			all = append(all, each)
		}
	}
	it := item{from: from, end: to}
	it.rules.Choices = all
	c.holdTo(t, f, it)
	return to
}

// removeChoices reads what a field may be no more: remove poor from condition.
func (c *changer) removeChoices(i, to int) int {
	m, n := c.Phrase(i)
	for k := i + n + 1; m.Class == "removing" && k < min(c.EndOf(i), to); k++ {
		t, f, end := c.fieldAt(k+1, to)
		if !c.Is("lost-from", c.At(k).Low) || t == nil || len(f.Choices) == 0 || !c.whole(end, to) {
			continue
		}
		gone := c.options(c.skip(i+n), k)
		left := slices.DeleteFunc(slices.Clone(f.Choices), func(v string) bool { return slices.Contains(gone, v) })
		if len(left) != len(f.Choices)-len(gone) || len(left) < 2 || slices.Contains(gone, f.Default) {
			return i
		}
		it := item{from: i, end: end}
		it.rules.Choices = left
		c.holdTo(t, f, it)
		return end
	}
	return i
}

// usually reads what a field is where a record does not tell: the default status is open, status is open by default.
func (c *changer) usually(i, to int) int {
	n := c.Length(i, "default-of")
	t, f, end := c.fieldAt(i+n, to)
	value := c.After(end, "is", "to", "be", "should", "=", ":", "as")
	stop := min(c.EndOf(value), to)
	if n == 0 {
		value = end + c.Length(end, "is-so")
		if c.Words(max(value, stop-2), min(2, stop-value)) != "by default" {
			return i
		}
		stop -= 2
	}
	if t == nil || value == end || value >= stop || stop-value > 2 || c.At(value).Mark {
		return i
	}
	it := item{from: i, end: stop}
	it.rules.Default = c.Written(value, stop)
	c.holdTo(t, f, it)
	return min(c.EndOf(stop), to)
}

// require reads fields without which there is no record: require a title and an author.
func (c *changer) require(i, to int) int {
	if c.At(i).Low != "require" {
		return i
	}
	var all []*Field
	var owners []*Thing
	end := i
	for at := i + 1; at < to; at = c.After(end, ",", "and") {
		t, f, next := c.fieldAt(at, to)
		if t == nil || !c.Ends(next) && !c.whole(next, to) {
			break
		}
		all, owners, end = append(all, f), append(owners, t), next
	}
	for k, f := range all {
		it := item{from: i, end: end}
		it.rules.Need = "required"
		c.holdTo(owners[k], f, it)
	}
	return end
}
