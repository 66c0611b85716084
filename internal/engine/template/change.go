package template

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	reRenamesOne = regexp.MustCompile(`\brenam\w*\s+(?:the\s+)?(?:resource\s+|endpoint\s+)?([a-z]+)(?:\s+(?:resource|endpoint))?\s+(?:to|as|into)\s+([a-z]+)\b`)
	reComplete   = regexp.MustCompile(`\b(?:docker(?:file)?|compose|unit tests?|tests|ci|readme|makefile|health ?checks?|logging|logs|graceful shutdown)\b`)
	reAdds       = regexp.MustCompile(`\b(?:add|create|include|introduce|also|new|needs?|want|now|support|manage|track|extend)\b`)
	reRemoves    = regexp.MustCompile(`\b(?:remove|drop|delete|get rid of)\s+(?:the\s+|all\s+|its\s+)?(?:(?:endpoints?|resources?|sections?|routes?)\s+(?:for|of)\s+)?(?:the\s+)?([a-z]+)\b`)
	reFieldsTo   = regexp.MustCompile(`\b(?:add|give|put)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:fields?\s+|attributes?\s+|property\s+|properties\s+)?([a-z][a-z0-9 ,_-]*?)\s+(?:fields?\s+|attributes?\s+|property\s+)?(?:to|on|for)\s+(?:an?\s+|the\s+|each\s+|every\s+|all\s+)?([a-z]+)\b`)
	// capabilities are asked for like things and are none.
	capabilities = wordsFrom(`metric metrics monitoring tracing websocket websockets graphql grpc pagination filter filters filtering sorting caching cache
limit limits rate upload uploads webhook webhooks role roles permission permissions swagger openapi translation translations queue queues event
job jobs worker workers cron email emails notification notifications performance speed design animation animations readme doc`)
)

// carryOn plans the change of a project that this engine began.
func carryOn(old spec, prompt string, c constraints) (plan, error) {
	w := read(prompt)
	if v := c["language"]; v != "" && v != old.Language || v == "" && w.language != "" && w.language != old.Language && w.language != langStatic {
		if v == "" {
			v = w.language
		}
		return plan{}, unresolvable("language %q cannot be met: the project is locked to %s; begin a new project for another language.", oneLine(v, 40), old.Language)
	}
	w, err := c.settle(w, old.Language)
	if err != nil {
		return plan{}, err
	}
	ch := &change{old: old, spec: old.clone(), reasons: map[string]string{}}
	if !ch.renameResource(prompt) {
		ch.rename(w.title)
	}
	ch.set("port", strconv.Itoa(old.Port), w.port, func(v string) { ch.spec.Port, _ = strconv.Atoi(v) }) // settle has parsed it
	ch.set("database", old.Database, w.database, ch.spec.setDatabase)
	ch.set("auth", old.Auth, w.auth, func(v string) { ch.spec.Auth = v })
	ch.set("cors", old.CORS, w.cors, func(v string) { ch.spec.CORS = v })
	ch.set("license", old.License, w.license, func(v string) { ch.spec.License = v })
	if ch.spec.Database != old.Database && old.Database != dbNone {
		ch.reasons["former_databases"] = "a folder that was pulled before keeps what was written for it"
		ch.done = append(ch.done, leftBehind(old.Database))
	}
	if old.Language == langStatic {
		err = ch.sections(w, c)
	} else {
		err = ch.resources(w, c)
	}
	if err != nil {
		return plan{}, err
	}
	if len(ch.done) == 0 && reComplete.MatchString(strings.ToLower(prompt)) {
		ch.already = append(ch.already, "every project comes with tests, Dockerfile, compose.yaml, CI workflow and README")
	}
	if len(ch.done) == 0 && len(ch.already) == 0 && len(ch.left) > 0 {
		return plan{}, unresolvable("nothing that the request asks for can be had. %s", ch.left)
	}
	if _, changed := ch.reasons["resources"]; changed && len(ch.left) > 0 {
		ch.reasons["resources"] += ". " + ch.left.String()
	}
	if len(ch.done) == 0 && len(ch.already) == 0 {
		return plan{}, unresolvable("the request names no change that the template engine can make to this project; it can: %s.", old.possible())
	}
	return plan{spec: ch.spec, reasons: ch.reasons, said: ch.said()}, nil
}

