package validate

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// lookFile says what is wrong with a file of a tree, and whether it was looked at
// at all.
type lookFile func(ctx context.Context, f File, content []byte) (wrong []string, looked bool, err error)

// static makes the checks that need no sandbox. In files for which touched is
// false only that is new which is not wrong in the state before as well.
func (t *Trial) static(ctx context.Context, tree Tree, touched func(path string) bool, all bool) (checks []Check, found []string, err error) {
	check := func(c *staticCheck) error {
		c.touched, c.all, c.before = touched, all, t.before
		if err := c.over(ctx, tree); err != nil || len(c.files)+c.skipped == 0 {
			return err
		}
		done := c.check()
		checks, found = append(checks, done), append(found, c.now.All...)
		return t.tell(done)
	}
	if err := check(&staticCheck{name: "syntax", language: languageOf, in: func(Tree) (lookFile, error) { return t.v.checkSyntax, nil }}); err != nil {
		return nil, nil, err
	}
	if err := check(&staticCheck{name: "imports and links", language: linkingOf, in: followLinks}); err != nil {
		return nil, nil, err
	}
	return checks, found, nil
}

// followLinks looks whether what files of a tree name is there.
func followLinks(t Tree) (lookFile, error) {
	imports, err := NewImports(t.paths(), func(path string) (string, error) {
		content, err := t.read(path)
		return string(content), err
	})
	return func(_ context.Context, f File, content []byte) ([]string, bool, error) {
		if languageOf(f.Path) == "HTML" {
			return deadLinks(f.Path, content, imports.files), true, nil
		}
		return imports.Missing(f.Path, string(content)), true, nil
	}, err
}

// linkingOf names the languages whose files name other files.
func linkingOf(name string) string {
	switch language := languageOf(name); language {
	case "Go", "JavaScript", "TypeScript", "HTML":
		return language
	}
	if strings.HasSuffix(name, ".py") {
		return "Python"
	}
	return ""
}

// staticCheck is a check that is made file by file.
type staticCheck struct {
	name     string
	language func(path string) string
	in       func(Tree) (lookFile, error)
	touched  func(path string) bool
	all      bool // also at those files that the run did not touch
	before   Tree
	files    map[string]int // by language
	skipped  int            // files that were too large
	now      Findings       // what the run has made wrong
	old      Findings       // and what it has not
	took     time.Duration
}

func (c *staticCheck) over(ctx context.Context, t Tree) error {
	began := time.Now()
	look, err := c.in(t)
	if err != nil {
		return err
	}
	c.files = make(map[string]int)
	var untouched []File // in which something is wrong
	wrong := map[string][]string{}
	for _, f := range t.Files {
		name := c.language(f.Path)
		if name == "" || !c.all && !c.touched(f.Path) || c.now.Full() {
			continue
		}
		said, looked, err := lookAt(ctx, t, f, look)
		if err != nil {
			return err
		}
		if looked {
			c.files[name]++
		} else {
			c.skipped++
		}
		switch {
		case c.touched(f.Path):
			for _, text := range said {
				c.now.Add("%s: %s", f.Path, text)
			}
		case len(said) > 0:
			untouched, wrong[f.Path] = append(untouched, f), said
		}
	}
	err = c.compare(ctx, untouched, wrong)
	c.took = time.Since(began)
	return err
}

// compare tells what is wrong in files that the run has not touched from what was
// wrong there before: it may have taken away what they need.
func (c *staticCheck) compare(ctx context.Context, untouched []File, wrong map[string][]string) error {
	if len(untouched) == 0 {
		return nil
	}
	look, err := c.in(c.before)
	if err != nil {
		return err
	}
	for _, f := range untouched {
		var before []string
		if i := slices.IndexFunc(c.before.Files, func(o File) bool { return o.Path == f.Path }); i >= 0 {
			if before, _, err = lookAt(ctx, c.before, c.before.Files[i], look); err != nil {
				return err
			}
		}
		for _, text := range wrong[f.Path] {
			to := &c.now
			if slices.Contains(before, text) {
				to = &c.old
			}
			to.Add("%s: %s", f.Path, text)
		}
	}
	return nil
}

func lookAt(ctx context.Context, t Tree, f File, look lookFile) (wrong []string, looked bool, err error) {
	if err := ctx.Err(); err != nil || f.Size > maxJSON {
		return nil, false, err
	}
	content, err := t.read(f.Path)
	if err != nil {
		return nil, false, err
	}
	return look(ctx, f, content)
}

func (c *staticCheck) check() Check {
	counts := make([]string, 0, len(c.files)+1)
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, c.files[name]))
	}
	if c.skipped > 0 {
		counts = append(counts, fmt.Sprintf("%d too large to be looked at", c.skipped))
	}
	check := Check{Name: c.name, Status: Passed, Elapsed: c.took, Detail: strings.Join(counts, ", ")}
	switch {
	case len(c.now.All) > 0:
		check.Status, check.Detail = Failed, Cut(c.now.All[0], maxDetail)
	case len(c.old.All) > 0:
		check.Status, check.Detail = FailedBefore, Cut(c.old.All[0], maxDetail)
	case len(c.files) == 0:
		check.Status = Skipped
	}
	return check
}

// checkSyntax says what is wrong with one file.
func (v *Validator) checkSyntax(ctx context.Context, f File, content []byte) (wrong []string, looked bool, err error) {
	var bad error
	s, known := syntaxOf(f.Path)
	switch {
	case known && f.Size <= s.limit:
		bad = parse(s.check, content)
	case !known && v.parsers.program != "" && f.Size <= maxScript:
		bad = v.parsers.check(ctx, f.Path, content)
		if _, isMistake := errors.AsType[mistake](bad); bad != nil && !isMistake {
			return nil, false, bad
		}
	default:
		return nil, false, nil
	}
	if bad != nil {
		wrong = []string{bad.Error()}
	}
	return wrong, true, nil
}

// FileSyntax says what is wrong with one file that belongs to no project, if its
// language is known.
func FileSyntax(name string, content []byte) error {
	if s, known := syntaxOf(name); known && int64(len(content)) <= s.limit {
		return parse(s.check, content)
	}
	return nil
}
