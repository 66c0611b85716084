package llm

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/text/secrets"
)

// What a plan may hold beside files.
const (
	maxPlanBytes  = 2 << 20 // the contract's 2,000 files, each with a thousand bytes
	maxDecisions  = 40
	maxPlanText   = 4 << 10 // of a purpose, an interface, a value
	maxPlanMemory = 16 << 10
	maxPlanPorts  = 20
	maxLeftOut    = 2 << 10
)

// plan is what a model proposes, once it has been checked.
type plan struct {
	Cannot    string        `json:"cannot"`
	Summary   string        `json:"summary"`
	Decisions []decision    `json:"decisions"`
	Files     []plannedFile `json:"files"`
	Delete    []string      `json:"delete"`
	Ports     []port        `json:"ports"`
	LeftOut   []string      `json:"left_out"`
	Memory    string        `json:"memory"`

	index map[string]int // of the files, by path
}

type decision struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Reason string `json:"reason"`
}

// plannedFile is a file that the plan lists.
type plannedFile struct {
	Path      string   `json:"path"`
	Purpose   string   `json:"purpose"`
	Interface string   `json:"interface"`
	DependsOn []string `json:"depends_on"`
}

type port struct {
	Name string `json:"name"`
	Port int    `json:"port"`
	Uses []struct {
		Path     string `json:"path"`
		Template string `json:"template"`
	} `json:"uses"`
}

func object(properties map[string]any) map[string]any {
	names := slices.AppendSeq([]string{}, maps.Keys(properties)) // a schema has a list, also an empty one
	slices.Sort(names)
	return map[string]any{"type": "object", "properties": properties, "required": names, "additionalProperties": false}
}

func list(of map[string]any) map[string]any { return map[string]any{"type": "array", "items": of} }

func text(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

// planSchema is the form of a plan.
func planSchema() map[string]any {
	return object(map[string]any{
		"cannot":  text("empty; or, when the constraints cannot be met, why, in one sentence for the user"),
		"summary": text("what will be built or changed, in two or three sentences"),
		"decisions": list(object(map[string]any{
			"key": text("lower_case name"), "value": text("the decision"), "reason": text("why, in one sentence"),
		})),
		"files": list(object(map[string]any{
			"path":       text("relative path with forward slashes"),
			"purpose":    text("what the file is for; of an existing file, what changes"),
			"interface":  text("names, signatures, routes or settings that other files rely on, exactly"),
			"depends_on": list(text("path of a planned or existing file that must be read to write this one")),
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
		"left_out": list(text("something that was asked for, now or before, and is still not done after this, with the reason")),
		"memory":   text("the project's memory, revised: what a later engineer must know, as short Markdown"),
	})
}

// readPlan reads a plan and says what is wrong with it. What is only untidy is
// put right.
func readPlan(object string, p *project, maxFiles int) (*plan, []string) {
	var made plan
	if err := json.Unmarshal([]byte(object), &made); err != nil {
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
		if part := private(f.Path); part != "" {
			reject("%s: %s is where people keep keys, and no place for a file of a project", f.Path, part)
		}
		if err := p.editable(f.Path); err != nil {
			reject("%v", err)
		}
	}
	made.checkPorts(paths, reject)
	return &made, wrong[:min(len(wrong), 10)]
}

// private names the part of a path that belongs to somebody's keys.
func private(path string) string {
	for part := range strings.SplitSeq(path, "/") {
		if secrets.KeyPlace(part) {
			return part
		}
	}
	return ""
}

// tidy shortens and cleans texts, drops what names nothing, and breaks cycles of
// dependencies at the last edge.
func (p *plan) tidy(project *project) {
	p.Summary, p.Memory = clean(p.Summary, maxPlanText), clean(p.Memory, maxPlanMemory)
	for i, text := range p.LeftOut {
		p.LeftOut[i] = strings.Join(strings.Fields(clean(text, 400)), " ")
	}
	p.LeftOut = slices.DeleteFunc(p.LeftOut, func(text string) bool { return text == "" })
	p.index = make(map[string]int, len(p.Files))
	for i, f := range p.Files {
		p.index[f.Path] = i
	}
	p.Delete = slices.DeleteFunc(p.Delete, func(path string) bool {
		return !project.has(path) || p.find(path) != nil // what is written does not go
	})
	p.Decisions = slices.DeleteFunc(p.Decisions, func(d decision) bool { return clean(d.Key, 100) == "" })
	for i, d := range p.Decisions {
		p.Decisions[i] = decision{clean(d.Key, 100), clean(d.Value, maxPlanText), clean(d.Reason, maxPlanText)}
	}
	for i := range p.Files {
		f := &p.Files[i]
		f.Purpose, f.Interface = clean(f.Purpose, maxPlanText), clean(f.Interface, maxPlanText)
	}
	p.breakCycles(project)
}

// breakCycles sorts what files build on, without what is no file, and without what
// would close a circle.
func (p *plan) breakCycles(project *project) {
	const open, done = 1, 2
	state := make([]int, len(p.Files))
	var visit func(i int)
	visit = func(i int) {
		f := &p.Files[i]
		state[i] = open
		slices.Sort(f.DependsOn)
		f.DependsOn = slices.DeleteFunc(slices.Compact(f.DependsOn), func(path string) bool {
			on, planned := p.index[path]
			if planned && state[on] == 0 {
				visit(on)
			}
			return planned && state[on] == open || !planned && !project.has(path)
		})
		state[i] = done
	}
	for i := range p.Files {
		if state[i] == 0 {
			visit(i)
		}
	}
}

func (p *plan) find(path string) *plannedFile {
	if i, ok := p.index[path]; ok {
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
