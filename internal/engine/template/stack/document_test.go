package stack_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/template"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// form is a project out of docs/spec.md, as the engine made it.
type form struct {
	name string
	*made
}

// document is docs/spec.md.
type document struct {
	t    *testing.T
	text string
}

func theDocument(t *testing.T) document {
	t.Helper()
	text, err := os.ReadFile("../../../../docs/spec.md")
	if err != nil {
		t.Fatal(err)
	}
	return document{t, string(text)}
}

// blocks returns the fenced blocks of a kind.
func (d document) blocks(kind string) (out []string) {
	d.t.Helper()
	for _, m := range regexp.MustCompile("(?s)```"+kind+"\n(.*?)```").FindAllStringSubmatch(d.text, -1) {
		out = append(out, m[1])
	}
	if len(out) == 0 {
		d.t.Fatalf("the document has no block of %s", kind)
	}
	return out
}

var code = regexp.MustCompile("`([^`]+)`")

// codes returns what stands in backticks in a text.
func codes(text string) (out []string) {
	for _, m := range code.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// table returns the cells of the table that begins with a heading.
func (d document) table(heading string) (rows [][]string) {
	d.t.Helper()
	_, rest, _ := strings.Cut(d.text, heading+"\n")
	for line := range strings.Lines(rest) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") {
			break
		}
		if !strings.HasPrefix(line, "|---") {
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		d.t.Fatalf("the document has no table %s", heading)
	}
	return rows
}

// column returns what stands in backticks in a column of a table.
func (d document) column(heading string, i int) (out []string) {
	d.t.Helper()
	for _, row := range d.table(heading) {
		out = append(out, codes(row[i])...)
	}
	return out
}

// everyKindAndRule returns the lines of records that have each kind and each rule of the
// document, and names from which it says that kinds follow.
func (d document) everyKindAndRule() string {
	d.t.Helper()
	var kinds, rules []string
	for _, kind := range d.column("| kind | value in JSON |", 0) {
		kinds = append(kinds, "a "+kind+": "+kind)
	}
	for i, rule := range d.column("| rule | meaning |", 0) {
		rules = append(rules, fmt.Sprintf("rule%d %s", i, rule))
		if strings.Contains(rule, "..") {
			rules = append(rules, fmt.Sprintf("amount%d: integer %s", i, rule))
		}
	}
	if len(kinds) < len(spec.Kinds) || len(rules) < 10 {
		d.t.Errorf("the document has the kinds %q and the rules %q", kinds, rules)
	}
	_, guessed, _ := strings.Cut(d.text, "gets a kind from its name (")
	guessed, _, _ = strings.Cut(guessed, ")")
	return "kind: " + strings.Join(kinds, ", ") + "\nrule: " + strings.Join(rules, ", ") + "\nguess: " + strings.Join(codes(guessed), ", ") + ", -> kind, other -> rule optional\n"
}

// options returns specs that together have every option of the first line.
func (d document) options() (out []string) {
	d.t.Helper()
	values := map[string][]string{}
	for _, row := range d.table("| part | values | usual |") {
		values[codes(row[0])[0]] = codes(row[1])
	}
	values["cors"] = []string{"", ", cors"}
	records := d.everyKindAndRule()
	for i, language := range values["in"] {
		for k, store := range values["with"] {
			n := i*len(values["with"]) + k
			of := func(part string) string { return values[part][n%len(values[part])] }
			out = append(out, fmt.Sprintf("api in %s with %s, port %d, auth %s%s, license %s, name sample-%d\n%s",
				language, store, 2000+n, of("auth"), of("cors"), of("license"), n, records))
		}
	}
	if len(out) < len(values["license"]) {
		d.t.Errorf("%d specs cannot have %d licences", len(out), len(values["license"]))
	}
	return out
}

// alone returns specs with one kind or one rule each, in each language: what a project
// does not use is left out of it, and must not be missing.
func (d document) alone() (out []string) {
	d.t.Helper()
	for _, language := range spec.Languages {
		for _, kind := range d.column("| kind | value in JSON |", 0) {
			out = append(out, fmt.Sprintf("api in %s\nalone: value: %s\n", language, kind))
		}
		for _, rule := range d.column("| rule | meaning |", 0) {
			out = append(out, fmt.Sprintf("api in %s\nalone: value %s\n", language, rule))
		}
	}
	return out
}

