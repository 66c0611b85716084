// Package template writes projects from templates: the engine that needs no
// network, no model, no clock and no chance.
//
// A request is first read into a [project.Spec], the few decisions that make a project,
// and every file is then a function of the spec alone. The spec is what the
// project's state keeps, so continuing a project means to read the old spec,
// change it, write the tree again and hand out the files that became different.
//
// The lexicon says what words mean, and package request reads a prompt over it, clause
// by clause: what no rule reads, or two rules read differently, is not understood. A run succeeds only if everything is understood. What is the
// heart of a request and cannot be had is refused by name, with a request that
// works; a detail is left out, and told in the decision left_out and the README.
// A constraint outranks the prompt. A request that changes nothing is refused,
// since a bundle without a change would look like success.
//
// The prompt is not trusted. Of its words only identifiers made of a to z and
// digits, known words, numbers in a range and escaped names reach a file, and no
// path is ever made of anything but these identifiers. Nothing quotes the prompt.
//
// A deep merge takes nothing away, so the spec remembers the databases that a
// project once had. Files of other engines are never touched, and a project begun
// by another engine is refused.
package template

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/telling"
	"github.com/bundle-delivery/svc/internal/engine/template/lexicon"
	"github.com/bundle-delivery/svc/internal/engine/template/project"
	"github.com/bundle-delivery/svc/internal/engine/template/request"
	"github.com/bundle-delivery/svc/internal/engine/template/wording"
	"github.com/bundle-delivery/svc/internal/english"
	"github.com/bundle-delivery/svc/internal/plaintext"
	"github.com/bundle-delivery/svc/internal/scaffold"
	"github.com/bundle-delivery/svc/internal/values"
)

// New returns the engine; it keeps nothing of a run, and any number may use it at once.
func New() engine.Engine { return templates{scaffold.Parse(stacks, "stacks", wording.Functions())} }

type templates struct{ library scaffold.Library }

// Generate implements [engine.Engine].
func (e templates) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	r := telling.New(ctx, req, emit, internal)
	r.Emit(engine.ToolStatus{Action: engine.ActionPlan})
	p, before, err := e.planFor(req)
	if err != nil {
		return cmp.Or(r.Err, err)
	}
	t, err := treeOf(e.library, p.spec)
	if err != nil {
		return internal(err)
	}
	for _, d := range p.spec.Decisions() {
		if text := d.Text(); text != req.Project.State[d.Key] {
			r.Emit(engine.StateUpdate{Key: d.Key, Value: text, Reason: p.reasons[d.Key]})
		}
	}
	for _, f := range t.files {
		r.Write(f)
	}
	for _, f := range before.files {
		if !t.has(f.Path) {
			r.Delete(f.Path)
		}
	}
	r.Declare(before.ports, t.ports)
	if p.said != "" {
		if memory := memoryOf(p.spec, req.Project.Memory, p.said); memory != req.Project.Memory {
			r.Emit(engine.MemoryUpdate{Content: memory})
		}
	}
	r.Finish(project.Engine)
	return r.Err
}

// Constraints are those that the engine understands, by name.
func Constraints() (all []engine.Constraint) {
	for _, name := range slices.Sorted(maps.Keys(tables["constraint-value"])) {
		all = append(all, engine.Constraint{Name: name, Values: tables["constraint-value"][name]})
	}
	return all
}

func internal(err error) error {
	return &engine.Error{Code: engine.CodeInternal, Message: "the template engine failed; this is a defect of the service", Err: err}
}

// planFor decides whether a request begins, continues or mends a project. The
// tree that the old state stood for comes with it: what of it is no longer
// wanted will be deleted.
func (e templates) planFor(req engine.Request) (p plan, before tree, err error) {
	c, err := readConstraints(req.Constraints)
	if err != nil {
		return plan{}, tree{}, err
	}
	if req.Project.State[project.StateKey] != project.Engine {
		if req.Attempt <= 1 && len(req.Project.Files) > 0 {
			return plan{}, tree{}, unresolvable("the template engine continues only projects that it began, and this one has files of another engine; begin a new project.")
		}
		p, err = planOf(nil, req.Prompt, c)
		return p, tree{}, err
	}
	old, err := project.Read(req.Project.State)
	if err != nil {
		return plan{}, tree{}, unresolvable("the project cannot be continued: %v; begin a new project.", err)
	}
	if before, err = treeOf(e.library, old); err != nil {
		return plan{}, tree{}, internal(err)
	}
	p, err = planOf(&old, req.Prompt, c)
	if err != nil && req.Attempt > 1 {
		// The attempt before this one has already locked what the prompt asked
		// for; all that is left to do is to write the files again.
		return plan{spec: old}, before, nil
	}
	return p, before, err
}

// stacks holds the templates: those in common for every project, those in the
// folder of a language or of its commands for these alone. Their parts are the resources.
//
//go:embed all:stacks
var stacks embed.FS

// tree is a project as it should be.
type tree struct {
	files []scaffold.File // sorted by path
	ports []engine.Port
}

func (t tree) has(path string) bool {
	return slices.ContainsFunc(t.files, func(f scaffold.File) bool { return f.Path == path })
}

// view is what the templates see.
type view struct {
	spec
	Resource resource // in templates of one resource
}

// Gone are the databases that the project no longer has.
func (v view) Gone() []string {
	return slices.DeleteFunc(slices.Clone(v.Former), func(d string) bool { return d == v.Database })
}

// ModulePath is the path of the Go module.
func (v view) ModulePath() string { return cmp.Or(v.Module, "example.com/"+v.Name) }

