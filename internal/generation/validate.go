package generation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/validate"
)

// rules is the name of the check that every tree passes: those of the archive.
const rules = "bundle"

// checkRules says what keeps the tree from becoming a bundle: the rules of the
// archive, ports, and files for a home folder, which belong to no project.
func (t *tree) checkRules(ctx context.Context) ([]string, error) {
	var f validate.Findings
	if len(t.files) == 0 {
		f.Add("the project has no files")
	}
	if err := t.content().State.Check(); err != nil {
		f.Add("%v", err)
	}
	for _, at := range t.sortedKeys() {
		if at.base == bundlezip.ProjectRoot || !t.touched[at] || f.Full() {
			continue
		}
		content, err := t.read(at)
		if err != nil {
			return nil, err
		}
		if err := validate.FileSyntax(at.path, content); err != nil {
			f.Add("%s: %v", at.path, err)
		}
	}
	if err := t.validatePorts(ctx, &f); err != nil {
		return nil, err
	}
	return f.All, nil
}

func (t *tree) read(at fileKey) ([]byte, error) {
	r, err := t.openFile(at)
	if err != nil {
		return nil, fmt.Errorf("validate %s: %w", at.path, err)
	}
	content, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil {
		return nil, fmt.Errorf("validate %s: %w", at.path, err)
	}
	return content, nil
}

// validatePorts looks whether every template stands in its file, once.
func (t *tree) validatePorts(ctx context.Context, f *validate.Findings) error {
	for _, name := range slices.Sorted(maps.Keys(t.ports)) {
		port := t.ports[name]
		for _, use := range port.Uses {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := fileKey{bundlezip.ProjectRoot, use.Path}
			file, ok := t.files[at]
			if !ok {
				f.Add("port %s names %s, which is no file of the project", name, use.Path)
				continue
			}
			if file.size > bundlezip.MaxPortFile {
				f.Add("port %s is declared in %s, which has more than %d bytes", name, use.Path, bundlezip.MaxPortFile)
				continue
			}
			content, err := t.read(at)
			if err != nil {
				return err
			}
			if _, _, err := bundlezip.FindPort(content, use.Template, port.Port); err != nil {
				f.Add("port %s in %s: %v", name, use.Path, err)
			}
		}
	}
	return nil
}

// tried is the tree as it is tried: what lies under the root of the project.
func (t *tree) tried() validate.Tree {
	out := validate.Tree{Open: func(path string) (io.ReadCloser, error) {
		return t.openFile(fileKey{bundlezip.ProjectRoot, path})
	}}
	for _, at := range t.sortedKeys() {
		if at.base == bundlezip.ProjectRoot {
			f := t.files[at]
			out.Files = append(out.Files, validate.File{Path: at.path, Size: f.size, Executable: f.where.Mode == string(bundlezip.Executable)})
		}
	}
	return out
}

// triedBefore is the state that the run began with.
func triedBefore(source *pack.Source) validate.Tree {
	out := validate.Tree{Open: func(path string) (io.ReadCloser, error) {
		return source.OpenFile(bundlezip.ProjectRoot, path)
	}}
	for _, f := range source.Manifest().Files {
		if f.Base == bundlezip.ProjectRoot {
			out.Files = append(out.Files, validate.File{Path: f.Path, Size: f.Size, Executable: f.Mode == bundlezip.Executable})
		}
	}
	return out
}

// trial tries what a run makes.
type trial struct {
	tree   *tree
	checks *validate.Trial
	level  validate.Level
	// deadline is when the run has to be over.
	deadline func() time.Time
}

func (j *job) newTrial(t *tree) *trial {
	v := j.pool.Validator
	return &trial{tree: t, level: v.Level(), deadline: j.clock.deadline, checks: v.NewTrial(j.run.AccountID, triedBefore(t.source), j.clock.deadline(), func(c validate.Check) error {
		return t.emit(svc.ToolStatusEvent{
			Action: engine.ActionValidate, Status: string(c.Status), Check: c.Name, Seconds: seconds(c.Elapsed), Detail: c.Detail, Version: c.Version,
		})
	})}
}

func seconds(d time.Duration) float64 {
	return float64(d.Round(time.Millisecond)) / float64(time.Second)
}