// site returns a site with every text of the document.
func (d document) site() string {
	d.t.Helper()
	values := map[string]string{"link": "https://example.com/now", "email": "hello@example.com", "phone": "+44 117 496 0123"}
	out := "site, port 2100, license isc, name every-text\nsection menu: Bread 4.20; Croissant 2.10\nsection contact\n"
	for _, key := range d.column("| `text` | shows |", 0) {
		value := values[key]
		if value == "" {
			value = "The " + key
		}
		out += "text " + key + ": " + value + "\n"
	}
	return out
}

// limits returns specs that are as large as the document allows.
func (d document) limits() []string {
	d.t.Helper()
	number := func(heading string) (all []int) {
		for _, row := range d.table("| | at most |") {
			if strings.TrimSpace(row[0]) != heading {
				continue
			}
			for _, text := range strings.Split(row[1], ", ") {
				n, err := strconv.Atoi(strings.ReplaceAll(strings.TrimSpace(text), ",", ""))
				if err != nil {
					d.t.Fatal(err)
				}
				all = append(all, n)
			}
		}
		return all
	}
	records, sections := number("records, fields of a record"), number("sections, characters of a section's text")
	if len(records) != 2 || len(sections) != 2 {
		d.t.Fatalf("the limits are %d and %d", records, sections)
	}
	api, site := "api in python\n", "site\n"
	for i := range records[0] {
		var fields []string
		for k := range records[1] {
			fields = append(fields, fmt.Sprintf("field %d", k))
		}
		api += fmt.Sprintf("record %c: %s\n", 'a'+i, strings.Join(fields, ", "))
	}
	for i := range sections[0] {
		site += fmt.Sprintf("section number %d: %s\n", i, strings.Repeat("x", sections[1]))
	}
	return []string{api, site}
}

// constraints returns projects that are asked for by each constraint of the document.
func (d document) constraints() (out []form) {
	d.t.Helper()
	for _, row := range d.table("| constraint | example |") {
		name := codes(row[0])[0]
		prompt := map[string]string{"resources": "api in typescript\nitem: name", "sections": "site\nsection about"}[name]
		for _, value := range codes(row[1]) {
			out = append(out, form{name + " " + value, begun(d.t, prompt, map[string]string{name: value})})
		}
	}
	_, named, _ := strings.Cut(d.text, "and win over its prompt: ")
	named, _, _ = strings.Cut(named, "\n")
	given := map[string]string{}
	values := map[string]string{
		"kind": "api", "language": "python", "store": "file", "database": "sqlite", "auth": "token", "cors": "on", "port": "2300", "license": "isc", "name": "by-constraints",
		"resources": "book: title, author; loan: -> book",
	}
	for _, name := range codes(named) {
		switch {
		case name == "spec":
			out = append(out, form{"the constraint spec", begun(d.t, "teach my parrot to sing", map[string]string{name: d.blocks("spec")[0]})})
		case name == "sections" || name == "database": // of a site, and another word for the store
			out = append(out, form{"the constraint " + name, begun(d.t, map[string]string{"sections": "site\nsection about", "database": "api in go\nbook: title"}[name],
				map[string]string{name: map[string]string{"sections": "section menu; section opening hours", "database": "file"}[name]})})
		case values[name] == "":
			d.t.Errorf("the constraint %s is not known to this test", name)
		default:
			given[name] = values[name]
		}
	}
	m := begun(d.t, "api in go\nitem: name", given)
	if s := m.spec(d.t); s.Language != "python" || s.Store != "file" || s.Port != 2300 || !s.CORS || len(s.Records) != 2 {
		d.t.Errorf("the constraints %v made\n%s", given, s)
	}
	return append(out, form{"the constraints", m})
}

