package spec

import (
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/text/plaintext"
)

// when returns an error if something is wrong.
func when(wrong bool, format string, args ...any) error {
	if wrong {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// oneOf returns an error if a value is none of these.
func oneOf(value, what string, these ...string) error {
	return when(!slices.Contains(these, value), "%.60q is not %s; write one of %s", value, what, strings.Join(these, ", "))
}

// check returns what is wrong with a spec that was filled, and in which record or
// section, from 1, or text, from -1 down; 0 is none of them.
func (s Spec) check(checkField func(Field) error) (part int, err error) {
	site := s.Kind == Site
	err = cmp.Or(
		s.checkSizes(),
		oneOf(s.Kind, "how a spec begins", API, Site),
		oneOf(s.License, "a licence", append(slices.Clone(Licenses), None)...),
		when(s.Port < MinPort || s.Port > MaxPort, "%d is not a port; write a number from %d to %d", s.Port, MinPort, MaxPort),
		when(site && (s.Language+s.Store+s.Auth != "" || s.CORS), "a site has no language, store, auth and cors; leave them out"),
		when(site && (len(s.Sections) == 0 || len(s.Records) > 0), `a site needs a section and has no records; write a line such as "section menu: ...", or begin with api`),
		when(!site && (len(s.Records) == 0 || len(s.Sections)+len(s.Facts) > 0), `an api needs a record and has no sections and texts; write a line such as "book: title, author"`),
	)
	if !site {
		err = cmp.Or(err, oneOf(s.Language, "a language", Languages...), oneOf(s.Store, "a store", Stores...), oneOf(s.Auth, "a way to authenticate", Token, None))
	}
	for i := 0; i < len(s.Records) && err == nil; i++ {
		part, err = i+1, s.checkRecord(i, checkField)
	}
	for i := 0; i < len(s.Sections) && err == nil; i++ {
		part, err = i+1, s.checkSection(i)
	}
	for i := 0; i < len(s.Facts) && err == nil; i++ {
		part, err = -i-1, s.checkFact(i)
	}
	return part, err
}

func (s Spec) checkSizes() error {
	return when(len(s.Records) > MaxRecords || len(s.Sections) > MaxSections || len(s.Facts) > len(TextKeys),
		"a project has at most %d records, or %d sections and %d texts", MaxRecords, MaxSections, len(TextKeys))
}

func (s Spec) checkSection(i int) error {
	x := s.Sections[i]
	named := strings.ContainsFunc(x.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	return cmp.Or(
		when(!named || !plaintext.IsLine(x.Name, MaxSectionName), "%.60q cannot be the name of a section; write printable text with a letter, at most %d characters", x.Name, MaxSectionName),
		when(!plaintext.IsLine(x.Text, MaxText), "the text of the section %q is not one line of printable text; it has at most %d characters", x.Name, MaxText),
		when(s.FindSection(x.Name) < i, "the section %q is there twice; give one of them another name", x.Name),
	)
}

func (s Spec) checkFact(i int) error {
	f := s.Facts[i]
	_, bad := measure(map[string]string{"phone": "phone", "email": Email, "link": URL}[f.Key], f.Value)
	return cmp.Or(
		oneOf(f.Key, "a text of a site", TextKeys...),
		when(f.Value == "" || !plaintext.IsLine(f.Value, MaxValue), "the text %q needs one line of printable text; it has at most %d characters", f.Key, MaxValue),
		when(slices.ContainsFunc(s.Facts[:i], func(other Fact) bool { return other.Key == f.Key }), "the text %q is there twice; write it once", f.Key),
		bad,
	)
}

var (
	nameText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([ _-][A-Za-z0-9]+)*$`)
	// keptNames are nouns and plurals that cannot name files on Windows, tables or paths.
	keptNames = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9]|healthz|schema_migrations|sqlite_.*)$`)
	// systemColumns are those that every table of PostgreSQL has already.
	systemColumns = regexp.MustCompile(`^(tableoid|[cx]m(in|ax)|ctid)$`)
	microseconds  = regexp.MustCompile(`\.[0-9]{4}`)
	betweenWords  = regexp.MustCompile(`_([a-z])`)
)

func checkName(what, name string, most int) error {
	return when(len(name) > most || !nameText.MatchString(name), "%.60q cannot be the name of %s; write letters from a to z and digits, with single spaces, hyphens or underscores between, beginning with a letter, at most %d characters", name, what, most)
}

// inCode returns what tells the names of code apart, which run words together:
// blog_post is blogpost, and url the same as u_r_l, but line_2 is not line2.
func inCode(column string) string { return betweenWords.ReplaceAllString(column, "$1") }

func (s Spec) checkRecord(i int, checkField func(Field) error) error {
	r := s.Records[i]
	noun, plural := ColumnName(r.Noun), ColumnName(r.Plural)
	err := cmp.Or(
		checkName("a record", r.Noun, MaxNoun),
		checkName("the plural of "+r.Noun, r.Plural, MaxNoun+6),
		when(keptNames.MatchString(noun) || keptNames.MatchString(plural), "%q is a name that every project keeps to itself; choose another noun", r.Noun),
		when(len(r.Fields) > MaxFields, "%s has %d fields; a record has at most %d", r.Noun, len(r.Fields), MaxFields),
	)
	for _, other := range s.Records[:i] {
		taken := []string{inCode(ColumnName(other.Noun)), inCode(ColumnName(other.Plural))}
		err = cmp.Or(err, when(slices.Contains(taken, inCode(noun)) || slices.Contains(taken, inCode(plural)),
			"the noun or the plural of %q names another record, %q, as code writes it; choose another noun, or write its plural in parentheses", r.Noun, other.Noun))
	}
	for k := 0; k < len(r.Fields) && err == nil; k++ {
		err = s.checkField(r, k, checkField)
	}
	return cmp.Or(err, when(err == nil && s.needs(r.Noun, r.Noun, map[string]bool{}), "making a %s needs another %[1]s first; write optional behind a -> of it", r.Noun))
}

// needs reports whether making a record of one noun needs a record of another first.
func (s Spec) needs(from, noun string, seen map[string]bool) bool {
	at := s.Find(from)
	if at < 0 || seen[from] {
		return false
	}
	seen[from] = true
	for i, f := range s.Records[at].Fields {
		if f.To != "" && s.Records[at].Required(i) && (f.To == noun || s.needs(f.To, noun, seen)) {
			return true
		}
	}
	return false
}

func (s Spec) checkField(r Record, i int, check func(Field) error) error {
	f := r.Fields[i]
	if err := checkName("a field of "+r.Noun, f.Name, MaxField); err != nil {
		return err
	}
	column := inCode(f.Column())
	twice := slices.ContainsFunc(r.Fields[:i], func(other Field) bool { return inCode(other.Column()) == column })
	many := slices.IndexFunc(s.Records, func(r Record) bool { return ColumnName(r.Plural) == ColumnName(f.To) })
	err := cmp.Or(
		oneOf(f.Need, "a rule", Required, Optional, ""),
		when(column == "id", "every record has an id of its own; choose another name"),
		when(s.Store == Postgres && systemColumns.MatchString(f.Column()), "PostgreSQL has a column %s of its own in every table; choose another name", f.Name),
		when(twice, "%s has two fields %q, as code writes it; give one of them another name", r.Noun, f.Column()),
		when(f.To != "" && s.Find(f.To) < 0 && many >= 0, "a reference leads to one record; write -> %s", s.Records[max(many, 0)].Noun),
		when(f.To != "" && s.Find(f.To) < 0, "%.60q is not a kind of record; write a line for it, or leave out the field", f.To),
		check(f),
	)
	if err != nil {
		return fmt.Errorf("%s.%s: %w", r.Noun, f.Name, err)
	}
	return nil
}

// kind is how the values of a kind of field are written.
type kind struct {
	pattern        *regexp.Regexp // nil: any text
	what, such     string
	usual, longest int    // characters of a value: without a range, and with any
	least, most    string // without a range; nothing: there is none
	sample         int    // characters of a value in the generated tests
}

func like(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }

// Numbers begin with no zero: code reads 010 as another number than people do.
var kinds = map[string]kind{
	String:  {usual: 200, longest: 1000},
	Text:    {usual: 10000, longest: 10000},
	Integer: {pattern: like(`0|-?[1-9][0-9]{0,14}`), what: "a whole number of at most 15 digits", such: "10", least: "-999999999999999", most: "999999999999999"},
	Number:  {pattern: like(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?`), what: "a number", such: "0.5", least: "-999999999999999", most: "999999999999999"},
	Money:   {pattern: like(`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,2})?`), what: "an amount with at most two decimals", such: "12.50", least: "-999999999999999", most: "999999999999999"},
	Boolean: {pattern: like(`true|false`), what: "a boolean", such: "true or false"},
	Date:    {pattern: like(`[0-9]{4}-[0-9]{2}-[0-9]{2}`), what: "a date", such: "2026-01-31", least: "0001-01-01", most: "9999-12-31"},
	DateTime: {
		pattern: like(`[0-9-]{10}T([0-9]{2}:){2}[0-9]{2}(\.[0-9]{1,9})?(Z|[+-](0[0-9]|1[0-4]):[0-5][0-9])`),
		what:    "a time", such: `"2026-01-31T12:00:00Z"`, least: "0001-01-01T00:00:00Z", most: "9999-12-31T23:59:59Z",
	},
	Email:   {pattern: like(`[\w.+'-]+@[\w-]+(\.[\w-]+)+`), what: "an address", such: "name@example.com", usual: 254, longest: 254, sample: len("10@example.com")},
	URL:     {pattern: like("https?://[^\\s\"<>\\\\`@]+"), what: "a URL", such: `"https://example.com"`, usual: 2000, longest: 2000, sample: len("https://example.com/10")},
	UUID:    {pattern: like(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), what: "a UUID in small letters", such: "01890a5d-ac96-774b-bcce-b302099a8057", usual: 36},
	"phone": {pattern: like(`\+?[0-9(][0-9 ()./-]{2,28}[0-9]`), what: "a phone number", such: "+44 117 496 0123"}, // a text of a site alone
}

// IsLong reports whether the range of a field bounds the length of its values.
func (f Field) IsLong() bool { return kinds[f.Kind].longest > 0 }

// MaxLength returns how many characters a value has at most; 0: its kind is no text.
func (f Field) MaxLength() int {
	if most, err := strconv.Atoi(f.Max); err == nil && f.IsLong() {
		return most
	}
	return kinds[f.Kind].usual
}

// measure returns the value of a number, a date or a time, and the length of a text.
// An empty value has none.
func measure(kind, value string) (*big.Rat, error) {
	k := kinds[kind]
	ok := k.pattern == nil || k.pattern.MatchString(value)
	out := big.NewRat(int64(utf8.RuneCountInString(value)), 1)
	switch {
	case value == "":
		return nil, nil
	case !ok:
	case kind == Integer, kind == Number, kind == Money:
		out.SetString(value)
		ok = out.Sign() != 0 || value[0] != '-' // no two programs write -0 alike
	case kind == Date, kind == DateTime:
		at, err := time.Parse(map[string]string{Date: time.DateOnly, DateTime: time.RFC3339}[kind], value)
		out.SetInt64(at.UnixMicro())
		ok = err == nil && at.UTC().Year() >= 1 && at.UTC().Year() <= 9999 // some languages have no other
	case kind == URL:
		at, err := url.Parse(value)
		ok = err == nil && at.Hostname() != ""
	}
	return out, when(!ok, "%.60q is not %s; write it like %s", value, k.what, k.such)
}

// check reports whether the rules of a field fit its kind.
func (f Field) check() error {
	if f.To != "" {
		return when(f.Kind+f.Min+f.Max != "" || f.Choices != nil || f.HasDefault, "a reference is required, optional or unique; leave out the rest")
	}
	of, k := f.Kind, kinds[f.Kind]
	if f.IsLong() {
		of = Integer
	}
	low, lowErr := measure(of, f.Min)
	high, highErr := measure(of, f.Max)
	least, _ := strconv.Atoi(f.Min)
	err := cmp.Or(
		oneOf(f.Kind, "a kind of field", Kinds...),
		when(f.Min+f.Max != "" && (f.Kind == UUID || f.Kind == Boolean), "a %s has no range; leave it out", f.Kind),
		lowErr, highErr,
		when(low != nil && high != nil && low.Cmp(high) > 0, "the range %s..%s ends before it begins; write %[2]s..%[1]s", f.Min, f.Max),
		when(f.IsLong() && (least < 0 || f.MaxLength() < 1 || max(least, f.MaxLength()) > k.longest), "the length of a %s is from 1 to %d", f.Kind, k.longest),
		when(f.IsLong() && least > f.MaxLength(), "a %s without a greatest length has at most %d characters; write %d..%d", f.Kind, k.usual, least, k.longest),
		when(f.Unique && (f.Kind == Boolean || f.HasDefault || f.Choices != nil), "values of a boolean, a default and choices come back; leave out unique"),
		when(f.Choices != nil && !slices.Contains([]string{String, Text, Integer}, f.Kind), "choices are for string, text and integer, not for %s", f.Kind),
		when(f.Choices != nil && len(f.Choices) < 2 || len(f.Choices) > MaxChoices, "choices are two to %d, such as one of open/closed", MaxChoices),
		when(f.HasDefault == (f.Default == ""), "an empty default is none; leave it out"),
		when(f.HasDefault && f.Choices != nil && !slices.Contains(f.Choices, f.Default), "the default %.60q is not one of the choices", f.Default),
	)
	values := f.Choices
	if f.HasDefault && f.Choices == nil {
		values = []string{f.Default}
	}
	for i, value := range values {
		err = cmp.Or(err, f.checkValue(value, low, high), when(slices.Index(values, value) < i, "the choice %q is there twice; write it once", value))
	}
	return err
}

// checkValue reports what is wrong with a choice or a default within a range.
func (f Field) checkValue(value string, low, high *big.Rat) error {
	n, bad := measure(f.Kind, value)
	return cmp.Or(
		when(value == "" || !plaintext.IsLine(value, MaxValue), "%.60q is not one line of printable text with at most %d characters", value, MaxValue),
		bad,
		when(n != nil && (low != nil && n.Cmp(low) < 0 || high != nil && n.Cmp(high) > 0), "%.60q is not within %s..%s", value, f.Min, f.Max),
	)
}

// checkNew is check for a spec that is generated. The generated tests need a text that is
// long enough, and five values that are 1 or a day apart in a range that is unique or
// open. A project that was begun without is still read, so that a change can mend it.
func (f Field) checkNew() error {
	k, room, long := kinds[f.Kind], int64(4), "4"
	if f.Kind == Date || f.Kind == DateTime {
		room, long = 4*24*time.Hour.Microseconds(), "4 days"
	}
	low, lowErr := measure(f.Kind, cmp.Or(f.Min, k.least))
	high, highErr := measure(f.Kind, cmp.Or(f.Max, k.most))
	few := k.most != "" && cmp.Or(lowErr, highErr) == nil && low.Add(low, big.NewRat(room, 1)).Cmp(high) > 0
	return cmp.Or(
		f.check(),
		when(f.Kind == DateTime && microseconds.MatchString(f.Min+f.Max), "a range of times has at most three decimals, as services store them"),
		when(f.MaxLength() < k.sample, "%s has at least %d characters in the generated tests; write ..%[2]d or more", k.what, k.sample),
		when(few && f.Unique, "unique needs a range of at least %s; write a longer one, or leave out unique", long),
		when(few && (f.Min == "" || f.Max == ""), "the range %s..%s has nearly no values; write one of at least %s", f.Min, f.Max, long),
	)
}
