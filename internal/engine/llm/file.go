package llm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
	"github.com/bundle-delivery/svc/internal/engine/llm/edit"
)

// fileEditor writes or changes one file of the plan.
type fileEditor struct {
	*session
	path    string
	existed bool
	text    string // as it is now
	changed bool
	idle    bool            // it was told that it has changed nothing
	told    strings.Builder // of the first answer, as tokens
	untold  int             // answers whose content could not be told apart
}

// writePlanned writes or changes one file of the plan. begun is called when the
// first answer begins.
func (r *run) writePlanned(ctx context.Context, f plannedFile, base *session, p *project, begun func()) error {
	fresh := map[string]bool{}
	for _, path := range f.DependsOn {
		fresh[path] = true
	}
	w := &fileEditor{path: f.Path, existed: p.existed(f.Path)}
	w.session = base.fork(f.Path, view{project: p, fresh: fresh, own: f.Path, text: &w.text}, "")
	w.heard = begun
	if !w.existed {
		w.tell = w.teller()
	} else {
		var err error
		if w.text, err = p.readOld(f.Path); err != nil {
			return err
		}
	}
	w.addToLast(w.task(f))
	if err := r.send(engine.ToolStatus{Action: engine.ActionGenerateFile, File: f.Path}); err != nil {
		return err
	}
	if err := w.converse(ctx, w.take); err != nil {
		return err
	}
	if w.existed && !w.changed {
		return nil
	}
	p.put(f.Path, w.text)
	if rest, ok := strings.CutPrefix(w.text, w.told.String()); ok && w.told.Len() > 0 && rest != "" {
		if err := r.send(engine.Token{File: f.Path, Delta: rest}); err != nil {
			return err
		}
	}
	return r.send(engine.File{Path: f.Path, Content: []byte(w.text)})
}

// task asks for the file, with what it builds on.
func (w *fileEditor) task(f plannedFile) string {
	var s strings.Builder
	for _, path := range f.DependsOn {
		if path == f.Path || w.shown[path] && !w.view.project.wrote(path) {
			continue // it stands above
		}
		content, err := w.view.read(path)
		if err != nil {
			continue // it went with the plan
		}
		text, whole := showLines(path, content, 0, 0)
		if s.Len()+len(text) > maxLookupBytes {
			fmt.Fprintf(&s, "%s has no room here: read what you need of it.\n", path)
			continue
		}
		w.shown[path] = whole
		s.WriteString(text)
	}
	if !w.existed {
		fmt.Fprintf(&s, "\nWrite the file %s\nIts purpose: %s\n%s", f.Path, f.Purpose, answerFormat(w.mark))
		return s.String()
	}
	if !w.shown[f.Path] {
		text, whole := showLines(f.Path, w.text, 0, 0)
		if w.shown[f.Path] = whole; whole {
			s.WriteString(text)
		} else {
			fmt.Fprintf(&s, "%s has %d lines and %d bytes: read and search what you need of it.\n", f.Path, strings.Count(w.text, "\n")+1, len(w.text))
		}
	}
	fmt.Fprintf(&s, "\nChange the file %s\nWhat changes: %s\n%s", f.Path, f.Purpose, changeFormat)
	return s.String()
}

// teller tells a new file as it comes. What is asked for again is told when it is
// known to be good.
func (w *fileEditor) teller() func(string) error {
	stream := &answer.Stream{Mark: w.mark, Emit: func(line string) error {
		w.told.WriteString(line)
		return w.send(engine.Token{File: w.path, Delta: line})
	}}
	return stream.Write
}

