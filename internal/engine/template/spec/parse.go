package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Pieces of the notation. They match as little as the rest of a line allows.
const (
	quoted = `"(?:[^"\\]|\\["\\])*"`
	value  = `(?:` + quoted + `|[^ ",:()/#]+)`
	end    = `(?:` + quoted + `|[+-]?[0-9][0-9-]*(?:\.[0-9]+)?)` // of a range
	name   = `(?:` + quoted + `|[^",:()/#]*?)`
	rule   = `(required|optional)|(unique)|(` + end + `)? *\.\. *(` + end + `)?|one +of +(` + value + `(?: */ *` + value + `)*)|default +(` + value + `)`
)

var (
	oneValue   = regexp.MustCompile(value)
	oneRule    = regexp.MustCompile(`(?i)` + rule)
	oneField   = regexp.MustCompile(`(?i)^ *(` + name + `) *(?:: *([^ ",:()/#]+)|(->) *(` + name + `))?((?: +(?:` + rule + `))*) *$`)
	betweenAll = regexp.MustCompile(`(?:[^,"()]|` + quoted + `|\((?:[^"()]|` + quoted + `)*\)|[()])*`) // commas
	record     = regexp.MustCompile(`^ *(` + name + `) *(?:(?:\( *(` + name + `) *\) *)?:(.*)|\((.*)\) *)$`)
	first      = regexp.MustCompile(`(?i)^ *(\S+?)(?: +in +(` + value + `))?(?: +with +(` + value + `))? *(?::(.*))?$`)
	sitePart   = regexp.MustCompile(`(?i)^(section|text)(?:[ ",:()/]|$)`)
	siteBelow  = regexp.MustCompile(`(?im)^ *section [^:,]*(:|$)`)
	likeFirst  = regexp.MustCompile(`(?i)^ *(?:api|site)(?: *| +(?:in|with) .*| *,.*)$`)
	likeOther  = regexp.MustCompile(`(?i)^ *(?:#|section |["a-z][^:.!?()]*(?:\([^:()]*\))?:)`)
	siteLine   = regexp.MustCompile(`(?i)^(section|text) *(` + quoted + `|[^": ][^:]*?) *(?:: *(` + quoted + `|[^" ].*)?)?$`)
	noComment  = regexp.MustCompile(`^((?:[^"#]|` + quoted + `)*)(?:#.*)?$`)
	// lineOrComment allows semicolons in quotes alone.
	lineOrComment = regexp.MustCompile(`#[^\n]*|("([^"\\\n]|\\["\\])*"|[^;#\n])+`)

	// What makes a name, a value or a text stand in quotes.
	oddValue   = regexp.MustCompile(`[\s,:()/"#\\;]`)
	ruleInside = regexp.MustCompile(`(?i)(^| )(required|optional|unique|default|one +of)( |$)|->|\.\.`)
	kindAtEnd  = regexp.MustCompile(`(?i)^(.+) (string|integer|boolean|datetime)$`) // with which few names end
	textEnds   = regexp.MustCompile(`^\s|\s$|[#;"]`)
	nameEnds   = regexp.MustCompile(`^\s|\s$|[#;":]`)
)

// An Error is a mistake in the text of a spec, and what to write instead.
type Error struct {
	Line int // from 1
	Err  error
}

// Error begins with the line.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Parse reads a whole text. What it leaves open stays open, but a text that
// [Spec.Complete] would refuse is refused here, with its line. With an error it returns
// what could be read; see [Spec.Sound].
func Parse(text string) (Spec, error) {
	s, lines, err := read(text)
	if err != nil {
		return s, err
	}
	full, _ := s.filled()
	if part, err := full.check(Field.checkNew); err != nil {
		return s, &Error{cmp.Or(lines[part], lines[0]), err}
	}
	return s, nil
}

// read reads a whole text, and returns the lines on which its parts stand; see check.
// After the first mistake, which it returns, it reads on.
func read(text string) (s Spec, lines map[int]int, err error) {
	if len(text) > MaxBytes || !utf8.ValidString(text) {
		return s, nil, fmt.Errorf("a spec is text in UTF-8 of at most %d bytes", MaxBytes)
	}
	lines = map[int]int{}
	for i, line := range strings.Split(plain(text), "\n") {
		if blank(line) {
			continue
		}
		if wrong := s.ReadLine(line); wrong != nil {
			err = cmp.Or(err, error(&Error{i + 1, wrong}))
			s.Kind = cmp.Or(s.Kind, map[bool]string{true: Site, false: API}[siteBelow.MatchString(text)])
		}
		if s.checkSizes() != nil {
			break
		}
		for _, part := range []int{0, len(s.Records) + len(s.Sections), -len(s.Facts)} {
			lines[part] = cmp.Or(lines[part], i+1)
		}
	}
	if s.Kind == "" {
		return s, nil, &Error{1, errFirst}
	}
	return s, lines, err
}

