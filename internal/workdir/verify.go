package workdir

import (
	"errors"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundlezip"
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

// AsLeft says whether a file is as the last pull left it, or a push since.
func (s FileState) AsLeft() bool { return s != Edited && s != Missing }

// Verified is one file that was delivered to the folder, or that the last pull left to
// the user.
type Verified struct {
	Path  string    `json:"path"`
	State FileState `json:"state"`
	// Incoming is what the bundle brings, as long as it lies beside the file.
	Incoming string `json:"incoming,omitempty"`
}

// Delivered is the bundle of the last pull.
type Delivered struct {
	BundleID string
	State    string // SHA-256 of its archive; empty if an older client pulled it
	Origin
	Authentic bool // this user's client wrote it down
}

// Delivered tells which bundle the last pull brought, and from whom.
func (f *Folder) Delivered() (Delivered, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Delivered{}, err
	}
	past, found, err := f.pastPullOf(l)
	if err != nil || !found {
		return Delivered{BundleID: l.BundleID}, err
	}
	return Delivered{BundleID: l.BundleID, State: past.State, Origin: past.Origin, Authentic: past.authentic}, nil
}

// Verification says whether the folder still holds what was delivered.
type Verification struct {
	BundleID string     `json:"bundle_id"`
	Signed   bool       `json:"sealed"` // the log is as this user's client wrote it
	Files    []Verified `json:"files"`
}

// Changed counts the files that are not as the last pull left them.
func (v Verification) Changed() (n int) {
	for _, f := range v.Files {
		if !f.State.AsLeft() {
			n++
		}
	}
	return n
}

// Verify compares the files that Diff knows with what was delivered and with what the
// last pull left. It writes nothing.
func (f *Folder) Verify() (Verification, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Verification{}, noLogFor(err, "verify")
	}
	history, past, signed, err := f.historyOf(l)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{BundleID: l.BundleID, Signed: signed, Files: []Verified{}}
	left := map[string]Entry{}
	for _, e := range l.Entries {
		if e.Type == FileWritten || e.Type == ConfigMerged || e.Type == FileKept && signed {
			left[displayName(e.Base, e.Path)] = e
		}
	}
	waiting, err := f.waitingBeside(l, signed)
	if err != nil {
		return Verification{}, err
	}
	for _, file := range f.deliveries(l, history, signed) {
		name := displayName(file.base, file.path)
		state, err := f.verifyFile(file, left[name], history, past)
		if err != nil {
			return Verification{}, err
		}
		incoming := waiting[name]
		delete(waiting, name)
		if incoming != "" && state.AsLeft() {
			state = Disputed
		}
		if state != "" {
			v.Files = append(v.Files, Verified{Path: name, State: state, Incoming: incoming})
		}
	}
	for name, incoming := range waiting {
		v.Files = append(v.Files, Verified{Path: name, State: Disputed, Incoming: incoming})
	}
	slices.SortFunc(v.Files, func(a, b Verified) int { return strings.Compare(a.Path, b.Path) })
	return v, nil
}

// verifyFile says how a delivered file stands; empty if nobody had delivered it and it is
// not there any more.
func (f *Folder) verifyFile(file delivery, left Entry, history []pastPull, past pastPull) (FileState, error) {
	digest, err := f.site(file.base).digest(file.path)
	if errors.Is(err, ErrNotPlain) {
		return Edited, nil
	}
	if err != nil {
		return "", err
	}
	var brought recordFile
	pushed := false
	if file.base == bundlezip.ProjectRoot {
		brought, pushed = broughtBy(history, file.path)
	}
	if brought.SHA256 == "" && left.Type == FileWritten {
		brought.SHA256 = left.SHA256After
	}
	switch asLeft := !pushed && left.Type != "" && digest == left.SHA256After; {
	case digest != "" && digest == brought.SHA256:
		return Intact, nil
	case asLeft && left.Type == ConfigMerged:
		return Combined, nil
	case asLeft && digest == "":
		return Declined, nil
	case asLeft:
		return Yours, nil
	}
	if file.kept {
		change := f.deliveredChange(file, history, past, Edited)
		if _, err := change.Before(); errors.Is(err, ErrNotKept) {
			if digest == "" {
				return "", nil
			}
			return Yours, nil
		}
	}
	if digest == "" {
		return Missing, nil
	}
	return Edited, nil
}

// waitingBeside gives what the last pull put beside files, by their names, as long as it
// is there: conflicts that nobody has settled.
func (f *Folder) waitingBeside(l Log, signed bool) (map[string]string, error) {
	waiting := map[string]string{}
	for _, e := range l.Entries {
		if e.Type != ConflictEntry || e.Name != "" || e.Base == bundlezip.Home && (f.home == nil || !signed) {
			continue
		}
		at, err := f.site(e.Base).look(e.Path + NewSuffix)
		if err != nil && !errors.Is(err, ErrNotPlain) {
			return nil, err
		}
		if at.exists {
			waiting[displayName(e.Base, e.Path)] = displayName(e.Base, e.Path+NewSuffix)
		}
	}
	return waiting, nil
}
