package specform

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// act does what a button says, such as "up field 0 2", and returns the id of the
// control that has the focus next. A button that is none does nothing.
func (r *Rows) act(button string) (focus string) {
	words := strings.Fields(button)
	if len(words) < 2 || len(words) > 4 {
		return ""
	}
	var at [2]int
	for i, word := range words[2:] {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 {
			return ""
		}
		at[i] = n
	}
	verb, i := words[0], at[0]
	switch words[1] {
	case "record":
		blank := Record{Noun: free("item", func(name string) bool {
			return slices.ContainsFunc(r.Records, func(x Record) bool { return spec.ColumnName(x.Noun) == spec.ColumnName(name) })
		}), Fields: []Field{{Name: "name"}}}
		r.Records, i = edit(r.Records, verb, i, spec.MaxRecords, blank)
		return focusOn(verb, recordID(i), "-noun", len(r.Records), i, "add-record")
	case "section":
		blank := spec.Section{Name: free("section", func(name string) bool {
			return slices.ContainsFunc(r.Sections, func(x spec.Section) bool { return strings.EqualFold(x.Name, name) })
		})}
		r.Sections, i = edit(r.Sections, verb, i, spec.MaxSections, blank)
		return focusOn(verb, sectionID(i), "-name", len(r.Sections), i, "add-section")
	case "field":
		if i >= len(r.Records) {
			return ""
		}
		record := &r.Records[i]
		blank := Field{Name: free("field", func(name string) bool {
			return slices.ContainsFunc(record.Fields, func(f Field) bool { return spec.ColumnName(f.Name) == spec.ColumnName(name) })
		})}
		var k int
		record.Fields, k = edit(record.Fields, verb, at[1], spec.MaxFields, blank)
		return focusOn(verb, fieldID(i, k), "-name", len(record.Fields), k, recordID(i)+"-add")
	}
	return ""
}

// edit adds a row at the end of a list, or moves or removes one, and returns where
// the row is that the next key is for.
func edit[T any](list []T, verb string, i, most int, blank T) ([]T, int) {
	if verb == "add" && len(list) < most {
		return append(list, blank), len(list)
	}
	if i >= len(list) {
		return list, max(len(list)-1, 0)
	}
	switch verb {
	case "up":
		if i > 0 {
			list[i], list[i-1] = list[i-1], list[i]
			i--
		}
	case "down":
		if i+1 < len(list) {
			list[i], list[i+1] = list[i+1], list[i]
			i++
		}
	case "remove":
		list = slices.Delete(list, i, i+1)
		i = max(min(i, len(list)-1), 0)
	}
	return list, i
}

// focusOn returns the id of the control that has the focus after a button: the name of
// a row that was added, the same button of one that was moved, and what stands in the
// place of one that was removed.
func focusOn(verb, row, name string, rows, i int, add string) string {
	switch {
	case rows == 0:
		return add
	case verb == "up" && i > 0, verb == "down" && i == rows-1 && i > 0:
		return row + "-up"
	case verb == "up", verb == "down":
		return row + "-down"
	}
	return row + name
}

// free returns a name that is not taken: name, name 2, name 3 and so on.
func free(name string, taken func(string) bool) string {
	for n, out := 2, name; ; n++ {
		if !taken(out) {
			return out
		}
		out = name + " " + strconv.Itoa(n)
	}
}
