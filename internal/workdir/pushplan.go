package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// ErrNothingPulled says that a folder holds no pull that could be pushed on.
var ErrNothingPulled = errors.New("nothing was pulled into this folder by your svc, so there is nothing to push changes of; run svc in the folder of a pull")

// ErrReserved says that a file has the name under which an archive of changes tells
// what it is about.
var ErrReserved = errors.New(bundlezip.ChangesName + " is the name under which a push tells what it changes, so a file of that name beside it cannot be sent; give it another name, or a folder")

// PushPlan is what a push will send.
type PushPlan struct {
	ProjectID string
	// Base is the state that the changes were made on.
	Base string
	// Files are changed and new ones, by path; Deleted the paths of those that are gone.
	Files   []PushFile
	Deleted []string
	// Unresolved are files beside which the incoming text of a conflict still lies.
	Unresolved []string
	// NotPlain are files that are links or folders by now. They are not sent, and the
	// project keeps what it has.
	NotPlain []string
	// Reserved says that the folder has a changed file which cannot be sent because of
	// its name: ErrReserved. The project keeps what it has.
	Reserved bool

	pull pastPull
}

// PushFile is a file that will be sent.
type PushFile struct {
	Path string
	// New says that the project does not have it, as far as this folder knows.
	New     bool
	Mode    bundlezip.Mode
	Content []byte // with the ports that the bundle declared

	local recordFile // as it is in the folder
}

// Empty says whether there is nothing to send.
func (p *PushPlan) Empty() bool { return len(p.Files) == 0 && len(p.Deleted) == 0 }

// Paths returns the files that change in the project, and those that are new to it.
func (p *PushPlan) Paths() (changed, added []string) {
	changed, added = []string{}, []string{}
	for _, f := range p.Files {
		if f.New {
			added = append(added, f.Path)
		} else {
			changed = append(changed, f.Path)
		}
	}
	return changed, added
}

