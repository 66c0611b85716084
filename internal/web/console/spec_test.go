package console_test

import (
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/memlog"
	"github.com/bundle-delivery/svc/internal/web/console"
)

const bookSpec = "api in go with sqlite\nbook: title, pages: integer\n"

// parrots reads specs, and nothing else.
type parrots struct{}

func (parrots) Check(prompt string, _, _ map[string]string) error {
	if strings.HasPrefix(prompt, "api") || strings.HasPrefix(prompt, "site") {
		return nil
	}
	return &engine.Error{
		Code: engine.CodeConstraintUnresolvable, Message: "Not all of it was understood.",
		Suggestion: &svc.Suggestion{Spec: "api\nparrot: name\n", Understood: []string{"parrot"}, NotUnderstood: []string{"teach", "<sing>", "a"}},
	}
}

func (parrots) Title(string) string { return "" }

// newSpecSite is a console whose workers play these engines.
func newSpecSite(t *testing.T, engines ...string) *site {
	t.Helper()
	d := newSite(t, func(c *console.Config) { c.Engine = "template" })
	for _, name := range engines {
		if err := d.Store.Workers().Renew(t.Context(), svc.Worker{ID: name, Engine: name, Lease: d.Clock.Now().Add(time.Minute)}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := console.New(console.Config{
		Accounts: d.Accounts, Delivery: d.Delivery, BaseURL: "https://svc.example", Now: d.Clock.Now, Engine: "template",
		Generations: generation.New(generation.Config{
			Store: d.Store, Events: memlog.New(), Limits: generation.DefaultLimits(), Readers: map[string]engine.Reader{"template": parrots{}},
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	d.console = c
	return d
}

var (
	controls = regexp.MustCompile(`(?s)<(input)([^>]*)>()|<(select|textarea)([^>]*)>(.*?)</(?:select|textarea)>`)
	nameOf   = regexp.MustCompile(` name="([^"]*)"`)
	valueOf  = regexp.MustCompile(` value="([^"]*)"`)
	chosen   = regexp.MustCompile(`<option(?: value="([^"]*)")? selected>([^<]*)`)
)

// filledIn reads what a browser would send of the form of a spec, changed by pairs.
func filledIn(t *testing.T, page string, pairs ...string) url.Values {
	t.Helper()
	_, form, found := strings.Cut(page, `<form id="spec-form"`)
	if !found {
		t.Fatalf("there is no form of a spec:\n%s", page)
	}
	form, _, _ = strings.Cut(form, "</form>")
	if _, rows, stale := strings.Cut(form, `class="stale" disabled`); stale { // of which nothing is sent
		rows, _, _ = strings.Cut(rows, `id="generate"`)
		form = strings.Replace(form, rows[:strings.LastIndex(rows, "<textarea")], "", 1)
	}
	v := url.Values{}
	for _, m := range controls.FindAllStringSubmatch(form, -1) {
		m = []string{"", m[1] + m[4], m[2] + m[5], m[3] + m[6]}
		name := nameOf.FindStringSubmatch(m[2])
		switch {
		case name == nil, strings.Contains(m[2], " disabled"), strings.Contains(m[2], "checkbox") && !strings.Contains(m[2], " checked"):
		case m[1] == "textarea":
			v.Set(name[1], html.UnescapeString(strings.TrimPrefix(m[3], "\n")))
		case m[1] == "select":
			value := ""
			if option := chosen.FindStringSubmatch(m[3]); option != nil {
				if value = option[1]; value == "" {
					value = option[2]
				}
			}
			v.Set(name[1], html.UnescapeString(value))
		default:
			value := valueOf.FindStringSubmatch(m[2])
			if value == nil {
				value = []string{"", "on"}
			}
			v.Set(name[1], html.UnescapeString(value[1]))
		}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// byScript asks for the part of a page that follows what is typed.
func (d *site) byScript(form url.Values) string {
	d.t.Helper()
	return d.want(http.StatusOK, "/console/spec", form, "Hx-Request: true")
}

// Promise: console-spec-sync
func TestTheFormOfASpecFollowsTextAndRows(t *testing.T) {
	d := newSpecSite(t, "template")
	page := d.want(http.StatusOK, "/console/generations/new", nil)
	contains(t, page, "generates with the template engine", `<details class="told" id="spec">`, "How a spec is written", "spec.js")
	text := func(page string) string { return filledIn(t, page).Get("prompt") }

	// Rows write the text, and the text writes rows, with and without scripts.
	rows := d.byScript(filledIn(t, page, "r0-noun", "book", "r0-f0-name", "title", "do", "add field 0"))
	lacks(t, rows, "<html", "<h1>")
	contains(t, rows, `id="r0-f1-name" name="r0-f1-name" value="field" autofocus`)
	rows = d.byScript(filledIn(t, rows, "r0-f1-name", "pages", "r0-f1-kind", "integer"))
	if got := text(rows); got != bookSpec {
		t.Errorf("the rows wrote\n%s", got)
	}
	whole := d.want(http.StatusOK, "/console/spec", filledIn(t, rows, "prompt", "api in python\r\nloan: state one of a/b\r\n"))
	contains(t, whole, "<h1>New generation</h1>", `value="loan"`, `<option selected>python</option>`, `value="a/b"`, `id="spec" open>`, "store <strong>memory</strong>")

	// A mistake is shown at its line, and the rows stay as they were, visibly.
	wrong := d.byScript(filledIn(t, rows, "prompt", bookSpec+"# more\nloan: due: dat\n"))
	contains(t, wrong, `data-line="4"`, "Line 4, <code>loan: due: dat</code>", `class="stale" disabled`, `value="pages"`, "is not a kind of field; write one of string, text, integer")
	if got := text(wrong); got != bookSpec+"# more\nloan: due: dat\n" {
		t.Errorf("the text became\n%s", got)
	}
	mended := d.byScript(filledIn(t, wrong, "prompt", bookSpec+"# more\nloan: due: date\n"))
	contains(t, mended, `value="loan"`)
	lacks(t, mended, `class="stale"`, "spec-mistake")

	// Rows that cannot be written stay in their controls, and are not sent.
	bad := filledIn(t, rows, "r0-f1-name", "pages, x")
	contains(t, d.byScript(bad), "The rows are not in the text yet", `value="pages, x"`, html.EscapeString(bookSpec))
	contains(t, d.want(http.StatusUnprocessableEntity, "/console/generations", bad), "The rows are not in the text yet", `value="pages, x"`,
		`id="spec-mistake" tabindex="-1" data-line="0" role="alert" autofocus`)

	// A page that refuses a text has the focus there, with the message as its description.
	for _, address := range []string{"/console/generations", "/console/spec"} {
		status := map[string]int{"/console/generations": http.StatusUnprocessableEntity, "/console/spec": http.StatusOK}[address]
		page := d.want(status, address, filledIn(t, rows, "prompt", bookSpec+"loan: due: dat\n"))
		contains(t, page, `aria-describedby="spec-mistake" aria-invalid="true" autofocus>`, `id="spec-mistake" tabindex="-1" data-line="3" role="alert">`)
	}
	if runs, err := d.Store.Runs().List(t.Context(), svc.RunQuery{AccountID: d.account.ID, Limit: 9}); err != nil || len(runs) != 0 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
}

func TestTheFormOfASpecSendsItsText(t *testing.T) {
	d := newSpecSite(t, "template")
	page := d.byScript(filledIn(t, d.want(http.StatusOK, "/console/generations/new", nil), "prompt", bookSpec))
	prompt := func(form url.Values) string {
		t.Helper()
		answer := d.ask("/console/generations", form)
		if answer.Code != http.StatusSeeOther {
			t.Fatalf("%d: %s", answer.Code, answer.Body)
		}
		run, err := d.Store.Runs().Get(t.Context(), d.account.ID, strings.TrimPrefix(answer.Header().Get("Location"), "/console/generations/"))
		if err != nil {
			t.Fatal(err)
		}
		return run.Prompt
	}
	if got := prompt(filledIn(t, page)); got != bookSpec {
		t.Errorf("sent was\n%s", got)
	}
	// What was typed into rows just before, or without scripts, is in it.
	if got := prompt(filledIn(t, page, "once", "", "r0-f1-max", "900")); got != strings.Replace(bookSpec, "integer", "integer ..900", 1) {
		t.Errorf("sent was\n%s", got)
	}
}

// Promise: console-spec-form
func TestWhatTheBoxCannotReadOpensTheForm(t *testing.T) {
	d := newSpecSite(t, "template")
	box := url.Values{"prompt": {"Teach a parrot to <sing>"}, "constraints": {"port = 9100"}}
	page := d.want(http.StatusUnprocessableEntity, "/console/generations", box)
	contains(t, page, ">Teach a parrot to &lt;sing&gt;</textarea>", ">port = 9100</textarea>", `id="spec" open>`,
		"<q><mark>Teach</mark> <mark>a</mark> parrot to <mark>&lt;sing&gt;</mark></q>", `id="not-understood" tabindex="-1" autofocus`, "What was understood is in the form below: <q>parrot</q>.", "Nothing was started")
	lacks(t, page, `id="generate" autofocus`)
	form := filledIn(t, page)
	if got := form.Get("prompt"); got != "api\nparrot: name\n" {
		t.Errorf("the form has\n%s", got)
	}
	d.want(http.StatusSeeOther, "/console/generations", form)
}

// Promise: console-spec-form
func TestContinueOpensTheFormWithTheProject(t *testing.T) {
	d := newSpecSite(t, "template")
	project := func(state map[string]string) svc.Project {
		p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "a"}))
		p.State, p.Revision = state, p.Revision+1
		if err := d.Store.Projects().Advance(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	mine := project(map[string]string{"engine": "template", "spec": bookSpec})
	page := d.want(http.StatusOK, "/console/generations/new?project="+mine.ID, nil)
	contains(t, page, "What should change?", `id="spec" open>`, "Nothing changes yet.", `name="language" disabled>`, `value="pages"`)
	changed := d.byScript(filledIn(t, page, "r0-f1-max", "900", "language", "python", "kind", "site"))
	contains(t, changed, `<ul id="spec-changes"`, "book.pages")
	lacks(t, changed, "in python", "Nothing changes")
	answer := d.ask("/console/generations", filledIn(t, changed))
	run, err := d.Store.Runs().Get(t.Context(), d.account.ID, strings.TrimPrefix(answer.Header().Get("Location"), "/console/generations/"))
	if err != nil || run.ProjectID != mine.ID || !strings.Contains(run.Prompt, "pages: integer ..900") {
		t.Errorf("%d: %+v, %v", answer.Code, run, err)
	}

	foreign := project(map[string]string{"language": "rust"})
	lacks(t, d.want(http.StatusOK, "/console/generations/new?project="+foreign.ID, nil), "spec-form")
	old := project(map[string]string{"engine": "template", "kind": "command", "language": "go"})
	page = d.want(http.StatusOK, "/console/generations/new?project="+old.ID, nil)
	contains(t, page, "This project cannot be continued", "command-line tool")
	lacks(t, page, "spec-form")
}

// Promise: console-spec-form
func TestOtherEnginesHaveTheBoxAlone(t *testing.T) {
	for _, c := range []struct {
		engines []string
		told    string
	}{{[]string{"agent"}, "generates with a coding agent."}, {[]string{"openai", "template"}, "or the template engine"}} {
		d := newSpecSite(t, c.engines...)
		page := d.want(http.StatusOK, "/console/generations/new", nil)
		contains(t, page, c.told, "What should be made?")
		lacks(t, page, "spec-form", "spec.js")
		d.want(http.StatusSeeOther, "/console/generations", url.Values{"prompt": {"teach my parrot"}})
	}
	// With no worker alive it is the engine of this process.
	contains(t, newSpecSite(t).want(http.StatusOK, "/console/generations/new", nil), "generates with the template engine", "spec-form")
}

// Promise: console-spec-sync
func TestTheFormOfASpecIsGuarded(t *testing.T) {
	d := newSpecSite(t, "template")
	form := filledIn(t, d.want(http.StatusOK, "/console/generations/new", nil))
	d.want(http.StatusForbidden, "/console/spec", form, "Sec-Fetch-Site: cross-site")
	with := func(pairs ...string) url.Values {
		v := maps.Clone(form)
		for i := 0; i+1 < len(pairs); i += 2 {
			v[pairs[i]] = []string{pairs[i+1]}
		}
		return v
	}
	d.want(http.StatusRequestEntityTooLarge, "/console/spec", with("prompt", strings.Repeat("x", 600<<10)))
	contains(t, d.byScript(with("prompt", strings.Repeat("x", 33<<10))), "at most 32768 bytes")
	d.want(http.StatusBadRequest, "/console/spec", with("prompt", "api\x00"))
	hostile := `"><script>mark()</script>`
	for _, name := range []string{"prompt", "seen", "old", "r0-noun", "r0-f0-name", "r0-f0-kind", "r0-f0-choices", "port", "license", "name", "project", "once", "do"} {
		page := d.byScript(with(name, hostile))
		lacks(t, page, "<script>")
		lacks(t, d.want(http.StatusOK, "/console/spec", with(name, hostile)), "<script>mark")
	}
	d.cookie = ""
	if answer := d.ask("/console/spec", form, "Hx-Request: true"); answer.Code != http.StatusNoContent || answer.Header().Get("Hx-Redirect") == "" {
		t.Errorf("a visitor is answered with %d: %s", answer.Code, answer.Body)
	}
}
