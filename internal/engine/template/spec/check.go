package spec

import (
	"cmp"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// More bounds of a project; of names and texts they count characters.
const (
	MinPort        = 1024
	MaxPort        = 65535
	MaxNoun        = 40
	MaxField       = 60
	MaxSectionName = 60
	MaxText        = 2000 // of a section
	MaxFact        = 200
	MaxValue       = 200   // of a choice, a default and an end of a range
	MaxString      = 1000  // of a value of String and the like, at run time
	MaxLong        = 10000 // of a value of Text, at run time
)

var nameText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([ _-][A-Za-z0-9]+)*$`)

func validName(name string, most int) bool { return len(name) <= most && nameText.MatchString(name) }

func badName(what, name string, most int) error {
	return fmt.Errorf("%q cannot be the name of %s; write letters from a to z and digits, with single spaces, hyphens or underscores between, beginning with a letter, at most %d characters", shorten(name), what, most)
}

// when returns an error if something is wrong.
func when(wrong bool, format string, args ...any) error {
	if wrong {
		return fmt.Errorf(format, args...)
	}
	return nil
}

// oneOf returns an error if a value is none of these.
func oneOf(value, what string, these ...string) error {
	if slices.Contains(these, value) {
		return nil
	}
	return Unknown(value, what, these)
}

// check reports what is wrong with a spec in which nothing is open.
func (s Spec) check() error {
	err := cmp.Or(
		s.checkSizes(),
		oneOf(s.Kind, "how a spec begins", API, Site),
		oneOf(s.License, "a licence", append(slices.Clone(Licenses), None)...),
		when(s.Port < MinPort || s.Port > MaxPort, "%d is not a port; write a number from %d to %d", s.Port, MinPort, MaxPort),
	)
	if err == nil && s.Kind == Site {
		err = cmp.Or(
			when(s.Language+s.Store+s.Auth != "" || s.CORS, "a site has no language, store, auth and cors; leave them out"),
			when(len(s.Records) > 0, `a site has no records; write "section menu: ..." or "text phone: ...", or begin with api`),
			when(len(s.Sections) == 0, `a site needs a section; write a line such as "section menu: ..."`),
			s.checkSite(),
		)
	} else if err == nil {
		err = cmp.Or(
			oneOf(s.Language, "a language", Languages...), oneOf(s.Store, "a store", Stores...), oneOf(s.Auth, "a way to authenticate", Token, None),
			when(len(s.Sections)+len(s.Facts) > 0, `an api has no sections and texts; write records such as "book: title, author"`),
			when(len(s.Records) == 0, `an api needs a record; write a line such as "book: title, author"`),
			s.checkRecords(),
		)
	}
	return cmp.Or(err, when(s.Name == "" || slug(s.Name) != s.Name, "%q is not the name of a project; write lower-case letters, digits and hyphens", shorten(s.Name)))
}

func (s Spec) checkSizes() error {
	return cmp.Or(
		when(len(s.Records) > MaxRecords, "a project has at most %d records", MaxRecords),
		when(len(s.Sections) > MaxSections, "a site has at most %d sections", MaxSections),
		when(len(s.Facts) > len(TextKeys), "a site has at most %d texts", len(TextKeys)),
	)
}

func (s Spec) checkSite() error {
	for i, x := range s.Sections {
		named := strings.ContainsFunc(x.Name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
		err := cmp.Or(
			when(!named || !printable(x.Name, MaxSectionName), "%q cannot be the name of a section; write printable text with a letter, at most %d characters", shorten(x.Name), MaxSectionName),
			when(!printable(x.Text, MaxText), "the text of the section %q is not one line of printable text; it has at most %d characters", x.Name, MaxText),
			when(s.FindSection(x.Name) < i, "the section %q is there twice; give one of them another name", x.Name),
		)
		if err != nil {
			return &Error{Err: err, part: aSection, index: i}
		}
	}
	for i, f := range s.Facts {
		err := cmp.Or(
			oneOf(f.Key, "a text of a site", TextKeys...),
			when(f.Value == "" || !printable(f.Value, MaxFact), "the text %q needs one line of printable text; it has at most %d characters", f.Key, MaxFact),
			when(slices.ContainsFunc(s.Facts[:i], func(other Fact) bool { return other.Key == f.Key }), "the text %q is there twice; write it once", f.Key),
		)
		if kind := map[string]string{"phone": "phone", "email": Email, "link": URL}[f.Key]; err == nil {
			_, err = measure(kind, f.Value)
		}
		if err != nil {
			return &Error{Err: err, part: aFact, index: i}
		}
	}
	return nil
}

// keptNames are nouns and plurals that cannot name files on Windows, tables or paths.
var keptNames = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9]|healthz|schema_migrations|sqlite_.*)$`)

