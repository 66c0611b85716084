package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
)

// What a plan may hold beside files.
const (
	maxPlanBytes  = 256 << 10
	maxDecisions  = 40
	maxPlanText   = 4 << 10 // of a purpose, an interface, a value
	maxPlanMemory = 16 << 10
	maxPlanPorts  = 20
	planTries     = 3
)

// plan is what a model proposes, once it has been checked.
type plan struct {
	Cannot    string        `json:"cannot"`
	Summary   string        `json:"summary"`
	Decisions []decision    `json:"decisions"`
	Files     []plannedFile `json:"files"`
	Delete    []string      `json:"delete"`
	Ports     []port        `json:"ports"`
	Memory    string        `json:"memory"`
}

type decision struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// plannedFile is a file that the plan lists.
type plannedFile struct {
	Path      string                  `json:"path"`
	Purpose   string                  `json:"purpose"`
	Interface string                  `json:"interface"`
	DependsOn []string                `json:"depends_on"`
	Merge     bundlezip.MergeStrategy `json:"merge"`
}

type port struct {
	Name string `json:"name"`
	Port int    `json:"port"`
	Uses []struct {
		Path     string `json:"path"`
		Template string `json:"template"`
	} `json:"uses"`
}

// strategies are those that a plan may choose: all but overwrite are for files
// that others share. Files of a home folder cannot be planned.
var strategies = []bundlezip.MergeStrategy{
	bundlezip.Overwrite, bundlezip.CreateOnly, bundlezip.DeepMerge, bundlezip.EnvMerge, bundlezip.AppendUnique, bundlezip.ManagedBlock,
}

func (f plannedFile) place() engine.Placement {
	switch f.Merge {
	case "":
		return engine.Placement{} // keeps what the project has
	case bundlezip.Overwrite:
		return engine.Placement{DestinationType: string(bundlezip.Project), MergeStrategy: string(f.Merge)}
	}
	return engine.Placement{DestinationType: string(bundlezip.GlobalConfig), MergeStrategy: string(f.Merge)}
}

func object(properties map[string]any) map[string]any {
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return map[string]any{"type": "object", "properties": properties, "required": names, "additionalProperties": false}
}

func list(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

// planSchema is the form of a plan.
func planSchema() *Schema {
	return &Schema{Name: "plan", JSON: object(map[string]any{
		"cannot":  text("empty; or, when the constraints cannot be met, why, in one sentence for the user"),
		"summary": text("what will be built or changed, in two or three sentences"),
		"decisions": list(object(map[string]any{
			"key": text("lower_case name"), "value": text("the decision"), "reason": text("why, in one sentence"),
		})),
		"files": list(object(map[string]any{
			"path":       text("relative path with forward slashes"),
			"purpose":    text("what the file is for"),
			"interface":  text("names, signatures, routes or settings that other files rely on, exactly"),
			"depends_on": list(text("path of a planned or existing file that must be read to write this one")),
			"merge":      map[string]any{"type": "string", "enum": strategies, "description": "overwrite, unless the file is configuration that users share with other tools"},
		})),
		"delete": list(text("path of an existing file that goes")),
		"ports": list(object(map[string]any{
			"name": text("what listens"),
			"port": map[string]any{"type": "integer"},
			"uses": list(object(map[string]any{
				"path":     text("planned or existing file with the number"),
				"template": text("a piece of that file, unique in it, with {port} for the number, such as PORT={port}"),
			})),
		})),
		"memory": text("the project's memory, revised: what a later engineer must know, as short Markdown"),
	})}
}

// selectSchema is the form of the choice of files to read.
func selectSchema() *Schema {
	return &Schema{Name: "read", JSON: object(map[string]any{
		"read": list(text("path of an existing file")),
	})}
}

// plan asks for a plan until it is one, and gives the words in which the files
// are then asked for.
func (r *run) plan(ctx context.Context, p *project) (*plan, brief, error) {
	b := newBrief(r.req, p)
	if len(p.files) > 0 {
		concerned, err := r.choose(ctx, b, p)
		if err != nil {
			return nil, brief{}, err
		}
		if b.files, err = p.show(concerned); err != nil {
			return nil, brief{}, err
		}
	}
	messages := []Message{user(Part{Text: b.context(), Shared: true}, Part{Text: planTask(r.MaxFiles)})}
	for try := 1; ; try++ {
		answer, err := r.askObject(ctx, messages, planSchema())
		if err != nil {
			return nil, brief{}, err
		}
		made, wrong := readPlan(answer, p, r.MaxFiles)
		if len(wrong) == 0 {
			if made.Cannot != "" {
				return nil, brief{}, &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: clean(made.Cannot, maxPlanText)}
			}
			b.plan = made.outline()
			return made, b, nil
		}
		if try == planTries {
			return nil, brief{}, &engine.Error{
				Code: engine.CodeValidationFailed, Retryable: true,
				Message: fmt.Sprintf("The model made no usable plan in %d attempts: %s.", planTries, wrong[0]),
			}
		}
		messages = append(messages, assistant(answer), user(Part{Text: planAgain(wrong)}))
	}
}

