// Package template is the default engine. It writes small HTTP APIs and static
// sites from a spec, without a network, a model, a clock or chance.
//
// A request is read in this order: a whole [spec], lines that change the project's
// spec (package change), or one of a few English sentences (package english). What
// is none of these is refused with a spec that can be sent instead; see [engine.Reader].
// Every file is a function of the spec, so a project is continued by reading its
// spec, changing it, and writing the files that differ. Migrations are the
// exception: a delivered one never changes, and a continuation adds the next.
//
// Nothing of a prompt reaches a file but what the spec holds, and the spec accepts
// no name that a path, a program or a statement could read otherwise.
package template

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
)

// Keys of the project's state. StateSpec is the only one that describes the
// project; the decisions beside it are for people.
const (
	stateEngine  = "engine"
	engineName   = "template"
	stateSpec    = "spec"
	stateModule  = "module"       // of projects that were begun with a module path
	statePage    = "page_size"    // of projects that were begun with one
	stateKept    = "kept_columns" // that databases have although the spec no longer does
	stateFormer  = "documents"    // an earlier version kept the records as JSON documents
	stateRenames = "renames"      // of all changes, for data files with the names of before
)

// New returns the engine. It keeps nothing between runs and may be used concurrently.
func New() engine.Engine { return templates{} }

// Reader returns what decides, without a run, whether the engine can read a request.
func Reader() engine.Reader { return templates{} }

// Constraints are those that the engine understands.
func Constraints() (out []engine.Constraint) {
	for _, c := range spec.KnownConstraints() {
		out = append(out, engine.Constraint{Name: c.Name, Values: c.Values})
	}
	return out
}

type templates struct{}

// Check implements [engine.Reader].
func (templates) Check(prompt string, constraints, state map[string]string) error {
	_, err := read(prompt, constraints, state)
	return err
}

// Title implements [engine.Reader].
func (templates) Title(prompt string) string {
	if s, err := spec.Parse(prompt); err == nil {
		if s, _, err = s.Complete(); err == nil {
			return stack.ViewOf(s).Title
		}
	}
	return ""
}

// Generate implements [engine.Engine].
func (templates) Generate(ctx context.Context, req engine.Request, out func(engine.Output) error) error {
	e := &emitter{ctx: ctx, req: req, out: out, sizes: map[string]int64{}}
	for _, f := range req.Project.Files {
		e.sizes[f.Path] = f.Size
	}
	e.emit(engine.ToolStatus{Action: engine.ActionPlan})
	q, err := read(req.Prompt, req.Constraints, req.Project.State)
	switch {
	case err != nil && req.Attempt > 1:
		q, err = again(req.Project.State, err)
	case err == nil && q.old == nil && req.Attempt <= 1 && len(req.Project.Files) > 0:
		err = unresolvable("the project holds files of another engine, which the template engine does not continue; start a new project")
	}
	var before, now tree
	if err == nil {
		before, now, err = q.trees(req.Project.Files)
	}
	if err != nil {
		return cmp.Or(e.err, err)
	}
	for _, d := range q.decisions() {
		if d.Value != req.Project.State[d.Key] {
			e.emit(d)
		}
	}
	e.tree(before, now)
	if memory := q.memory(req.Project.Memory); len(q.done) > 0 && memory != req.Project.Memory {
		e.emit(engine.MemoryUpdate{Content: memory})
	}
	e.finish()
	return e.err
}

// tree is the files of a project, by path, and the ports that they use.
type tree struct {
	files map[string][]byte
	ports []engine.Port
}

// formerPaths are those of files that the version before specs wrote, in one language
// or another. They do not fit the files of this one.
var formerPaths = []string{
	"app/pgwire.py", "tests/test_pgwire.py", "internal/api/json.go", "internal/model/model_rules.go", "internal/model/model_rules_test.go",
	"internal/store/store_test.go", "src/postgres.ts", "src/sql.d.ts", "src/sqlite.ts", "src/store.ts", "test/store.test.ts",
}

// trees returns the files that the old spec stands for, and those of the new one
// with the migrations that lead to it.
func (q *request) trees(files []engine.FileInfo) (before, now tree, err error) {
	change := q.tables()
	for _, f := range files {
		if strings.HasPrefix(f.Path, "migrations/") && strings.HasSuffix(f.Path, ".sql") {
			change.Have = append(change.Have, f.Path)
		}
	}
	if err = q.readRenames(change); err == nil && q.old != nil {
		before, err = q.tree(*q.old, change.Have)
	}
	if err != nil {
		return before, now, internal(err)
	}
	if q.old != nil && q.state[stateSpec] == "" {
		for _, path := range formerPaths {
			before.files[path] = nil
		}
	}
	added, kept, err := schema.Migrations(change)
	if err != nil {
		return before, now, unresolvable("%v", err)
	}
	q.kept = kept
	for _, m := range added {
		change.Have = append(change.Have, m.Path)
	}
	if now, err = q.tree(q.now, change.Have); err != nil {
		return before, now, internal(err)
	}
	for _, m := range added {
		now.files[m.Path] = m.Content
	}
	return before, now, nil
}

// readRenames reads the renames of the project, and adds those of a change. Like
// migrations, they are only ever added to.
func (q *request) readRenames(c schema.Change) error {
	q.renamed = q.state[stateRenames]
	if err := json.Unmarshal([]byte(cmp.Or(q.renamed, "[]")), &q.allRenames); err != nil {
		return fmt.Errorf("the state of the project cannot be read: %s: %w", stateRenames, err)
	}
	next := schema.Renames(c)
	if len(next.Kinds)+len(next.Fields) == 0 {
		return nil
	}
	q.allRenames = append(q.allRenames, next)
	text, err := json.Marshal(q.allRenames)
	q.renamed = string(text)
	return err
}

// portUses has a line for each place where the number of a port stands: the name of
// the port, the file and the text.
//
//go:embed ports.txt
var portUses string

// tree renders a spec.
func (q *request) tree(s spec.Spec, migrations []string) (t tree, err error) {
	view := stack.ViewOf(s)
	view.Module = cmp.Or(q.state[stateModule], view.Module)
	view.PageSize, _ = strconv.Atoi(q.state[statePage])
	view.Migrations, view.Kept, view.Former, view.Renames = migrations, q.kept, q.former, q.allRenames
	files, err := stack.Render(view)
	t.files = map[string][]byte{}
	for _, f := range files {
		t.files[f.Path] = f.Content
	}
	t.ports = []engine.Port{{Name: "web", Port: view.Port}}
	if view.Store == spec.Postgres {
		t.ports = append(t.ports, engine.Port{Name: "database", Port: view.DatabasePort()})
	}
	for _, line := range lines(portUses) {
		use := strings.SplitN(line, " ", 3)
		at := slices.IndexFunc(t.ports, func(p engine.Port) bool { return p.Name == use[0] })
		if at >= 0 && t.files[use[1]] != nil {
			t.ports[at].Uses = append(t.ports[at].Uses, engine.PortUse{Path: use[1], Template: use[2]})
		}
	}
	return t, err
}