// leftBehind says what a change of the database cannot take out of a folder
// that was pulled before: pulling deletes no file, and merging no key.
func leftBehind(database string) string {
	if database == dbPostgres {
		return "in a folder pulled before, compose.yaml keeps the service db and .env its settings until they are removed by hand"
	}
	return "in a folder pulled before, compose.yaml and .env keep the settings of the database, and the records stay where they are, until they are removed by hand"
}

// possible lists the changes on offer, with an example that fits the project.
func (s spec) possible() string {
	if s.Language == langStatic {
		return `"rename to …", "use port 9000", "add a pricing section", "remove the pricing section", "add the MIT license"`
	}
	noun := s.Resources[0].Plural
	return fmt.Sprintf(`"add a database" (%s), "add authentication", "enable CORS", "rename to …", "use port 9000", "add an endpoint for reviews", "add price and tags to %s", "remove the endpoint for %s", "add the MIT license"`,
		offer("database", s.Language), noun, noun)
}

// change gathers what a request does to a spec.
type change struct {
	old     spec
	spec    spec
	reasons map[string]string
	done    []string
	already []string
	left    leftOut
}

func (ch *change) said() string {
	var parts []string
	if len(ch.done) > 0 {
		parts = append(parts, "Changed: "+strings.Join(ch.done, "; ")+".")
	}
	if len(ch.already) > 0 {
		parts = append(parts, "Already so: "+strings.Join(ch.already, "; ")+".")
	}
	if len(ch.left) > 0 {
		parts = append(parts, ch.left.String())
	}
	return strings.Join(parts, " ")
}

func (ch *change) note(key, what string) {
	ch.reasons[key] = "asked for in a later request"
	ch.done = append(ch.done, what)
}

func (ch *change) set(key, before, wish string, apply func(string)) {
	switch wish {
	case "":
	case before:
		ch.already = append(ch.already, key+" is "+before)
	default:
		apply(wish)
		ch.note(key, fmt.Sprintf("%s from %s to %s", key, before, wish))
	}
}

func (ch *change) rename(title string) {
	name := slug(title)
	switch {
	case name == "":
	case name == ch.old.Name && title == ch.old.Title:
		ch.already = append(ch.already, "the name is "+name)
	default:
		ch.spec.Name, ch.spec.Title = name, title
		ch.reasons["title"] = "asked for in a later request"
		ch.note("name", fmt.Sprintf("name from %s to %s", ch.old.Name, name))
	}
}

// renameResource understands "rename todos to tasks".
func (ch *change) renameResource(prompt string) bool {
	m := reRenamesOne.FindStringSubmatch(strings.ToLower(oneLine(prompt, len(prompt))))
	if m == nil {
		return false
	}
	from, to := singular(m[1]), singular(m[2])
	i := slices.IndexFunc(ch.spec.Resources, func(r resource) bool { return r.Singular == from })
	taken := slices.ContainsFunc(ch.spec.Resources, func(r resource) bool { return r.Singular == to || r.Plural == plural(to) })
	if i < 0 || taken || len(to) < 2 || notIdentifier(plural(to)) || unusableNoun(to) {
		return false
	}
	ch.note("resources", fmt.Sprintf("renamed the resource %s to %s", ch.spec.Resources[i].Plural, plural(to)))
	ch.spec.Resources[i].Singular, ch.spec.Resources[i].Plural = to, plural(to)
	return true
}

func (ch *change) resources(w wishes, c constraints) error {
	wanted, err := c.resources(ch.old.Language)
	if err != nil {
		return err
	}
	if _, err := c.sections(ch.old.Language); err != nil {
		return err
	}
	low := strings.ToLower(oneLine(w.rest, len(w.rest)))
	if err := ch.removeResources(low); err != nil {
		return err
	}
	low = reRemoves.ReplaceAllString(low, " . ")
	if !ch.addFields(low) && reAdds.MatchString(low) {
		for _, t := range thingsIn(low) {
			if t.strong && !capabilities[t.singular] && !capabilities[plural(t.singular)] {
				r := resourceOf(t)
				wanted = append(wanted, r)
				ch.left.fieldsOf(t, r)
			}
		}
	}
	for _, r := range wanted {
		before := len(ch.spec.Resources)
		ch.spec.Resources = addResource(ch.spec.Resources, r)
		switch {
		case len(ch.spec.Resources) > before:
			ch.note("resources", "added the resource "+r.Plural)
		case before >= maxResources:
			return unresolvable("resources %q cannot be met: a project has at most %d.", r.Plural, maxResources)
		default:
			ch.already = append(ch.already, "/"+r.Plural+" is served")
		}
	}
	return nil
}

