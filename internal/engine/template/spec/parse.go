package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An Error is a mistake in a spec, and what to write instead.
type Error struct {
	Line        int // of a text, from 1; 0: the spec was no text
	Err         error
	part, index int // where the mistake is
}

// The parts of a spec.
const (
	theWhole = iota
	aRecord
	aSection
	aFact
)

// Error begins with the line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Err.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.Err)
}

// Unwrap returns the mistake without its line.
func (e *Error) Unwrap() error { return e.Err }

// Parse reads a whole text. What it leaves open stays open, but a text that
// [Spec.Complete] would refuse is refused here, with its line.
func Parse(text string) (s Spec, err error) {
	if len(text) > MaxBytes || !utf8.ValidString(text) {
		return s, fmt.Errorf("a spec is text in UTF-8 of at most %d bytes", MaxBytes)
	}
	var at [aFact + 1][]int // the lines on which the parts stand
	for i, line := range strings.Split(plain(text), "\n") {
		if blank(line) {
			continue
		}
		if err := cmp.Or(s.readLine(line), s.checkSizes()); err != nil {
			return Spec{}, &Error{Line: i + 1, Err: err}
		}
		for part, n := range []int{1, len(s.Records), len(s.Sections), len(s.Facts)} {
			at[part] = append(at[part], slices.Repeat([]int{i + 1}, n-len(at[part]))...)
		}
	}
	if s.Kind == "" {
		return s, &Error{Line: 1, Err: errors.New(`a spec begins with api or site; write a first line such as "api in go with sqlite"`)}
	}
	if _, _, err := s.Complete(); err != nil {
		wrong := &Error{Err: err}
		errors.As(err, &wrong)
		return Spec{}, &Error{Line: at[wrong.part][wrong.index], Err: wrong.Err}
	}
	return s, nil
}

// ParsePart reads one line of a project of a kind: a record, a section or a text.
// What is wrong with its values, [Spec.Complete] finds.
func ParsePart(kind, line string) (Spec, error) {
	s := Spec{Kind: kind}
	err := s.readLine(line)
	s.Kind = ""
	return s, err
}

// ParseFields reads fields as they stand behind the noun of a record. Kinds that
// are not given stay open.
func ParseFields(text string) ([]Field, error) {
	p, err := parserOf(text)
	if err != nil {
		return nil, err
	}
	out, err := p.fields()
	if err == nil && !p.done() {
		err = p.unexpected("a comma between fields")
	}
	return out, err
}

// IsSpec reports whether a text is a spec: its first line is one, whole.
func IsSpec(text string) bool {
	for _, line := range strings.Split(plain(text[:min(len(text), MaxBytes)]), "\n") {
		if !blank(line) {
			return new(Spec).readFirst(line) == nil
		}
	}
	return false
}

// readLine reads one line that is not blank.
func (s *Spec) readLine(line string) error {
	word, rest := cutWord(line)
	word = strings.ToLower(word)
	site := word == "section" || word == "text"
	switch {
	case s.Kind == "":
		return s.readFirst(line)
	case s.Kind == Site && site:
		return s.readSite(word, rest)
	case s.Kind == Site:
		return errors.New(`a site has sections and texts; write "section menu: ..." or "text phone: ..."`)
	case site:
		return fmt.Errorf("an api has no %ss; write a record such as \"book: title, author\", or %q in quotes if it is a record", word, word)
	}
	p, err := parserOf(line)
	if err != nil {
		return err
	}
	if err = s.readRecord(p); err == nil && !p.done() {
		err = p.unexpected("a comma between fields")
	}
	return err
}

// readSite reads a section or a text behind the word that says which: NAME [":" text].
func (s *Spec) readSite(what, line string) error {
	name, rest, err := freeText(line, ":#")
	if err != nil {
		return err
	}
	text := ""
	if strings.HasPrefix(rest, ":") {
		text, rest, err = freeText(rest[1:], "#")
	}
	switch {
	case err != nil:
		return err
	case !blank(rest):
		return fmt.Errorf(`text stands behind a closing quote: %q; put all of it in quotes, with \" for a quote inside`, shorten(rest))
	case name == "":
		return fmt.Errorf("a %s needs a name; write %q", what, map[string]string{"section": "section menu: ...", "text": "text phone: ..."}[what])
	case what == "section":
		s.Sections = append(s.Sections, Section{name, text})
	default:
		s.Facts = append(s.Facts, Fact{strings.ToLower(name), text})
	}
	return nil
}

