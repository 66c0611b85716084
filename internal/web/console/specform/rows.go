package specform

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// Rows are the values of a spec as a form has them: each one text, empty if it is open.
type Rows struct {
	Kind, Language, Store, Port, Auth, License, Name string

	CORS     bool
	Records  []Record
	Sections []spec.Section
	Facts    []spec.Fact // one for each of spec.TextKeys
}

// Record is a row of a record with the rows of its fields.
type Record struct {
	Noun   string
	Plural string // empty: it follows from the noun
	Fields []Field
}

// Field is a row of a field.
type Field struct {
	Name    string
	Kind    string // one of spec.Kinds, empty, or refersTo and the noun of a record
	Need    string
	Unique  bool
	Min     string
	Max     string
	Choices string // as they stand behind "one of"
	Default string
}

// refersTo begins the kind of a reference.
const refersTo = "-> "

// rowsOf returns the rows of a spec.
func rowsOf(s spec.Spec) Rows {
	r := Rows{
		Kind: s.Kind, Language: s.Language, Store: s.Store, Auth: s.Auth, License: s.License, Name: s.Name, CORS: s.CORS,
		Sections: slices.Clone(s.Sections),
	}
	if s.Port != 0 {
		r.Port = strconv.Itoa(s.Port)
	}
	for _, record := range s.Records {
		row := Record{Noun: record.Noun, Plural: record.Plural}
		written := record.String()
		if record.Plural = ""; record.String() == written { // it is not written
			row.Plural = ""
		}
		for _, f := range record.Fields {
			row.Fields = append(row.Fields, rowOf(f))
		}
		r.Records = append(r.Records, row)
	}
	for _, key := range spec.TextKeys {
		fact := spec.Fact{Key: key}
		if i := slices.IndexFunc(s.Facts, func(f spec.Fact) bool { return f.Key == key }); i >= 0 {
			fact.Value = s.Facts[i].Value
		}
		r.Facts = append(r.Facts, fact)
	}
	return r
}

func rowOf(f spec.Field) Field {
	row := Field{Name: f.Name, Kind: f.Kind, Need: f.Need, Unique: f.Unique, Min: f.Min, Max: f.Max, Default: f.Default}
	open := f
	if open.Kind = ""; open.String() == f.String() { // it is not written
		row.Kind = ""
	}
	if f.To != "" {
		row.Kind = refersTo + f.To
	}
	if f.Choices != nil {
		_, row.Choices, _ = strings.Cut(spec.Field{Name: "x", Choices: f.Choices}.String(), " one of ")
	}
	return row
}

// spec returns the spec that rows stand for. Values that no text could have are not
// checked; [Rows.text] does that.
func (r Rows) spec() (spec.Spec, error) {
	s := spec.Spec{Kind: r.Kind, License: r.License, Name: r.Name}
	if r.Port != "" {
		port, err := strconv.Atoi(r.Port)
		if err != nil || port < spec.MinPort || port > spec.MaxPort {
			return s, fmt.Errorf("%q is not a port; write a number from %d to %d", r.Port, spec.MinPort, spec.MaxPort)
		}
		s.Port = port
	}
	if r.Kind == spec.Site {
		s.Sections = r.Sections
		for _, f := range r.Facts {
			if f.Value != "" {
				s.Facts = append(s.Facts, f)
			}
		}
		return s, nil
	}
	s.Language, s.Store, s.Auth, s.CORS = r.Language, r.Store, r.Auth, r.CORS
	for _, row := range r.Records {
		record := spec.Record{Noun: row.Noun, Plural: row.Plural}
		if len(row.Fields) == 0 {
			return s, fmt.Errorf("the record %q has no field; add one, or remove the record", row.Noun)
		}
		for _, each := range row.Fields {
			f, err := each.field()
			if err != nil {
				return s, fmt.Errorf("%s.%s: %w", row.Noun, each.Name, err)
			}
			record.Fields = append(record.Fields, f)
		}
		s.Records = append(s.Records, record)
	}
	return s, nil
}

