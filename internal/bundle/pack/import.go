package pack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/text/ignore"
)

// ImportOptions are an operator's choices for an import.
type ImportOptions struct {
	// Name of the project; empty takes that of the folder, or leaves the name that
	// the project has.
	Name string
	// ProjectID is a project of the account that gets the folder as its next
	// state; empty makes a new one.
	ProjectID string
	// Rules add to those that lie in the folder, and win.
	Rules ImportRules
}

// Imported is what an import has made.
type Imported struct {
	Project svc.Project
	Bundle  svc.Bundle
	// Skipped are the paths that were left out because they are no regular
	// files: links, sockets and the like.
	Skipped []string
}

// ImportDir makes a bundle from the files below a folder, and a project of which
// they are the first state, or the next one of a project that there is. Every file
// is delivered to the place it has there and merged as the rules say; what its
// owner may execute stays executable. Left out are version-control folders (.git),
// what .gitignore files in it and above it name, and what is no regular file. Paths that a bundle may
// not hold are an error that lists them: nothing is imported then.
func (p *Packager) ImportDir(ctx context.Context, account svc.Account, dir string, opts ImportOptions) (Imported, error) {
	folder, err := openImport(ctx, dir, opts)
	if err != nil {
		return Imported{}, err
	}
	defer folder.close()
	project := svc.Project{ID: svc.NewProjectID(), AccountID: account.ID, Name: cmp.Or(opts.Name, folderName(dir))}
	content := Content{State: folder.state, Name: opts.Name, Provenance: svc.Provenance{Origin: svc.OriginImport}}
	if opts.ProjectID != "" {
		if project, err = p.Store.Projects().Get(ctx, account.ID, opts.ProjectID); err != nil {
			return Imported{}, projectError(err, opts.ProjectID)
		}
		content.State.Architecture = project.State
		content.Memory, content.MemoryRevision = project.Memory, project.MemoryRevision
	}
	draft, err := p.Draft(ctx, project, content)
	if err != nil {
		return Imported{}, explain(err)
	}
	imported := Imported{Skipped: folder.skipped}
	err = p.Store.Tx(ctx, func(r svc.Records) error {
		if err := idle(ctx, r, project); err != nil {
			return err
		}
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		imported.Project, imported.Bundle, err = draft.Commit(ctx, r, "", now)
		return err
	})
	if err != nil {
		err = errors.Join(projectError(err, opts.ProjectID), draft.Discard(ctx))
		return Imported{}, fmt.Errorf("import %s: %w", dir, err)
	}
	return imported, nil
}

// idle refuses a project that a generation is at work on.
func idle(ctx context.Context, r svc.Records, project svc.Project) error {
	run, active, err := ActiveRun(ctx, r, project.AccountID, project.ID)
	if err != nil || !active {
		return err
	}
	e := svc.Errorf(svc.CodeProjectBusy, "The generation %s of the project is %s; wait for it or cancel it, then import again.", run.ID, run.Status)
	e.GenerationID = run.ID
	return e
}

// projectError tells a person what is wrong with the project that was named.
func projectError(err error, id string) error {
	switch {
	case id == "":
	case errors.Is(err, svc.ErrNotFound):
		return svc.Errorf(svc.CodeProjectNotFound, "The account has no project %s.", id)
	case errors.Is(err, svc.ErrConflict):
		return svc.Errorf(svc.CodeInvalidRequest, "The project %s got another state meanwhile; look at it and import again.", id)
	}
	return err
}

// DescribeImport gives the manifest that an import would deliver, and makes
// nothing. The id of a project that does not exist yet is a made-up one.
func (p *Packager) DescribeImport(ctx context.Context, account svc.Account, dir string, opts ImportOptions) (bundlezip.Manifest, []string, error) {
	if opts.ProjectID != "" {
		if _, err := p.Store.Projects().Get(ctx, account.ID, opts.ProjectID); err != nil {
			return bundlezip.Manifest{}, nil, projectError(err, opts.ProjectID)
		}
	}
	folder, err := openImport(ctx, dir, opts)
	if err != nil {
		return bundlezip.Manifest{}, nil, err
	}
	defer folder.close()
	folder.state.ProjectID = cmp.Or(opts.ProjectID, svc.NewProjectID())
	m, err := bundlezip.Describe(folder.state)
	return m, folder.skipped, explain(err)
}

// importFolder is a folder that is about to be imported. Its files are opened when
// their turn comes.
type importFolder struct {
	root     *os.Root
	rules    ImportRules
	leaveOut ignore.Rules // apart from .gitignore, whose exceptions do not concern it
	ignored  ignoreRules
	placed   []ignore.Rules // the patterns of rules.Files
	state    bundlezip.State
	skipped  []string
	refused  []error
}

func (f *importFolder) close() { _ = f.root.Close() } // nothing was written through it

