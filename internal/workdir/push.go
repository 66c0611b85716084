package workdir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const (
	requestName = pushDir + "/request.json"
	changesName = pushDir + "/changes.zip"
	// maxChanges is the size of the largest archive of changes.
	maxChanges = 32 << 20
)

// ErrPushMoot says that the folder is not what it was when a push was planned.
var ErrPushMoot = errors.New("the folder changed since the push was planned; run the command again")

// pushRequest is a push that is about to be sent, or was sent and not answered.
type pushRequest struct {
	Version   int    `json:"request_version"`
	APIURL    string `json:"api_url"`
	ProjectID string `json:"project_id"`
	PullID    string `json:"pull_id"`
	Base      string `json:"base"`
	Key       string `json:"key"`
	Archive   string `json:"archive"` // digest of changes.zip
	// Files are those in the archive, as they were in the folder.
	Files   map[string]recordFile `json:"files,omitempty"`
	Deleted []string              `json:"deleted,omitempty"`
}

// Pushing is a push under way. The folder is locked until it is ended by Answered,
// Refused or Leave.
type Pushing struct {
	// Archive is what is sent.
	Archive []byte

	folder  *Folder
	request pushRequest
	pull    pastPull
	unlock  func() error
}

// ProjectID is the project that is pushed to.
func (p *Pushing) ProjectID() string { return p.request.ProjectID }

// Key tells this push from others, so that it can be repeated.
func (p *Pushing) Key() string { return p.request.Key }

// Push makes a push that was planned ready to be sent to a service: from here on it
// can be found again. Note is what the archive says of itself.
func (f *Folder) Push(plan *PushPlan, apiURL, key string, note []byte) (*Pushing, error) {
	r := pushRequest{
		Version: 1, APIURL: apiURL, ProjectID: plan.ProjectID, PullID: plan.pull.PullID, Base: plan.Base, Key: key,
		Files: map[string]recordFile{}, Deleted: plan.Deleted,
	}
	var files []bundlezip.StateFile
	for _, file := range plan.Files {
		r.Files[file.Path] = file.local
		files = append(files, bundlezip.StateFile{Path: file.Path, Mode: file.Mode, Content: bundlezip.Bytes(file.Content)})
	}
	var archive bytes.Buffer
	if err := bundlezip.WriteChanges(&archive, note, files); err != nil {
		return nil, err
	}
	if archive.Len() > maxChanges {
		return nil, fmt.Errorf("the changes have %d bytes as an archive, and one push can take %d", archive.Len(), maxChanges)
	}
	r.Archive = digestOf(archive.Bytes())
	unlock, err := f.lock()
	if err != nil {
		return nil, err
	}
	p := &Pushing{Archive: archive.Bytes(), folder: f, request: r, pull: plan.pull, unlock: unlock}
	if err := p.write(plan); err != nil {
		return nil, errors.Join(err, unlock())
	}
	return p, nil
}

// write puts the request on the disk. Its record comes last, and makes it count.
func (p *Pushing) write(plan *PushPlan) error {
	d := p.folder.project
	history, err := p.folder.pastPulls()
	if err != nil {
		return err
	}
	if pull, known := lastPull(history); !known || pull.PullID != plan.pull.PullID || history[0].State != plan.Base {
		return ErrPushMoot
	}
	if err := p.clear(); err != nil {
		return err
	}
	if err := d.replace(changesName, tempName, perm{bits: 0o600}, bytes.NewReader(p.Archive)); err != nil {
		return err
	}
	return p.folder.folderKey().replace(d, requestName, tempName, purposeRequest, p.request)
}

// clear takes the request away, its record first.
func (p *Pushing) clear() error {
	if err := p.folder.project.remove(requestName); err != nil {
		return err
	}
	return p.folder.project.removeTree(pushDir)
}

// UnansweredPush finds a push to a service that was made ready in this folder and of
// which nobody knows what became: nil if there is none. One that the history already
// knows, or whose pull is gone, is cleared away.
func (f *Folder) UnansweredPush(apiURL string) (*Pushing, error) {
	if at, err := f.project.look(pushDir); err != nil || !at.exists {
		return nil, err
	}
	unlock, err := f.lock()
	if err != nil {
		return nil, err
	}
	p := &Pushing{folder: f, unlock: unlock}
	found, err := p.read(apiURL)
	if err != nil || !found {
		return nil, errors.Join(err, unlock())
	}
	return p, nil
}

func (p *Pushing) read(apiURL string) (found bool, err error) {
	d := p.folder.project
	text, err := d.read(requestName, maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return false, errors.Join(p.clear(), p.folder.tidy()) // it died before it was ready
	}
	if err != nil {
		return false, err
	}
	authentic, err := p.folder.folderKey().verify(purposeRequest, text, &p.request)
	if err != nil || !authentic || p.request.Version != 1 {
		// Somebody else's, who came with the folder: it is not sent.
		return false, p.clear()
	}
	if p.request.APIURL != apiURL {
		return false, nil // for when that service is asked again
	}
	history, err := p.folder.pastPulls()
	if err != nil {
		return false, err
	}
	pull, known := lastPull(history)
	if !known || pull.PullID != p.request.PullID || history[0].push != nil && history[0].push.Key == p.request.Key {
		return false, p.clear()
	}
	p.pull = pull
	if p.Archive, err = d.read(changesName, maxChanges); err != nil || digestOf(p.Archive) != p.request.Archive {
		return false, p.clear()
	}
	return true, nil
}

// Answered notes that the service has taken the push: what was sent counts as brought.
func (p *Pushing) Answered(state string, at time.Time) error {
	changes, err := bundlezip.CheckChanges(bytes.NewReader(p.Archive), int64(len(p.Archive)))
	if err != nil {
		return errors.Join(err, p.unlock())
	}
	contents := map[string][]byte{}
	for _, file := range changes.Files {
		local := p.request.Files[file.Path]
		content, err := changes.ReadFile(file)
		if err != nil {
			return errors.Join(err, p.unlock())
		}
		content = renumber(content, file.Path, p.pull.PortUses, p.pull.Declared, p.pull.Ports)
		if len(content) <= maxMerged && isText(content) && digestOf(content) == local.SHA256 {
			contents[file.Path] = content
		}
	}
	err = p.folder.notePush(p.pull, pushRecord{
		Version: 1, PullID: p.request.PullID, Key: p.request.Key, Base: p.request.Base, State: state, At: at,
		Files: p.request.Files, Deleted: p.request.Deleted,
	}, contents)
	if err == nil {
		err = p.clear()
	}
	return errors.Join(err, p.unlock())
}

// Refused notes that the service has not taken the push and never will.
func (p *Pushing) Refused() error { return errors.Join(p.clear(), p.unlock()) }

// Leave ends the push without knowing what became of it.
func (p *Pushing) Leave() error { return p.unlock() }
