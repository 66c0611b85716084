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

// static makes the checks that need no sandbox. Files for which look is false are
// taken to be as the run found them: what is wrong with them was wrong before.
func (v *Validator) static(ctx context.Context, t Tree, look func(path string) bool, all bool, tell func(Check) error) (checks []Check, found []string, err error) {
	syntaxes := &staticCheck{name: "syntax", look: look, all: all}
	if err := syntaxes.over(ctx, t, languageOf, v.checkSyntax); err != nil {
		return nil, nil, err
	}
	imports, err := NewImports(t.paths(), func(path string) (string, error) {
		content, err := t.read(path)
		return string(content), err
	})
	if err != nil {
		return nil, nil, err
	}
	links := &staticCheck{name: "imports and links", look: look, all: all}
	err = links.over(ctx, t, linkingOf, func(_ context.Context, f File, content []byte) ([]string, error) {
		if languageOf(f.Path) == "HTML" {
			return deadLinks(f.Path, content, imports.files), nil
		}
		return imports.Missing(f.Path, string(content)), nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range []*staticCheck{syntaxes, links} {
		if len(c.files) == 0 {
			continue
		}
		check := c.check()
		checks, found = append(checks, check), append(found, c.now.All...)
		if err := tell(check); err != nil {
			return nil, nil, err
		}
	}
	return checks, found, nil
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
	name   string
	look   func(path string) bool
	all    bool           // also at those files that the run did not touch
	files  map[string]int // by language
	now    Findings       // in files that the run wrote
	before Findings       // in others
	took   time.Duration
}

func (c *staticCheck) over(ctx context.Context, t Tree, language func(string) string, check func(context.Context, File, []byte) ([]string, error)) error {
	began := time.Now()
	c.files = make(map[string]int)
	for _, f := range t.Files {
		name := language(f.Path)
		if name == "" || !c.all && !c.look(f.Path) || c.now.Full() || f.Size > maxJSON {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		content, err := t.read(f.Path)
		if err != nil {
			return err
		}
		wrong, err := check(ctx, f, content)
		if err != nil {
			return err
		}
		c.files[name]++
		to := &c.before
		if c.look(f.Path) {
			to = &c.now
		}
		for _, text := range wrong {
			to.Add("%s: %s", f.Path, text)
		}
	}
	c.took = time.Since(began)
	return nil
}

func (c *staticCheck) check() Check {
	counts := make([]string, 0, len(c.files))
	for _, name := range slices.Sorted(maps.Keys(c.files)) {
		counts = append(counts, fmt.Sprintf("%s %d", name, c.files[name]))
	}
	check := Check{Name: c.name, Status: Passed, Elapsed: c.took, Detail: strings.Join(counts, ", ")}
	switch {
	case len(c.now.All) > 0:
		check.Status, check.Detail = Failed, Cut(c.now.All[0], maxDetail)
	case len(c.before.All) > 0:
		check.Status, check.Detail = FailedBefore, Cut(c.before.All[0], maxDetail)
	}
	return check
}

// checkSyntax says what is wrong with one file.
func (v *Validator) checkSyntax(ctx context.Context, f File, content []byte) ([]string, error) {
	var err error
	if s, known := syntaxOf(f.Path); known {
		if f.Size <= s.limit {
			err = parse(s.check, content)
		}
	} else if v.parsers.program != "" && f.Size <= maxScript {
		err = v.parsers.check(ctx, f.Path, content)
		if _, isMistake := errors.AsType[mistake](err); err != nil && !isMistake {
			return nil, err
		}
	}
	if err == nil {
		return nil, nil
	}
	return []string{err.Error()}, nil
}

// FileSyntax says what is wrong with one file that belongs to no project, if its
// language is known.
func FileSyntax(name string, content []byte) error {
	if s, known := syntaxOf(name); known && int64(len(content)) <= s.limit {
		return parse(s.check, content)
	}
	return nil
}
