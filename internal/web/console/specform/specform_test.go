package specform_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/web/console/specform"
)

const library = "api in go with sqlite\nbook: title, isbn unique, pages: integer 1..5000\nloan: -> book, state one of lent/back default lent\n"

// A project may have a field that is refused today. The form shows it, and mends it.
// Promise: console-spec-form
func TestAFieldThatIsRefusedTodayIsMended(t *testing.T) {
	t.Parallel()
	old := "api in go with sqlite, port 8080, auth none, license none, name book-api\nbook: title, code: integer unique 1..3\n"
	f := specform.Open("", old)
	if f.Mistake == nil || len(f.Rows.Records) != 1 || f.Rows.Records[0].Fields[1].Max != "3" {
		t.Fatalf("%+v", f)
	}
	mended := specform.Posted(sent(f, "r0-f1-max", "9"))
	if mended.Mistake != nil || !strings.Contains(mended.Text, "code: integer unique 1..9") || len(mended.Changes) == 0 {
		t.Errorf("%+v %+v", mended, mended.Mistake)
	}
}

// sent is what a browser sends of a form as it stands, changed by pairs of names and values.
func sent(f *specform.Form, pairs ...string) url.Values {
	v := url.Values{"prompt": {strings.ReplaceAll(f.Text, "\n", "\r\n")}, "seen": {strings.ReplaceAll(f.Seen, "\n", "\r\n")}, "old": {f.Old}}
	set := func(name, value string) { v.Set(name, value) }
	check := func(name string, on bool) {
		if on {
			v.Set(name, "on")
		}
	}
	r := f.Rows
	if !f.Stale {
		set("rows", "yes")
		if !f.Fixed() {
			set("kind", r.Kind)
			set("language", r.Language)
			set("name", r.Name)
		}
		set("store", r.Store)
		set("port", r.Port)
		set("auth", r.Auth)
		set("license", r.License)
		check("cors", r.CORS)
		for i, record := range r.Records {
			at := fmt.Sprintf("r%d", i)
			set(at+"-noun", record.Noun)
			set(at+"-plural", record.Plural)
			for k, field := range record.Fields {
				at := fmt.Sprintf("r%d-f%d", i, k)
				kind := field.Kind
				if to, is := strings.CutPrefix(kind, "-> "); is {
					kind = fmt.Sprintf("->%d", slices.IndexFunc(r.Records, func(x specform.Record) bool { return x.Noun == to }))
				}
				for name, value := range map[string]string{
					"name": field.Name, "kind": kind, "need": field.Need, "min": field.Min, "max": field.Max, "choices": field.Choices, "default": field.Default,
				} {
					set(at+"-"+name, value)
				}
				check(at+"-unique", field.Unique)
			}
		}
		for i, x := range r.Sections {
			set(fmt.Sprintf("s%d-name", i), x.Name)
			set(fmt.Sprintf("s%d-text", i), x.Text)
		}
		for _, x := range r.Facts {
			set("text-"+x.Key, x.Value)
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		set(pairs[i], pairs[i+1])
	}
	return v
}

// good fails a test whose form has a mistake.
func good(t interface{ Fatalf(string, ...any) }, f *specform.Form) *specform.Form {
	if f.Mistake != nil || f.Stale {
		t.Fatalf("%+v in\n%s", f.Mistake, f.Text)
	}
	return f
}

// someText is a spec with whatever the notation can write.
func someText(t *rapid.T) string {
	pick := func(label string, these ...string) string { return rapid.SampledFrom(these).Draw(t, label) }
	if rapid.Bool().Draw(t, "site") {
		text := "site" + pick("options", "", ", port 9000", ", license mit, name bakery") + "\n"
		for i := range rapid.IntRange(1, 4).Draw(t, "sections") {
			text += fmt.Sprintf("section part %d%s\n", i, pick("text", "", ": We bake.", `: "a # b; \"c\" \\ d"`, ": <b>&amp;</b>", ": section x: y"))
		}
		return text + pick("fact", "", "text title: Bakery, in Bristol\n", "text phone: +44 117 496 0123\n")
	}
	text := "api" + pick("language", "", " in go", " in python") + pick("store", "", " with sqlite", " with postgres") +
		pick("options", "", ", port 9100, auth token", ", license none, name books, cors") + "\n"
	text += "book" + pick("plural", "", " (tomes)") + ": title" + pick("rule", "", " unique", " required 1..80", " optional ..9")
	fields := []string{
		"price", "price: money 0.. default 0.50", `state one of open/"in review"/"a,b" default "in review"`, "note: text", "is read: boolean default true",
		`size one of "1..2"/"x\"y"/"a/b"`, "due date", `"unique": date 2026-01-01..2026-12-31`, "count one of 1/2", `home page: url default "https://example.com/a,b"`, "name: string",
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "fields") {
		text += ", " + strings.Replace(fields[rapid.IntRange(0, len(fields)-1).Draw(t, "field")], " ", fmt.Sprintf("%d ", i), 1)
	}
	for i := range rapid.IntRange(0, 2).Draw(t, "records") {
		text += fmt.Sprintf("\nblog post %d: text 1: text, -> book%s, owner -> book", i, pick("need", "", " optional", " required unique"))
	}
	return text + "\n"
}

// The rows of a text write the same text, and what a browser sends of them is unchanged.
// Promise: console-spec-sync
func TestTextAndRowsAreTheSame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		typed := someText(t)
		read, err := spec.Parse(typed)
		if err != nil {
			t.Skip(err)
		}
		text := read.String()
		first := good(t, specform.Open(text, ""))
		if again := good(t, specform.Posted(sent(first))); again.Text != text {
			t.Fatalf("%s became\n%s", text, again.Text)
		}
		// A change there and back goes through the rows.
		there := good(t, specform.Posted(sent(first, "port", "9999")))
		back := good(t, specform.Posted(sent(there, "port", first.Rows.Port)))
		if there.Text == text || back.Text != text {
			t.Fatalf("%s became\n%s and\n%s", text, there.Text, back.Text)
		}
		if got, want := fmt.Sprint(back.Rows), fmt.Sprint(first.Rows); got != want {
			t.Fatalf("the rows %s became %s", want, got)
		}
	})
}

