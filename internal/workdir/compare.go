package workdir

import (
	"errors"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// FileState says how a delivered file stands now.
type FileState string

// The states.
const (
	Intact  FileState = "intact"
	Edited  FileState = "changed"
	Missing FileState = "missing"
	// These are as the last pull left them, and not as the bundle has them: what came of
	// a merge, the user's file, one that the user had deleted, and one beside which
	// what the bundle brings waits.
	Combined FileState = "merged"
	Yours    FileState = "kept"
	Declined FileState = "deleted"
	Disputed FileState = "conflict"
)

// AsLeft reports whether a file is as the last pull left it, or a push since.
func (s FileState) AsLeft() bool { return s != Edited && s != Missing }

// Comparison is how a folder differs from what was delivered to it, and from what the
// last pull left.
type Comparison struct {
	BundleID  string     `json:"bundle_id"`
	ProjectID string     `json:"-"`
	Signed    bool       `json:"sealed"` // the log is as this user's client wrote it
	Files     []Compared `json:"files"`
}

// Compared is a file that was delivered to the folder, or that the last pull left to the
// user.
type Compared struct {
	// Before is what was delivered, After what is there now.
	FileChange `json:"-"`
	Path       string    `json:"path"` // as people read it
	State      FileState `json:"state"`
	// Incoming is what the bundle brings, as long as it lies beside the file.
	Incoming string `json:"incoming,omitempty"`

	edited bool // it is not what was delivered
}

// Changed counts the files that are not as the last pull left them.
func (c Comparison) Changed() (n int) {
	for _, f := range c.Files {
		if !f.State.AsLeft() {
			n++
		}
	}
	return n
}

// Verify compares the folder with what was delivered and with what the last pull left.
// It writes nothing.
func (f *Folder) Verify() (Comparison, error) { return f.compare("verify") }

// Diff compares the folder with what was delivered: a file of the project with what
// the last bundle brought, or a push since; one in which others have lines with what
// the last pull left. Its files are those that differ. It writes nothing.
func (f *Folder) Diff() (Comparison, error) {
	c, err := f.compare("compare the folder with")
	c.Files = slices.DeleteFunc(c.Files, func(file Compared) bool { return !file.edited })
	for i, file := range c.Files {
		c.Files[i].State = Edited
		if file.Deleted {
			c.Files[i].State = Missing
		}
	}
	return c, err
}

// compare looks at every file that was delivered, for a purpose that an error names.
func (f *Folder) compare(purpose string) (Comparison, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Comparison{}, noLogFor(err, purpose)
	}
	d, err := f.deliveries(l)
	if err != nil {
		return Comparison{}, err
	}
	waiting, err := d.waitingBeside()
	if err != nil {
		return Comparison{}, err
	}
	left := map[string]Entry{}
	for _, e := range l.Entries {
		if e.Type == FileWritten || e.Type == ConfigMerged || e.Type == FileKept && d.past.authentic {
			left[displayName(e.Base, e.Path)] = e
		}
	}
	out := Comparison{BundleID: l.BundleID, ProjectID: l.ProjectID, Signed: d.past.authentic, Files: []Compared{}}
	for name, file := range d.files() {
		c, err := d.compare(file, left[name])
		if err != nil {
			return Comparison{}, err
		}
		c.Path, c.Incoming = name, waiting[name]
		delete(waiting, name)
		if c.Incoming != "" && c.State.AsLeft() {
			c.State = Disputed
		}
		if c.State != "" {
			out.Files = append(out.Files, c)
		}
	}
	for name, incoming := range waiting {
		out.Files = append(out.Files, Compared{Path: name, State: Disputed, Incoming: incoming})
	}
	slices.SortFunc(out.Files, func(a, b Compared) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// compare compares one file. Its state is empty if nobody had delivered it and it is
// not there any more.
func (d deliveries) compare(file delivery, left Entry) (Compared, error) {
	now, err := d.folder.site(file.base).digest(file.path)
	plain := !errors.Is(err, ErrNotPlain)
	if err != nil && plain {
		return Compared{}, err
	}
	c := Compared{FileChange: d.change(file, plain && now == "")}
	c.edited = !plain || now != file.digest
	if c.edited && file.kept {
		_, err := c.Before()
		c.edited = !errors.Is(err, ErrNotKept)
	}
	var brought recordFile
	pushed := false
	if file.base == bundlezip.ProjectRoot {
		brought, pushed = broughtBy(d.history, file.path)
	}
	if brought.SHA256 == "" && left.Type == FileWritten {
		brought.SHA256 = left.SHA256After
	}
	asLeft := !pushed && left.Type != "" && now == left.SHA256After
	switch {
	case !plain:
		c.State = Edited
	case now != "" && now == brought.SHA256:
		c.State = Intact
	case asLeft && left.Type == ConfigMerged:
		c.State = Combined
	case asLeft && now == "":
		c.State = Declined
	case asLeft:
		c.State = Yours
	case !c.edited && now != "": // nobody had delivered it
		c.State = Yours
	case !c.edited:
	case now == "":
		c.State = Missing
	default:
		c.State = Edited
	}
	return c, nil
}
