package template

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// plan is a spec with the reasons for it.
type plan struct {
	spec    spec
	reasons map[string]string // by key of the state
	said    string            // what the run did, for the history
}

// begin plans a new project.
func begin(prompt string, c constraints) (plan, error) {
	r := read(prompt, nil)
	c.override(r)
	if err := r.verdict(); err != nil {
		return plan{}, err
	}
	p := plan{reasons: map[string]string{stateKeyEngine: "this project is written from templates, the same for the same request", "kind": "asked for"}}
	s := &p.spec
	s.Kind = r.kind
	s.Language = cmp.Or(c["language"], r.language)
	p.reasons["language"] = "asked for"
	if s.Language == "" {
		s.Language = languagesOf(s.Kind)[0]
		if r.scripted {
			s.Language = langPython
		}
		p.reasons["language"] = "the request names no language; this one needs nothing but its standard library here"
	}
	if s.Kind == kindSite {
		s.Language = langStatic
	}
	if !slices.Contains(languagesOf(s.Kind), s.Language) {
		return plan{}, r.refuse(fmt.Sprintf("%s is not written in %s.", kindTitles[s.Kind], languageTitle(s.Language)))
	}
	if err := p.content(r); err != nil {
		return plan{}, err
	}
	p.chooseName(r)
	s.Port = cmp.Or(r.port, defaultPort(s.Language))
	p.reasons["port"] = "asked for"
	if r.port == 0 {
		p.reasons["port"] = "the usual port for " + s.Language
	}
	s.Module, s.Place, s.Email = r.module, r.place, r.email
	if r.module != "" && s.Language != langGo {
		return plan{}, r.refuse("A module path is for Go.")
	}
	for _, set := range []struct {
		key, value, fallback, why string
		to                        *string
	}{
		{"database", r.database, dbNone, "none was asked for; records live in memory behind an interface", &s.Database},
		{"auth", r.auth, authNone, "none was asked for; everyone who reaches the port may use the API", &s.Auth},
		{"cors", r.cors, switchOff, "not asked for; browsers of other origins stay out", &s.CORS},
		{"license", r.license, licenseNone, "none was asked for; all rights stay with the owner", &s.License},
	} {
		p.reasons[set.key] = "asked for"
		if *set.to = set.value; set.value == "" {
			p.reasons[set.key], *set.to = set.why, set.fallback
		}
		if err := s.settle(r, set.key, set.to); err != nil {
			return plan{}, err
		}
	}
	s.Left = leftOf(nil, r.left)
	p.reasons["left_out"] = "named in the request and not in the project"
	p.said = fmt.Sprintf("Began the project: %s.", s.inWords())
	if len(s.Left) > 0 {
		p.said += " Left out: " + strings.Join(s.Left, "; ") + "."
	}
	return p, nil
}

// settle replaces "a database" by the one that suits, and refuses what the
// language does not have.
func (s *spec) settle(r *reading, key string, value *string) error {
	if key == "database" && s.Kind == kindCommand {
		if *value == dbFile || *value == dbNone || *value == dbAny {
			*value = dbNone // a command keeps its records in a file anyway
		}
	}
	if *value == dbAny && s.Kind == kindAPI {
		*value = databasesOf(s.Language)[1]
	}
	if !slices.Contains(s.valuesOf(key), *value) {
		return r.refuse(fmt.Sprintf("%s %s cannot be had with %s.", key, *value, cmp.Or(languageTitle(s.Language), kindTitles[s.Kind])))
	}
	return nil
}

// leftOf joins what was left out before and now.
func leftOf(before []string, now leftOut) []string {
	out := slices.Clone(before)
	for _, each := range now {
		if each = strings.ReplaceAll(oneLine(each, 200), ";", ","); !slices.Contains(out, each) {
			out = append(out, each)
		}
	}
	for len(out) > 0 && len(strings.Join(out, "; ")) > maxLeftOut {
		out = out[1:]
	}
	return out
}

