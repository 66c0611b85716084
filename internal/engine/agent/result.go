package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/agent/ports"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/validate"
)

const (
	// tidyTime is how long the folder may take to be made readable.
	tidyTime = time.Minute
	// maxNamed is how many files that are left out are named.
	maxNamed = 20
)

// takeResult takes what the agent has left in the folder. Nothing runs in the
// sandbox any more.
func (a *attempt) takeResult(ctx context.Context) error {
	// What the agent may not read itself would be missing.
	if _, err := a.box.Run(ctx, sandbox.Command{Args: []string{"chmod", "-R", "u+rwX", "."}, Time: tidyTime}); err != nil {
		return err
	}
	now, err := a.look(ctx)
	if err == nil {
		err = now.unread
	}
	if err != nil {
		return refused(err)
	}
	var declared ports.Finder
	for _, name := range slices.Sorted(maps.Keys(now.files)) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		content, executable, ok := a.read(name)
		if !ok {
			delete(now.files, name)
			now.left = append(now.left, name)
			continue
		}
		if err := declared.Add(name, content); err != nil {
			return refused(err)
		}
		if out := a.files.news(name, content, executable, true); out != nil {
			if err := a.say(out); err != nil {
				return err
			}
		}
	}
	if err := a.takeMissing(ctx, now); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(a.kept)) {
		if err := declared.Add(name, a.kept[name]); err != nil {
			return refused(err)
		}
	}
	if !a.changed && a.req.Attempt == 1 && len(a.files.files) > 0 {
		said := cmp.Or(validate.Cut(strings.Join(strings.Fields(a.message), " "), 300), "nothing")
		return &engine.Error{Code: engine.CodeConstraintUnresolvable, Message: "The agent ended without changing a file. It said: " + said}
	}
	if err := a.declarePorts(declared.Ports()); err != nil {
		return err
	}
	return a.decide(now.left)
}

// refused is the error of a folder that is not the result.
func refused(err error) error {
	return &engine.Error{Code: engine.CodeValidationFailed, Message: fmt.Sprintf("What the agent left cannot be taken: %v.", err), Err: err}
}

// takeMissing tells of the files that a look did not find: they are gone. One that
// the project had, and at whose place lies what cannot be taken, is as it was
// before: nobody has removed it.
func (a *attempt) takeMissing(ctx context.Context, now look) error {
	leaves := now.leaves()
	a.kept = map[string][]byte{}
	for _, name := range slices.Sorted(maps.Keys(a.files.files)) {
		if _, there := now.files[name]; there {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		out := engine.Output(nil)
		if !a.files.knows(name, false) || !leaves(name) {
			out = a.files.gone(name)
		} else {
			content, executable, err := a.before(name)
			if err != nil {
				return err
			}
			a.kept[name] = content
			out = a.files.news(name, content, executable, true)
		}
		if out == nil {
			continue
		}
		if err := a.say(out); err != nil {
			return err
		}
	}
	return nil
}

// before gives a file as the project had it when the attempt began.
func (a *attempt) before(name string) (content []byte, executable bool, err error) {
	r, err := a.req.Project.Open(name)
	if err != nil {
		return nil, false, fmt.Errorf("open %s: %w", name, err)
	}
	content, err = io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	executable = slices.ContainsFunc(a.req.Project.Files, func(f engine.FileInfo) bool {
		return f.Path == name && f.Place.Mode == string(bundlezip.Executable)
	})
	return content, executable, nil
}

// decide tells what is kept with the project beside its files.
func (a *attempt) decide(left []string) error {
	name := a.engine.Preset.Name
	decisions := []engine.StateUpdate{{Key: "agent", Value: name, Reason: "it works on the project"}}
	summary := validate.Cut(a.message, maxSummary)
	if summary != "" {
		decisions = append(decisions, engine.StateUpdate{Key: "summary", Value: summary, Reason: "in the words of the agent"})
	}
	slices.Sort(left)
	named := strings.Join(left[:min(len(left), maxNamed)], ", ")
	if len(left) > maxNamed {
		named += fmt.Sprintf(" and %d more", len(left)-maxNamed)
	}
	if named == "" && a.req.Project.State["left_out"] != "" {
		named = "nothing"
	}
	if named != "" {
		decisions = append(decisions, engine.StateUpdate{Key: "left_out", Value: validate.Cut(named, maxSummary), Reason: "ignored by .gitignore, made by tools, no plain files, too large, where people keep keys, or not to be held by a bundle; what the project had there is as it was"})
	}
	for _, d := range decisions {
		if a.req.Project.State[d.Key] == d.Value {
			continue
		}
		if err := a.say(d); err != nil {
			return err
		}
	}
	if summary != "" {
		if err := a.say(engine.MemoryUpdate{Content: remember(a.req.Project.Memory, a.req.Prompt, summary)}); err != nil {
			return err
		}
	}
	return a.say(engine.ToolStatus{Action: engine.ActionFinalize})
}

// declarePorts tells which ports the files declare now. A port that the project
// has keeps its name as long as it stands somewhere.
func (a *attempt) declarePorts(found []bundlezip.Port) error {
	taken := map[string]bool{}
	for _, old := range a.req.Project.Ports {
		now := engine.Port{Name: old.Name, Port: old.Port}
		for _, use := range old.Uses {
			if i := declares(found, use); i >= 0 {
				now.Port = found[i].Port
			}
		}
		for _, use := range old.Uses {
			if a.stands(use, now.Port) {
				now.Uses = append(now.Uses, use)
			}
		}
		if len(now.Uses) == 0 && len(old.Uses) > 0 {
			if err := a.say(engine.Port{Name: old.Name}); err != nil {
				return err
			}
			continue
		}
		taken[old.Name] = true
		found = slices.DeleteFunc(found, func(p bundlezip.Port) bool {
			return p.Port == now.Port && slices.ContainsFunc(p.Uses, func(u bundlezip.PortUse) bool { return slices.Contains(now.Uses, engine.PortUse(u)) })
		})
		if now.Port == old.Port && len(now.Uses) == len(old.Uses) {
			continue
		}
		if err := a.say(now); err != nil {
			return err
		}
	}
	for _, p := range found {
		port := engine.Port{Name: p.Name, Port: p.Port}
		if taken[p.Name] {
			port.Name = fmt.Sprintf("%s-%d", p.Name, p.Port)
		}
		taken[port.Name] = true
		for _, u := range p.Uses {
			port.Uses = append(port.Uses, engine.PortUse(u))
		}
		if err := a.say(port); err != nil {
			return err
		}
	}
	return nil
}

// declares says which port stands at a place.
func declares(found []bundlezip.Port, use engine.PortUse) int {
	return slices.IndexFunc(found, func(p bundlezip.Port) bool { return slices.Contains(p.Uses, bundlezip.PortUse(use)) })
}

// stands says whether a number stands where a port has it.
func (a *attempt) stands(use engine.PortUse, port int) bool {
	content, ok := a.kept[use.Path]
	if !ok {
		content, _, ok = a.read(use.Path)
	}
	if !ok {
		return false
	}
	_, _, err := bundlezip.FindPort(content, use.Template, port)
	return err == nil
}
