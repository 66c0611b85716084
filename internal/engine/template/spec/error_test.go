package spec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

// A mistake is told with its line, its cause and what to write instead.
// Promise: template-sound
func TestMistakes(t *testing.T) {
	t.Parallel()
	fields := strings.TrimSuffix(strings.Repeat("a, ", 31), ", ")
	for _, c := range []struct {
		text, want string
		line       int
	}{
		{"", `a spec begins with a line such as "api in go with sqlite, port 9100", or "site"`, 1},
		{"book: title", `"book" is not how a spec begins; write one of api, site`, 1},
		{"api in rust", `"rust" is not a language; write one of go, python, typescript`, 1},
		{"api in pyton\nbook: title", `"pyton" is not a language; write one of go, python, typescript`, 1},
		{"api with oracle", `"oracle" is not a store; write one of memory, file, sqlite, postgres`, 1},
		{"# a\n\napi, prot 90", `"prot" is not an option; write one of port, auth, license, name, cors`, 3},
		{"api, port 80", `"80" is not a port; write a number from 1024 to 65535`, 1},
		{"api, port 2000, port 2001", "port is given twice; write it once", 1},
		{"api, auth", `"" is not a way to authenticate; write one of token, none`, 1},
		{"api for books", `a spec begins with a line such as "api in go with sqlite, port 9100"`, 1},
		{"api", `an api needs a record and has no sections and texts; write a line such as "book: title, author"`, 1},
		{"api\nbook", `"book" is not a record; write a noun, a colon and fields, such as "book: title, author"`, 2},
		{"api\nbook:", `"" is not the name of a field; write a name`, 2},
		{"api\nbook: title,", `"" is not the name of a field; write a name`, 2},
		{"api\nbook: title: intger", `"intger" is not a kind of field; write one of string, text`, 2},
		{"api\nbook: pages: int", `"int" is not a kind of field; write one of string, text, integer`, 2},
		{"api\nbook: price: decimal", `"decimal" is not a kind of field; write money or number`, 2},
		{"api\nbook: pages integer", `a kind stands behind a colon; write "pages: integer", or the name in quotes`, 2},
		{"api\nbook: pages required integer", `"pages required integer" is not the name of a field; write a name, perhaps a colon and a kind, and rules`, 2},
		{"api\nbook: title, author\nloan: -> person, day: date", `loan.person: "person" is not a kind of record; write a line for it, or leave out the field`, 3},
		{"api\nbook: title, -> authors\nauthor: name", "book.authors: a reference leads to one record; write -> author", 2},
		{"api\nbook: title, -> readers\nperson (readers): name", "book.readers: a reference leads to one record; write -> person", 2},
		{"api\nbook: title uniqe required x", `"title uniqe required x" is not the name of a field; write a name, perhaps a colon and a kind, and rules: required`, 2},
		{"api\nbook: a one of b c/d", `"a one of b c/d" is not a field; write a name, perhaps a colon and a kind, and rules: required, optional, unique, 1..10, one of a/b, default V; a name with one of these words and a value with a space, comma, slash, colon or quote stand in double quotes`, 2},
		{"api\nbook: a required optional", `a: "optional" is one rule too many; write each rule once`, 2},
		{"api\nbook: a default", `"a default" is not the name of a field; write a name`, 2},
		{"api\nbook: a ..", "a range needs an end; write 1..10", 2},
		{"api\nbook: a \"b", `a quote is not closed`, 2},
		{"api\nbook: a default \"x\\n\"", `write \" for a quote and \\ for a backslash`, 2},
		{"api\nbook: required", `"required" is not the name of a field`, 2},
		{"api\nbook: a, A", `book has two fields "a"`, 2},
		{"api\nbook: a, id", "every record has an id of its own", 2},
		{"api\nbook: u r l, url", `book has two fields "url", as code writes it`, 2},
		{"api\nbook: i d", "every record has an id of its own", 2},
		{"api\nblog post: a\n\nblogpost: a", `the noun or the plural of "blogpost" names another record, "blog post", as code writes it`, 4},
		{"api\nblog_post: a\nblog-post: a", `"blog-post" names another record`, 3},
		{"api\nAPI: a\na p i: a", `"a p i" names another record`, 3},
		{"api\nx (blog posts): a\nblogpost: a", `"blogpost" names another record`, 3},
		{"api\nbook: " + fields, "a record has at most 30", 2},
		{"api\n" + strings.Repeat("book: a\n", 13), "a project has at most 12 records", 14},
		{"api\nbook: t\nbooks: t", `the noun or the plural of "books" names another record`, 3},
		{"api\nbook: t\nbook: t", `the noun or the plural of "book" names another record`, 3},
		{"api with postgres\nbox: name, xmin: number", "box.xmin: PostgreSQL has a column xmin of its own in every table; choose another name", 2},
		{"api\ncon: t", "a name that every project keeps to itself", 2},
		{"api\na: -> b\nb: -> c\nc: -> a", "making a a needs another a first; write optional", 2},
		{"api\nbook: t, -> book", "making a book needs another book first", 2},
		{"api\nbook: t, -> book default x", "a reference is required, optional or unique; leave out the rest", 2},
		{"api\nbook: t: boolean unique", "leave out unique", 2},
		{"api\nbook: t unique default a", "leave out unique", 2},
		{"api\nbook: t: integer 9..1", "the range 9..1 ends before it begins; write 1..9", 2},
		{"api\nbook: t: integer 1.5..", `"1.5" is not a whole number`, 2},
		{"api\nbook: t: integer 007..", `"007" is not a whole number`, 2},
		{"api\nbook: t: date default 0000-01-01", `"0000-01-01" is not a date`, 2},
		{"api\nbook: t 1..2000", "the length of a string is from 1 to 1000", 2},
		{"api\nbook: t 300..", "a string without a greatest length has at most 200 characters; write 300..1000", 2},
		{"api\nbook: t: integer default -0", `"-0" is not a whole number`, 2},
		{"api\nbook: t: number default -0", `"-0" is not a number; write it like 0.5`, 2},
		{"api\nbook: t: number -0.000..1", `"-0.000" is not a number`, 2},
		{"api\nbook: t: money default -0", `"-0" is not an amount`, 2},
		{"api\nbook: t: money default -0.00", `"-0.00" is not an amount`, 2},
		{"api\nbook: t: money -5..-0.0", `"-0.0" is not an amount`, 2},
		{"api\nbook: t: integer one of 1/-0", `"-0" is not a whole number`, 2},
		{"api\nbook: t: datetime default \"2026-01-01T1:00:00Z\"", "is not a time", 2},
		{"api\nbook: t: datetime default \"2026-01-01T00:00:00,5Z\"", "is not a time", 2},
		{"api\nbook: t: datetime default \"2026-01-01T00:00:00+20:00\"", "is not a time", 2},
		{"api\nbook: t: url default \"https:///x\"", "is not a URL", 2},
		{"api\nbook: t: uuid 1..2", "a uuid has no range; leave it out", 2},
		{"api\nbook: t: money default 1.234", `"1.234" is not an amount with at most two decimals; write it like 12.50`, 2},
		{"api\nbook: t: date default 2026-02-30", `"2026-02-30" is not a date; write it like 2026-01-31`, 2},
		{"api\nbook: t: email default x", `"x" is not an address`, 2},
		{"api\nbook: t: url default \"javascript:x\"", `"javascript:x" is not a URL`, 2},
		{"api\nbook: t: boolean default yes", `"yes" is not a boolean; write it like true or false`, 2},
		{"api\nbook: t: integer 1..5 default 6", `book.t: "6" is not within 1..5`, 2},
		{"api\nbook: t ..2 one of abc/de", `"abc" is not within ..2`, 2},
		{"api\nbook: t one of a/b default c", `the default "c" is not one of the choices`, 2},
		{"api\nbook: t one of a", "choices are two to 20", 2},
		{"api\nbook: t one of a/a", `the choice "a" is there twice`, 2},
		{"api\nbook: t: date one of a/b", "choices are for string, text and integer, not for date", 2},
		{"api\nbook: t: email ..12", "book.t: an address has at least 14 characters in the generated tests; write ..14 or more", 2},
		{"api\nbook: t: url ..21", "book.t: a URL has at least 22 characters in the generated tests; write ..22 or more", 2},
		{"api\nbook: t\nloan: t: money unique 0..0.01", "loan.t: unique needs a range of at least 4; write a longer one, or leave out unique", 3},
		{"api\nbook: t: integer unique 1..4", "book.t: unique needs a range of at least 4;", 2},
		{"api\nbook: t: number unique 0.5..4.4", "book.t: unique needs a range of at least 4;", 2},
		{"api\nbook: t: date unique 2026-01-01..2026-01-04", "book.t: unique needs a range of at least 4 days;", 2},
		{"api\nbook: t: datetime unique \"2026-01-01T00:00:00Z\"..\"2026-01-04T23:59:59Z\"", "book.t: unique needs a range of at least 4 days;", 2},
		{"api\nbook: t: integer 999999999999999..", "book.t: the range 999999999999999.. has nearly no values; write one of at least 4", 2},
		{"api\nbook: t: money ..-999999999999996", "book.t: the range ..-999999999999996 has nearly no values", 2},
		{"api\nbook: t: date 9999-12-31..", "the range 9999-12-31.. has nearly no values; write one of at least 4 days", 2},
		{"api\nbook: t: date ..0001-01-01", "the range ..0001-01-01 has nearly no values", 2},
		{"api\nbook: t: datetime \"9999-12-31T00:00:00Z\"..", "has nearly no values", 2},
		{"api\nbook: t: datetime \"2026-01-01T00:00:00.0005Z\"..", "a range of times has at most three decimals", 2},
		{"api\nsection menu: x", "an api has records such as", 2},
		{"site in go\nsection a", "a site has no language, store, auth and cors", 1},
		{"site\nbook: t", `a site has lines such as "section menu: ..." and "text phone: ..."`, 2},
		{"site\ntext phone: 12345", "a site needs a section", 1},
		{"site\nsection a\nsection A", `the section "A" is there twice`, 3},
		{"site\nsection a: \"b\" c", `"section a: \"b\" c" has no name, or text behind a quote; write "section menu: ..." or "text phone: ...", and the whole text in quotes`, 2},
		{"site\nsection", `"section" has no name`, 2},
		{"site\nsection !", `"!" cannot be the name of a section`, 2},
		{"site\nsection a\n\ntext fone: 1", `"fone" is not a text of a site; write one of title, tagline, phone`, 4},
		{"site\nsection a\ntext phone: call me", `"call me" is not a phone number; write it like +44 117 496 0123`, 3},
		{"site\nsection a\ntext link: \"javascript:alert(1)\"", "is not a URL", 3},
		{"site\nsection a\ntext title: a\ntext title: b", `the text "title" is there twice`, 4},
		{"site\nsection a\ntext title:", `the text "title" needs one line of printable text`, 3},
	} {
		_, err := spec.Parse(c.text)
		wrong := new(spec.Error)
		if !errors.As(err, &wrong) || wrong.Line != c.line || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want line %d: %s", c.text, err, c.line, c.want)
		}
	}
	for _, text := range []string{
		"api\nbook: a: money -0.01..0.00, line 1, line1, b: integer 0..", "api\nline 2: a\nline2: a", "api\nsheep (sheep): a",
		"api\nbook: a: email ..14, b: url ..22, c: integer unique 1..5, d: date unique 2026-01-01..2026-01-05, e: money 0..0.01, f: integer 999999999999995.., g: date ..0001-01-05, h unique ..1",
		"api\nlab test: a\nweb_linux: a\ncpu-amd64: a", "api\nbook: opens: datetime \"2026-01-01T00:00:00.5+14:00\"..",
	} {
		if s, err := spec.Parse(text); err != nil {
			t.Errorf("%q: %v", text, err)
		} else if again, err := spec.Parse(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := spec.Parse(strings.Repeat("#", spec.MaxBytes+1)); err == nil || !strings.Contains(err.Error(), "at most 32768 bytes") {
		t.Error(err)
	}
}

// Nothing but a name gets through where a name stands, and nothing unprintable at all.
// Promise: template-printable
func TestHostileNamesAndTexts(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"../x", "a/b", `a\b`, "<b>", "{{x}}", "a'--", "a;b", "$x", "`x`", "é", "1a", "a  b", "a ", "-a", "a_", "_a", "a.b", "a\x00", "a\u202eb", strings.Repeat("a", 61), ""} {
		for _, s := range []spec.Spec{
			{Records: []spec.Record{{Noun: bad, Plural: "books", Fields: []spec.Field{{Name: "title"}}}}},
			{Records: []spec.Record{{Noun: "book", Plural: bad + " ", Fields: []spec.Field{{Name: "title"}}}}},
			{Records: []spec.Record{{Noun: "book", Fields: []spec.Field{{Name: bad}}}}},
			{Records: []spec.Record{{Noun: "book", Fields: []spec.Field{{Name: "title", To: bad + "!"}}}}},
		} {
			if got, _, err := s.Complete(); err == nil {
				t.Errorf("%q was accepted: %s", bad, got)
			}
		}
	}
	for _, bad := range []string{"a\nb", "a\x00b", "a\u202eb", "a\u200bb", "\xff", " a", strings.Repeat("a", spec.MaxText+1)} {
		for _, s := range []spec.Spec{
			{Kind: spec.Site, Sections: []spec.Section{{Name: bad}}},
			{Kind: spec.Site, Sections: []spec.Section{{Name: "menu", Text: bad}}},
			{Kind: spec.Site, Sections: []spec.Section{{Name: "menu"}}, Facts: []spec.Fact{{Key: "title", Value: bad}}},
			{Records: []spec.Record{{Noun: "book", Fields: []spec.Field{{Name: "title", Default: bad, HasDefault: true}}}}},
			{Records: []spec.Record{{Noun: "book", Fields: []spec.Field{{Name: "title", Choices: []string{"a", bad}}}}}},
		} {
			if got, _, err := s.Complete(); err == nil {
				t.Errorf("%q was accepted: %s", bad, got)
			}
		}
	}
	for _, text := range []string{"api\nb\x00k: a", "api\nbook: a default \"\u202e\"", "site\nsection a: \x1b[31m"} {
		if _, err := spec.Parse(text); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}

// A text is a spec if its first line is one, whole.
func TestIsSpec(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"api": true, "API in Go with PostgreSQL, port 9100": true, "\ufeff# mine\r\n\r\nsite\r\n": true, "api: book(title), loan(-> book)": true, "api in go, cors, name x\nnonsense": true,
		"": false, "# api": false, "an api in go": false, "api in go for books": false, "site for a bakery": false, "api in rust": false, "book: title\napi": false, "api in go.": false,
	} {
		if got := spec.IsSpec(text); got != want {
			t.Errorf("IsSpec(%q) = %v", text, got)
		}
	}
}