func (s Spec) checkRecords() error {
	named := map[string]int{}
	for i, r := range s.Records {
		noun, plural := ColumnName(r.Noun), ColumnName(r.Plural)
		err := cmp.Or(
			when(!validName(r.Noun, MaxNoun), "%w", badName("a record", r.Noun, MaxNoun)),
			when(!validName(r.Plural, MaxNoun+6), "%w", badName("the plural of "+r.Noun, r.Plural, MaxNoun+6)),
			when(keptNames.MatchString(noun) || keptNames.MatchString(plural), "%q is a name that every project keeps to itself; choose another noun", r.Noun),
			when(named[noun]+named[plural] > 0, "the noun or the plural of %q names another record; choose another noun, or write its plural in parentheses", r.Noun),
			when(len(r.Fields) > MaxFields, "%s has %d fields; a record has at most %d", r.Noun, len(r.Fields), MaxFields),
		)
		named[noun], named[plural] = 1, 1
		for k := 0; k < len(r.Fields) && err == nil; k++ {
			err = s.checkField(r, k)
		}
		if err == nil && s.needs(r.Noun, r.Noun, map[string]bool{}) {
			err = fmt.Errorf("making a %s needs another %s first; write optional behind a -> of it", r.Noun, r.Noun)
		}
		if err != nil {
			return &Error{Err: err, part: aRecord, index: i}
		}
	}
	return nil
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

func (s Spec) checkField(r Record, i int) error {
	f := r.Fields[i]
	var nouns []string
	for _, each := range s.Records {
		nouns = append(nouns, each.Noun)
	}
	err := cmp.Or(
		when(!validName(f.Name, MaxField), "%w", badName("a field of "+r.Noun, f.Name, MaxField)),
		when(f.Column() == "id", "%s.%s: every record has an id of its own; choose another name", r.Noun, f.Name),
		when(r.Find(f.Name, f.To) < i, "%s has two fields %q; give one of them another name", r.Noun, f.Column()),
	)
	if err == nil && f.To != "" {
		err = oneOf(f.To, "a kind of record", nouns...)
	}
	if bad := f.check(); err == nil && bad != nil {
		err = fmt.Errorf("%s.%s: %w", r.Noun, f.Name, bad)
	}
	return err
}

// check reports whether the rules of a field fit its kind.
func (f Field) check() error {
	if f.Need != "" && f.Need != Required && f.Need != Optional {
		return Unknown(f.Need, "a rule", []string{Required, Optional})
	}
	if f.To != "" {
		return when(f.Kind+f.Min+f.Max != "" || f.Choices != nil || f.HasDefault, "a reference is required, optional or unique; leave out the rest")
	}
	low, high, err := f.bounds()
	err = cmp.Or(
		oneOf(f.Kind, "a kind of field", Kinds...),
		when(f.Min+f.Max != "" && (f.Kind == UUID || f.Kind == Boolean), "a %s has no range; leave it out", f.Kind),
		err,
		when(f.Unique && f.Kind == Boolean, "a boolean has two values; leave out unique"),
		when(f.Unique && f.HasDefault, "a default would be there twice; leave out unique or default"),
		when(f.Unique && f.Choices != nil, "choices run out; leave out unique or one of"),
		when(low != nil && high != nil && low.Cmp(high) > 0, "the range %s..%s ends before it begins; write %s..%s", f.Min, f.Max, f.Max, f.Min),
		when(f.Unique && f.Kind == Integer && low != nil && high != nil && new(big.Rat).Sub(high, low).Cmp(big.NewRat(4, 1)) < 0, "so few values run out; leave out unique, or write a longer range"),
		when(f.HasDefault == (f.Default == ""), "an empty default is none; leave it out"),
		f.checkChoices(),
	)
	if err == nil && f.HasDefault {
		err = cmp.Or(f.accepts(f.Default), when(f.Choices != nil && !slices.Contains(f.Choices, f.Default), "the default %q is not one of the choices %s", f.Default, strings.Join(f.Choices, ", ")))
	}
	return err
}

func (f Field) checkChoices() error {
	if f.Choices == nil {
		return nil
	}
	err := cmp.Or(
		when(!slices.Contains([]string{String, Text, Integer}, f.Kind), "choices are for string, text and integer, not for %s", f.Kind),
		when(len(f.Choices) < 2 || len(f.Choices) > MaxChoices, "choices are two to %d, such as one of open/closed", MaxChoices),
	)
	for i := 0; i < len(f.Choices) && err == nil; i++ {
		err = cmp.Or(f.accepts(f.Choices[i]), when(slices.Index(f.Choices, f.Choices[i]) < i, "the choice %q is there twice; write it once", f.Choices[i]))
	}
	return err
}

// IsLong reports whether the range of a field bounds the length of its values.
func (f Field) IsLong() bool { return slices.Contains([]string{String, Text, Email, URL}, f.Kind) }

// bounds returns the ends of the range of a field; nil: there is none.
func (f Field) bounds() (low, high *big.Rat, err error) {
	kind, longest := f.Kind, map[string]int64{String: MaxString, Text: MaxLong, Email: 254, URL: 2000}[f.Kind]
	if f.IsLong() {
		kind = Integer
	}
	if f.Min != "" {
		low, err = measure(kind, f.Min)
	}
	if f.Max != "" && err == nil {
		high, err = measure(kind, f.Max)
	}
	for _, end := range []*big.Rat{low, high} {
		if err == nil && f.IsLong() && end != nil && (end.Sign() < 0 || end == high && end.Sign() == 0 || end.Cmp(big.NewRat(longest, 1)) > 0) {
			err = fmt.Errorf("the length of a %s is from 1 to %d", f.Kind, longest)
		}
	}
	return low, high, err
}

// accepts reports what is wrong with a default or a choice.
func (f Field) accepts(value string) error {
	if value == "" || !printable(value, MaxValue) {
		return fmt.Errorf("%q is not one line of printable text with at most %d characters", shorten(value), MaxValue)
	}
	n, err := measure(f.Kind, value)
	if err != nil {
		return err
	}
	low, high, err := f.bounds()
	return cmp.Or(err, when(low != nil && n.Cmp(low) < 0 || high != nil && n.Cmp(high) > 0, "%q is not within %s..%s", shorten(value), f.Min, f.Max))
}

// form is how a value is written.
type form struct{ pattern, what, such string }

func (f form) check(value string) error {
	ok, _ := regexp.MatchString("^(?:"+f.pattern+")$", value)
	return when(!ok, "%q is not %s; write it like %s", shorten(value), f.what, f.such)
}

// Numbers begin with no zero: code reads 010 as another number than people do.
var forms = map[string]form{
	Integer:  {`0|-?[1-9][0-9]{0,14}`, "a whole number of at most 15 digits", "10"},
	Number:   {`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,9})?`, "a number", "0.5"},
	Money:    {`-?(0|[1-9][0-9]{0,14})(\.[0-9]{1,2})?`, "an amount with at most two decimals", "12.50"},
	Boolean:  {`true|false`, "a boolean", "true or false"},
	Email:    {`[\w.+'-]+@[\w-]+(\.[\w-]+)+`, "an address", "name@example.com"},
	URL:      {"https?://[^\\s\"<>\\\\`@]+", "a URL", `"https://example.com"`},
	UUID:     {`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`, "a UUID in small letters", "01890a5d-ac96-774b-bcce-b302099a8057"},
	Date:     {`[0-9]{4}-[0-9]{2}-[0-9]{2}`, "a date", "2026-01-31"},
	DateTime: {`[0-9]{4}-.*`, "a time", `"2026-01-31T12:00:00Z"`},
	"phone":  {`\+?[0-9(][0-9 ()./-]{2,28}[0-9]`, "a phone number", "+44 117 496 0123"}, // a text of a site alone
}

// measure returns the value of a number, a date or a time, and the length of a text.
func measure(kind, value string) (*big.Rat, error) {
	of, known := forms[kind]
	if err := of.check(value); err != nil && known {
		return nil, err
	}
	out, err := big.NewRat(int64(utf8.RuneCountInString(value)), 1), error(nil)
	var at time.Time
	switch kind {
	case Integer, Number, Money:
		out.SetString(value)
	case Date:
		at, err = time.Parse(time.DateOnly, value)
		out.SetInt64(at.UnixMicro())
	case DateTime:
		at, err = time.Parse(time.RFC3339, value)
		out.SetInt64(at.UnixMicro())
	case URL:
		_, err = url.Parse(value)
	}
	noYear := at.UTC().Year() < 1 || at.UTC().Year() > 9999 // in some languages
	return out, when(err != nil || noYear, "%q is not %s; write it like %s", shorten(value), of.what, of.such)
}
