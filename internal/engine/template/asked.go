package template

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
	"github.com/bundle-delivery/svc/internal/values"
)

// asked reads what a new project is to be.
func asked(prompt string) *reading {
	return readingOf(request.Read(prompt, lexicon.All))
}

// readingOf gives what was read as plans are made of it.
func readingOf(q *request.Request) *reading {
	r := &reading{Text: q.Text, unknown: q.Unknown, given: q.Given, scripted: q.Scripted, app: q.App}
	r.spec = spec{
		Kind: q.Kind, Language: q.Language, Title: q.Title, Module: q.Module, Port: q.Port, Operations: q.Operations,
		Sections: q.Sections, Subject: q.Subject, Place: q.Place, Email: q.Email, Phone: q.Phone, Hours: q.Hours,
		Address: q.Address, When: q.When, Database: q.Database, Auth: q.Auth, CORS: q.CORS, License: q.License, PageSize: q.PageSize,
	}
	for _, o := range q.Left {
		r.leave(o.What, o.Why)
	}
	for _, o := range q.Hearts {
		r.hearts = append(r.hearts, strings.TrimSuffix(o.What+" ("+o.Why+")", " ()"))
	}
	r.things = thingsOf(q.Things)
	return r
}

func thingsOf(all []*request.Thing) (out []*thing) {
	made := map[*request.Thing]*thing{}
	for _, t := range all {
		made[t] = &thing{singular: t.Name, whole: t.All, link: t.Link}
		out = append(out, made[t])
	}
	for _, t := range all {
		for _, f := range t.Fields {
			one := field{Name: f.Name, Kind: f.Kind, Rules: f.Rules}
			if f.Ref != "" {
				one = field{Name: f.Name + "_id", Kind: project.Ref + f.Ref, Rules: values.Rules{}}
			}
			made[t].fields = append(made[t].fields, one)
		}
		for _, parent := range t.Parents {
			if made[parent] != nil {
				made[t].parents = append(made[t].parents, made[parent])
			}
		}
	}
	return out
}

// readFor reads a request for a new project, or for the change of one.
func readFor(prompt string, old *spec) *reading {
	if old != nil {
		return changed(prompt, old)
	}
	return asked(prompt)
}
