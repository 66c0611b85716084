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
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/telling"
	"github.com/bundle-delivery/svc/internal/engine/template/schema"
	"github.com/bundle-delivery/svc/internal/engine/template/spec"
	"github.com/bundle-delivery/svc/internal/engine/template/stack"
	"github.com/bundle-delivery/svc/internal/scaffold"
)

// Keys of the project's state. StateSpec is the only one that describes the
// project; the decisions beside it are for people.
const (
	stateEngine = "engine"
	engineName  = "template"
	stateSpec   = "spec"
	stateModule = "module"       // of projects that were begun with a module path
	statePage   = "page_size"    // of projects that were begun with one
	stateKept   = "kept_columns" // that databases have although the spec no longer does
	stateFormer = "documents"    // an earlier version kept the records as JSON documents
)

// New returns the engine. It keeps nothing between runs and may be used concurrently.
func New() engine.Engine { return templates{} }

// Reader returns what decides, without a run, whether the engine can read a request.
func Reader() engine.Reader { return templates{} }

type templates struct{}

// Check implements [engine.Reader].
func (templates) Check(prompt string, constraints, state map[string]string) error {
	_, err := read(prompt, constraints, state)
	return err
}

// Title implements [engine.Reader].
func (templates) Title(prompt string) string {
	if !spec.IsSpec(prompt) {
		return ""
	}
	s, err := spec.Parse(prompt)
	if err == nil {
		s, _, err = s.Complete()
	}
	if err != nil {
		return ""
	}
	return stack.ViewOf(s).Title
}

// Generate implements [engine.Engine].
func (templates) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	r := telling.New(ctx, req, emit, internal)
	r.Emit(engine.ToolStatus{Action: engine.ActionPlan})
	q, err := read(req.Prompt, req.Constraints, req.Project.State)
	if err == nil && q.old == nil && req.Attempt <= 1 && len(req.Project.Files) > 0 {
		err = unresolvable("the project holds files of another engine, which the template engine does not continue; start a new project")
	}
	if err != nil && req.Attempt > 1 {
		q, err = again(req.Project.State, err)
	}
	if err != nil {
		return cmp.Or(r.Err, err)
	}
	before, now, err := trees(req.Project, &q)
	if err != nil {
		return cmp.Or(r.Err, err)
	}
	for _, d := range q.decisions() {
		if d.Value != req.Project.State[d.Key] {
			r.Emit(d)
		}
	}
	for _, f := range now.files {
		r.Write(f)
	}
	for _, f := range before.files {
		if !now.has(f.Path) {
			r.Delete(f.Path)
		}
	}
	r.Declare(before.ports, now.ports)
	if len(q.done) > 0 {
		if memory := memoryOf(q, req.Project.Memory); memory != req.Project.Memory {
			r.Emit(engine.MemoryUpdate{Content: memory})
		}
	}
	r.Finish(engineName)
	return r.Err
}

// tree is the files of a project and the ports that they use.
type tree struct {
	files []scaffold.File // sorted by path
	ports []engine.Port
}

func (t tree) has(path string) bool {
	return slices.ContainsFunc(t.files, func(f scaffold.File) bool { return f.Path == path })
}

// trees returns the files that the old spec stands for, and those of the new one
// with the migrations that lead to it.
func trees(p engine.Project, q *request) (before, now tree, err error) {
	var have []string
	for _, f := range p.Files {
		if strings.HasPrefix(f.Path, "migrations/") && strings.HasSuffix(f.Path, ".sql") {
			have = append(have, f.Path)
		}
	}
	if q.old != nil {
		if before, err = treeOf(*q, *q.old, have); err != nil {
			return before, now, internal(err)
		}
	}
	before.files = append(before.files, formerFiles(*q)...)
	change := q.tables()
	change.Have = have
	added, kept, err := schema.Migrations(change)
	if err != nil {
		return before, now, unresolvable("%v", err)
	}
	q.kept = kept
	for _, m := range added {
		have = append(have, m.Path)
	}
	if now, err = treeOf(*q, q.now, have); err != nil {
		return before, now, internal(err)
	}
	for _, m := range added {
		now.files = append(now.files, scaffold.File{Path: m.Path, Content: m.Content})
	}
	slices.SortFunc(now.files, func(a, b scaffold.File) int { return strings.Compare(a.Path, b.Path) })
	return before, now, nil
}

// treeOf renders a spec.
func treeOf(q request, s spec.Spec, migrations []string) (tree, error) {
	view := stack.ViewOf(s)
	view.Module = cmp.Or(q.state[stateModule], view.Module)
	view.PageSize, _ = strconv.Atoi(q.state[statePage])
	view.Migrations, view.Kept, view.Former = migrations, q.kept, q.former
	renames, err := q.allRenames()
	if err != nil {
		return tree{}, err
	}
	view.Renames = renames
	files, err := stack.Render(view)
	t := tree{files: files}
	t.ports = t.portsOf(view)
	return t, err
}

// portUses lists the places where the number of a port stands, by the port's name.
var portUses = map[string][]engine.PortUse{
	"web": {
		{Path: ".env", Template: "PORT={port}"},
		{Path: ".env.example", Template: "PORT={port}"},
		{Path: "README.md", Template: "BASE_URL=http://localhost:{port}"},
		{Path: "compose.yaml", Template: "${PORT:-{port}}"},
		{Path: "internal/config/config.go", Template: "DefaultPort = {port}"},
		{Path: "src/config.ts", Template: "defaultPort = {port};"},
		{Path: "app/config.py", Template: "DEFAULT_PORT = {port}"},
		{Path: "serve.mjs", Template: "?? {port})"},
	},
	"database": {
		{Path: ".env", Template: "DB_PORT={port}"},
		{Path: ".env", Template: "@localhost:{port}/"},
		{Path: ".env.example", Template: "DB_PORT={port}"},
		{Path: ".env.example", Template: "@localhost:{port}/"},
		{Path: "compose.yaml", Template: "${DB_PORT:-{port}}"},
	},
}

// portsOf declares the ports of a project, with the places where their numbers stand.
func (t tree) portsOf(p stack.Project) []engine.Port {
	ports := []engine.Port{{Name: "web", Port: p.Port}}
	if p.Store == spec.Postgres {
		ports = append(ports, engine.Port{Name: "database", Port: p.DatabasePort()})
	}
	for i := range ports {
		for _, use := range portUses[ports[i].Name] {
			if t.has(use.Path) {
				ports[i].Uses = append(ports[i].Uses, use)
			}
		}
	}
	return ports
}

func internal(err error) error {
	return &engine.Error{Code: engine.CodeInternal, Message: "The template engine failed; this is a defect of the service.", Err: err}
}

func unresolvable(format string, args ...any) *engine.Error {
	text := fmt.Sprintf(format, args...)
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: strings.ToUpper(text[:1]) + text[1:] + "."}
}