// Kinds follow from names, and every guess is told.
func TestGuesses(t *testing.T) {
	t.Parallel()
	s, err := spec.Parse("API in TypeScript, name Fleet Desk # a comment\r\n\r\nblog post: title, unit price, due date, is paid, e-mail, published at, status one of a/b, rating one of 1/2, pages 1..9\nlens: name, -> Blog Post")
	if err != nil {
		t.Fatal(err)
	}
	got, guesses, err := s.Complete()
	want := "api in typescript with memory, port 3000, auth none, license none, name fleet-desk\n" +
		"blog post: title, unit price: money, due date: date, is paid: boolean, e-mail: email, published at: datetime, status one of a/b, rating one of 1/2, pages: integer 1..9\n" +
		"lens (lens): name, -> blog post\n"
	if err != nil || got.String() != want {
		t.Errorf("%v\n%s", err, got)
	}
	var told []string
	for _, g := range guesses {
		told = append(told, g.What+" "+g.Value+" ("+g.Why+")")
	}
	if list := strings.Join(told, "\n"); list != `store memory (no store is named; records are lost when the service stops)
port 3000 (no port is named)
blog post.unit price money (its name tells its kind)
blog post.due date date (its name tells its kind)
blog post.is paid boolean (its name tells its kind)
blog post.e-mail email (its name tells its kind)
blog post.published at datetime (its name tells its kind)
blog post.pages integer (its name tells its kind)
lens's plural lens (derived from the noun)
name fleet-desk (a name has lower-case letters, digits and hyphens)` {
		t.Error(list)
	}
	site, _, err := spec.Spec{Kind: spec.Site, Sections: []spec.Section{{Name: "menu"}}, Facts: []spec.Fact{{Key: "phone", Value: "+44 117 496 0123"}, {Key: "title", Value: "Müller & Söhne"}}}.Complete()
	if err != nil || site.String() != "site, port 8080, license none, name mueller-soehne\nsection menu\ntext title: Müller & Söhne\ntext phone: +44 117 496 0123\n" {
		t.Errorf("%v\n%s", err, site)
	}
}
