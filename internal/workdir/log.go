package workdir

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// LogVersion is the version of both logs.
const LogVersion = 1

// EntryType says what an entry of the log is about.
type EntryType string

// The types of entries.
const (
	GlobalConfigBackup   EntryType = "global_config_backup"
	FileBackup           EntryType = "file_backup"
	FileWritten          EntryType = "file_written"
	ConfigMerged         EntryType = "config_merged"
	FileKept             EntryType = "file_kept"
	FileDeleted          EntryType = "file_deleted"
	ConflictEntry        EntryType = "conflict"
	PortConflictResolved EntryType = "port_conflict_resolved"
	DirectoryCreated     EntryType = "directory_created"
)

// Entry is one line of the log.
type Entry struct {
	Type          EntryType               `json:"type"`
	Path          string                  `json:"path,omitempty"`
	Base          bundlezip.Base          `json:"base,omitempty"`
	MergeStrategy bundlezip.MergeStrategy `json:"merge_strategy,omitempty"`
	Backup        string                  `json:"backup,omitempty"`
	SHA256Before  string                  `json:"sha256_before,omitempty"`
	SHA256After   string                  `json:"sha256_after,omitempty"`
	Name          string                  `json:"name,omitempty"`
	From          int                     `json:"from,omitempty"`
	To            int                     `json:"to,omitempty"`
	Attempts      *int                    `json:"attempts,omitempty"`
	// Detail says in words what a conflict is about and how it ended, why a port has its
	// number, or what else is to be known of a file.
	Detail string `json:"detail,omitempty"`
}

// AckStatus says what became of the acknowledgement.
type AckStatus string

// The states of an acknowledgement.
const (
	AckNotSent      AckStatus = "not_sent"
	AckAcknowledged AckStatus = "acknowledged"
	AckSettled      AckStatus = "settled" // the server had nothing left to delete
	AckPending      AckStatus = "pending" // .svc.ack-pending holds it
)

// Ack is the part of the log about the acknowledgement.
type Ack struct {
	Status       AckStatus `json:"status"`
	DownloadedAt string    `json:"downloaded_at,omitempty"`
}

// Log is resolution_log.json: what a pull did.
type Log struct {
	Version       int     `json:"log_version"`
	BundleID      string  `json:"bundle_id"`
	ProjectID     string  `json:"project_id"`
	ClientVersion string  `json:"client_version"`
	StartedAt     string  `json:"started_at"`
	FinishedAt    string  `json:"finished_at"`
	Entries       []Entry `json:"entries"`
	Ack           Ack     `json:"ack"`
}

// RollbackLog is rollback_log.json: what a rollback did. Paths in the home
// folder begin with "~/".
type RollbackLog struct {
	Version    int      `json:"log_version"`
	BundleID   string   `json:"bundle_id"`
	FinishedAt string   `json:"finished_at"`
	Restored   []string `json:"restored"`
	Deleted    []string `json:"deleted"`
	Preserved  []string `json:"preserved"`
}

// Limits of what is read from a folder.
const (
	maxLog        = 16 << 20
	maxLogEntries = 60_000
)

// ErrNoLog says that there is no log at the project root.
var ErrNoLog = errors.New("there is no " + LogName + " in this folder")

// noLogFor says what cannot be done without a log.
func noLogFor(err error, purpose string) error {
	if errors.Is(err, ErrNoLog) {
		return fmt.Errorf("%w, so there is nothing to %s; run svc in the folder of the pull", err, purpose)
	}
	return err
}

// encodeDocument gives the text of a log, for people as well.
func encodeDocument(document any) ([]byte, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(document); err != nil {
		return nil, err
	}
	return text.Bytes(), nil
}

// ParseLog reads a log and refuses one that speaks of places that no pull
// could have written to. It says nothing about who wrote it.
func ParseLog(text []byte) (Log, error) {
	var l Log
	if err := json.Unmarshal(text, &l); err != nil {
		return Log{}, fmt.Errorf("%s cannot be read: %w", LogName, err)
	}
	if err := l.check(); err != nil {
		return Log{}, fmt.Errorf("%s is not a log of svc: %w", LogName, err)
	}
	return l, nil
}