func (ch *change) removeResources(low string) error {
	for _, m := range reRemoves.FindAllStringSubmatch(low, -1) {
		s := singular(m[1])
		i := slices.IndexFunc(ch.spec.Resources, func(r resource) bool { return r.Singular == s })
		if i < 0 {
			continue
		}
		if len(ch.spec.Resources) == 1 {
			return unresolvable("%s is all that the API serves and cannot be removed; add another resource first.", ch.spec.Resources[i].Plural)
		}
		ch.note("resources", "removed the resource "+ch.spec.Resources[i].Plural)
		ch.spec.Resources = slices.Delete(ch.spec.Resources, i, i+1)
	}
	return nil
}

// addFields understands "add price and tags to products".
func (ch *change) addFields(low string) bool {
	found := false
	for _, m := range reFieldsTo.FindAllStringSubmatch(low, -1) {
		s := singular(m[2])
		i := slices.IndexFunc(ch.spec.Resources, func(r resource) bool { return r.Singular == s })
		if i < 0 {
			continue
		}
		r := &ch.spec.Resources[i]
		for part := range strings.SplitSeq(strings.NewReplacer(" and ", ",", "-", " ", "_", " ").Replace(m[1]), ",") {
			words := strings.Fields(part)
			if n := len(words); n > 0 && secretFields[words[n-1]] {
				ch.left.add(words[n-1]+" of "+r.Plural, whySecret)
				found = true
				continue
			}
			words = slices.DeleteFunc(words, func(w string) bool {
				return knownFields[w] == "" && !fieldModifiers[w] && (fillerWords[w] || techWords[w])
			})
			if len(words) == 0 {
				continue
			}
			f, ok := phraseField(words)
			if !ok {
				f = field{words[len(words)-1], kindStrings}
			}
			if notFieldName(f.Name) || unusableField(f.Name) {
				continue
			}
			found = true
			before := len(r.Fields)
			if r.Fields = addField(r.Fields, f); len(r.Fields) > before {
				ch.note("resources", fmt.Sprintf("added the field %s to %s", f.Name, r.Plural))
			} else {
				ch.already = append(ch.already, fmt.Sprintf("%s have %s, or as many fields as there can be", r.Plural, f.Name))
			}
		}
	}
	return found
}

func (ch *change) sections(w wishes, c constraints) error {
	wanted, err := c.sections(ch.old.Language)
	if err != nil {
		return err
	}
	if _, err := c.resources(ch.old.Language); err != nil {
		return err
	}
	low := strings.ToLower(oneLine(w.rest, len(w.rest)))
	for _, m := range reRemoves.FindAllStringSubmatch(low, -1) {
		i := slices.IndexFunc(ch.spec.Sections, func(s string) bool {
			return s == knownSections[m[1]] || s == m[1] || strings.HasPrefix(s, m[1]+"-")
		})
		if i < 0 {
			continue
		}
		if len(ch.spec.Sections) == 1 {
			return unresolvable("%s is all that the page shows and cannot be removed; add another section first.", ch.spec.Sections[i])
		}
		ch.note("sections", "removed the section "+ch.spec.Sections[i])
		ch.spec.Sections = slices.Delete(ch.spec.Sections, i, i+1)
	}
	low = reRemoveSection.ReplaceAllString(low, " . ")
	if reAdds.MatchString(low) {
		wanted = append(wanted, sectionsNamed(low)...)
	}
	for _, s := range wanted {
		switch {
		case slices.Contains(ch.spec.Sections, s):
			ch.already = append(ch.already, "the page has the section "+s)
		case len(ch.spec.Sections) >= maxSections:
			return unresolvable("sections %q cannot be met: a page has at most %d.", s, maxSections)
		default:
			ch.spec.Sections = append(ch.spec.Sections, s)
			ch.note("sections", "added the section "+s)
		}
	}
	return nil
}