// content decides what an API serves, a page shows or a command does.
func (p *plan) content(r *reading) error {
	s := &p.spec
	switch {
	case s.Kind == kindSite:
		p.reasons["sections"], p.reasons["subject"], p.reasons["place"] = "asked for", "what the request says the page is for", "named in the request"
		s.Subject, s.Sections = r.subject, r.sections
		if len(s.Sections) == 0 {
			s.Sections = usualFor(cmp.Or(s.Subject, strings.ToLower(r.title)))
			p.reasons["sections"] = "the request names no part of a page; these are usual"
		}
		for _, section := range s.Sections[min(len(s.Sections), maxSections):] {
			r.left.add(section, whyManySections)
		}
		s.Sections = s.Sections[:min(len(s.Sections), maxSections)]
		return nil
	case s.Kind == kindCommand && len(r.operations) > 0:
		s.Operations = r.operations
		p.reasons["operations"] = "asked for"
		if len(r.things) > 0 {
			return r.refuse(fmt.Sprintf("Not understood: %q.", plural(r.things[0].singular)))
		}
		return nil
	case len(r.things) == 0:
		return r.refuse("The request does not say what it is for.")
	}
	p.reasons["resources"] = "named in the request"
	for i, t := range r.things {
		before := len(s.Resources)
		if s.Resources = addResource(s.Resources, r.resourceOf(t)); len(s.Resources) == before {
			r.left.add("/"+plural(t.singular), whyManyThings)
		}
		if s.Kind == kindCommand && i == 0 {
			for _, other := range r.things[1:] {
				r.left.add(plural(other.singular), whyOneThing)
			}
			break
		}
	}
	return nil
}

// resourceOf makes a resource of a thing: with the fields that were named, or
// else those that one expects of it. A todo with tags has a title, too.
func (r *reading) resourceOf(t *thing) resource {
	out := resource{Singular: t.singular, Plural: plural(t.singular), Fields: slices.Clone(t.fields)}
	usual := cmp.Or(classes[hasFields][t.singular], map[bool]string{true: "title:string", false: "name:string"}[is(isTitled, t.singular)])
	for i, f := range slices.Collect(strings.SplitSeq(usual, ",")) {
		name, kind, _ := strings.Cut(f, ":")
		if len(t.fields) == 0 || i == 0 && name == "title" && out.Required() == "" {
			out.Fields = slices.Insert(out.Fields, min(i, len(out.Fields)), field{name, kind})
		}
	}
	for _, parent := range t.parents {
		name := parent + "_id"
		out.Fields = slices.DeleteFunc(out.Fields, func(f field) bool { return f.Name == name })
		out.Fields = append(out.Fields, field{name, kindRef + parent})
	}
	return out
}

func (p *plan) chooseName(r *reading) {
	s := &p.spec
	s.Title, s.Name = r.title, slug(r.title)
	p.reasons["name"], p.reasons["title"], p.reasons["module"] = "asked for", "asked for", "asked for"
	if s.Name != "" {
		return
	}
	p.reasons["name"] = "made of what the project is about"
	switch {
	case s.Kind == kindSite:
		s.Name = cmp.Or(slug(s.Subject+" site"), "my-site")
		if s.Title == "" && s.Subject != "" {
			s.Title = cleanTitle(titleOf(strings.ReplaceAll(s.Subject, " ", "-")))
		}
	case len(s.Operations) > 0:
		s.Name = s.Operations[0]
	case s.Kind == kindCommand:
		s.Name = s.Resources[0].Plural
	default:
		s.Name = s.Resources[0].Singular + "-api"
	}
	if r.module != "" {
		s.Name = cmp.Or(slug(r.module[strings.LastIndex(r.module, "/")+1:]), s.Name)
	}
	if s.Title == "" {
		s.Title = titleOf(s.Name)
		p.reasons["title"] = p.reasons["name"]
	}
}

// kindTitles are what people call the kinds.
var kindTitles = map[string]string{kindAPI: "An API", kindSite: "A web site", kindCommand: "A command-line tool"}

// inWords describes the spec in one phrase.
func (s spec) inWords() string {
	switch s.Kind {
	case kindSite:
		about := ""
		if s.Subject != "" {
			about = " for " + withArticle(s.Subject)
		}
		if s.Place != "" {
			about += " in " + s.Place
		}
		return fmt.Sprintf("a static site%s with the sections %s, on port %d", about, listOf(s.sectionWords()), s.Port)
	case kindCommand:
		does := "keeps " + listOf(s.plurals())
		if len(s.Operations) > 0 {
			var all []string
			for _, o := range s.Operations {
				all = append(all, operationWords[o])
			}
			does = listOf(all)
		}
		return fmt.Sprintf("a command-line tool in %s that %s", languageTitle(s.Language), does)
	}
	return fmt.Sprintf("a %s API for %s, on port %d, database %s, authentication %s, CORS %s",
		languageTitle(s.Language), listOf(s.plurals()), s.Port, s.Database, s.Auth, s.CORS)
}