// freeText reads a text in quotes, or up to one of the characters that end it.
func freeText(line, ends string) (text, rest string, err error) {
	if line = trimLeft(line); strings.HasPrefix(line, `"`) {
		text, rest, err = unquote(line)
		return text, trimLeft(rest), err
	}
	n := strings.IndexAny(line+ends, ends)
	return strings.TrimRight(line[:n], " "), line[n:], nil
}

// readFirst reads a first line.
func (s *Spec) readFirst(line string) error {
	p, err := parserOf(line)
	if err != nil {
		return err
	}
	if s.Kind, err = choose(p.next().text, "how a spec begins", []string{API, Site}, nil); err != nil {
		return err
	}
	if p.take("in") {
		err = s.set("language", p.next().text)
	}
	if err == nil && p.take("with") {
		err = s.set("store", p.next().text)
	}
	given := map[string]bool{}
	for first := true; err == nil && !p.done(); first = false {
		switch {
		case !p.take(",") && (!first || !p.take(":")):
			err = p.unexpected("a comma and an option: port, auth, license, name or cors")
		case p.opens():
			err = s.readRecord(p)
		default:
			err = s.readOption(p, given)
		}
	}
	return err
}

// readOption reads an option of the first line.
func (s *Spec) readOption(p *parser, given map[string]bool) error {
	key, err := choose(p.next().text, "an option", []string{"port", "auth", "license", "name", "cors"}, nil)
	var value []string
	for p.peek(0).value() {
		value = append(value, p.next().text)
	}
	if len(value) == 0 && key == "cors" {
		value = []string{"on"}
	}
	err = cmp.Or(err, when(given[key], "%s is given twice; write it once", key))
	if given[key] = true; err == nil {
		err = s.set(key, strings.Join(value, " "))
	}
	return err
}

// parser reads the tokens of one line.
type parser struct {
	tokens []token
	at     int
}

func parserOf(line string) (*parser, error) {
	tokens, err := scan(line)
	return &parser{tokens: tokens}, err
}

// peek returns a token further on without taking it; past the end it is empty.
func (p *parser) peek(on int) token {
	if p.at+on < len(p.tokens) {
		return p.tokens[p.at+on]
	}
	return token{}
}

func (p *parser) next() token { p.at++; return p.peek(-1) }

func (p *parser) done() bool { return p.at >= len(p.tokens) }

// take takes the next token if it is this word or mark.
func (p *parser) take(what string) bool {
	is := p.peek(0).is(what)
	if is {
		p.at++
	}
	return is
}

// unexpected is the error of a token that cannot stand where it stands.
func (p *parser) unexpected(write string) error {
	if p.done() {
		return fmt.Errorf("the line ends too early; write %s", write)
	}
	return fmt.Errorf("%q cannot stand here; write %s", shorten(p.peek(0).text), write)
}

// opens reports whether a record begins here: words and an opening parenthesis.
func (p *parser) opens() bool {
	n := 0
	for p.peek(n).value() {
		n++
	}
	return n > 0 && p.peek(n).is("(")
}

func (s *Spec) readRecord(p *parser) error {
	r, err := p.record()
	s.Records = append(s.Records, r)
	return cmp.Or(err, s.checkSizes())
}

// record reads NOUN ["(" PLURAL ")"] ":" fields, or NOUN "(" fields ")".
func (p *parser) record() (r Record, err error) {
	if r.Noun, err = p.name("the noun of a record"); err != nil {
		return r, err
	}
	inside := p.take("(")
	fields := p.at
	if inside {
		if r.Plural, err = p.name("a plural"); err == nil && p.take(")") && p.take(":") {
			inside = false
		} else {
			r.Plural, p.at = "", fields
		}
	} else if !p.take(":") {
		return r, p.unexpected(fmt.Sprintf("a colon and fields, such as %q", quoteName(r.Noun)+": name"))
	}
	if r.Fields, err = p.fields(); err == nil && inside && !p.take(")") {
		err = p.unexpected("a closing parenthesis behind the fields")
	}
	for i, f := range r.Fields {
		if f.To == "" && f.Kind == "" && usualKind(f) == "" {
			r.Fields[i].Kind = String
		}
	}
	r.Plural = cmp.Or(r.Plural, surePlural(r.Noun))
	return r, err
}

