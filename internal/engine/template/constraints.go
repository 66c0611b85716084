package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// constraints are the request's, cleaned and with their synonyms resolved.
type constraints map[string]string

// constraintKeys are what can be asked for beside the prompt, and what each can be.
var constraintKeys = map[string]string{
	"language": "go, typescript, python or static", "name": "a name with at least one letter from a to z", "port": "a number from 1024 to 65535",
	"resources": "one to 8 nouns with commas between, such as books,authors", "sections": "the parts of a page with commas between, such as about,menu,contact",
	"database": "none, file, sqlite, postgres or yes", "auth": "none or token", "cors": "off or on", "license": "none, mit or isc",
	"framework": "none, since the projects use the standard library",
}

// valuesOfConstraints are those that are a choice.
var valuesOfConstraints = map[string][]string{
	"language": {langGo, langTypeScript, langPython, langStatic}, "database": {dbNone, dbFile, dbSQLite, dbPostgres, dbAny}, "auth": {authNone, authToken},
	"cors": {switchOff, switchOn}, "license": {licenseNone, "mit", "isc"}, "framework": {"none", ""},
}

func readConstraints(raw map[string]string) (constraints, error) {
	out := constraints{}
	for _, rawKey := range slices.Sorted(maps.Keys(raw)) {
		key := strings.ToLower(strings.TrimSpace(rawKey))
		if constraintKeys[key] == "" {
			return nil, unresolvable("the constraint %q is not known; these are: %s.", oneLine(rawKey, 60), listOf(slices.Sorted(maps.Keys(constraintKeys))))
		}
		value := oneLine(raw[rawKey], 400)
		if key != "name" {
			value = strings.ToLower(value)
		}
		if right := classes[synonymOf][key+" "+value]; right != "" {
			value = right
		}
		if other, twice := out[key]; twice && other != value {
			return nil, unresolvable("the constraint %q is given twice with different values; give it once.", key)
		}
		out[key] = value
		bad := valuesOfConstraints[key] != nil && !slices.Contains(valuesOfConstraints[key], value)
		switch key {
		case "name":
			bad = slug(cleanTitle(value)) == ""
		case "port":
			_, err := parsePort(value)
			bad = err != nil
		case "resources", "sections":
			bad = slices.ContainsFunc(out.list(key), func(each string) bool {
				s := singular(each)
				return key == "sections" && notSectionName(each) || key == "resources" && (notIdentifier(s) || notIdentifier(plural(s)) || is(reservedNoun, s) || len(s) < 2)
			}) || len(out.list(key)) > map[string]int{"resources": maxResources, "sections": maxSections}[key]
		}
		if bad {
			return nil, unresolvable("%s %q cannot be met; %s can be: %s.", key, oneLine(value, 60), key, constraintKeys[key])
		}
	}
	if out["language"] == langStatic && out["resources"] != "" {
		return nil, unresolvable("resources cannot be met for static; a static site has sections.")
	}
	return out, nil
}

// list gives the parts of a constraint.
func (c constraints) list(key string) []string {
	var out []string
	for part := range strings.SplitSeq(c[key], ",") {
		part = strings.ReplaceAll(strings.TrimSpace(part), " ", "-")
		if part == "" && c[key] == "" {
			continue
		}
		if !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// override lays the constraints over what the prompt says: they outrank it.
func (c constraints) override(r *reading) {
	for key, to := range map[string]*string{"database": &r.database, "auth": &r.auth, "cors": &r.cors, "license": &r.license} {
		if v := c[key]; v != "" {
			*to = v
		}
	}
	if c["language"] != "" {
		r.language = c["language"]
	}
	if c["name"] != "" {
		r.title = cleanTitle(c["name"])
	}
	if port, err := strconv.Atoi(c["port"]); err == nil {
		r.port = port
	}
	if len(c) > 0 && r.project == nil && r.kind == "" {
		switch {
		case c["language"] == langStatic || c["sections"] != "":
			r.kind = kindSite
		case c["resources"] != "":
			r.kind = kindAPI
		}
	}
	if named := c.list("sections"); len(named) > 0 {
		r.sections = named
	}
	if named := c.list("resources"); len(named) > 0 {
		r.things = slices.DeleteFunc(r.things, func(t *thing) bool { return !t.known })
		for _, name := range named {
			if r.find(name) == nil {
				r.things = append(r.things, &thing{singular: singular(name)})
			}
		}
	}
}
