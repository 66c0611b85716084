package workdir

import "github.com/bundle-delivery/svc/internal/bundlezip"

// FileState says how a delivered file stands now.
type FileState string

// The states.
const (
	Intact  FileState = "intact"
	Edited  FileState = "changed"
	Missing FileState = "missing"
)

// Verified is one file that the last pull wrote.
type Verified struct {
	Path  string    `json:"path"`
	State FileState `json:"state"`
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

// Intact says whether no file differs.
func (v Verification) Intact() bool {
	for _, f := range v.Files {
		if f.State != Intact {
			return false
		}
	}
	return true
}

// Verify compares the folder with the log of the last pull. It writes nothing.
func (f *Folder) Verify() (Verification, error) {
	l, err := f.ReadLog()
	if err != nil {
		return Verification{}, noLogFor(err, "verify")
	}
	past, found, err := f.pastPullOf(l)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{BundleID: l.BundleID, Signed: found && past.authentic, Files: []Verified{}}
	for _, e := range l.Entries {
		if e.Type != FileWritten && e.Type != ConfigMerged {
			continue
		}
		if e.Base == bundlezip.Home && (f.home == nil || !v.Signed) {
			continue
		}
		state, err := f.stateOf(e.Base, e.Path, e.SHA256After)
		if err != nil {
			return Verification{}, err
		}
		v.Files = append(v.Files, Verified{Path: displayName(e.Base, e.Path), State: state})
	}
	return v, nil
}