// field returns the field that a row stands for.
func (f Field) field() (spec.Field, error) {
	out := spec.Field{
		Name: f.Name, Kind: f.Kind, Need: f.Need, Unique: f.Unique, Min: f.Min, Max: f.Max, Default: f.Default, HasDefault: f.Default != "",
	}
	if to, is := strings.CutPrefix(f.Kind, refersTo); is {
		out.Kind, out.To, out.Name = "", to, cmp.Or(f.Name, to)
	}
	if f.Choices != "" {
		read := spec.Spec{Kind: spec.API}
		if err := read.ReadLine("x: y one of " + f.Choices); err != nil {
			return out, fmt.Errorf("one of: %w", err)
		}
		only := read.Records[0].Fields[0]
		out.Choices = only.Choices
		if only.Choices = nil; len(read.Records[0].Fields) > 1 || only.String() != "y" {
			return out, fmt.Errorf("%q are not choices; write a slash between them, such as open/closed, and quotes around one that has a space or a comma", f.Choices)
		}
	}
	return out, nil
}

// errNoText means that rows have values which the notation cannot write.
var errNoText = errors.New("these rows cannot be written as a text; correct the names")

// text returns the text that rows stand for. A text that would be read as anything
// else is an error, so that no value can add a line, a field or a rule.
func (r Rows) text() (string, error) {
	s, err := r.spec()
	if err != nil {
		return "", err
	}
	want, _, err := s.Complete()
	if err != nil {
		return "", err
	}
	read, err := spec.Parse(s.String())
	if err != nil {
		return "", err
	}
	got, _, err := read.Complete()
	if err != nil || got.String() != want.String() {
		return "", cmp.Or(err, errNoText)
	}
	return read.String(), nil
}

// posted reads the rows of a form that was sent.
func posted(v url.Values) Rows {
	get := func(name string) string { return strings.TrimSpace(v.Get(name)) }
	r := Rows{
		Kind: get("kind"), Language: get("language"), Store: get("store"), Port: get("port"), Auth: get("auth"), License: get("license"),
		Name: get("name"), CORS: v.Has("cors"),
	}
	for i := 0; i <= spec.MaxRecords && v.Has(recordID(i)+"-noun"); i++ {
		at := recordID(i)
		record := Record{Noun: get(at + "-noun"), Plural: get(at + "-plural")}
		for k := 0; k <= spec.MaxFields && v.Has(fieldID(i, k)+"-name"); k++ {
			at := fieldID(i, k)
			record.Fields = append(record.Fields, Field{
				Name: get(at + "-name"), Kind: get(at + "-kind"), Need: get(at + "-need"), Unique: v.Has(at + "-unique"),
				Min: get(at + "-min"), Max: get(at + "-max"), Choices: get(at + "-choices"), Default: get(at + "-default"),
			})
		}
		r.Records = append(r.Records, record)
	}
	r.follow()
	for i := 0; i <= spec.MaxSections && v.Has(sectionID(i)+"-name"); i++ {
		r.Sections = append(r.Sections, spec.Section{Name: get(sectionID(i) + "-name"), Text: get(sectionID(i) + "-text")})
	}
	for _, key := range spec.TextKeys {
		r.Facts = append(r.Facts, spec.Fact{Key: key, Value: get("text-" + key)})
	}
	return r
}

// follow makes the references of a form, which have the number of a record, lead to
// the noun that the record has now.
func (r *Rows) follow() {
	for _, record := range r.Records {
		for k := range record.Fields {
			f := &record.Fields[k]
			number, is := strings.CutPrefix(f.Kind, "->")
			if n, err := strconv.Atoi(number); is && err == nil && n >= 0 && n < len(r.Records) {
				f.Kind = refersTo + r.Records[n].Noun
			}
		}
	}
}

func recordID(i int) string   { return "r" + strconv.Itoa(i) }
func fieldID(i, k int) string { return recordID(i) + "-f" + strconv.Itoa(k) }
func sectionID(i int) string  { return "s" + strconv.Itoa(i) }
