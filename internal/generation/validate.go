package generation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
)

const (
	// maxFindings is how many things are said to be wrong at a time, each in so
	// many bytes: an engine needs no more to mend them, and a person neither.
	maxFindings    = 20
	maxFindingText = 500
)

// validate says what is wrong with the tree. Nothing, when it may be packaged.
// What was found good before is looked at again only where it was written.
func (t *tree) validate(ctx context.Context) ([]string, error) {
	var f findings
	if len(t.files) == 0 {
		f.add("the project has no files")
	}
	if err := t.content().State.Check(); err != nil {
		f.add("%v", err)
	}
	for _, at := range t.sortedKeys() {
		if !t.touched[at] || f.full() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.validateSyntax(at, &f); err != nil {
			return nil, err
		}
	}
	if err := t.validatePorts(ctx, &f); err != nil {
		return nil, err
	}
	if len(f.all) == 0 {
		clear(t.touched)
	}
	return f.all, nil
}

// findings collects what is wrong, as far as it is worth saying.
type findings struct{ all []string }

func (f *findings) full() bool { return len(f.all) >= maxFindings }

func (f *findings) add(format string, args ...any) {
	if f.full() {
		return
	}
	f.all = append(f.all, cut(fmt.Sprintf(format, args...), maxFindingText))
}

// cut shortens a text to about so many bytes, between two characters.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

func (t *tree) validateSyntax(at fileKey, f *findings) error {
	syntax, known := syntaxOf(at.path)
	if !known || t.files[at].size > syntax.limit {
		return nil
	}
	content, err := t.read(at)
	if err != nil {
		return err
	}
	if err := parse(syntax.check, content); err != nil {
		f.add("%s: %v", at.path, err)
	}
	return nil
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
func (t *tree) validatePorts(ctx context.Context, f *findings) error {
	for _, name := range slices.Sorted(maps.Keys(t.ports)) {
		port := t.ports[name]
		for _, use := range port.Uses {
			if err := ctx.Err(); err != nil {
				return err
			}
			at := fileKey{bundlezip.ProjectRoot, use.Path}
			file, ok := t.files[at]
			if !ok {
				f.add("port %s names %s, which is no file of the project", name, use.Path)
				continue
			}
			if file.size > bundlezip.MaxPortFile {
				f.add("port %s is declared in %s, which has more than %d bytes", name, use.Path, bundlezip.MaxPortFile)
				continue
			}
			content, err := t.read(at)
			if err != nil {
				return err
			}
			if _, _, err := bundlezip.FindPort(content, use.Template, port.Port); err != nil {
				f.add("port %s in %s: %v", name, use.Path, err)
			}
		}
	}
	return nil
}