// Uses says whether some field is one of these: of a kind, a reference, held to a rule.
func (v view) Uses(these ...string) bool {
	return slices.ContainsFunc(v.Resources, func(r resource) bool { return r.Uses(these...) })
}

// treeOf writes the whole tree of a spec.
func treeOf(library scaffold.Library, s spec) (tree, error) {
	stack, parts := s.Language, map[string]any{}
	if s.Kind == project.Command {
		stack += "-command"
	}
	for _, r := range s.Resources {
		parts[project.Squeezed(r.Singular)] = view{spec: s, Resource: r}
	}
	files, err := library.Render(stack, view{spec: s}, parts)
	out := tree{files: files}
	out.ports = out.portsOf(s)
	return out, err
}

// portsOf declares the ports, and where in the tree their numbers stand.
func (t tree) portsOf(s spec) []engine.Port {
	var ports []engine.Port
	if s.Kind != project.Command {
		ports = append(ports, engine.Port{Name: "web", Port: s.Port})
	}
	if s.Database == project.Postgres {
		ports = append(ports, engine.Port{Name: "database", Port: s.DatabasePort()})
	}
	for i := range ports {
		for _, use := range slices.Sorted(maps.Keys(tables["port-use"])) {
			path, text, _ := strings.Cut(use, " ")
			if tables["port-use"][use] == ports[i].Name && t.has(path) {
				ports[i].Uses = append(ports[i].Uses, engine.PortUse{Path: path, Template: text})
			}
		}
	}
	return ports
}

// leave notes what was asked for and is left out, and why or as what.
func (r *reading) leave(what, why string) {
	if !strings.HasPrefix(what, "a kind for ") { // which may be a field that is called by
		what = strings.TrimSuffix(strings.TrimSuffix(what, " by"), " to")
	}
	if what != why {
		what += " (" + why + ")"
	}
	if !slices.Contains(r.Left, what) {
		r.Left = append(r.Left, what)
	}
}

func unresolvable(format string, args ...any) error {
	return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: plaintext.Capital(fmt.Sprintf(format, args...))}
}

// refuse says no by name: what is wrong, what can be had, and a request near to this one.
func (r *reading) refuse(what string) error {
	return unresolvable("%s", engine.Suggest(say("refusal", map[string]string{"what": strings.TrimSpace(what)}), r.nearest()))
}

// verdict is the refusal that a reading deserves, or nil.
func (r *reading) verdict() error {
	if !r.InEnglish() {
		r.things, r.Subject = nil, ""
		return r.refuse("This engine reads English only.")
	}
	slices.Sort(r.hearts)
	hearts := slices.Compact(r.hearts)
	if len(hearts) == 0 && len(r.unknown) == 0 && r.Kind != "" {
		return nil
	}
	var unknown []string
	for _, words := range r.unknown {
		unknown = append(unknown, strconv.Quote(plaintext.Line(words, 60)))
	}
	if r.Kind == "" && (len(unknown) > 0 || len(hearts) == 0) {
		unknown = append(unknown, slices.DeleteFunc(slices.Clone(r.Left), understood)...)
	}
	return r.refuse(say("verdict", map[string]any{"hearts": hearts, "unknown": unknown, "app": r.app, "things": r.things}))
}

// understood says whether what is left out of a project is nothing that a request fails by.
func understood(left string) bool {
	return strings.HasSuffix(left, "(background)") || strings.HasPrefix(left, "a kind for ")
}

// nearest writes what is understood of a request, in words that are understood for certain.
func (r *reading) nearest() string {
	if r.project != nil {
		return say("example", r.project)
	}
	near := r.spec
	near.Resources = make([]resource, 1)
	for _, t := range slices.Backward(r.things) {
		if name := english.Plural(t.singular); vocabulary[name].Class == "" && t.singular != name && !slices.Contains(r.unknown, strings.ReplaceAll(name, "_", " ")) {
			near.Resources[0].Plural = strings.ReplaceAll(name, "_", " ")
		}
	}
	if near.Kind == project.Command && len(near.Operations) == 0 && near.Resources[0].Plural == "" {
		near.Operations = request.NearestTool(r.Text)
	}
	if slices.ContainsFunc(strings.Fields(near.Subject), project.NotFieldName) {
		near.Subject = ""
	}
	if !slices.Contains(project.Languages[cmp.Or(near.Kind, project.API)], near.Language) {
		near.Language = ""
	}
	if known := project.Databases[cmp.Or(near.Language, project.Go)]; near.Database != "" && !slices.Contains(known, near.Database) {
		near.Database = project.SQLite
	}
	for _, near := range []spec{near, {Kind: near.Kind, Language: near.Language, Resources: near.Resources}, {Kind: near.Kind, Language: near.Language, Resources: make([]resource, 1)}} {
		text := say("nearest", &near)
		if q := request.Read(text, lexicon.All); len(q.Hearts)+len(q.Unknown) == 0 {
			return text
		}
	}
	return say("nearest", &spec{Kind: near.Kind, Resources: make([]resource, 1)})
}

// What the reader asks on every line.
var (
	vocabulary, tables, is = lexicon.Vocabulary, lexicon.Tables, lexicon.Is
	say                    = wording.Say
)

type (
	spec     = project.Spec
	resource = project.Resource
	field    = project.Field
)

// The kinds of a field, as values calls them.
const (
	kindString, kindNumber, kindInteger = values.Text, values.Number, values.Integer
	kindBoolean, kindStrings            = values.Truth, values.Texts
	kindDate, kindTime                  = values.Day, values.DateTime
	none                                = project.None
)