// IsSpec reports whether a text is a spec: its first line is one, whole.
func IsSpec(text string) bool {
	for line := range strings.SplitSeq(plain(text[:min(len(text), MaxBytes)]), "\n") {
		if !blank(line) {
			return new(Spec).ReadLine(line) == nil
		}
	}
	return false
}

// Resembles reports whether a text is a spec, or means to be one: it begins like one,
// and its further lines, of which there are some, look like those of a spec.
func Resembles(text string) bool {
	first, rest := "", 0
	for line := range strings.SplitSeq(plain(text[:min(len(text), MaxBytes)]), "\n") {
		switch {
		case blank(line):
		case first == "":
			first = strings.TrimSpace(line)
		case !likeOther.MatchString(line):
			return IsSpec(text)
		default:
			rest++
		}
	}
	return rest > 0 && likeFirst.MatchString(first) && !strings.ContainsAny(first[len(first)-1:], ".:!?") || IsSpec(text)
}

// ReadLine reads one line that is not blank: the first one if the kind of the spec is
// open, else a record, a section or a text. With an error it adds what could be read.
// Complete finds what is wrong with its values.
func (s *Spec) ReadLine(line string) error {
	line, err := uncommented(line)
	return cmp.Or(err, s.readLine(line))
}

func (s *Spec) readLine(line string) error {
	site := sitePart.MatchString(line)
	switch {
	case s.Kind == "":
		return s.readFirst(line)
	case s.Kind == Site && site:
		return s.readSite(line)
	case s.Kind == Site:
		return errors.New(`a site has lines such as "section menu: ..." and "text phone: ...", an api has records`)
	case site:
		return errors.New(`an api has records such as "book: title, author"; a noun that begins with section or text stands in double quotes`)
	}
	return s.readRecord(line)
}

// readSite reads a section or a text.
func (s *Spec) readSite(line string) error {
	m := siteLine.FindStringSubmatch(line)
	switch {
	case m == nil:
		return fmt.Errorf(`%.60q has no name, or text behind a quote; write "section menu: ..." or "text phone: ...", and the whole text in quotes, with \" for a quote and \\ for a backslash`, line)
	case strings.EqualFold(m[1], "section"):
		s.Sections = append(s.Sections, Section{unquote(m[2]), unquote(m[3])})
	default:
		s.Facts = append(s.Facts, Fact{strings.ToLower(unquote(m[2])), unquote(m[3])})
	}
	return s.checkSizes()
}

var errFirst = errors.New(`a spec begins with a line such as "api in go with sqlite, port 9100", or "site"`)

// readFirst reads a first line: KIND ["in" LANGUAGE] ["with" STORE] {"," option}.
func (s *Spec) readFirst(line string) (err error) {
	parts := betweenAll.FindAllString(line, -1)
	m := first.FindStringSubmatch(parts[0])
	if m == nil {
		err, m = errFirst, []string{"", strings.Fields(parts[0] + " -")[0], "", "", ""}
	}
	for i, name := range []string{"kind", "language", "store"} {
		if value := unquote(m[i+1]); value != "" || i == 0 {
			err = cmp.Or(err, s.set(name, value))
		}
	}
	parts[0] = m[4] // of api: book(title)
	given := map[string]bool{}
	for i, part := range parts {
		name, value, _ := strings.Cut(strings.TrimSpace(part), " ")
		name = strings.ToLower(name)
		switch {
		case i == 0 && part == "":
		case strings.Contains(part, "("):
			err = cmp.Or(err, s.readRecord(part))
		case given[name]:
			err = cmp.Or(err, fmt.Errorf("%s is given twice; write it once", name))
		default:
			given[name] = true
			option, wrong := choose(name, "an option", []string{"port", "auth", "license", "name", "cors"}, "")
			if option == "cors" {
				value = cmp.Or(value, "on")
			}
			if wrong == nil {
				wrong = s.set(option, unquote(strings.TrimSpace(value)))
			}
			err = cmp.Or(err, wrong)
		}
	}
	return err
}

