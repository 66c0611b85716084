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
	left    leftOut           // what the request names and the project does not get
}

// begin plans a new project.
func begin(prompt string, c constraints) (plan, error) {
	w := read(prompt)
	p := plan{reasons: map[string]string{}}
	s := &p.spec

	s.Language = w.language
	switch {
	case c["language"] != "":
		s.Language = c["language"]
		p.reasons["language"] = "asked for as a constraint"
	case s.Language != "":
		p.reasons["language"] = "named in the prompt"
	default:
		s.Language = langGo
		p.reasons["language"] = "the prompt names no language; Go needs nothing but its standard library here"
	}
	if !slices.Contains(languages(), s.Language) {
		return plan{}, cannot("language", s.Language, "")
	}
	w, err := c.settle(w, s.Language)
	if err != nil {
		return plan{}, err
	}

	if err := p.chooseContent(w, c); err != nil {
		return plan{}, err
	}
	p.chooseName(w)
	s.Summary = oneLine(prompt, maxSummary)
	p.reasons["summary"] = "the request that began the project"

	s.Port = defaultPort(s.Language)
	p.reasons["port"] = "the usual port for " + s.Language
	if w.port != "" {
		if s.Port, err = strconv.Atoi(w.port); err != nil {
			return plan{}, cannot("port", w.port, s.Language)
		}
		p.reasons["port"] = "asked for"
	}
	s.Database = p.orDefault("database", w.database, dbNone, "none was asked for; records live in memory behind an interface")
	s.Auth = p.orDefault("auth", w.auth, authNone, "none was asked for; everyone who reaches the port may use the API")
	s.CORS = p.orDefault("cors", w.cors, switchOff, "not asked for; browsers of other origins stay out")
	s.License = p.orDefault("license", w.license, licenseNone, "none was asked for; all rights stay with the owner")
	p.reasons[stateKeyEngine] = "this project is written from templates, the same for the same request"
	p.said = strings.TrimSpace(fmt.Sprintf("Began the project: %s. %s", s.inWords(), p.left))
	if key := s.contentKey(); len(p.left) > 0 {
		p.reasons[key] += ". " + p.left.String()
	}
	return p, nil
}

func (p *plan) orDefault(key, value, fallback, why string) string {
	if value == "" {
		p.reasons[key] = why
		return fallback
	}
	p.reasons[key] = "asked for"
	return value
}

// chooseContent decides what an API serves or a page shows.
func (p *plan) chooseContent(w wishes, c constraints) error {
	s := &p.spec
	var err error
	if s.Resources, err = c.resources(s.Language); err != nil {
		return err
	}
	if s.Sections, err = c.sections(s.Language); err != nil {
		return err
	}
	if s.Language == langStatic {
		p.reasons["sections"] = "asked for"
		site := readSite(w.rest)
		s.Subject = site.subject
		p.reasons["subject"] = "what the request says the page is for"
		if s.Sections == nil {
			s.Sections = site.sections()
		}
		for _, section := range s.Sections[min(len(s.Sections), maxSections):] {
			p.left.add(section, whyManySections)
		}
		s.Sections = s.Sections[:min(len(s.Sections), maxSections)]
		if len(s.Sections) == 0 {
			s.Sections = usualSections(s.Subject, slices.Contains(site.words, "portfolio"))
			p.reasons["sections"] = "the prompt names no part of a page; these are usual"
		}
		return nil
	}
	p.reasons["resources"] = "the nouns of the request"
	if s.Resources == nil {
		for _, t := range thingsIn(w.rest) {
			r := resourceOf(t)
			if len(s.Resources) >= maxResources {
				p.left.add("/"+r.Plural, whyManyThings)
				continue
			}
			s.Resources = addResource(s.Resources, r)
			p.left.fieldsOf(t, r)
		}
	}
	if s.Resources == nil {
		s.Resources = []resource{resourceOf(thing{singular: "item"})}
		p.reasons["resources"] = "the prompt names no thing to serve"
	}
	return nil
}

func (p *plan) chooseName(w wishes) {
	s := &p.spec
	s.Title, s.Name = w.title, slug(w.title)
	p.reasons["name"], p.reasons["title"] = "asked for", "asked for"
	if s.Name != "" {
		return
	}
	p.reasons["name"] = "made of what the project is about"
	switch {
	case s.Language != langStatic:
		s.Name = s.Resources[0].Singular + "-api"
	default:
		s.Name = "my-site"
		if s.Subject != "" {
			s.Name = slug(s.Subject + " site")
			s.Title = cmp.Or(s.Title, cleanTitle(titleOf(strings.ReplaceAll(s.Subject, " ", "-"))))
			p.reasons["title"] = p.reasons["name"]
		}
	}
	if s.Title == "" {
		s.Title = titleOf(s.Name)
		p.reasons["title"] = p.reasons["name"]
	}
}

// contentKey is the key of the state for what the project serves or shows.
func (s spec) contentKey() string {
	if s.Language == langStatic {
		return "sections"
	}
	return "resources"
}

// inWords describes the spec in one phrase.
func (s spec) inWords() string {
	if s.Language == langStatic {
		about := ""
		if s.Subject != "" {
			about = " for " + withArticle(s.Subject)
		}
		return fmt.Sprintf("a static site%s with the sections %s, on port %d", about, listOf(s.sectionWords(), "and"), s.Port)
	}
	return fmt.Sprintf("a %s API for %s, on port %d, database %s, authentication %s, CORS %s",
		languageTitle(s.Language), listOf(s.plurals(), "and"), s.Port, s.Database, s.Auth, s.CORS)
}

func (s spec) plurals() []string {
	var out []string
	for _, r := range s.Resources {
		out = append(out, r.Plural)
	}
	return out
}

func languageTitle(language string) string {
	switch language {
	case langGo:
		return "Go"
	case langTypeScript:
		return "TypeScript"
	case langPython:
		return "Python"
	}
	return strings.ToLower(language)
}