func (s spec) plurals() []string {
	var out []string
	for _, r := range s.Resources {
		out = append(out, r.Plural)
	}
	return out
}

func languageTitle(language string) string {
	return map[string]string{langGo: "Go", langTypeScript: "TypeScript", langPython: "Python", langStatic: "HTML"}[language]
}

// carryOn plans the change of a project that this engine began.
func carryOn(old spec, prompt string, c constraints) (plan, error) {
	r := read(prompt, &old)
	c.override(r)
	if v := cmp.Or(c["language"], r.language); v != "" && v != old.Language {
		return plan{}, unresolvable("language %q cannot be met: the project is locked to %s; begin a new project for another language.", oneLine(v, 40), old.Language)
	}
	if err := r.verdict(); err != nil {
		return plan{}, err
	}
	ch := &change{old: old, spec: old.clone(), reasons: map[string]string{}}
	s := &ch.spec
	if name := slug(r.title); name != "" && (name != old.Name || r.title != old.Title) {
		s.Name, s.Title = name, r.title
		ch.reasons["title"] = "asked for in a later request"
		ch.note("name", fmt.Sprintf("name from %s to %s", old.Name, name))
	}
	if r.port != 0 && s.Kind != kindCommand {
		ch.set("port", strconv.Itoa(old.Port), strconv.Itoa(r.port), func(string) { s.Port = r.port })
	}
	for _, wish := range []struct {
		key, before, value string
		apply              func(string)
	}{
		{"database", old.Database, r.database, s.setDatabase},
		{"auth", old.Auth, r.auth, func(v string) { s.Auth = v }},
		{"cors", old.CORS, r.cors, func(v string) { s.CORS = v }},
		{"license", old.License, r.license, func(v string) { s.License = v }},
	} {
		if wish.value == "" {
			continue
		}
		if err := s.settle(r, wish.key, &wish.value); err != nil {
			return plan{}, err
		}
		ch.set(wish.key, wish.before, wish.value, wish.apply)
	}
	if s.Database != old.Database && old.Database != dbNone {
		ch.reasons["former_databases"] = "a folder that was pulled before keeps what was written for it"
		ch.done = append(ch.done, leftBehind(old.Database))
	}
	if r.module != "" && s.Language == langGo {
		ch.set("module", old.Module, r.module, func(v string) { s.Module = v })
	}
	if err := ch.content(r); err != nil {
		return plan{}, err
	}
	s.Left = leftOf(old.Left, r.left)
	ch.reasons["left_out"] = "named in a request and not in the project"
	if len(ch.done) == 0 {
		return plan{}, r.refuse(ch.nothing(r))
	}
	said := "Changed: " + strings.Join(ch.done, "; ") + "."
	if len(ch.already) > 0 {
		said += " Already so: " + strings.Join(ch.already, "; ") + "."
	}
	if len(r.left) > 0 {
		said += " Left out: " + r.left.String() + "."
	}
	return plan{spec: ch.spec, reasons: ch.reasons, said: said}, nil
}

// leftBehind says what a change of the database cannot take out of a folder
// that was pulled before: merging takes no key away.
func leftBehind(database string) string {
	if database == dbPostgres {
		return "in a folder pulled before, compose.yaml keeps the service db and .env its settings until they are removed by hand"
	}
	return "in a folder pulled before, compose.yaml and .env keep the settings of the database, and the records stay where they are, until they are removed by hand"
}

// change gathers what a request does to a spec.
type change struct {
	old     spec
	spec    spec
	reasons map[string]string
	done    []string
	already []string
}

// nothing says why a request changes nothing: a run that did nothing would look
// like one that did.
func (ch *change) nothing(r *reading) string {
	var parts []string
	if len(ch.already) > 0 {
		parts = append(parts, "Already so: "+strings.Join(ch.already, "; ")+".")
	}
	if len(r.given) > 0 {
		parts = append(parts, "Every project comes with what this engine can write of: "+strings.Join(r.given, ", ")+".")
	}
	if len(r.left) > 0 {
		parts = append(parts, "This engine cannot do: "+r.left.String()+".")
	}
	if len(parts) == 0 {
		return "The request names no change."
	}
	return strings.Join(parts, " ")
}

func (ch *change) note(key, what string) {
	ch.reasons[key] = "asked for in a later request"
	ch.done = append(ch.done, what)
}

func (ch *change) set(key, before, wish string, apply func(string)) {
	if wish == before {
		ch.already = append(ch.already, key+" is "+before)
		return
	}
	apply(wish)
	ch.note(key, fmt.Sprintf("%s from %s to %s", key, cmp.Or(before, "none"), wish))
}

