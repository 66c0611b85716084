package packaging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-pkgs/gitignore"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundlezip"
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
	root    *os.Root
	rules   ImportRules
	ignored ignoreRules
	state   bundlezip.State
	skipped []string
	refused []error
}

func (f *importFolder) close() { _ = f.root.Close() } // nothing was written through it

func openImport(ctx context.Context, dir string, opts ImportOptions) (*importFolder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, invalidImport(err, "The folder %s cannot be opened.", dir)
	}
	f := &importFolder{root: root}
	if err := f.ignored.readAbove(dir); err != nil {
		f.close()
		return nil, invalidImport(err, "The .gitignore files above %s cannot be read.", dir)
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
	var leaveOut gitignore.Matcher // apart from .gitignore, whose exceptions say nothing about it
	leaveOut.AddPatterns([]byte(strings.Join(f.rules.LeaveOut, "\n")), "")
	err = fs.WalkDir(f.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		out := strings.EqualFold(entry.Name(), ".git") || name == RulesFile ||
			name != "." && (leaveOut.MatchPath(name, entry.IsDir()) || f.ignored.match(name, entry.IsDir()))
		switch {
		case out && entry.IsDir():
			return fs.SkipDir
		case out:
			return nil
		case entry.IsDir():
			return f.readIgnored(name)
		}
		return f.add(name, entry)
	})
	if err != nil {
		return invalidImport(err, "The folder cannot be read.")
	}
	if len(f.refused) > 0 {
		return refusal(f.refused)
	}
	return nil
}

// readIgnored takes up the .gitignore of a folder.
func (f *importFolder) readIgnored(folder string) error {
	name := path.Join(folder, ".gitignore")
	info, err := f.root.Lstat(name)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxRules {
		return nil //nolint:nilerr // without one that can be read nothing is ignored
	}
	text, err := f.root.ReadFile(name)
	if err != nil {
		return err
	}
	f.ignored.add(text, folder)
	return nil
}

func (f *importFolder) add(name string, entry fs.DirEntry) error {
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
	f.rules.place(&file)
	f.state.Files = append(f.state.Files, file)
	return nil
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
