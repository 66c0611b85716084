package template

import (
	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
)

// changed reads what of a project is to become different.
func changed(prompt string, old *spec) *reading {
	before := request.Project{Kind: old.Kind, Sections: old.Sections, Hours: old.Hours, Does: old.Operations, Fluid: old.Kind == project.API && old.Database == none}
	for _, res := range old.Resources {
		t := &request.Thing{Name: res.Singular}
		for _, f := range res.Fields {
			t.Fields = append(t.Fields, request.Field{Name: f.Name, Kind: f.Kind, Rules: f.Rules, Sure: true, Ref: f.Of()})
		}
		before.Things = append(before.Things, t)
	}
	q := request.Change(prompt, lexicon.All, before)
	r := readingOf(q)
	r.project, r.removed, r.dropped, r.moves, r.already, r.renamed = old, q.Removed, q.Dropped, q.Moves, q.Already, q.Renamed
	for i := range old.Resources { // what there is keeps its references as they are
		r.things[i].known = true
		for k, f := range old.Resources[i].Fields {
			if f.Of() != "" {
				r.things[i].fields[k].Name, r.things[i].fields[k].Kind = f.Name, f.Kind
			}
		}
	}
	return r
}
