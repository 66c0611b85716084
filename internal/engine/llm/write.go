package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
)

// maxParts is how often an answer that was cut off is continued.
const maxParts = 12

// writeAll writes the planned files, so many at a time, each when the planned
// files it builds on are there: of those that are ready, always the first. Ports
// are declared once all files are there.
func (r *run) writeAll(ctx context.Context, p *plan, b brief, project *project) error {
	waiting := p.order()
	written := make(map[string]bool, len(waiting))
	ended := make(chan string)
	ready := func(f plannedFile) bool {
		return !slices.ContainsFunc(f.DependsOn, func(path string) bool { return p.find(path) != nil && !written[path] })
	}
	for busy := 0; ; {
		for busy < r.Parallel && ctx.Err() == nil {
			i := slices.IndexFunc(waiting, ready)
			if i < 0 {
				break
			}
			f := waiting[i]
			waiting = slices.Delete(waiting, i, i+1)
			busy++
			go func() {
				if err := r.writePlanned(ctx, f, b, project); err != nil {
					r.stop(err)
				}
				ended <- f.Path
			}()
		}
		if busy == 0 {
			break
		}
		written[<-ended] = true
		busy--
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	for _, port := range p.Ports {
		if err := r.send(port.declared()); err != nil {
			return err
		}
	}
	return nil
}

// writePlanned writes one file of the plan.
func (r *run) writePlanned(ctx context.Context, f plannedFile, b brief, project *project) error {
	needed, err := project.show(f.DependsOn)
	if err != nil {
		return err
	}
	before := ""
	if _, exists := project.files[f.Path]; exists {
		if before, err = project.show([]string{f.Path}); err != nil {
			return err
		}
	}
	if err := r.send(engine.ToolStatus{Action: engine.ActionGenerateFile, File: f.Path}); err != nil {
		return err
	}
	return r.write(ctx, f.Path, f.place(), user(Part{Text: b.context(), Shared: true}, Part{Text: fileTask(f, before, needed)}), project)
}

// order lists the files so that each follows those it builds on, and else as
// the plan has them.
func (p *plan) order() []plannedFile {
	var out []plannedFile
	seen := make(map[string]bool)
	var visit func(plannedFile)
	visit = func(f plannedFile) {
		if seen[f.Path] {
			return
		}
		seen[f.Path] = true
		for _, path := range f.DependsOn {
			if on := p.find(path); on != nil {
				visit(*on)
			}
		}
		out = append(out, f)
	}
	for _, f := range p.Files {
		visit(f)
	}
	return out
}

// write asks for one file and emits it as it comes. An answer that is cut off,
// by the token limit or by the network, is continued where it stopped.
func (r *run) write(ctx context.Context, path string, place engine.Placement, task Message, project *project) error {
	var content strings.Builder
	emit := func(piece string) error {
		if content.Len()+len(piece) > r.MaxFileBytes {
			return &engine.Error{
				Code:    engine.CodeValidationFailed,
				Message: fmt.Sprintf("The model does not end %s: it has more than %d bytes.", path, r.MaxFileBytes),
			}
		}
		content.WriteString(piece)
		return r.send(engine.Token{File: path, Delta: piece})
	}
	messages := []Message{task}
	for part := 1; ; part++ {
		x := &fileExtractor{emit: emit}
		if part > 1 {
			x.repeated = lastLine(content.String())
		}
		reply, err := r.ask(ctx, Call{System: systemText, Messages: messages}, x.write)
		f, failed := errors.AsType[*Failure](err)
		if err != nil && (!failed || !f.Temporary()) {
			return err
		}
		complete := err == nil && reply.Stop == StopDone
		if err := x.end(complete); err != nil {
			return err
		}
		if complete || x.closed() {
			break
		}
		if part == maxParts {
			return &engine.Error{Code: engine.CodeValidationFailed, Message: fmt.Sprintf("The model does not end %s.", path), Retryable: true, Err: err}
		}
		if failed {
			if err := r.waitToRetry(ctx, f, part); err != nil {
				return err
			}
		}
		messages = []Message{task}
		if so := content.String(); so != "" {
			messages = append(messages, assistant(openMark+"\n"+so), user(Part{Text: continueFile(lastLine(so))}))
		}
	}
	project.put(path, content.String())
	return r.send(engine.File{Path: path, Content: []byte(content.String()), Place: place})
}

// lastLine is what stands after the last line's end.
func lastLine(s string) string { return s[strings.LastIndexByte(s, '\n')+1:] }

// verify checks the files against the plan, and has those written again that do
// not match it.
func (r *run) verify(ctx context.Context, p *plan, b brief, project *project) error {
	for round := 0; ; round++ {
		if err := r.send(engine.ToolStatus{Action: engine.ActionValidate}); err != nil {
			return err
		}
		findings, err := violations(p, project)
		if err != nil || len(findings) == 0 {
			return err
		}
		if round == r.Repairs {
			return notVerified(findings, round)
		}
		if err := r.repairAll(ctx, findings, b, project, func(path string) engine.Placement {
			if f := p.find(path); f != nil {
				return f.place()
			}
			return project.files[path].Place
		}); err != nil {
			return err
		}
	}
}

func notVerified(findings []finding, rounds int) error {
	return &engine.Error{
		Code: engine.CodeValidationFailed, Retryable: true,
		Message: fmt.Sprintf("What was generated does not hold together after %d repairs: %s: %s.", rounds, findings[0].path, findings[0].text),
	}
}

// repairAll writes the files again that were found wrong, one after the other:
// the repair of one may be what another has to see.
func (r *run) repairAll(ctx context.Context, findings []finding, b brief, project *project, place func(string) engine.Placement) error {
	slices.SortStableFunc(findings, func(x, y finding) int { return strings.Compare(x.path, y.path) })
	for len(findings) > 0 {
		path := findings[0].path
		var texts []string
		for len(findings) > 0 && findings[0].path == path {
			texts, findings = append(texts, findings[0].text), findings[1:]
		}
		now, err := project.show([]string{path})
		if err != nil {
			return err
		}
		if err := r.send(engine.ToolStatus{Action: engine.ActionRepairFile, File: path}); err != nil {
			return err
		}
		task := user(Part{Text: b.context(), Shared: true}, Part{Text: repairTask(path, now, texts)})
		if err := r.write(ctx, path, place(path), task, project); err != nil {
			return err
		}
	}
	return nil
}

// repairFindings answers a further attempt of a run: the files that the findings
// name are written again, and nothing else.
func (r *run) repairFindings(ctx context.Context, project *project, findings []finding) error {
	b := newBrief(r.req, project)
	if err := r.repairAll(ctx, findings, b, project, func(path string) engine.Placement { return project.files[path].Place }); err != nil {
		return err
	}
	return r.send(engine.ToolStatus{Action: engine.ActionFinalize})
}

// assignFindings assigns findings to the files that they name. It reports false
// when one names none: then a new plan is needed.
func assignFindings(project *project, findings []string) ([]finding, bool) {
	var out []finding
	for _, text := range findings {
		best := ""
		for _, path := range project.paths() {
			if strings.Contains(text, path) && len(path) > len(best) {
				best = path
			}
		}
		if best == "" {
			return nil, false
		}
		out = append(out, finding{best, text})
	}
	return out, len(out) > 0
}
