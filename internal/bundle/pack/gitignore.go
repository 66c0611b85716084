package pack

import (
	"context"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// ignoreRules are the .gitignore files that say what of a folder is left out: those in
// it, and those above it up to the top of the repository that it lies in.
type ignoreRules struct {
	rules  ignore.Rules
	prefix string // of the folder in its repository
}

// readAbove takes up the rules above a folder. A folder that these leave out as a
// whole was named all the same, so they say nothing about it.
func (r *ignoreRules) readAbove(ctx context.Context, dir string) error {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return err
	}
	var outer []string // folders, inner ones first
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			break
		}
		parent := filepath.Dir(at)
		if parent == at {
			return nil // no repository
		}
		outer = append(outer, parent)
	}
	if len(outer) == 0 {
		return nil
	}
	top := outer[len(outer)-1]
	inner, err := filepath.Rel(top, dir)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	parts := strings.Split(filepath.ToSlash(inner), "/")
	var above ignore.Rules
	for i := range parts {
		if err := addIgnored(&above, root, path.Join(parts[:i]...), path.Join(parts[:i]...)); err != nil {
			return err
		}
		ignored, err := above.Match(ctx, path.Join(parts[:i+1]...), true)
		if err != nil {
			return err
		}
		if ignored {
			return nil
		}
	}
	r.rules, r.prefix = above, path.Join(parts...)
	return nil
}

// add adds the rules that are in a folder below the one that is imported.
func (r *ignoreRules) add(root *os.Root, folder string) error {
	scope := path.Join(r.prefix, folder)
	if scope == "." {
		scope = "" // the top of the repository
	}
	return addIgnored(&r.rules, root, folder, scope)
}

// match reports whether a path below the folder that is imported is left out.
func (r *ignoreRules) match(ctx context.Context, name string, isDir bool) (bool, error) {
	return r.rules.Match(ctx, path.Join(r.prefix, name), isDir)
}

// addIgnored adds the .gitignore of a folder, whose patterns hold below scope. One
// that is no plain file is not read, as Git does not read it.
func addIgnored(rules *ignore.Rules, root *os.Root, folder, scope string) error {
	name := path.Join(folder, ignore.Name)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil //nolint:nilerr // there is none, or none that can be read
	}
	file, err := openRegular(root, name)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(file, ignore.MaxFile+1))
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return rules.Add(text, scope, path.Join(scope, ignore.Name))
}
