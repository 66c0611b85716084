package workdir

import (
	"encoding/json"
	"io/fs"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// Digest names all that carrying the plan out would do: two plans with the same digest
// find the same files in the same folder and leave the same ones. What differs from one moment to
// the next (the time, the number of the pull) is no part of it, nor is what the log
// of the pull before says about its acknowledgement.
func (p *Plan) Digest() (string, error) {
	type file struct {
		Base                             bundlezip.Base
		Path                             string
		Before, After, Backup, Displaced string
		Bits                             fs.FileMode
		Exact                            bool
	}
	shown := struct {
		Folder, BundleID, ProjectID, State string
		History                            string
		Sequence                           int
		Entries                            []Entry
		Ports                              map[string]int
		Writes, Deletions                  []file
		Emptied                            []goneFolder
	}{
		Folder: p.folder.dir, BundleID: p.Log.BundleID, ProjectID: p.Log.ProjectID, State: p.state,
		History: p.history, Sequence: p.sequence, Ports: p.ports.given, Emptied: p.emptied,
	}
	for _, e := range p.Log.Entries {
		if e.Path == LogName {
			e.SHA256Before, e.SHA256After = "", ""
		}
		shown.Entries = append(shown.Entries, e)
	}
	for _, w := range p.writes {
		shown.Writes = append(shown.Writes, file{
			Base: w.base, Path: w.path, Before: w.before, After: w.after, Backup: w.backup, Displaced: w.displaced,
			Bits: w.perm.bits, Exact: w.perm.exact,
		})
	}
	for _, d := range p.deletions {
		shown.Deletions = append(shown.Deletions, file{Path: d.path, Before: d.before, Backup: d.backup})
	}
	text, err := json.Marshal(shown)
	return digestOf(text), err
}

// Digest names all that the push would send.
func (p *PushPlan) Digest() (string, error) {
	type file struct {
		Path, SHA256 string
		New          bool
		Mode         bundlezip.Mode
	}
	shown := struct {
		ProjectID, Base, PullID string
		Files                   []file
		Deleted                 []string
	}{ProjectID: p.ProjectID, Base: p.Base, PullID: p.pull.PullID, Deleted: p.Deleted}
	for _, f := range p.Files {
		shown.Files = append(shown.Files, file{f.Path, digestOf(f.Content), f.New, f.Mode})
	}
	text, err := json.Marshal(shown)
	return digestOf(text), err
}
