package packaging

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundlezip"
)

// Imported is what an import has made.
type Imported struct {
	Project svc.Project
	Bundle  svc.Bundle
	// Skipped are the paths that were left out because they are no regular
	// files: links, sockets and the like.
	Skipped []string
}

// ImportDir makes a project and its first bundle from the files below a folder.
// Every file is delivered to the place it has there and merged as
// bundlezip.DefaultPlacement says; what its owner may execute stays executable.
// Version-control folders (.git) are left out, and so is what is no regular file.
// Paths that a bundle may not hold are an error that lists them: nothing is
// imported then. An empty name is taken from the folder.
func (p *Packager) ImportDir(ctx context.Context, account svc.Account, dir, name string) (Imported, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Imported{}, invalidImport(err, "The folder %s cannot be opened.", dir)
	}
	defer func() { _ = root.Close() }() // nothing was written through it

	files, skipped, err := walk(ctx, root)
	if err != nil {
		return Imported{}, err
	}
	if len(files) == 0 {
		return Imported{}, invalidImport(nil, "The folder %s holds no files to import.", dir)
	}
	if name == "" {
		name = folderName(dir)
	}
	project := svc.Project{ID: svc.NewProjectID(), AccountID: account.ID, Name: name}
	draft, err := p.Draft(ctx, project, Content{State: bundlezip.State{Files: files}})
	if err != nil {
		return Imported{}, explain(err)
	}
	imported := Imported{Skipped: skipped}
	err = p.Store.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		imported.Project, imported.Bundle, err = draft.Commit(ctx, r, "", now)
		return err
	})
	if err != nil {
		return Imported{}, errors.Join(fmt.Errorf("import %s: %w", dir, err), draft.Discard(ctx))
	}
	return imported, nil
}

// walk lists the regular files below the root, and what it passed over.
func walk(ctx context.Context, root *os.Root) (files []bundlezip.StateFile, skipped []string, err error) {
	var refused []error
	err = fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if strings.EqualFold(entry.Name(), ".git") {
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil // the file that stands for the folder in a work tree
		}
		if entry.IsDir() {
			return nil
		}
		if !entry.Type().IsRegular() {
			skipped = append(skipped, path)
			return nil
		}
		if err := bundlezip.CheckPath(path); err != nil {
			refused = append(refused, err)
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files = append(files, bundlezip.StateFile{
			Path:    path,
			Mode:    bundlezip.ModeOf(info.Mode().Perm()),
			Content: bundlezip.Reader(func() (io.ReadCloser, error) { return openRegular(root, path) }),
		})
		return nil
	})
	if err != nil {
		return nil, nil, invalidImport(err, "The folder cannot be read.")
	}
	if len(refused) > 0 {
		return nil, nil, refusal(refused)
	}
	return files, skipped, nil
}

// openRegular opens a file that was regular when it was listed, and is still.
func openRegular(root *os.Root, path string) (io.ReadCloser, error) {
	info, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file any more", path)
	}
	return root.Open(path)
}

// shownRefusals is how many refused paths a message lists.
const shownRefusals = 20

func refusal(refused []error) error {
	var list strings.Builder
	for i, err := range refused {
		if i == shownRefusals {
			fmt.Fprintf(&list, "\n  and %d more", len(refused)-i)
			break
		}
		fmt.Fprintf(&list, "\n  %v", err)
	}
	return invalidImport(nil, "A bundle cannot hold %d of the paths; rename or remove them and import again:%s", len(refused), list.String())
}

// explain tells a person what is wrong with the content of a folder.
func explain(err error) error {
	if _, ok := errors.AsType[*svc.Error](err); ok || !errors.Is(err, bundlezip.ErrInvalid) {
		return err
	}
	return invalidImport(err, "The folder cannot become a bundle: %v.", err)
}

func invalidImport(cause error, format string, args ...any) *svc.Error {
	e := svc.Errorf(svc.CodeInvalidRequest, format, args...)
	e.Field, e.Err = "dir", cause
	return e
}

func folderName(dir string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		absolute = dir
	}
	if base := filepath.Base(absolute); base != string(filepath.Separator) && base != "." {
		return base
	}
	return "imported"
}