// uncommented returns a line without its comment, and without its quotes if one of them
// is an error.
func uncommented(line string) (string, error) {
	m := noComment.FindStringSubmatch(line)
	if m == nil {
		return strings.ReplaceAll(line, `"`, ""), errors.New(`a quote is not closed; in double quotes write \" for a quote and \\ for a backslash`)
	}
	return strings.TrimSpace(m[1]), nil
}

// readRecord reads NOUN ["(" PLURAL ")"] ":" fields, or NOUN "(" fields ")".
func (s *Spec) readRecord(line string) (err error) {
	m := record.FindStringSubmatch(line)
	if m == nil {
		return fmt.Errorf("%.60q is not a record; write a noun, a colon and fields, such as \"book: title, author\"", line)
	}
	noun, wrongNoun := nameOf(m[1], "the noun of a record")
	fields, wrongField := ParseFields(m[3] + m[4])
	for i, f := range fields {
		if f.To == "" && f.Kind == "" && usualKind(f) == "" {
			fields[i].Kind = String
		}
	}
	r := Record{Noun: noun, Plural: surePlural(noun), Fields: fields}
	if m[2] != "" {
		r.Plural, err = nameOf(m[2], "a plural")
	}
	s.Records = append(s.Records, r)
	return cmp.Or(wrongNoun, err, wrongField, s.checkSizes())
}

// nameOf reads a name: a text in quotes, or words.
func nameOf(written, what string) (string, error) {
	if strings.HasPrefix(written, `"`) {
		return unquote(written), nil
	}
	name := strings.Join(strings.Fields(written), " ")
	return name, when(name == "" || ruleInside.MatchString(name), "%.60q is not %s; %s", name, what, fieldHelp)
}

const fieldHelp = `write a name, perhaps a colon and a kind, and rules: required, optional, unique, 1..10, one of a/b, default V; a name with one of these words and a value with a space, comma, slash, colon or quote stand in double quotes`

// ParseFields reads fields as they stand behind the noun of a record. Kinds that
// are not given stay open. With an error it returns the fields that have none.
func ParseFields(text string) (out []Field, err error) {
	text, err = uncommented(text)
	for _, each := range betweenAll.FindAllString(text, -1) {
		f, wrong := parseField(each)
		if err = cmp.Or(err, wrong); wrong == nil {
			out = append(out, f)
		}
	}
	return out, err
}

// parseField reads NAME [":" KIND] {rule}, or [NAME] "->" NOUN {rule}.
func parseField(text string) (f Field, err error) {
	m := oneField.FindStringSubmatch(text)
	switch {
	case m == nil:
		return f, fmt.Errorf("%.60q is not a field; %s", strings.TrimSpace(text), fieldHelp)
	case m[3] != "":
		f.To, err = nameOf(m[4], "the noun of a record")
		f.Name = f.To
	case m[2] != "":
		f.Kind, err = choose(m[2], "a kind of field", Kinds, "field")
	}
	if err == nil && (m[1] != "" || m[3] == "") {
		f.Name, err = nameOf(m[1], "the name of a field")
	}
	if ends := kindAtEnd.FindStringSubmatch(m[1]); ends != nil && m[2] == "" {
		err = cmp.Or(err, fmt.Errorf("a kind stands behind a colon; write \"%s: %s\", or the name in quotes", ends[1], ends[2]))
	}
	for _, m := range oneRule.FindAllStringSubmatch(m[5], -1) {
		var twice bool
		switch need, unique, low, high, choices, usual := m[1], m[2], m[3], m[4], m[5], m[6]; {
		case need != "":
			twice, f.Need = f.Need != "", strings.ToLower(need)
		case unique != "":
			twice, f.Unique = f.Unique, true
		case choices != "":
			twice = f.Choices != nil
			for _, choice := range oneValue.FindAllString(choices, -1) {
				f.Choices = append(f.Choices, unquote(choice))
			}
		case usual != "":
			twice, f.Default, f.HasDefault = f.HasDefault, unquote(usual), true
		default:
			twice, f.Min, f.Max = f.Min+f.Max != "", unquote(low), unquote(high)
			err = cmp.Or(err, when(low+high == "", "a range needs an end; write 1..10, 1.. or ..10"))
		}
		err = cmp.Or(err, when(twice, "%s: %.60q is one rule too many; write each rule once", f.Name, m[0]))
	}
	return f, err
}