func openImport(ctx context.Context, dir string, opts ImportOptions) (*importFolder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, invalidImport(err, "The folder %s cannot be opened.", dir)
	}
	f := &importFolder{root: root}
	if err := f.ignored.readAbove(ctx, dir); err != nil {
		f.close()
		return nil, unread(err, fmt.Sprintf("The .gitignore files above %s cannot be read.", dir))
	}
	if err := f.read(ctx, opts); err != nil {
		f.close()
		return nil, err
	}
	if len(f.state.Files) == 0 {
		f.close()
		return nil, invalidImport(nil, "The folder %s holds no files to import.", dir)
	}
	return f, nil
}

func (f *importFolder) read(ctx context.Context, opts ImportOptions) error {
	rules, err := readRules(f.root)
	if err != nil {
		return err
	}
	f.rules = rules.and(opts.Rules)
	if err := f.rules.check(); err != nil {
		return err
	}
	if f.state.Ports, err = f.rules.ports(); err != nil {
		return err
	}
	if err := f.compile(); err != nil {
		return invalidImport(err, "%v.", err)
	}
	if err := fs.WalkDir(f.root.FS(), ".", f.visit(ctx)); err != nil {
		return unread(err, "The folder cannot be read.")
	}
	if len(f.refused) == 0 {
		f.checkTogether()
	}
	if len(f.refused) > 0 {
		return refusal(f.refused)
	}
	return nil
}

// checkTogether refuses the first path that cannot lie in one folder with the others.
func (f *importFolder) checkTogether() {
	paths := make([]string, len(f.state.Files))
	for i, file := range f.state.Files {
		paths[i] = file.Path
	}
	if err := bundlezip.CheckPaths(paths); err != nil {
		f.refused = append(f.refused, err)
	}
}

// visit returns an fs.WalkDirFunc.
func (f *importFolder) visit(ctx context.Context) fs.WalkDirFunc {
	return func(name string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		out, err := f.leavesOut(ctx, name, entry)
		switch {
		case err != nil:
			return err
		case out && entry.IsDir():
			return fs.SkipDir
		case out:
			return nil
		case entry.IsDir():
			return f.ignored.add(f.root, name)
		}
		return f.add(ctx, name, entry)
	}
}

// leavesOut reports whether a file or folder is no part of the project.
func (f *importFolder) leavesOut(ctx context.Context, name string, entry fs.DirEntry) (bool, error) {
	switch {
	case strings.EqualFold(entry.Name(), ".git"), name == RulesFile:
		return true, nil
	case name == ".":
		return false, nil
	}
	if out, err := f.leaveOut.Match(ctx, name, entry.IsDir()); out || err != nil {
		return out, err
	}
	return f.ignored.match(ctx, name, entry.IsDir())
}

// unread is the error of a folder that was not read to its end.
func unread(err error, message string) error {
	if limit, ok := errors.AsType[*ignore.LimitError](err); ok {
		return invalidImport(err, "%v.", limit)
	}
	return invalidImport(err, "%s", message)
}

func (f *importFolder) add(ctx context.Context, name string, entry fs.DirEntry) error {
	if !entry.Type().IsRegular() {
		f.skipped = append(f.skipped, name)
		return nil
	}
	if err := bundlezip.CheckPath(name); err != nil {
		f.refused = append(f.refused, err)
		return nil
	}
	info, err := entry.Info()
	if err != nil {
		return err
	}
	file := bundlezip.StateFile{
		Path:    name,
		Mode:    bundlezip.ModeOf(info.Mode().Perm()),
		Content: bundlezip.Reader(func() (io.ReadCloser, error) { return openRegular(f.root, name) }),
	}
	if err := f.place(ctx, &file); err != nil {
		return err
	}
	f.state.Files = append(f.state.Files, file)
	return nil
}

// openRegular opens a file, if it is a regular one. A pipe that took the place of
// one is not waited for.
func openRegular(root *os.Root, path string) (io.ReadCloser, error) {
	listed, err := root.Lstat(path)
	if err != nil {
		return nil, err
	}
	file, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err == nil && (!listed.Mode().IsRegular() || !os.SameFile(listed, opened)) {
		err = fmt.Errorf("%s was replaced meanwhile, or is no regular file any more; import again", path)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
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
	return invalidImport(nil, "A bundle cannot hold %d of the paths; rename or remove them, or leave them out (--leave-out), and import again:%s", len(refused), list.String())
}

// explain tells a person what is wrong with the content of a folder.
func explain(err error) error {
	if _, ok := errors.AsType[*svc.Error](err); ok || err == nil || !errors.Is(err, bundlezip.ErrInvalid) {
		return err
	}
	return invalidImport(err, "The folder cannot become a bundle: %v.", err)
}

func invalidImport(cause error, format string, args ...any) *svc.Error {
	e := svc.Invalid("dir", format, args...)
	e.Err = cause
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
