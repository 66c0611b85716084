package llm

import (
	"context"
	"slices"
	"sync"
)

// writeAll writes the planned files, so many at a time, each when the planned
// files it builds on are there: of those that are ready, always the first. The first
// of all is alone until its answer begins: then what all calls share is in the
// provider's cache. Ports are declared once all files are there.
func (r *run) writeAll(ctx context.Context, p *plan, s *session, project *project) error {
	waiting := p.order()
	written := make(map[string]bool, len(waiting))
	ended, begun := make(chan string), make(chan struct{})
	begin := sync.OnceFunc(func() { close(begun) })
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
				if err := r.writePlanned(ctx, f, s, project, begin); err != nil {
					r.stop(err)
				}
				begin()
				ended <- f.Path
			}()
			<-begun
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