func (l Log) check() error {
	switch {
	case l.Version != LogVersion:
		return fmt.Errorf("its log_version is %d, this client knows %d", l.Version, LogVersion)
	case !IsBundleID(l.BundleID):
		return fmt.Errorf("its bundle_id %q is no UUID", l.BundleID)
	case len(l.Entries) > maxLogEntries:
		return fmt.Errorf("it has more than %d entries", maxLogEntries)
	}
	written := map[string]bool{}
	backed := map[string]bool{}
	for i, e := range l.committed().Entries {
		if err := e.check(l.BundleID); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
		seen := backed
		switch e.Type {
		case FileWritten, ConfigMerged, FileDeleted:
			seen = written
		case FileBackup, GlobalConfigBackup:
		case FileKept, ConflictEntry, PortConflictResolved, DirectoryCreated:
			continue
		}
		id := string(e.Base) + ":" + e.Path
		if seen[id] {
			return fmt.Errorf("entry %d: %q is there twice", i, e.Path)
		}
		seen[id] = true
	}
	return nil
}

func (e Entry) check(bundleID string) error {
	if e.Type == PortConflictResolved {
		return nil
	}
	if e.Base != bundlezip.ProjectRoot && e.Base != bundlezip.Home {
		return fmt.Errorf("base %q is unknown", e.Base)
	}
	if err := checkTarget(e.Path); err != nil {
		return err
	}
	if err := errors.Join(checkDigest(e.SHA256Before), checkDigest(e.SHA256After)); err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	switch e.Type {
	case FileWritten, ConfigMerged:
		if e.SHA256After == "" {
			return fmt.Errorf("%s: sha256_after is missing", e.Path)
		}
	case GlobalConfigBackup:
		if e.Backup != e.Path+BackupSuffix || e.SHA256Before == "" {
			return fmt.Errorf("%s: %q is not its backup", e.Path, e.Backup)
		}
	case FileBackup:
		if e.Base == bundlezip.Home {
			return nil // believed only from ~/.svc, which does not read the log
		}
		if e.SHA256Before == "" {
			return fmt.Errorf("%s: sha256_before is missing", e.Path)
		}
		return checkHistory(e.Backup, bundleID)
	case FileDeleted:
		if e.Base != bundlezip.ProjectRoot || e.SHA256Before == "" {
			return fmt.Errorf("%s: base or sha256_before cannot be right", e.Path)
		}
		return checkHistory(e.Backup, bundleID)
	case FileKept, ConflictEntry, DirectoryCreated:
	case PortConflictResolved:
	default:
		return fmt.Errorf("type %q is unknown", e.Type)
	}
	return nil
}

// facts is the part of the log that a signature vouches for: all but what changes
// after the pull.
func (l Log) facts() (string, error) {
	text, err := json.Marshal(struct {
		BundleID  string  `json:"bundle_id"`
		ProjectID string  `json:"project_id"`
		StartedAt string  `json:"started_at"`
		Entries   []Entry `json:"entries"`
	}{l.BundleID, l.ProjectID, l.StartedAt, l.committed().Entries})
	return digestOf(text), err
}

// leave notes that files are left which the pull was to delete, and says whether that
// is news.
func (l *Log) leave(names []string) (changed bool) {
	for i := range l.Entries {
		if e := &l.Entries[i]; e.Type == FileDeleted && slices.Contains(names, e.Path) {
			e.Type, e.Detail, changed = FileKept, "it was changed while the pull ran", true
		}
	}
	return changed
}

// LeftBehind says whether the entry is of a file that the pull was to delete and left,
// because somebody had changed it meanwhile.
func (e Entry) LeftBehind() bool { return e.Type == FileKept && e.Backup != "" }

// committed gives the log as it was when the pull was committed: only then is it known
// which of the files that it deletes are left. What they were lies in the history as
// that of the deleted ones does, so that a rollback brings it back.
func (l Log) committed() Log {
	l.Entries = slices.Clone(l.Entries)
	for i, e := range l.Entries {
		if e.LeftBehind() {
			l.Entries[i].Type, l.Entries[i].Detail = FileDeleted, ""
		}
	}
	return l
}

// ReadLog reads the log at the project root. ErrNoLog if there is none.
func (f *Folder) ReadLog() (Log, error) {
	text, err := f.project.read(LogName, maxLog)
	if errors.Is(err, fs.ErrNotExist) {
		return Log{}, ErrNoLog
	}
	if err != nil {
		return Log{}, err
	}
	return ParseLog(text)
}

// SetAck notes in the log what became of the acknowledgement of a bundle. A log
// of another bundle is left alone.
func (f *Folder) SetAck(bundleID string, ack Ack) error {
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	l, err := f.ReadLog()
	if err != nil || l.BundleID != bundleID {
		return err
	}
	l.Ack = ack
	return f.replaceLog(LogName, l)
}

// replaceLog writes a log anew.
func (f *Folder) replaceLog(name string, l any) error {
	text, err := encodeDocument(l)
	if err != nil {
		return err
	}
	return f.project.replace(name, tempName, perm{bits: 0o644}, bytes.NewReader(text))
}
