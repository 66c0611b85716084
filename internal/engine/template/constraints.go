package template

import (
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/constraint"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
)

// constraints are the request's, cleaned and with their synonyms resolved.
type constraints map[string]string

func readConstraints(raw map[string]string) (constraints, error) {
	c, err := constraint.Read(raw, tables["constraint-value"], tables["constraint"], badConstraint)
	if err != nil {
		return nil, unresolvable("%v.", err)
	}
	if c["language"] == project.Static && c["resources"] != "" {
		return nil, unresolvable("a static site has no resources; it has sections.")
	}
	return c, nil
}

func badConstraint(key, value string) bool {
	list := constraint.List(value)
	switch key {
	case "name":
		return project.Slug(plaintext.Title(value)) == ""
	case "port":
		n, err := strconv.Atoi(value)
		return err != nil || project.NotPort(n)
	case "resources":
		return len(list) > project.MaxResources || slices.ContainsFunc(list, func(each string) bool { return project.NotResource(english.Singular(each)) })
	case "sections":
		return len(list) > project.MaxSections || slices.ContainsFunc(list, project.NotSectionName)
	}
	return value != "" && !slices.Contains(strings.Split(tables["constraint-value"][key], ", "), value)
}

// override lays the constraints over what the prompt says: they outrank it.
func (c constraints) override(r *reading) {
	for _, key := range []string{"language", "database", "auth", "cors", "license", "port"} {
		if c[key] != "" {
			r.Decided(key).Set(c[key])
		}
	}
	if c["name"] != "" {
		r.Title = plaintext.Title(c["name"])
	}
	switch {
	case r.Kind != "":
	case c["language"] == project.Static || c["sections"] != "":
		r.Kind = project.Site
	case c["resources"] != "":
		r.Kind = project.API
	}
	if named := constraint.List(c["sections"]); len(named) > 0 {
		r.Sections = named
	}
	if named := constraint.List(c["resources"]); len(named) > 0 {
		r.things = slices.DeleteFunc(r.things, func(t *thing) bool { return !t.known })
		for _, name := range named {
			if r.find(name) == nil {
				r.things = append(r.things, &thing{singular: english.Singular(name)})
			}
		}
	}
}