// take does what an answer says, and reports whether the file is done.
func (w *fileEditor) take(a said) (results []string, problem string, done bool, err error) {
	results, problem = w.act(a, w)
	content, named, err := answer.Content(a.text, w.path, w.text, w.mark)
	if named = strings.TrimPrefix(named, "./"); named != "" && named != w.path {
		err = fmt.Errorf("its mark names %.200q, and only %s is written here", named, w.path)
	}
	hasMark := answer.HasMark(a.text, w.mark)
	switch {
	case err == nil && (hasMark || !w.existed && len(a.actions) == 0):
		if problem += w.whole(content); problem == "" {
			return nil, "", true, nil
		}
	case hasMark, !errors.Is(err, answer.ErrNone) && !w.existed && len(a.actions) == 0 && err != nil:
		problem = w.again(err.Error())
	default:
		if done, problem = w.withoutContent(a, problem); done {
			return nil, "", true, nil
		}
	}
	if w.untold == maxUntold {
		return nil, "", true, &engine.Error{
			Code: engine.CodeValidationFailed, Retryable: true,
			Message: fmt.Sprintf("What the model answered for %s could not be told apart from what is around it in %d attempts. %s", w.path, maxUntold, w.meter.report()),
		}
	}
	return results, problem, false, nil
}

// withoutContent handles an answer that does not hold the file. It reports whether the
// file is done, and what to ask the model for if it is not.
func (w *fileEditor) withoutContent(a said, problem string) (done bool, ask string) {
	switch {
	case len(a.actions) == 0 && a.complete() && !w.existed:
		return false, w.again(answer.ErrNone.Error())
	case len(a.actions) == 0 && a.complete():
		if w.changed || w.idle {
			return true, "" // it has nothing more to do
		}
		w.idle = true
		return false, nothingChanged(w.mark)
	case a.wants(answer.Done) && w.existed && !w.changed && !w.idle && strings.Contains(answer.Said(a.text), "```"):
		w.idle = true
		return false, problem + nothingChanged(w.mark) // it shows a change, and makes none
	case a.wants(answer.Done) && problem == "" && a.complete() && (w.existed || w.changed):
		return true, ""
	}
	return !w.existed && w.changed && problem == "" && a.complete(), problem
}

// again asks for the content with marks of another name: those before may be a part
// of it.
func (w *fileEditor) again(why string) string {
	w.untold++
	w.mark = answer.Mark(fmt.Sprintf("%s_%d", fileMark, w.untold+1))
	return "The file cannot be told apart: " + why + ".\n" + answerFormat(w.mark)
}

// whole takes the whole content, where that can lose nothing.
func (w *fileEditor) whole(content string) string {
	if w.existed && !w.shown[w.path] {
		return fmt.Sprintf("%s was not shown whole, so it cannot be written whole: it stays as it is. %s", w.path, changeFormat)
	}
	if line := answer.Elided(content, w.text); w.existed && line != "" {
		return elided(line)
	}
	if empties(w.text, content) {
		return emptied
	}
	w.text, w.changed = content, w.changed || !w.existed || content != w.text
	return ""
}

// empties says whether a text would take the place of another without having any.
func empties(before, after string) bool {
	return strings.TrimSpace(before) != "" && strings.TrimSpace(after) == ""
}

const emptied = "Not written: it would empty the file.\n"

// target implements [editor].
func (w *fileEditor) target(a answer.Action) (path, refusal string) {
	switch {
	case a.Path != w.path && a.Path != "" && !w.view.has(a.Path):
		return "", fmt.Sprintf("Not applied: there is no file %.200q.%s", a.Path, w.similar(a.Path))
	case a.Path != w.path && a.Path != "":
		return "", fmt.Sprintf("Not applied: only %s is changed here.", w.path)
	case !w.existed && !w.changed:
		return "", fmt.Sprintf("Not applied: %s is new, and has to be written whole.", w.path)
	}
	return w.path, unfenced(a, w.path)
}

// change implements [editor].
func (w *fileEditor) change(_ string, blocks []edit.Block) (told []string, ok bool) {
	fresh, told, ok := applied(w.text, blocks)
	w.text, w.changed = fresh, w.changed || fresh != w.text
	return told, ok
}

// write implements [editor].
func (w *fileEditor) write(path, content string) string {
	if path != w.path {
		return fmt.Sprintf("Only %s is written here.", w.path)
	}
	content, err := answer.Clean(content, w.path, w.text)
	if err != nil {
		return err.Error()
	}
	return w.whole(content)
}
