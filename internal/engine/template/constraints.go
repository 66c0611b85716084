package template

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// constraints are the request's, cleaned and with their synonyms resolved.
type constraints map[string]string

func readConstraints(raw map[string]string) (constraints, error) {
	out, values := constraints{}, tables["constraint-value"]
	for _, rawKey := range slices.Sorted(maps.Keys(raw)) {
		key := strings.ToLower(strings.TrimSpace(rawKey))
		if values[key] == "" {
			return nil, unresolvable("the constraint %q is not known; these are: %s.", oneLine(rawKey, 60), listOf(slices.Sorted(maps.Keys(values))))
		}
		value := oneLine(raw[rawKey], 400)
		if key != "name" {
			value = strings.ToLower(value)
		}
		value = cmp.Or(tables["constraint"][key+" "+value], value)
		if other, twice := out[key]; twice && other != value {
			return nil, unresolvable("the constraint %q is given twice with different values; give it once.", key)
		}
		if out[key] = value; out.bad(key) {
			return nil, unresolvable("%s %q cannot be met; %s can be: %s.", key, oneLine(value, 60), key, values[key])
		}
	}
	if out["language"] == langStatic && out["resources"] != "" {
		return nil, unresolvable("resources cannot be met for static; a static site has sections.")
	}
	return out, nil
}

func (c constraints) bad(key string) bool {
	switch key {
	case "name":
		return slug(cleanTitle(c[key])) == ""
	case "port":
		n, err := strconv.Atoi(c[key])
		return err != nil || notPort(n)
	case "resources":
		return len(c.list(key)) > maxResources || slices.ContainsFunc(c.list(key), func(each string) bool { return notResource(singular(each)) })
	case "sections":
		return len(c.list(key)) > maxSections || slices.ContainsFunc(c.list(key), notSectionName)
	}
	return c[key] != "" && !slices.Contains(strings.Split(tables["constraint-value"][key], ", "), c[key])
}

// list gives the parts of a constraint.
func (c constraints) list(key string) []string {
	var out []string
	for _, part := range listIn(c[key], ",") {
		if part = strings.ReplaceAll(strings.TrimSpace(part), " ", "-"); !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// override lays the constraints over what the prompt says: they outrank it.
func (c constraints) override(r *reading) {
	for _, key := range []string{"language", "database", "auth", "cors", "license", "port"} {
		if c[key] != "" {
			r.decided(key).set(c[key])
		}
	}
	if c["name"] != "" {
		r.Title = cleanTitle(c["name"])
	}
	switch {
	case r.Kind != "":
	case c["language"] == langStatic || c["sections"] != "":
		r.Kind = kindSite
	case c["resources"] != "":
		r.Kind = kindAPI
	}
	if named := c.list("sections"); len(named) > 0 {
		r.Sections = named
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