// changes returns projects that went through every line of change of the document. Lines
// that follow from each other change one project; where the next cannot be had of it, a
// new one begins.
func (d document) changes() (out []form) {
	d.t.Helper()
	specs := d.blocks("spec")
	for i, block := range d.blocks("change") {
		at := slices.IndexFunc(specs, func(s string) bool {
			return template.Reader().Check(block, nil, begun(d.t, s, nil).state) == nil
		})
		if at < 0 {
			d.t.Errorf("no project of the document takes the change\n%s", block)
			continue
		}
		m := begun(d.t, specs[at], nil)
		m.generate(d.t, block, nil)
		out = append(out, form{fmt.Sprintf("change %d", i+1), m})
	}
	ofSite := regexp.MustCompile(`^(add |remove )?(section|text) `)
	for _, kind := range []string{spec.API, spec.Site} {
		base := specs[0]
		if kind == spec.Site {
			base = d.site()
		}
		current, port := begun(d.t, base, nil), 2400
		for _, line := range d.column("| line | effect |", 0) {
			if ofSite.MatchString(line) != (kind == spec.Site) {
				continue
			}
			port++ // so that something changes where the project is already so
			change := fmt.Sprintf("%s\nport %d", line, port)
			if template.Reader().Check(change, nil, current.state) != nil {
				out = append(out, form{"lines of change, " + kind, current})
				current = begun(d.t, base, nil)
			}
			if err := template.Reader().Check(change, nil, current.state); err != nil {
				d.t.Errorf("%s: %v", line, err)
				continue
			}
			current.generate(d.t, change, nil)
		}
		out = append(out, form{"lines of change, " + kind, current})
	}
	return out
}

// forms returns projects that together have every form of the document.
func (d document) forms() (out []form) {
	d.t.Helper()
	for i, text := range d.blocks("spec") {
		out = append(out, form{fmt.Sprintf("block %d", i+1), begun(d.t, text, nil)})
	}
	for _, text := range d.options() {
		out = append(out, form{"options", begun(d.t, text, nil)})
	}
	for _, text := range d.alone() {
		_, line, _ := strings.Cut(text, "\nalone: value")
		out = append(out, form{"alone" + line, begun(d.t, text, nil)})
	}
	for _, text := range append(d.limits(), d.site()) {
		first, _, _ := strings.Cut(text, "\n")
		out = append(out, form{"limits and texts of " + first, begun(d.t, text, nil)})
	}
	return slices.Concat(out, d.constraints(), d.changes())
}

// check builds a project, which passes its own tests, and makes a record of each kind by
// its program.
func (f form) check(t *testing.T, w workshop) {
	t.Helper()
	dir, run := w.build(t, f.made)
	s := f.spec(t)
	if s.Kind != spec.API {
		return
	}
	serve(t, f.made, dir, storeOf(t, s), run, func(a *api) {
		for _, r := range a.p.Records {
			a.create(r)
			if all, _ := a.list(path(r), 200); len(all) == 0 {
				t.Errorf("there are no %s", r.Plural)
			}
		}
	})
}

// All that docs/spec.md shows can be had: the page is generated, built, tested and run.
func TestEveryFormOfTheDocumentIsBuilt(t *testing.T) {
	t.Parallel()
	needs.Long(t, "building what docs/spec.md shows: each block, option, kind, rule, limit, constraint and line of change")
	w := workshopFor(t, spec.TypeScript)
	for _, f := range theDocument(t).forms() {
		t.Run(f.name, func(t *testing.T) { f.check(t, w) })
	}
}

// All that docs/spec.md shows is generated; two of the projects, by chance, are built.
func TestFormsOfTheDocumentAreBuilt(t *testing.T) {
	t.Parallel()
	all := theDocument(t).forms()
	languages := map[string]bool{}
	by := chance(t)
	chosen := []form{all[by.IntN(len(all))], all[by.IntN(len(all))]}
	for _, f := range chosen {
		languages[f.spec(t).Language] = true
	}
	w := workshopFor(t, slices.Collect(maps.Keys(languages))...)
	for _, f := range chosen {
		t.Run(f.name, func(t *testing.T) { f.check(t, w) })
	}
}
