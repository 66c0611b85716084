package workdir

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// The names that the client keeps for itself.
const (
	// LogName is the log of the last pull, at the project root.
	LogName = "resolution_log.json"
	// RollbackLogName is the log of the last rollback, at the project root.
	RollbackLogName = "rollback_log.json"
	// PendingName is the sentinel that holds acknowledgements not yet sent.
	PendingName = ".svc.ack-pending"
	// BackupSuffix ends the copy beside a global configuration file.
	BackupSuffix = ".svc.backup"
	// NewSuffix ends the incoming text beside a file that it conflicts with.
	NewSuffix = ".svc.new"

	stateDir    = ".svc"
	ignoreName  = stateDir + "/.gitignore"
	lockName    = stateDir + "/lock"
	journalName = stateDir + "/journal.json"
	journalTemp = stateDir + "/journal.draft"
	tempName    = stateDir + "/draft"
	stageDir    = stateDir + "/stage"
	historyDir  = stateDir + "/history"
	trashDir    = stateDir + "/trash"
	pullsDir    = stateDir + "/pulls"
	pushDir     = stateDir + "/push"
	keyName     = stateDir + "/folder.key"

	// ignoreAll keeps everything in .svc out of version control.
	ignoreAll = "*\n"
)

// checkTarget says whether a log or journal may speak of a file at this place:
// the places that a bundle may write to, and the client's own files beside them.
func checkTarget(name string) error {
	if name == LogName || name == RollbackLogName {
		return nil
	}
	name = strings.Replace(name, NewSuffix+"/", "/", 1)
	for _, suffix := range []string{BackupSuffix, NewSuffix} {
		if bare, ok := strings.CutSuffix(name, suffix); ok {
			name = bare
			break
		}
	}
	return bundlezip.CheckPath(name)
}

// IsBeside says whether a path is of an incoming text that lies beside a file of the
// user's, or in a folder beside it.
func IsBeside(name string) bool { return strings.Contains(name+"/", NewSuffix+"/") }

// checkBelow says whether a path lies in a folder below .svc.
func checkBelow(name, folder string) error {
	if !fs.ValidPath(name) || strings.ContainsAny(name, `\:`) || !strings.HasPrefix(name, folder+"/") {
		return fmt.Errorf("path %q does not lie in %s", name, folder)
	}
	return nil
}

// isStatePath says whether a path is one of the client's own, below .svc.
func isStatePath(name string) bool { return strings.HasPrefix(name, stateDir+"/") }

// IsBundleID says whether an id has the form of a UUID, so that it can stand in
// a path.
func IsBundleID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i, c := range []byte(id) {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case (c < '0' || c > '9') && (c < 'a' || c > 'f'):
			return false
		}
	}
	return true
}

// parentFolders gives the folders above a path, outermost first.
func parentFolders(name string) []string {
	var out []string
	for i := range len(name) {
		if name[i] == '/' {
			out = append(out, name[:i])
		}
	}
	return out
}
