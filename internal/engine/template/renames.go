package template

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// stateRenames is the key of the renames of all changes, for data files with the names
// of before. Like migrations, they are only ever added to.
const stateRenames = "renames"

// allRenames returns the renames of the project's changes, with those of this one.
func (q request) allRenames() (all []stack.Renames, err error) {
	if text := q.state[stateRenames]; text != "" {
		if err := json.Unmarshal([]byte(text), &all); err != nil {
			return nil, fmt.Errorf("the state of the project cannot be read: %s: %w", stateRenames, err)
		}
	}
	if next := q.newRenames(); len(next.Kinds)+len(next.Fields) > 0 {
		all = append(all, next)
	}
	return all, nil
}

// newRenames returns the names of tables and columns that this change gives to others.
func (q request) newRenames() stack.Renames {
	out := stack.Renames{Kinds: map[string]string{}, Fields: map[string]map[string]string{}}
	if q.old == nil {
		return out
	}
	before := stack.ViewOf(*q.old).Records
	for _, r := range stack.ViewOf(q.now).Records {
		noun := schema.Origin(q.renames, "", r.Noun)
		at := slices.IndexFunc(before, func(old stack.Record) bool { return old.Noun == noun })
		if at < 0 {
			continue
		}
		if before[at].Plural != r.Plural {
			out.Kinds[before[at].Plural] = r.Plural
		}
		fields := map[string]string{}
		for _, f := range r.Fields {
			name := schema.Origin(q.renames, r.Noun, f.Name)
			for _, old := range before[at].Fields {
				if old.Name == name && (old.To == "") == (f.To == "") && old.Column != f.Column {
					fields[old.Column] = f.Column
				}
			}
		}
		if len(fields) > 0 {
			out.Fields[r.Plural] = fields
		}
	}
	return out
}

// renamesDecision keeps the renames in the project's state, if this change has any.
func (q request) renamesDecision() (out []engine.StateUpdate) {
	all, err := q.allRenames()
	if err != nil || len(all) == 0 { // an error has ended the run before
		return nil
	}
	text, err := json.Marshal(all)
	if err != nil || string(text) == q.state[stateRenames] {
		return nil
	}
	return []engine.StateUpdate{{Key: stateRenames, Value: string(text), Reason: "data files may still have the names of before"}}
}