// blank reports whether a line has nothing but a comment.
func blank(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " ")+"#", "#") }

// unquote returns the text of a name or a value, which may stand in quotes.
func unquote(written string) string {
	if len(written) < 2 || written[0] != '"' || written[len(written)-1] != '"' {
		return written
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(written[1 : len(written)-1])
}

// plain writes a text with line ends and ordinary spaces alone.
func plain(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ", "\u00a0", " ").Replace(strings.TrimPrefix(text, "\ufeff"))
}

// Split splits a text into lines, which end at semicolons too, but not in quotes.
// Comments and blank lines are left out.
func Split(text string) (out []string) {
	for _, line := range lineOrComment.FindAllString(plain(text), -1) {
		if !blank(line) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// String writes the canonical text of a spec, which Parse reads back. A record
// needs a field for that, and a plural that is left open is derived again.
func (s Spec) String() string {
	port, cors := strings.TrimPrefix(strconv.Itoa(s.Port), "0"), map[bool]string{true: ", cors"}[s.CORS]
	first := s.Kind + behind(" in ", s.Language) + behind(" with ", s.Store) + behind(", port ", port) + behind(", auth ", s.Auth) +
		behind(", license ", s.License) + behind(", name ", quote(s.Name, oddValue, ruleInside)) + cors
	return strings.Join(append([]string{first}, s.parts()...), "\n") + "\n"
}

// Constraints returns the constraints that describe a spec; Override reads them back.
func (s Spec) Constraints() map[string]string {
	out := map[string]string{
		"kind": s.Kind, "language": s.Language, "store": s.Store, "auth": s.Auth, "license": s.License, "name": s.Name,
		"port": strings.TrimPrefix(strconv.Itoa(s.Port), "0"), "cors": map[bool]string{true: "on"}[s.CORS],
		map[bool]string{true: "sections", false: "resources"}[s.Kind == Site]: strings.Join(s.parts(), "; "),
	}
	maps.DeleteFunc(out, func(_, value string) bool { return value == "" })
	return out
}

// parts writes the lines behind the first.
func (s Spec) parts() (lines []string) {
	for _, r := range s.Records {
		lines = append(lines, r.String())
	}
	for _, x := range s.Sections {
		lines = append(lines, "section "+quote(x.Name, nameEnds)+behind(": ", quote(x.Text, textEnds)))
	}
	for _, f := range s.Facts {
		lines = append(lines, "text "+f.Key+": "+quote(f.Value, textEnds))
	}
	return lines
}

// behind writes a value behind what stands before it, if there is a value.
func behind(before, value string) string {
	if value == "" {
		return ""
	}
	return before + value
}

// String writes the line of a record.
func (r Record) String() string {
	out := quote(r.Noun, ruleInside, sitePart)
	if r.Plural != "" && r.Plural != surePlural(r.Noun) {
		out += " (" + quote(r.Plural, ruleInside) + ")"
	}
	var fields []string
	for _, f := range r.Fields {
		fields = append(fields, f.String())
	}
	return out + behind(": ", strings.Join(fields, ", "))
}

// String writes a field as it stands behind the noun of its record.
func (f Field) String() string {
	out := quote(f.Name, ruleInside, kindAtEnd)
	switch {
	case f.To != "" && f.Name == f.To:
		out = "-> " + out
	case f.To != "":
		out += " -> " + quote(f.To, ruleInside)
	case f.Kind != String || usualKind(f) != "":
		out += behind(": ", f.Kind)
	}
	out += behind(" ", f.Need)
	out += behind(" ", map[bool]string{true: "unique"}[f.Unique])
	if f.Min+f.Max != "" {
		out += " " + quote(f.Min, oddValue, ruleInside) + ".." + quote(f.Max, oddValue, ruleInside)
	}
	var choices []string
	for _, choice := range f.Choices {
		choices = append(choices, quote(choice, oddValue, ruleInside))
	}
	return out + behind(" one of ", strings.Join(choices, "/")) + behind(" default ", quote(f.Default, oddValue, ruleInside))
}

// quote writes a text, in quotes where one of these expressions matches it.
func quote(text string, where ...*regexp.Regexp) string {
	if slices.ContainsFunc(where, func(each *regexp.Regexp) bool { return each.MatchString(text) }) {
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	}
	return text
}