// choose asks which files have to be read. A choice that makes no sense is no
// reason to fail: then none is shown.
func (r *run) choose(ctx context.Context, b brief, p *project) ([]string, error) {
	answer, err := r.askObject(ctx, []Message{user(Part{Text: b.context(), Shared: true}, Part{Text: selectTask})}, selectSchema())
	if err != nil {
		return nil, err
	}
	var choice struct {
		Read []string `json:"read"`
	}
	if err := json.Unmarshal(jsonObject(answer), &choice); err != nil {
		r.Log.Info("the model chose no files", "run", r.req.GenerationID, "error", err)
		return nil, nil
	}
	return slices.DeleteFunc(choice.Read, func(path string) bool { return !p.has(path) }), nil
}

// askObject asks for a JSON object. An answer cut off at the token limit is
// continued. A provider without structured output is asked in words.
func (r *run) askObject(ctx context.Context, messages []Message, schema *Schema) (string, error) {
	var answer strings.Builder
	collect := func(piece string) error {
		if answer.Len()+len(piece) > maxPlanBytes {
			return &engine.Error{Code: engine.CodeValidationFailed, Message: "The model's plan does not end.", Retryable: true}
		}
		answer.WriteString(piece)
		return nil
	}
	call := Call{System: systemText, Messages: messages, Schema: schema}
	for part := 1; ; part++ {
		reply, err := r.ask(ctx, call, collect)
		if f, ok := errors.AsType[*Failure](err); ok {
			switch {
			case f.Kind == Rejected && call.Schema != nil && f.Status == 400:
				call.Schema = nil
				continue
			case f.Temporary() && answer.Len() > 0 && part < maxParts: // it broke off: from the start
				if err := r.waitToRetry(ctx, f, part); err != nil {
					return "", err
				}
				answer.Reset()
				continue
			}
		}
		if err != nil || reply.Stop != StopLength || part >= maxParts {
			return answer.String(), err
		}
		call.Schema = nil // what follows is no whole object
		call.Messages = append(slices.Clone(messages), assistant(answer.String()), user(Part{Text: continueObject}))
	}
}

// jsonObject cuts the object out of whatever is around it.
func jsonObject(answer string) []byte {
	first, last := strings.IndexByte(answer, '{'), strings.LastIndexByte(answer, '}')
	if first < 0 || last < first {
		return []byte(answer)
	}
	return []byte(answer[first : last+1])
}