// content changes what the project serves, shows or does.
func (ch *change) content(r *reading) error {
	s := &ch.spec
	if s.Kind == kindSite {
		return ch.sections(r)
	}
	if from := r.renamed[0]; from != "" {
		to := r.renamed[1]
		i := slices.IndexFunc(s.Resources, func(res resource) bool { return res.Singular == from })
		if len(to) < 2 || notIdentifier(plural(to)) || is(reservedNoun, to) || r.find(to) != nil {
			return r.refuse(fmt.Sprintf("Not understood: %q.", oneLine(to, 40)))
		}
		ch.note("resources", fmt.Sprintf("renamed the resource %s to %s", s.Resources[i].Plural, plural(to)))
		s.Resources[i].Singular, s.Resources[i].Plural = to, plural(to)
		for _, res := range s.Resources {
			for k := range res.Fields {
				if res.Fields[k].Of() == from {
					res.Fields[k] = field{to + "_id", kindRef + to}
				}
			}
		}
	}
	for _, t := range r.things {
		i := slices.IndexFunc(s.Resources, func(res resource) bool { return res.Singular == t.singular })
		if i < 0 && !t.known {
			if before := len(s.Resources); before >= maxResources || s.Kind == kindCommand {
				return r.refuse(fmt.Sprintf("%q cannot be added: %s.", plural(t.singular), map[bool]string{true: whyOneThing, false: whyManyThings}[s.Kind == kindCommand]))
			}
			s.Resources = addResource(s.Resources, r.resourceOf(t))
			ch.note("resources", "added the resource "+plural(t.singular))
			continue
		}
		if i < 0 {
			continue
		}
		for _, f := range r.resourceOf(t).Fields {
			if !hasField(s.Resources[i].Fields, f.Name) && len(s.Resources[i].Fields) < maxFields {
				s.Resources[i].Fields = append(s.Resources[i].Fields, f)
				ch.note("resources", fmt.Sprintf("added the field %s to %s", f.Name, s.Resources[i].Plural))
			}
		}
	}
	return ch.remove(r)
}

func (ch *change) remove(r *reading) error {
	s := &ch.spec
	for _, name := range r.removed {
		fieldName, of, isField := strings.Cut(name, " of ")
		i := slices.IndexFunc(s.Resources, func(res resource) bool { return res.Singular == name || isField && res.Singular == of })
		if i < 0 {
			continue
		}
		if isField && len(s.Resources[i].Fields) > 1 {
			s.Resources[i].Fields = slices.DeleteFunc(s.Resources[i].Fields, func(f field) bool { return f.Name == fieldName })
			ch.note("resources", "removed the field "+name)
			continue
		}
		if isField || len(s.Resources) == 1 {
			return r.refuse(fmt.Sprintf("%s is all that there is and cannot be removed; add another first.", name))
		}
		ch.note("resources", "removed the resource "+s.Resources[i].Plural)
		s.Resources = slices.Delete(s.Resources, i, i+1)
		for k := range s.Resources {
			s.Resources[k].Fields = slices.DeleteFunc(s.Resources[k].Fields, func(f field) bool { return f.Of() == name && len(s.Resources[k].Fields) > 1 })
		}
	}
	return nil
}

func (ch *change) sections(r *reading) error {
	s := &ch.spec
	for _, section := range r.removed {
		if len(s.Sections)+len(r.sections) == 1 {
			return r.refuse(fmt.Sprintf("%s is all that the page shows and cannot be removed; add another section first.", section))
		}
		s.Sections = slices.DeleteFunc(s.Sections, func(other string) bool { return other == section })
		ch.note("sections", "removed the section "+section)
	}
	for _, section := range r.sections {
		switch {
		case slices.Contains(s.Sections, section):
			ch.already = append(ch.already, "the page has the section "+section)
		case len(s.Sections) >= maxSections:
			return r.refuse(fmt.Sprintf("%q cannot be added: %s.", section, whyManySections))
		default:
			s.Sections = append(s.Sections, section)
			ch.note("sections", "added the section "+section)
		}
	}
	if r.place != "" && r.place != s.Place {
		ch.set("place", s.Place, r.place, func(v string) { s.Place = v })
	}
	if r.email != "" && r.email != s.Email {
		ch.set("email", s.Email, r.email, func(v string) { s.Email = v })
	}
	return nil
}