// Whatever stands in a row is one value: it adds no line, no field and no rule.
// Promise: console-spec-sync
func TestHostileRowsWriteNothingElse(t *testing.T) {
	t.Parallel()
	hostile := rapid.OneOf(
		rapid.String(), rapid.SampledFrom([]string{
			"a, b", "x: integer", "x unique", "a\nloan: b", "-> book", `"`, `\`, "a#b", "1..2", "a/b, c", "x default y", "(x)", "a b default 1 unique, c",
			"<script>", "\u202e", "true", "->0", "->99", "-> loan", strings.Repeat("x", 40_000),
		}))
	rapid.Check(t, func(t *rapid.T) {
		first := good(t, specform.Open(library, ""))
		name := rapid.SampledFrom([]string{
			"kind", "language", "store", "port", "auth", "license", "name", "r0-noun", "r0-plural", "r0-f0-name", "r0-f1-kind", "r0-f1-need",
			"r0-f2-min", "r0-f2-max", "r1-f1-choices", "r1-f1-default", "r1-f0-kind", "do",
		}).Draw(t, "name")
		f := specform.Posted(sent(first, name, hostile.Draw(t, "value")))
		if f.Mistake != nil {
			if f.Text != library {
				t.Fatalf("rows that are refused wrote\n%s", f.Text)
			}
			return
		}
		s, err := spec.Parse(f.Text)
		if err != nil {
			t.Fatalf("the rows wrote %v:\n%s", err, f.Text)
		}
		if name == "kind" || name == "do" {
			return // which change more than one value
		}
		if len(s.Records) != 2 || len(s.Records[0].Fields) != 3 || len(s.Records[1].Fields) != 2 {
			t.Fatalf("%s has other rows:\n%s", name, f.Text)
		}
		// Everything but the row that was edited, and what refers to it, is as before.
		if again := good(t, specform.Posted(sent(f))); again.Text != f.Text {
			t.Fatalf("%s became\n%s", f.Text, again.Text)
		}
	})
}

func TestButtonsMoveAddAndRemoveRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ do, focus, text string }{
		{"add record", "r2-noun", library + "item: name\n"},
		{"add field 0", "r0-f3-name", strings.Replace(library, "5000", "5000, field", 1)},
		{"up field 0 2", "r0-f1-up", strings.Replace(library, "isbn unique, pages: integer 1..5000", "pages: integer 1..5000, isbn unique", 1)},
		{"up field 0 1", "r0-f0-down", strings.Replace(library, "title, isbn unique", "isbn unique, title", 1)},
		{"down field 0 1", "r0-f2-up", strings.Replace(library, "isbn unique, pages: integer 1..5000", "pages: integer 1..5000, isbn unique", 1)},
		{"remove field 0 1", "r0-f1-name", strings.Replace(library, " isbn unique,", "", 1)},
		{"remove field 0 2", "r0-f1-name", strings.Replace(library, ", pages: integer 1..5000", "", 1)},
		{"remove record 1", "r0-noun", library[:strings.Index(library, "loan")]},
		{"down record 0", "r1-up", "api in go with sqlite\nloan: -> book, state one of lent/back default lent\nbook: title, isbn unique, pages: integer 1..5000\n"},
		{"down record 1", "r1-up", library},
		{"up field 9 9", "", library},
		{"remove field 0 99", "r0-f2-name", library},
		{"remove field", "r0-f0-name", strings.Replace(library, "title, ", "", 1)},
		{"", "", library},
		{"drop table", "", library},
	} {
		f := good(t, specform.Posted(sent(specform.Open(library, ""), "do", c.do)))
		if f.Text != c.text || f.Focus != c.focus {
			t.Errorf("%q: the focus is on %q, the text is\n%s", c.do, f.Focus, f.Text)
		}
	}
	alone := specform.Open("api\nbook: title\n", "")
	for do, focus := range map[string]string{"remove record 0": "add-record", "remove field 0 0": "r0-add"} {
		f := specform.Posted(sent(alone, "do", do))
		if f.Mistake == nil || f.Text != alone.Text || f.Focus != focus {
			t.Errorf("%q: %+v, the focus is on %q", do, f.Mistake, f.Focus)
		}
	}
	full := specform.Open("api\nbook: a", "")
	for range 2 * spec.MaxFields {
		full = good(t, specform.Posted(sent(full, "do", "add field 0")))
	}
	if n := len(full.Rows.Records[0].Fields); n != spec.MaxFields {
		t.Errorf("a record has %d fields", n)
	}
}

func TestRowsFollowTheNounAndTheKind(t *testing.T) {
	t.Parallel()
	renamed := good(t, specform.Posted(sent(specform.Open(library, ""), "r0-noun", "novel")))
	if !strings.Contains(renamed.Text, "novel: title") || !strings.Contains(renamed.Text, "loan: book -> novel") {
		t.Errorf("the reference does not follow:\n%s", renamed.Text)
	}
	site := good(t, specform.Posted(sent(specform.Open(library, ""), "kind", "site")))
	if !strings.HasPrefix(site.Text, "site\nsection ") {
		t.Errorf("an API became\n%s", site.Text)
	}
	if back := good(t, specform.Posted(sent(site, "kind", "api"))); !strings.HasPrefix(back.Text, "api\nitem: name") {
		t.Errorf("a site became\n%s", back.Text)
	}
}

// Promise: console-spec-sync
func TestTheTextWins(t *testing.T) {
	t.Parallel()
	first := specform.Open(library, "")
	typed := strings.Replace(library, "title", "headline", 1)
	both := good(t, specform.Posted(sent(first, "prompt", typed, "r0-f0-name", "caption")))
	if both.Text != typed || both.Rows.Records[0].Fields[0].Name != "headline" {
		t.Errorf("text and rows are\n%s%+v", both.Text, both.Rows)
	}
	wrong := specform.Posted(sent(first, "prompt", strings.Replace(library, "integer", "int", 1)))
	if m := wrong.Mistake; m == nil || m.Line != 2 || !strings.HasPrefix(m.Source, "book: title") || !strings.Contains(m.Message, "write one of string, text, integer") {
		t.Errorf("the mistake is %+v", m)
	}
	if !wrong.Stale || wrong.Seen != library || len(wrong.Rows.Records) != 2 || !strings.Contains(wrong.Text, "pages: int 1") {
		t.Errorf("the form has %+v", wrong)
	}
	// Its rows cannot be edited, but a button may have been pressed before they were shown.
	for _, v := range []url.Values{sent(wrong), sent(wrong, "rows", "yes", "kind", "api", "do", "add record")} {
		if again := specform.Posted(v); again.Text != wrong.Text || again.Mistake == nil || len(again.Rows.Records) != 2 {
			t.Errorf("the text is lost: %+v", again)
		}
	}
	for _, text := range []string{strings.Repeat("x", 33<<10), "api\nbook: \xff", "drop table", "site"} {
		if f := specform.Open(text, ""); f.Mistake == nil || f.Text != text || !f.Stale {
			t.Errorf("%.20q gives %+v", text, f.Mistake)
		}
	}
}

func TestLinesThatWereNotEditedStayAsTheyWereTyped(t *testing.T) {
	t.Parallel()
	const api = "# mine\napi  in go # here\n\n# what is lent\nauthor:   name: string   # who, \"perhaps\"\nbook (books): title , note one of \"a#b\"/c#d\n# who lends\nloan: -> book\t# out\n# the end\n"
	const site = "site # shop\ntext phone: +44 117 496 0123 # by day\nsection menu: \"5\\\" cakes\" # all\n# where\ntext address: Bristol\nsection hours # soon\n"
	for name, c := range map[string]struct {
		text  string
		pairs []string
		want  []string // the replacements in the text
	}{
		"an option":                  {api, []string{"port", "9100"}, []string{"api  in go", "api in go, port 9100"}},
		"another record's noun":      {api, []string{"r2-noun", "lending"}, []string{"loan:", "lending:"}},
		"this record's noun":         {api, []string{"r0-noun", "writer"}, []string{"author:   name: string ", "writer: name "}},
		"noun and fields":            {api, []string{"r0-noun", "writer", "r0-f0-unique", "on"}, []string{"author:   name: string ", "writer: name unique "}},
		"a noun that is referred to": {api, []string{"r1-noun", "novel"}, []string{"book (books): title , note", "novel: title, note", "-> book", "book -> novel"}},
		"a field":                    {api, []string{"r1-f0-unique", "on"}, []string{"book (books): title ,", "book: title unique,"}},
		"a record is added":          {api, []string{"do", "add record"}, []string{"# out\n", "# out\nitem: name\n"}},
		"a record is removed":        {api, []string{"do", "remove record 2"}, []string{"loan: -> book\t# out\n", ""}},
		"records on the first line":  {"api, book(title), loan( -> book ) # old\nshelf:  name # mine\n", []string{"r2-noun", "room"}, []string{"shelf:  name", "room: name"}},
		"one of these":               {"api, book(title), loan( -> book ) # old\nshelf:  name # mine\n", []string{"r0-f0-unique", "on"}, []string{"api, book(title), loan( -> book ) # old", "api # old\nbook: title unique\nloan: -> book"}},
		"a section":                  {site, []string{"s0-text", "Bread"}, []string{"\"5\\\" cakes\"", "Bread"}},
		"a section's name":           {site, []string{"s1-name", "opening"}, []string{"section hours", "section opening"}},
		"a text":                     {site, []string{"text-phone", "+44 117 496 0124"}, []string{"0123", "0124"}},
		"a text is added":            {site, []string{"text-email", "a@example.com"}, []string{"# soon\n", "# soon\ntext email: a@example.com\n"}},
		"a text is removed":          {site, []string{"text-phone", ""}, []string{"text phone: +44 117 496 0123 # by day\n", ""}},
		"sections are moved":         {site, []string{"do", "up section 1"}, []string{"section menu: \"5\\\" cakes\" # all\n", "", "section hours # soon\n", "", "# where", "section hours # soon\nsection menu: \"5\\\" cakes\" # all\n# where"}},
	} {
		first := good(t, specform.Open(c.text, ""))
		want := c.text
		for i := 0; i < len(c.want); i += 2 {
			want = strings.Replace(want, c.want[i], c.want[i+1], 1)
		}
		if f := good(t, specform.Posted(sent(first, c.pairs...))); f.Text != want {
			t.Errorf("%s: the text is\n%s, want\n%s", name, f.Text, want)
		}
	}
	f := good(t, specform.Posted(sent(specform.Open(api, ""), "do", "up record 1")))
	moved := "\n# what is lent\nauthor:   name: string   # who, \"perhaps\"\n"
	if want := strings.Replace(strings.Replace(api, moved, "", 1), "# who lends", moved+"# who lends", 1); f.Text != want {
		t.Errorf("the text is\n%s, want\n%s", f.Text, want)
	}
}

// Promise: console-spec-sync
func TestAnEditKeepsEveryOtherLine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(strings.TrimRight(someText(t), "\n"), "\n")
		for i := range lines {
			lines[i] += rapid.SampledFrom([]string{"", " # a", "#b: \"c\"", "  \t# d # e"}).Draw(t, "comment")
		}
		typed := strings.Join(lines, "\n") + "\n"
		if _, err := spec.Parse(typed); err != nil {
			t.Skip(err)
		}
		first := good(t, specform.Open(typed, ""))
		edited := good(t, specform.Posted(sent(first, "port", "9999")))
		_, before, _ := strings.Cut(typed, "\n")
		if _, after, _ := strings.Cut(edited.Text, "\n"); after != before {
			t.Fatalf("%s became\n%s", typed, edited.Text)
		}
		if _, comment, is := strings.Cut(lines[0], "#"); is && !strings.Contains(edited.Text, "#"+comment) {
			t.Fatalf("the first comment is lost:\n%s", edited.Text)
		}
	})
}

func TestAnOpenOptionIsNamedByItsValue(t *testing.T) {
	t.Parallel()
	labels := func(f *specform.Form) (out []string) {
		for _, option := range []string{"language", "store", "auth", "license"} {
			out = append(out, f.OpenLabel(option))
		}
		return out
	}
	if got := labels(specform.Open("api in python with sqlite, auth token\nbook: title\n", "")); strings.Join(got, "; ") != "usual (go); usual (memory); usual (none); usual (none)" {
		t.Errorf("the labels are %q", got)
	}
	whole, _, err := mustParse(t, library).Complete()
	if err != nil {
		t.Fatal(err)
	}
	if got := labels(specform.Open("", whole.String())); strings.Join(got, "; ") != "as it is (go); as it is (sqlite); as it is (none); as it is (none)" {
		t.Errorf("the labels are %q", got)
	}
}

// Promise: console-spec-form
func TestAProjectKeepsKindLanguageAndName(t *testing.T) {
	t.Parallel()
	whole, _, err := mustParse(t, library).Complete()
	if err != nil {
		t.Fatal(err)
	}
	old := whole.String()
	f := good(t, specform.Open("", old))
	if f.Text != old || len(f.Changes) != 0 || len(f.Guesses) != 0 {
		t.Errorf("the form opens with %+v", f)
	}
	if f = good(t, specform.Posted(sent(f, "kind", "site", "language", "python", "name", "other"))); f.Text != old {
		t.Errorf("what is fixed was changed:\n%s", f.Text)
	}
	for _, text := range []string{"api in python\nbook: title", "api, name other\nbook: title", "site\nsection menu"} {
		if f := specform.Open(text, old); f.Mistake == nil || f.Mistake.Line != 1 || !strings.Contains(f.Mistake.Message, "stays") {
			t.Errorf("%q gives %+v", text, f.Mistake)
		}
	}
	f = good(t, specform.Posted(sent(specform.Open("", old), "r0-f2-max", "900")))
	if strings.Join(f.Changes, "; ") != "now book.pages: integer optional 1..900; no longer book.pages: integer optional 1..5000" {
		t.Errorf("the changes are %+v", f.Changes)
	}
	if f := good(t, specform.Open("api\n"+old[strings.Index(old, "\n")+1:], old)); len(f.Changes) != 0 {
		t.Errorf("what a text leaves open is changed: %+v", f.Changes)
	}
}

func mustParse(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