// name reads a name: one text in quotes, or words up to a mark or a rule.
func (p *parser) name(what string) (string, error) {
	if p.peek(0).quoted {
		return p.next().text, nil
	}
	var words []string
	for p.peek(0).value() && !p.peek(0).quoted && p.rule() == "" {
		words = append(words, p.next().text)
	}
	if len(words) > 0 {
		return strings.Join(words, " "), nil
	}
	return "", p.unexpected(what + ", in quotes if it is a word of the notation")
}

// rule returns which rule begins here, if one does.
func (p *parser) rule() string {
	switch t := p.peek(0); {
	case t.is(".."), t.end() && p.peek(1).is(".."):
		return "a range"
	case t.is("one") && p.peek(1).is("of"):
		return "one of"
	case t.is(Required, Optional):
		return "required or optional"
	case t.is("unique", "default"):
		return strings.ToLower(t.text)
	}
	return ""
}

func (p *parser) fields() (out []Field, err error) {
	for more := true; more && err == nil; more = p.take(",") {
		var f Field
		f, err = p.field()
		out = append(out, f)
	}
	return out, err
}

// field reads NAME [":" KIND] {rule}, or [NAME] "->" NOUN {rule}.
func (p *parser) field() (f Field, err error) {
	quoted := p.peek(0).quoted
	if !p.peek(0).is("->") {
		if f.Name, err = p.name("the name of a field"); err != nil {
			return f, err
		}
	}
	m := kindAtEnd.FindStringSubmatch(f.Name)
	switch {
	case p.take("->"):
		f.To, err = p.name("the noun of a record")
		f.Name = cmp.Or(f.Name, f.To)
	case p.take(":"):
		kind := p.next().text
		if meant := otherKinds[strings.ToLower(kind)]; meant != "" {
			return f, fmt.Errorf("%q is not a kind of field; write %s", kind, meant)
		}
		f.Kind, err = choose(kind, "a kind of field", Kinds, nil)
	case m != nil && !quoted:
		err = fmt.Errorf("a kind stands behind a colon; write %q, or the name in quotes", m[1]+": "+m[2])
	}
	given := map[string]bool{}
	for err == nil && !p.done() && !p.peek(0).is(",", ")") {
		rule := p.rule()
		if given[rule] {
			return f, fmt.Errorf("%s: %s is given twice; write it once", f.Name, rule)
		}
		given[rule] = true
		err = p.readRule(rule, &f)
	}
	return f, err
}

// otherKinds are kinds as other notations call them.
var otherKinds = map[string]string{
	"int": Integer, "bool": Boolean, "str": String, "varchar": String, "float": Number, "double": Number, "decimal": Money,
	"timestamp": DateTime, "time": DateTime, "link": URL, "uri": URL, "mail": Email, "currency": Money, "guid": UUID, "strings": Text,
}

// readRule reads one rule of a field.
func (p *parser) readRule(rule string, f *Field) error {
	switch rule {
	case "a range":
		if !p.peek(0).is("..") {
			f.Min = p.next().text
		}
		if p.at++; p.peek(0).end() {
			f.Max = p.next().text
		}
		if f.Min+f.Max == "" {
			return errors.New("a range needs an end; write 1..10, 1.. or ..10")
		}
	case "required or optional":
		f.Need = strings.ToLower(p.next().text)
	case "unique":
		f.Unique = true
		p.at++
	case "default":
		if p.at++; !p.peek(0).value() {
			return p.unexpected("a value behind default, in double quotes if it has a space, comma, slash, colon or quote")
		}
		f.Default, f.HasDefault = p.next().text, true
	case "one of":
		for p.at++; len(f.Choices) == 0 || p.peek(0).is("/"); {
			if p.at++; !p.peek(0).value() {
				return p.unexpected("choices such as one of open/closed")
			}
			f.Choices = append(f.Choices, p.next().text)
		}
	default:
		if word := p.peek(0); !word.mark && slices.Contains(Kinds, strings.ToLower(word.text)) {
			return fmt.Errorf("a kind stands behind a colon; write %q", quoteName(f.Name)+": "+word.text)
		}
		return p.unexpected("a comma, or a rule: required, optional, unique, a range such as 1..10, one of a/b, default; a value with a space stands in double quotes")
	}
	return nil
}