// try says what is wrong with the tree; nothing, when it may be packaged. What was
// found good before is looked at again only where it was written.
func (tr *trial) try(ctx context.Context) (found []string, record *svc.Validation, err error) {
	t := tr.tree
	if err := t.emit(svc.ToolStatusEvent{Action: engine.ActionValidate, Status: svc.ToolStarted}); err != nil {
		return nil, nil, err
	}
	if found, err = t.checkRules(ctx); err != nil {
		return nil, nil, err
	}
	kept := svc.ValidationCheck{Check: rules, Status: string(validate.Passed)}
	if len(found) > 0 {
		kept.Status, kept.Detail = string(validate.Failed), validate.Cut(found[0], maxCheckDetail)
	}
	record = &svc.Validation{Level: string(tr.level), Status: kept.Status, Checks: []svc.ValidationCheck{kept}}
	if err := t.emit(svc.ToolStatusEvent{Action: engine.ActionValidate, Status: kept.Status, Check: kept.Check, Detail: kept.Detail}); err != nil {
		return nil, nil, err
	}
	if len(found) > 0 {
		return found, record, t.emit(conclusion(record))
	}
	tr.checks.SetDeadline(tr.deadline())
	report, err := tr.checks.Try(ctx, t.tried(), func(path string) bool { return t.touched[fileKey{bundlezip.ProjectRoot, path}] }, t.removed)
	if err != nil {
		return nil, nil, err
	}
	record.Status = string(report.Status)
	for _, c := range report.Checks {
		record.Checks = append(record.Checks, svc.ValidationCheck{
			Check: c.Name, Status: string(c.Status), Seconds: seconds(c.Elapsed), Detail: c.Detail, Version: c.Version,
		})
	}
	if report.Status != validate.Failed {
		clear(t.touched)
		t.removed = false
	}
	return report.Findings, record, t.emit(conclusion(record))
}

// conclusion tells what all checks came to, and how many came to what.
func conclusion(record *svc.Validation) svc.ToolStatusEvent {
	counts := make(map[string]int)
	for _, c := range record.Checks {
		counts[c.Status]++
	}
	var parts []string
	for _, status := range []validate.Status{validate.Failed, validate.FailedBefore, validate.Passed, validate.Skipped} {
		if n := counts[string(status)]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, strings.ReplaceAll(string(status), "_", " ")))
		}
	}
	return svc.ToolStatusEvent{Action: engine.ActionValidate, Status: record.Status, Detail: strings.Join(parts, ", ")}
}

// maxCheckDetail is how much is said about a check.
const maxCheckDetail = 300

// late says that there is no time for another attempt.
func (tr *trial) late() bool {
	return time.Until(tr.deadline()) < 3*validate.Reserve
}

// failuresHeading begins what the memory says about checks that failed before.
const failuresHeading = "## Checks that failed before"

// rememberFailures keeps in the memory of the project what failed already when
// the run began, so that a later run knows of it, and takes out what no longer does.
func (t *tree) rememberFailures(record *svc.Validation) error {
	memory := withFailures(t.memory, record)
	if memory == t.memory || len(memory) > maxMemory {
		return nil
	}
	return t.setMemory(engine.MemoryUpdate{Content: memory})
}

// withFailures is a memory with what a record says about checks that failed
// before. Of a check that was only skipped it keeps what was known.
func withFailures(memory string, record *svc.Validation) string {
	rest, section, had := strings.Cut(memory, failuresHeading)
	section, after, more := strings.Cut(section, "\n## ")
	if more {
		rest += "## " + after
	}
	rest = strings.TrimRight(rest, "\n")
	var lines strings.Builder
	for _, c := range record.Checks {
		begins := "- " + c.Check + ": "
		switch c.Status {
		case string(validate.FailedBefore):
			lines.WriteString(begins + strings.Join(strings.Fields(c.Detail), " ") + "\n")
		case string(validate.Skipped):
			for line := range strings.Lines(section + "\n") {
				if strings.HasPrefix(line, begins) {
					lines.WriteString(line)
				}
			}
		}
	}
	if lines.Len() == 0 && !had {
		return memory
	}
	if rest != "" {
		rest += "\n"
	}
	if lines.Len() == 0 {
		return rest
	}
	if rest != "" {
		rest += "\n"
	}
	return rest + failuresHeading + "\n\n" + lines.String()
}