// PlanPush finds what a push would send: the files of the project that differ from
// what the last pull or push brought, and what is named beside them. It writes
// nothing. An unfinished pull or rollback must be recovered first.
func (f *Folder) PlanPush(add []string) (*PushPlan, error) {
	if err := f.CheckFinished(); err != nil {
		return nil, err
	}
	history, err := f.pastPulls()
	if err != nil {
		return nil, err
	}
	pull, known := lastPull(history)
	switch {
	case !known:
		return nil, ErrNothingPulled
	case pull.State == "" || pull.ProjectID == "":
		return nil, fmt.Errorf("the last pull here was made by an older svc, which did not note what a push needs; run svc export %s and pull once more", pull.ProjectID)
	}
	pl := pushPlanner{
		PushPlan: &PushPlan{ProjectID: pull.ProjectID, Base: history[0].State, pull: pull},
		folder:   f, history: history, planned: map[string]bool{},
	}
	named, err := pl.named(add)
	if err != nil {
		return nil, err
	}
	for _, name := range broughtNames(history) {
		brought, _ := fileOf(history, name)
		if !brought.Shared || slices.Contains(named, name) {
			err := pl.file(name)
			switch {
			case err == nil:
			case errors.Is(err, ErrNotPlain) && !slices.Contains(named, name):
				pl.NotPlain = append(pl.NotPlain, name)
			case errors.Is(err, ErrReserved) && !slices.Contains(named, name):
				pl.Reserved = true
			default:
				return nil, err
			}
		}
	}
	for _, name := range named {
		if err := pl.file(name); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(pl.Files, func(a, b PushFile) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(pl.Deleted)
	return pl.PushPlan, nil
}

// pushPlanner fills a plan, file by file.
type pushPlanner struct {
	*PushPlan
	folder  *Folder
	history []pastPull
	planned map[string]bool
	bytes   int64
}

// broughtNames are the files that the last pull, or a push since, brought.
func broughtNames(history []pastPull) []string {
	names := map[string]bool{}
	for _, past := range history {
		for name := range past.Files {
			names[name] = true
		}
		if past.push == nil {
			break
		}
	}
	for name := range names {
		if _, known := fileOf(history, name); !known || bundlezip.CheckPath(name) != nil {
			delete(names, name)
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// file plans one file, if it is not what was brought.
func (pl *pushPlanner) file(name string) error {
	if pl.planned[name] {
		return nil
	}
	pl.planned[name] = true
	if err := pl.folder.checkHomePlaces(name); err != nil {
		return err
	}
	d := pl.folder.project
	brought, known := fileOf(pl.history, name)
	at, err := d.lookFile(name)
	if err != nil {
		if errors.Is(err, ErrNotPlain) {
			err = fmt.Errorf("%s is no plain file any more, and svc pushes nothing else: %w", name, err)
		}
		return err
	}
	if !at.exists {
		if !known {
			return fmt.Errorf("there is no %s here", name)
		}
		pl.checkResolved(name)
		pl.Deleted = append(pl.Deleted, name)
		return nil
	}
	digest, err := d.digest(name)
	if err != nil || known && digest == brought.SHA256 {
		return err
	}
	if name == bundlezip.ChangesName {
		return ErrReserved
	}
	pl.bytes += at.info.Size()
	if len(pl.Files) >= bundlezip.MaxChangedFiles || pl.bytes > bundlezip.MaxChangedBytes {
		return fmt.Errorf("more than %d files or %d bytes have changed, which is more than one push can take", bundlezip.MaxChangedFiles, bundlezip.MaxChangedBytes)
	}
	content, err := d.read(name, bundlezip.MaxChangedBytes)
	if err != nil {
		return err
	}
	pl.checkResolved(name)
	file := PushFile{Path: name, New: !known, Mode: bundlezip.ModeOf(at.info.Mode().Perm()), local: brought}
	if !known {
		destination, strategy := bundlezip.DefaultPlacement(name)
		file.local = recordFile{Mode: file.Mode, Owned: destination == bundlezip.Project, Shared: shared(destination, strategy)}
	}
	file.local.SHA256, file.local.Left, file.local.Offered, file.local.Stood = digestOf(content), "", "", ""
	file.Content = renumber(content, name, pl.pull.PortUses, pl.pull.Ports, pl.pull.Declared)
	pl.Files = append(pl.Files, file)
	return nil
}

// checkResolved notes a file beside which the text of a conflict lies.
func (pl *pushPlanner) checkResolved(name string) {
	if beside, err := pl.folder.project.look(name + NewSuffix); err != nil || beside.exists {
		pl.Unresolved = append(pl.Unresolved, name)
	}
}

// named reads the paths that the user has named. A folder stands for the files in it.
func (pl *pushPlanner) named(paths []string) ([]string, error) {
	var out []string
	for _, given := range paths {
		name := filepath.ToSlash(filepath.Clean(given))
		if !filepath.IsLocal(given) || name == "." {
			return nil, fmt.Errorf("%s does not lie in this folder", given)
		}
		at, err := pl.folder.project.look(name)
		if err != nil {
			return nil, err
		}
		if !at.folder {
			if err := bundlezip.CheckPath(name); err != nil {
				return nil, fmt.Errorf("%s cannot be pushed: %w", given, err)
			}
			out = append(out, name)
			continue
		}
		err = fs.WalkDir(pl.folder.project.root.FS(), name, func(inner string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && bundlezip.CheckPath(inner) == nil {
				out = append(out, inner)
			}
			if err == nil && e.IsDir() && strings.EqualFold(path.Base(inner), ".git") {
				return fs.SkipDir
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// renumber gives the places of ports in a file other numbers, where it has those that
// it is known to have.
func renumber(content []byte, name string, ports []bundlezip.Port, have, want map[string]int) []byte {
	var places []portPlace
	for _, p := range ports {
		from, to := have[p.Name], want[p.Name]
		if from == to || from == 0 || to == 0 {
			continue
		}
		for _, use := range p.Uses {
			if use.Path == name {
				places = append(places, portPlaces(content, use, from, to)...)
			}
		}
	}
	return splicePorts(content, places)
}
