package change_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/engine/template/change"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
)

const library = `api in go with sqlite, port 9100, auth token, license none, name library
book: title, author, isbn unique, year: integer 1450..2100, price: money
loan: -> book, borrower required, due date: date, returned: boolean default false, state one of lent/back
blog post: body: text, reviewer -> book optional
`

const bakery = `site, port 8080, license none, name bakery
section menu: Bread
section opening hours
text title: Bakery
text phone: 12345
`

func completed(t *testing.T, text string) spec.Spec {
	t.Helper()
	s, err := spec.Parse(text)
	if err == nil {
		s, _, err = s.Complete()
	}
	if err != nil || s.String() != text {
		t.Fatalf("%v\n%s", err, s)
	}
	return s
}

// tried changes a project, and compares what is different: lines that are gone
// and lines that are new, what is said and what was renamed.
func tried(t *testing.T, base, text string, want ...string) {
	t.Helper()
	old := completed(t, base)
	now, done, renames, err := change.Read(text, old)
	if err != nil {
		t.Errorf("%q: %v", text, err)
		return
	}
	if old.String() != base {
		t.Errorf("%q changed the old spec", text)
	}
	if again, guesses, err := now.Complete(); err != nil || len(guesses) > 0 || again.String() != now.String() {
		t.Errorf("%q: not complete: %v %v", text, guesses, err)
	}
	var got []string
	for line := range strings.Lines(now.String()) {
		if !strings.Contains(base, line) {
			got = append(got, "+"+strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(base) {
		if !strings.Contains(now.String(), line) {
			got = append(got, "-"+strings.TrimSpace(line[:strings.IndexAny(line, ":\n")]))
		}
	}
	got = append(got, done...)
	for _, r := range renames {
		got = append(got, fmt.Sprintf("%s: %s > %s", r.Record, r.From, r.To))
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q gave\n%s\nwant\n%s", text, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Promise: template-deterministic
func TestLinesOfChange(t *testing.T) {
	t.Parallel()
	book := "+book: title, author, isbn unique, year: integer 1450..2100, price: money"
	loan := "+loan: -> book, borrower required, due date: date, returned: boolean default false, state one of lent/back"
	for _, c := range []struct {
		text string
		want []string
	}{
		{"add book.pages: integer", []string{book + ", pages: integer", "-book", "now book.pages: integer optional"}},
		{"add books.pages, summary", []string{book + ", pages: integer, summary: text", "-book", "now book.pages: integer optional", "now book.summary: text optional"}},
		{"add note: title, text", []string{"+note: title, text: text", "now record note /notes", "now note.title required", "now note.text: text optional"}},
		{"remove blog post", []string{"-blog post", "no longer record blog post /blog_posts", "no longer blog post.body: text required", "no longer blog post.reviewer -> book optional"}},
		{"remove book.isbn", []string{"+book: title, author, year: integer 1450..2100, price: money", "-book", "no longer book.isbn optional unique"}},
		{"remove book.title", []string{"+book: author optional, isbn unique, year: integer 1450..2100, price: money", "-book", "no longer book.title required"}},
		{"rename book.title headline", []string{strings.Replace(book, "title", "headline", 1), "-book", "renamed book.title to headline", "book: title > headline"}},
		{"rename loan.due date to date due", []string{strings.Replace(loan, "due date", "date due", 1), "-loan", "renamed loan.due date to date due", "loan: due date > date due"}},
		{`rename "loan"."due date" "day"`, []string{strings.Replace(loan, "due date", "day", 1), "-loan", "renamed loan.due date to day", "loan: due date > day"}},
		{"rename book volume", []string{
			strings.Replace(book, "book", "volume", 1), strings.Replace(loan, "book", "volume", 1), "+blog post: body: text, reviewer -> volume optional", "-book", "-loan", "-blog post",
			"renamed book to volume", "renamed loan.book to volume", ": book > volume", "loan: book > volume",
		}},
		{"rename blog post article", []string{"+article: body: text, reviewer -> book optional", "-blog post", "renamed blog post to article", ": blog post > article"}},
		{"rename book.title headline; rename book volume; rename volume.headline name", []string{
			strings.Replace(strings.Replace(book, "book", "volume", 1), "title", "name", 1), strings.Replace(loan, "book", "volume", 1), "+blog post: body: text, reviewer -> volume optional", "-book", "-loan", "-blog post",
			"renamed volume.title to headline", "renamed book to volume", "renamed loan.book to volume", "renamed volume.headline to name", "volume: title > headline", ": book > volume", "loan: book > volume", "volume: headline > name",
		}},
		{"book.title unique", []string{strings.Replace(book, "title", "title unique", 1), "-book", "now book.title required unique", "no longer book.title required"}},
		{"book.year 1500..", []string{strings.Replace(book, "1450..2100", "1500..", 1), "-book", "now book.year: integer optional 1500..", "no longer book.year: integer optional 1450..2100"}},
		{"book.year: string", []string{strings.Replace(book, "year: integer 1450..2100", "year: string", 1), "-book", "now book.year: string optional", "no longer book.year: integer optional 1450..2100"}},
		{"book.author required", []string{strings.Replace(book, "author", "author required", 1), "-book", "now book.author required", "no longer book.author optional"}},
		{"loan.book optional\nloan.state default lent", []string{"+" + strings.Replace(loan[1:], "-> book", "-> book optional", 1) + " default lent", "-loan", "now loan -> book optional", "now loan.state optional one of lent/back default lent", "no longer loan -> book required", "no longer loan.state optional one of lent/back"}},
		{"store postgres", []string{"+api in go with postgres, port 9100, auth token, license none, name library", "-api in go with sqlite, port 9100, auth token, license none, name library", "now store postgres", "no longer store sqlite"}},
		{"database none; port 9200; auth none # not needed\ncors\nlicense MIT", []string{
			"+api in go with memory, port 9200, auth none, license mit, name library, cors", "-api in go with sqlite, port 9100, auth token, license none, name library",
			"now store memory", "now port 9200", "now auth none", "now license mit", "now cors on", "no longer store sqlite", "no longer port 9100", "no longer auth token", "no longer license none", "no longer cors off",
		}},
		{"remove loan.book; remove blog post.reviewer; remove book", []string{
			"+loan: borrower required, due date: date, returned: boolean default false, state one of lent/back", "+blog post: body: text", "-book", "-loan", "-blog post",
			"no longer record book /books", "no longer book.title required", "no longer book.author optional", "no longer book.isbn optional unique", "no longer book.year: integer optional 1450..2100", "no longer book.price: money optional", "no longer loan -> book required", "no longer blog post.reviewer -> book optional",
		}},
	} {
		tried(t, library, c.text, c.want...)
	}
	for text, want := range map[string][]string{
		"add section about us: We bake; port 9000": {"+site, port 9000, license none, name bakery", "+section about us: We bake", "-site, port 8080, license none, name bakery", "now port 9000", "now section about us: We bake", "no longer port 8080"},
		"section menu: Cake":                       {"+section menu: Cake", "-section menu", "now section menu: Cake", "no longer section menu: Bread"},
		"remove section Opening Hours":             {"-section opening hours", "no longer section opening hours"},
		"text hours: \"8; 9\"":                     {`+text hours: "8; 9"`, "now text hours: \"8; 9\""},
		"text phone: +44 1234":                     {"+text phone: +44 1234", "-text phone", "now text phone: +44 1234", "no longer text phone: 12345"},
		"add text hours: daily":                    {"+text hours: daily", "now text hours: daily"},
		"remove text phone":                        {"-text phone", "no longer text phone: 12345"},
	} {
		tried(t, bakery, text, want...)
	}
}

// A whole spec stands for all changes at once; what it leaves open stays.
func TestAnEditedSpec(t *testing.T) {
	t.Parallel()
	edited := strings.NewReplacer("title, author", "headline, author", "blog post", "article", " with sqlite, port 9100, auth token, license none, name library", "", "price: money", "pages").Replace(library)
	tried(t, library, edited,
		"+book: headline, author, isbn unique, year: integer 1450..2100, pages: integer", "+article: body: text, reviewer -> book optional", "-book", "-blog post",
		"renamed blog post to article", "renamed book.title to headline", "now book.pages: integer optional", "no longer book.price: money optional",
		": blog post > article", "book: title > headline")
	tried(t, library, strings.ReplaceAll(library, "book", "volume"),
		strings.Split("+volume: title, author, isbn unique, year: integer 1450..2100, price: money|+loan: -> volume, borrower required, due date: date, returned: boolean default false, state one of lent/back|"+
			"+blog post: body: text, reviewer -> volume optional|-book|-loan|-blog post|renamed book to volume|renamed loan.book to volume|: book > volume|loan: book > volume", "|")...)
	tried(t, library, strings.Replace(library, "book: title, ", "book: ", 1),
		"+book: author, isbn unique, year: integer 1450..2100, price: money", "-book", "now book.author required", "no longer book.title required", "no longer book.author optional")
	tried(t, bakery, "site\nsection opening hours\nsection menu: Bread\ntext title: Bakery\ntext phone: 12345", "changed the order")
}

// Promise: template-deterministic
func TestChangesThatAreRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ base, text, want string }{
		{library, "", "nothing to do"},
		{library, "# nothing", "nothing to do"},
		{library, "store sqlite", "nothing to do: the project has all of this already"},
		{library, "add book.title", `book has two fields "title"`},
		{library, "book.isbn unique; cors off", "nothing to do"},
		{library, library, "nothing to do"},
		{library, "please add pages", `"please add pages": it is not a change; write add ..., remove ...`},
		{library, "port 9200\nmake it blue", `"make it blue": it is not a change`},
		{library, "add book.title: text", `book has two fields "title", as code writes it; give one of them another name`},
		{library, "add book: pages", `the noun or the plural of "book" names another record`},
		{library, "add note", `"note" is not a record; write a noun, a colon and fields`},
		{library, "add section menu", "an api has records such as"},
		{library, "add bok.pages", `the project has no record "bok" among ["book" "loan" "blog post"]`},
		{library, "books required.isbn unique", `the project has no record "books required" among ["book" "loan" "blog post"]`},
		{library, "add book.pages: intger", `"add book.pages: intger": "intger" is not a kind of field`},
		{library, "remove book", `loan.book: "book" is not a kind of record; write a line for it, or leave out the field`},
		{library, "remove loan.bok", `there is no field "bok" in "loan: -> book, borrower required`},
		{library, "remove blog post.reviewer; remove blog post.body", "blog post has no other field; write remove blog post"},
		{library, "remove tag", `the project has no record "tag"`},
		{library, "rename book", "it needs two names; write rename book.title headline"},
		{library, "rename bok volume", `the project has no record "bok"`},
		{library, "rename book.titel headline", `there is no field "titel" in "book: title, author`},
		{library, "rename book.title author", `book has two fields "author"`},
		{library, "rename books to novels and loans to rentals", "one line renames one thing; write a line for each"},
		{library, "rename book loan", `the noun or the plural of "loan" names another record`},
		{library, "book.title", "nothing to do"},
		{library, "book.titel unique", `there is no field "titel" in "book: title, author`},
		{library, "book.title unique, author", "one line changes the kind or the rules of one field; write a line for each"},
		{library, "book.author -> loan", "for a reference remove book.author and add it"},
		{library, "book.title 5..1", "the range 5..1 ends before it begins"},
		{library, "loan.returned unique", "leave out unique"},
		{library, "add book.loan -> loan required", "needs another"},
		{library, "store oracle", `"store oracle": "oracle" is not a store`},
		{library, "store", "store needs a value"},
		{library, "language python", "the language of a project stays; make a new project"},
		{library, strings.Replace(library, "in go", "in python", 1), "the language of a project stays go; make a new project for python"},
		{library, strings.Replace(library, "name library", "name books", 1), "the name of a project stays library"},
		{library, "site\nsection a", "the kind of a project stays api; make a new project for site"},
		{library, strings.Replace(library, "price: money", "price: mony", 1), "line 2: \"mony\" is not a kind of field"},
		{bakery, "add book: title", "a site has lines such as"},
		{bakery, "remove section men", `there is no section "men"`},
		{bakery, "remove text email", "nothing to do"},
		{bakery, "section about: x", `there is no section "about"; write add section about`},
		{bakery, "add section menu: Cake", `the section "menu" is there twice`},
		{bakery, "section menu: Bread", "nothing to do"},
		{bakery, "auth token", "a site has no language, store, auth and cors"},
		{bakery, "remove section menu; remove section opening hours", "a site needs a section"},
		{bakery, "text email: x", `"x" is not an address`},
	} {
		now, done, renames, err := change.Read(c.text, completed(t, c.base))
		if err == nil || !strings.Contains(err.Error(), c.want) || now.Kind != "" || done != nil || renames != nil {
			t.Errorf("%q: %v, %v, want %s", c.text, done, err, c.want)
		}
	}
}

// A field of a project whose generated tests find no values can be mended.
// Promise: template-sound
func TestAFieldOfAnEarlierVersionIsMended(t *testing.T) {
	t.Parallel()
	old, _, err := spec.FromState(map[string]string{"engine": "template", "spec": strings.Replace(library, "author", "mail: email ..12", 1)})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := change.Read("port 9200", old); err == nil || !strings.Contains(err.Error(), "book.mail: an address has at least 14 characters") {
		t.Error(err)
	}
	if now, _, _, err := change.Read("book.mail ..20; port 9200", old); err != nil || now.Port != 9200 {
		t.Error(err)
	}
}

// The cost of a line does not grow with the square of its length.
func TestLongLinesOfChangeAreReadFast(t *testing.T) {
	t.Parallel()
	old := completed(t, library)
	for _, text := range []string{
		"rename " + strings.Repeat("a ", spec.MaxBytes/2-4), "rename book." + strings.Repeat("a ", spec.MaxBytes/2-6),
		"rename " + strings.Repeat("a", spec.MaxBytes-600) + strings.Repeat(" a", 290), "rename " + strings.Repeat(strings.Repeat("a", 190)+" ", 170), strings.Repeat("rename book.title title\n", spec.MaxBytes/24),
	} {
		start := time.Now()
		if _, _, _, err := change.Read(text, old); err == nil {
			t.Errorf("%.40q is read", text)
		}
		if took := time.Since(start); took > 2*time.Second { // some 10 ms; much more is a blow-up
			t.Errorf("%.40q took %v", text, took)
		}
	}
}

// Promise: template-sound
func FuzzRead(f *testing.F) {
	for _, text := range []string{"add book.pages: integer", "remove loan.book; remove book", "rename book.title headline", "rename blog post to x", "book.year 1..", "port 9200", "add note: a, -> book"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, base := range []string{library, bakery} {
			now, done, _, err := change.Read(text, completed(t, base))
			if err != nil {
				continue
			}
			if again, _, err := now.Complete(); err != nil || again.String() != now.String() || len(done) == 0 || now.String() == base {
				t.Errorf("%q: %v, %v\n%s", text, done, err, now)
			}
		}
	})
}
