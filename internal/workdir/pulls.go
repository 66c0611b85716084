package workdir

import (
	"errors"
	"io/fs"
)

// Pulled is one pull that can be taken back.
type Pulled struct {
	BundleID  string `json:"bundle_id"`
	ProjectID string `json:"project_id"`
	At        string `json:"pulled_at"`
	// Signed says that this user's client wrote its log.
	Signed bool `json:"sealed"`
	// The numbers of files, and of conflicts that were logged.
	Written   int `json:"written"`
	Merged    int `json:"merged"`
	Deleted   int `json:"deleted"`
	Conflicts int `json:"conflicts"`
	Pushes    int `json:"pushes"` // that followed it
}

// History gives the pulls that can be taken back, the last one first: the order in
// which they are. None is no error. It writes nothing.
func (f *Folder) History() ([]Pulled, error) {
	l, err := f.ReadLog()
	if errors.Is(err, ErrNoLog) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	past, err := f.pastPulls()
	if err != nil {
		return nil, err
	}
	var out []Pulled
	// Each log says where the one before is kept; a forged one may lead in a circle.
	for seen := map[string]bool{}; ; {
		p, err := pulledOf(l, past)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
		before, ok := logBefore(l)
		if !ok || seen[before.Backup] {
			return out, nil
		}
		seen[before.Backup] = true
		text, err := f.project.read(before.Backup, maxLog)
		if errors.Is(err, fs.ErrNotExist) || err == nil && digestOf(text) != before.SHA256Before {
			return out, nil // a rollback says what that means
		}
		if err != nil {
			return nil, err
		}
		if l, err = ParseLog(text); err != nil {
			return out, nil //nolint:nilerr // it cannot be taken back
		}
	}
}

// logBefore is where a log says that the one before is kept.
func logBefore(l Log) (Entry, bool) {
	for _, e := range l.Entries {
		if e.Type == FileBackup && e.Path == LogName {
			return e, true
		}
	}
	return Entry{}, false
}

func pulledOf(l Log, past []pastPull) (Pulled, error) {
	p := Pulled{BundleID: l.BundleID, ProjectID: l.ProjectID, At: l.FinishedAt}
	for _, e := range l.Entries {
		switch e.Type {
		case FileWritten:
			p.Written++
		case ConfigMerged:
			p.Merged++
		case FileDeleted:
			p.Deleted++
		case ConflictEntry:
			p.Conflicts++
		case GlobalConfigBackup, FileBackup, FileKept, PortConflictResolved, DirectoryCreated:
		}
	}
	facts, err := l.facts()
	if err != nil {
		return p, err
	}
	pullID := ""
	for _, r := range past {
		if r.push == nil && r.BundleID == l.BundleID && r.Facts == facts {
			p.Signed, pullID = r.authentic, r.PullID
		}
	}
	for _, r := range past {
		if r.push != nil && r.PullID == pullID {
			p.Pushes++
		}
	}
	return p, nil
}

// LastBundle is the bundle that a rollback takes back: that of the last pull, or of
// what was interrupted here.
func (f *Folder) LastBundle() (string, error) {
	open, err := f.Unfinished()
	if err != nil || open.Kind != "" {
		return open.BundleID, err
	}
	l, err := f.ReadLog()
	return l.BundleID, noLogFor(err, "take back")
}

// Project is the project of the last pull by this user's client, or "".
func (f *Folder) Project() (string, error) {
	history, err := f.pastPulls()
	if err != nil {
		return "", err
	}
	if last, known := lastPull(history); known {
		return last.ProjectID, nil
	}
	return "", nil
}
