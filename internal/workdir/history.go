package workdir

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const maxRecord = 16 << 20

// record is what the history keeps about one pull beside its log.
type record struct {
	Version  int    `json:"record_version"`
	Sequence int    `json:"sequence"` // pulls into this folder, counted
	PullID   string `json:"pull_id"`
	BundleID string `json:"bundle_id"`
	// ProjectID is the project of the bundle; older records lack it.
	ProjectID string `json:"project_id,omitempty"`
	// State is the SHA-256 of the archive; older records lack it.
	State string `json:"state,omitempty"`
	Origin
	// Facts is the digest of what the log says; the signature of the record makes
	// the log authentic.
	Facts string `json:"facts"`
	// Ports are the numbers that this pull settled on, Declared those that the
	// bundle had declared; older records lack these.
	Ports    map[string]int `json:"ports,omitempty"`
	Declared map[string]int `json:"declared_ports,omitempty"`
	// UserPorts are those whose number the user had written.
	UserPorts []string `json:"user_ports,omitempty"`
	// PortUses are the places that the bundle declared; older records lack them.
	PortUses []bundlezip.Port `json:"port_uses,omitempty"`
	// Bases are the digests of the contents kept in the pack of bases, by path.
	Bases map[string]string `json:"bases,omitempty"`
	// Files are the project's files as the bundle brought them, by path; Deleted
	// are those that it has no longer and that are not there any more. Folders are
	// those in the tree that pulls have made. Older records lack all three.
	Files   map[string]recordFile `json:"files,omitempty"`
	Deleted []string              `json:"deleted,omitempty"`
	Folders []string              `json:"folders,omitempty"`
	// FoldersGone are those that went with this pull, inner ones first.
	FoldersGone []goneFolder `json:"folders_gone,omitempty"`
	// Home says that ~/.svc/pulls/<pull-id> has more.
	Home bool `json:"home,omitempty"`
}

// Origin is whom a bundle came from. Older records lack it.
type Origin struct {
	// Service is the address, Attestation what was signed there about the archive.
	Service     string          `json:"service,omitempty"`
	Attestation json.RawMessage `json:"attestation,omitempty"`
}

// recordFile is a file as a bundle brought it, with the ports settled.
type recordFile struct {
	SHA256 string         `json:"sha256"`
	Mode   bundlezip.Mode `json:"mode,omitempty"`
	// Owned says that a pull made the file, and not the user: it goes when a
	// bundle has it no longer.
	Owned bool `json:"owned,omitempty"`
	// Shared says that the file is one of the user's own lines as well, by its place
	// or by how it is merged: it is pushed only when it is named. Older records lack
	// it, and so are not pushed from.
	Shared bool `json:"shared,omitempty"`
	// Left is the digest of what the pull left where it merged into a file that was
	// nobody's but the pulls' before.
	Left string `json:"left,omitempty"`
	// Offered is the digest of what was put beside the file in a conflict, and Stood
	// that of the file then. The pack of bases has what was offered, if it is a text.
	Offered string `json:"offered,omitempty"`
	Stood   string `json:"stood,omitempty"`
}

// unedited says whether a file with that digest is what pulls have made of it, or
// what the user took as it was offered.
func (r recordFile) unedited(digest string) bool {
	return digest != "" && (digest == r.SHA256 || digest == r.Left || digest == r.Offered)
}

// pastPull is one pull in the history of a folder, or one push that followed it: what
// was pushed counts as brought.
type pastPull struct {
	record
	folder    string // .svc/history/<name>, or the folder of the push in it
	authentic bool
	push      *pushRecord // nil for a pull
}

// number counts the pushes after a pull; the pull itself is 0.
func (p pastPull) number() int {
	if p.push == nil {
		return 0
	}
	return p.push.Number
}

// lastPull gives the newest pull of a history, if this user's client made it.
func lastPull(history []pastPull) (pastPull, bool) {
	for _, past := range history {
		if past.push == nil {
			return past, past.authentic
		}
	}
	return pastPull{}, false
}

// checkHistory says whether a path lies in a history folder of a bundle.
func checkHistory(name, bundleID string) error {
	if err := checkBelow(name, historyDir); err != nil {
		return err
	}
	folder, _, _ := strings.Cut(strings.TrimPrefix(name, historyDir+"/"), "/")
	if _, ok := historyNumber(folder, bundleID); !ok {
		return fmt.Errorf("path %q does not belong to bundle %s", name, bundleID)
	}
	return nil
}

// historyNumber reads the name of a history folder: the bundle's id, and when
// the same bundle was pulled again, a dot and a number.
func historyNumber(folder, bundleID string) (int, bool) {
	rest, ok := strings.CutPrefix(folder, bundleID)
	if !ok {
		return 0, false
	}
	if rest == "" {
		return 1, true
	}
	digits, ok := strings.CutPrefix(rest, ".")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 1 && strconv.Itoa(n) == digits
}