// readPlan reads a plan and says what is wrong with it. What is only untidy is
// put right.
func readPlan(answer string, p *project, maxFiles int) (*plan, []string) {
	var made plan
	if err := json.Unmarshal(jsonObject(answer), &made); err != nil {
		return nil, []string{fmt.Sprintf("the plan is not the JSON object that was asked for: %v", err)}
	}
	if made.Cannot != "" {
		return &made, nil
	}
	var wrong []string
	reject := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	switch {
	case len(made.Files) == 0 && len(made.Delete) == 0:
		reject("the plan has no files")
	case len(made.Files) > maxFiles:
		reject("the plan has %d files; at most %d are possible", len(made.Files), maxFiles)
	case len(made.Decisions) > maxDecisions || len(made.Ports) > maxPlanPorts:
		reject("the plan has more than %d decisions or %d ports", maxDecisions, maxPlanPorts)
	}
	if len(wrong) > 0 {
		return nil, wrong
	}
	made.tidy(p)
	paths := made.paths()
	for path := range p.files {
		if !slices.Contains(paths, path) && !slices.Contains(made.Delete, path) {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	if err := bundlezip.CheckPaths(paths); err != nil {
		reject("%v", err)
	}
	for _, f := range made.Files {
		if f.Merge != "" && !slices.Contains(strategies, f.Merge) { // none: as it is
			reject("%s: there is no merge strategy %.40q", f.Path, f.Merge)
		}
	}
	made.checkPorts(paths, reject)
	return &made, wrong[:min(len(wrong), 10)]
}

// tidy shortens and cleans texts, drops what names nothing, and breaks cycles of
// dependencies at the last edge.
func (p *plan) tidy(project *project) {
	p.Summary, p.Memory = clean(p.Summary, maxPlanText), clean(p.Memory, maxPlanMemory)
	p.Delete = slices.DeleteFunc(p.Delete, func(path string) bool { return !project.has(path) })
	p.Decisions = slices.DeleteFunc(p.Decisions, func(d decision) bool { return clean(d.Key, 100) == "" })
	for i, d := range p.Decisions {
		p.Decisions[i] = decision{clean(d.Key, 100), clean(d.Value, maxPlanText), clean(d.Reason, maxPlanText)}
	}
	for i := range p.Files {
		f := &p.Files[i]
		f.Purpose, f.Interface = clean(f.Purpose, maxPlanText), clean(f.Interface, maxPlanText)
		if f.Merge == "" && !project.has(f.Path) {
			f.Merge = bundlezip.Overwrite
		}
	}
	for i := range p.Files {
		f := &p.Files[i]
		slices.Sort(f.DependsOn)
		f.DependsOn = slices.DeleteFunc(slices.Compact(f.DependsOn), func(path string) bool {
			return path == f.Path || p.find(path) == nil && !project.has(path) || p.dependsOn(path, f.Path, map[string]bool{})
		})
	}
}

// dependsOn reports whether a file builds on another, directly or through others.
func (p *plan) dependsOn(from, to string, seen map[string]bool) bool {
	f := p.find(from)
	if f == nil || seen[from] {
		return false
	}
	seen[from] = true
	return slices.ContainsFunc(f.DependsOn, func(path string) bool { return path == to || p.dependsOn(path, to, seen) })
}

func (p *plan) find(path string) *plannedFile {
	if i := slices.IndexFunc(p.Files, func(f plannedFile) bool { return f.Path == path }); i >= 0 {
		return &p.Files[i]
	}
	return nil
}

func (p *plan) paths() []string {
	paths := make([]string, len(p.Files))
	for i, f := range p.Files {
		paths[i] = f.Path
	}
	return paths
}

func (p *plan) checkPorts(paths []string, reject func(string, ...any)) {
	for _, port := range p.Ports {
		if port.Name == "" || len(port.Name) > 60 || clean(port.Name, 60) != port.Name || port.Port < 1 || port.Port > 65535 {
			reject("port %.60q with the number %d cannot be", port.Name, port.Port)
		}
		if len(port.Uses) == 0 {
			reject("port %.60q is used nowhere", port.Name)
		}
		for _, use := range port.Uses {
			if _, there := slices.BinarySearch(paths, use.Path); !there {
				reject("port %.60q is used in %.200q, which is no file", port.Name, use.Path)
			}
			if err := bundlezip.CheckTemplate(use.Template); err != nil {
				reject("port %.60q: %v", port.Name, err)
			}
		}
	}
}

func (p port) declared() engine.Port {
	out := engine.Port{Name: p.Name, Port: p.Port}
	for _, u := range p.Uses {
		out.Uses = append(out.Uses, engine.PortUse(u))
	}
	return out
}

// clean takes control characters out and cuts at a length.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return strings.TrimSpace(s)
}
