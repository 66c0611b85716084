package llm

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/engine/llm/answer"
	"github.com/bundle-delivery/svc/internal/engine/llm/edit"
)

// maxCreated is how many files one repair may add.
const maxCreated = 10

// verify checks the files against the plan and has repaired what does not match. A
// finding that comes back unchanged twice ends that.
func (r *run) verify(ctx context.Context, p *plan, base *session, project *project) error {
	seen := make(map[finding]int)
	for round := 0; ; round++ {
		if err := r.send(engine.ToolStatus{Action: engine.ActionValidate}); err != nil {
			return err
		}
		findings, err := violations(p, project)
		if err != nil || len(findings) == 0 {
			return err
		}
		for _, f := range findings {
			if seen[f]++; seen[f] > 2 || round == r.Repairs {
				return &engine.Error{
					Code: engine.CodeValidationFailed, Retryable: true,
					Message: fmt.Sprintf("What was generated does not hold together after %d repairs: %s: %s. %s", round, f.path, f.text, r.meter.report()),
				}
			}
		}
		texts := make([]string, len(findings))
		for i, f := range findings {
			texts[i] = f.path + ": " + f.text
		}
		s := base.fork("its repair", view{project: project}, "")
		s.shown = make(map[string]bool) // files are others than they were then
		if err := r.repair(ctx, s, texts); err != nil {
			return err
		}
	}
}

// repairFindings answers a further attempt of a run: what was found wrong is
// repaired, and nothing else is changed.
func (r *run) repairFindings(ctx context.Context, p *project) error {
	s := r.newSession("its repair", r.MaxFileBytes, view{project: p}, user(Part{Text: briefing(r.req, p), Shared: true}))
	if err := r.repair(ctx, s, r.req.Findings); err != nil {
		return err
	}
	return r.send(engine.ToolStatus{Action: engine.ActionFinalize})
}

// repairEditor repairs what was found wrong.
type repairEditor struct {
	*session
	findings string
	before   map[string]string // of the files that it has changed
	created  int
}

func (r *run) repair(ctx context.Context, s *session, findings []string) error {
	w := &repairEditor{session: s, findings: strings.Join(findings, "\n"), before: make(map[string]string)}
	w.addToLast(repairTask(findings, w.concerned(findings)))
	err := w.converse(ctx, func(a said) (results []string, problem string, done bool, err error) {
		results, problem = w.act(a, w)
		if answer.HasMark(a.text, w.mark) {
			problem += w.said(a.text)
		}
		return results, problem, problem == "" && a.complete() && (len(a.actions) == 0 || a.wants(answer.Done)), nil
	})
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(w.before)) {
		text, err := w.view.read(path)
		if err != nil {
			return err
		}
		if text == w.before[path] {
			continue
		}
		if err := r.send(engine.ToolStatus{Action: engine.ActionRepairFile, File: path}); err != nil {
			return err
		}
		if err := r.send(engine.File{Path: path, Content: []byte(text)}); err != nil {
			return err
		}
	}
	return nil
}

var lineNumber = regexp.MustCompile(`^:(\d+)`)

// concerned shows the files that findings name, or what is around the line.
func (w *repairEditor) concerned(findings []string) string {
	const around = 40
	var s strings.Builder
	paths := w.view.paths()
	slices.SortFunc(paths, func(a, b string) int { return len(b) - len(a) })
	for _, text := range findings {
		for _, path := range paths {
			_, after, found := strings.Cut(text, path)
			if !found {
				continue
			}
			content, err := w.view.read(path)
			if err != nil || w.shown[path] || s.Len() > maxLookupBytes/2 {
				break
			}
			from, to := 0, 0
			if m := lineNumber.FindStringSubmatch(after); m != nil && len(content) > maxShownAtOnce {
				line, _ := strconv.Atoi(m[1]) // digits
				from, to = line-around, line+around
			}
			shown, whole := showLines(path, content, from, to)
			w.shown[path] = whole
			s.WriteString(shown + "\n")
			break
		}
	}
	return s.String()
}

// target implements [editor].
func (w *repairEditor) target(a answer.Action) (path, refusal string) {
	if err := w.view.project.editable(a.Path); err != nil {
		return "", "Not applied: " + err.Error() + "."
	}
	if !w.view.project.has(a.Path) {
		return "", fmt.Sprintf("Not applied: there is no file %.200q.%s", a.Path, w.similar(a.Path))
	}
	return a.Path, unfenced(a, a.Path)
}

// said takes a file that the model gave whole, in words.
func (w *repairEditor) said(text string) string {
	_, path, _ := answer.Content(text, "", text, w.mark)
	content, _, err := answer.Content(text, path, text, w.mark) // write looks for remarks
	if err != nil {
		return "The file cannot be told apart: " + err.Error() + ".\n"
	}
	return w.write(path, content)
}

// change applies blocks to a file, unless they take away what the findings do not
// speak of.
func (w *repairEditor) change(path string, blocks []edit.Block) (told []string, ok bool) {
	text, err := w.view.read(path)
	if err != nil {
		return slices.Repeat([]string{"Not applied: " + err.Error()}, len(blocks)), false
	}
	fresh, told, ok := applied(text, blocks)
	if lost := w.loses(path, text, fresh); lost != "" {
		return slices.Repeat([]string{"Not applied: " + lost}, len(blocks)), false
	}
	w.keep(path, text, fresh)
	return told, ok
}

// write takes a whole file: a new one, or one that was shown whole.
func (w *repairEditor) write(path, content string) string {
	before := ""
	if w.view.project.has(path) {
		before, _ = w.view.read(path) // what cannot be read is told below
	}
	content, err := answer.Clean(content, path, before)
	if err != nil {
		return "Not written: " + err.Error() + ".\n"
	}
	if len(content) > w.MaxFileBytes {
		return fmt.Sprintf("Not written: it has more than %d bytes.\n", w.MaxFileBytes)
	}
	if !w.view.project.has(path) {
		all := append(w.view.paths(), path)
		slices.Sort(all)
		if err := bundlezip.CheckPaths(all); err != nil {
			return "Not written: " + err.Error() + ".\n"
		}
		if private(path) != "" || w.created == maxCreated {
			return "Not written: a repair adds no such file.\n"
		}
		w.created++
		w.keep(path, "", content)
		return ""
	}
	if !w.shown[path] {
		return fmt.Sprintf("%s was not shown whole, so it cannot be written whole. %s", path, changeFormat)
	}
	text, err := w.view.read(path)
	if err != nil {
		return "Not written: " + err.Error() + ".\n"
	}
	if line := answer.Elided(content, text); line != "" {
		return elided(line)
	}
	if empties(text, content) {
		return emptied
	}
	if lost := w.loses(path, text, content); lost != "" {
		return "Not written: " + lost + "\n"
	}
	w.keep(path, text, content)
	return ""
}

func (w *repairEditor) keep(path, before, after string) {
	if _, known := w.before[path]; !known {
		w.before[path] = before
	}
	w.view.project.put(path, after)
}