// pastPulls gives the pulls and pushes that the history knows: those that this user's
// client has signed first, the newest of them at the head. Folders without a readable
// record are passed over.
func (f *Folder) pastPulls() ([]pastPull, error) {
	k := f.folderKey()
	names, err := f.project.list(historyDir)
	if err != nil {
		return nil, err
	}
	var out []pastPull
	for _, name := range names {
		folder := path.Join(historyDir, name)
		text, err := f.project.read(folder+"/record.json", maxRecord)
		if err != nil {
			continue
		}
		l := pastPull{folder: folder}
		if l.authentic, err = k.verify(purposeRecord, text, &l.record); err != nil {
			continue
		}
		if l.check(name) == nil {
			pushes, err := f.pushesAfter(k, l)
			if err != nil {
				return nil, err
			}
			out = append(append(out, l), pushes...)
		}
	}
	slices.SortFunc(out, func(a, b pastPull) int {
		if a.authentic != b.authentic {
			if a.authentic {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Sequence, a.Sequence), cmp.Compare(b.number(), a.number()), cmp.Compare(b.folder, a.folder))
	})
	return out, nil
}

func (r record) check(folder string) error {
	if _, ok := historyNumber(folder, r.BundleID); !ok || !IsBundleID(r.BundleID) {
		return errors.New("the record belongs to another folder")
	}
	if r.Version != 1 || r.Sequence < 1 || r.Sequence > 1<<30 || !isPullID(r.PullID) || !isDigest(r.Facts) {
		return errors.New("the record is not one of this client's")
	}
	return nil
}

// pastPullOf finds the history of the pull that a log describes. Without one the
// log has to do alone.
func (f *Folder) pastPullOf(l Log) (pastPull, bool, error) {
	facts, err := l.facts()
	if err != nil {
		return pastPull{}, false, err
	}
	all, err := f.pastPulls()
	if err != nil {
		return pastPull{}, false, err
	}
	for _, past := range all {
		if past.BundleID == l.BundleID && past.Facts == facts {
			return past, true, nil
		}
	}
	return pastPull{}, false, nil
}

// newHistory chooses folder and number for the next pull of a bundle.
func (f *Folder) newHistory(bundleID string) (folder string, sequence int, err error) {
	all, err := f.pastPulls()
	if err != nil {
		return "", 0, err
	}
	sequence = 1
	// A record without a signature does not count: it could leave no number free.
	if len(all) > 0 && all[0].authentic {
		sequence = all[0].Sequence + 1
	}
	names, err := f.project.list(historyDir)
	if err != nil {
		return "", 0, err
	}
	highest := 0
	for _, name := range names {
		if n, ok := historyNumber(name, bundleID); ok {
			highest = max(highest, n)
		}
	}
	if highest == 0 {
		return path.Join(historyDir, bundleID), sequence, nil
	}
	return fmt.Sprintf("%s/%s.%d", historyDir, bundleID, highest+1), sequence, nil
}

// base gives what the last pull that brought a project file brought, or nil. A
// record without a signature is not asked: a forged ancestor makes lines of the user
// look like the bundle's, which a merge may take away.
func (r *baseReader) base(name string) []byte {
	for _, past := range r.history {
		if past.authentic && slices.Contains(past.Deleted, name) {
			return nil // what stands there now has another origin
		}
		want, ok := past.Bases[name]
		if _, pushed := past.Files[name]; !ok && pushed && past.push != nil {
			return nil // what was pushed is no text
		}
		if !ok || !past.authentic {
			continue
		}
		content, err := r.read(r.folder.project, past.folder, bundlezip.ProjectRoot, name)
		if err != nil || digestOf(content) != want {
			return nil
		}
		return content
	}
	return nil
}

// fileOf says how the last pull that brought a project file brought it.
// Records without a signature are not asked.
func fileOf(history []pastPull, name string) (recordFile, bool) {
	for _, past := range history {
		if !past.authentic {
			continue
		}
		if slices.Contains(past.Deleted, name) {
			break
		}
		if file, ok := past.Files[name]; ok {
			return file, true
		}
		if digest, ok := past.Bases[name]; ok { // an older record
			return recordFile{SHA256: digest}, true
		}
	}
	return recordFile{}, false
}

// offered gives what was put beside a file in its last conflict, or nil.
func (r *baseReader) offered(name, digest string) []byte {
	for _, past := range r.history {
		if !past.authentic || past.push != nil || past.Files[name].Offered != digest {
			continue
		}
		content, err := r.read(r.folder.project, past.folder, bundlezip.ProjectRoot, name)
		if err == nil && digestOf(content) == digest {
			return content
		}
	}
	return nil
}

// lastBrought says how the last pull of a project, or a push since, brought one of its
// files.
func lastBrought(history []pastPull, projectID, name string) (recordFile, bool) {
	for _, past := range history {
		if !past.authentic || past.ProjectID != projectID {
			continue
		}
		if file, ok := past.Files[name]; ok {
			return file, true
		}
		if past.push == nil || slices.Contains(past.Deleted, name) {
			break
		}
	}
	return recordFile{}, false
}

// foldersMade gives the folders in the tree that pulls have made, as the last
// record has them, without those that are gone.
func (f *Folder) foldersMade(history []pastPull) ([]string, error) {
	last, known := lastPull(history)
	if !known {
		return nil, nil
	}
	var out []string
	for _, name := range last.Folders {
		if bundlezip.CheckPath(name) != nil {
			continue
		}
		at, err := f.project.look(name)
		if err != nil && !errors.Is(err, ErrNotPlain) {
			return nil, err
		}
		if at.folder {
			out = append(out, name)
		}
	}
	return out, nil
}
