package workdir

import (
	"encoding/binary"
	"encoding/hex"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// pushRecord is what the history keeps about one push.
type pushRecord struct {
	Version int    `json:"push_version"`
	Number  int    `json:"number"` // pushes after the same pull, counted
	PullID  string `json:"pull_id"`
	// Key tells the request that was answered.
	Key   string    `json:"key"`
	Base  string    `json:"base"`
	State string    `json:"state"`
	At    time.Time `json:"at"` // by the service's clock
	// Files are those that were pushed, as they were in the folder; Bases are the
	// digests of the contents in the pack of bases.
	Files   map[string]recordFile `json:"files,omitempty"`
	Deleted []string              `json:"deleted,omitempty"`
	Bases   map[string]string     `json:"bases,omitempty"`
}

// pushesAfter gives the pushes that followed a pull. Those that this user's client has
// not signed do not count.
func (f *Folder) pushesAfter(k key, pull pastPull) ([]pastPull, error) {
	names, err := f.project.list(pull.folder + "/push")
	if err != nil {
		return nil, err
	}
	var out []pastPull
	for _, name := range names {
		folder := path.Join(pull.folder, "push", name)
		text, err := f.project.read(folder+"/record.json", maxRecord)
		if err != nil {
			continue
		}
		var r pushRecord
		authentic, err := k.verify(purposePush, text, &r)
		if err != nil || !authentic || !pull.authentic || r.Version != 1 || r.PullID != pull.PullID || strconv.Itoa(r.Number) != name || r.Number < 1 {
			continue
		}
		out = append(out, pastPull{folder: folder, authentic: true, push: &r, record: record{
			Sequence: pull.Sequence, PullID: pull.PullID, BundleID: pull.BundleID, ProjectID: pull.ProjectID, State: r.State,
			Files: r.Files, Deleted: r.Deleted, Bases: r.Bases,
		}})
	}
	return out, nil
}

// pushedBefore leaves out the pushes that are younger than a bundle: it cannot hold
// what they brought, which is then the user's own edit again. A bundle that holds the
// state that a push made, or was made on, tells by that; others by the clocks.
func pushedBefore(history []pastPull, bundleID, state string) []pastPull {
	for i, p := range history {
		switch {
		case p.push == nil || state == "":
		case p.push.State == state:
			return slices.Concat(onlyPulls(history[:i]), history[i:])
		case p.push.Base == state:
			return slices.Concat(onlyPulls(history[:i]), history[i+1:])
		}
	}
	made, known := timeOfBundle(bundleID)
	if !known {
		return history
	}
	return slices.DeleteFunc(history, func(p pastPull) bool { return p.push != nil && p.push.At.After(made) })
}

func onlyPulls(history []pastPull) []pastPull {
	return slices.DeleteFunc(slices.Clone(history), func(p pastPull) bool { return p.push != nil })
}

// timeOfBundle reads the time out of the id of a bundle, if it is one that has it.
func timeOfBundle(id string) (time.Time, bool) {
	b, err := hex.DecodeString(strings.ReplaceAll(id, "-", ""))
	if err != nil || len(b) != 16 || b[6]>>4 != 7 {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(binary.BigEndian.Uint64(b) >> 16)), true
}

// shared says whether a file holds lines of the user's own.
func shared(d bundlezip.DestinationType, s bundlezip.MergeStrategy) bool {
	switch s {
	case bundlezip.ThreeWay, bundlezip.Overwrite, bundlezip.CreateOnly:
		return d != bundlezip.Project
	}
	return true
}

// notePush writes a push that was answered into the history of its pull. The record
// comes last, and makes it count.
func (f *Folder) notePush(pull pastPull, r pushRecord, contents map[string][]byte) error {
	d := f.project
	pushes, err := d.list(pull.folder + "/push")
	if err != nil {
		return err
	}
	for _, name := range pushes {
		if n, err := strconv.Atoi(name); err == nil {
			r.Number = max(r.Number, n)
		}
	}
	r.Number++
	folder := path.Join(pull.folder, "push", strconv.Itoa(r.Number))
	if err := d.parents(folder + "/"); err != nil {
		return err
	}
	if r.Bases, err = writeBases(d, folder, pull.ProjectID, contents); err != nil {
		return err
	}
	return f.folderKey().replace(d, folder+"/record.json", tempName, purposePush, r)
}

// writeBases keeps what was pushed as the pack of bases in a folder, and gives the
// digests.
func writeBases(d disk, folder, projectID string, contents map[string][]byte) (map[string]string, error) {
	if len(contents) == 0 {
		return nil, nil
	}
	digests := map[string]string{}
	kept := bundlezip.State{ProjectID: projectID}
	for name, content := range contents {
		digests[name] = digestOf(content)
		kept.Files = append(kept.Files, bundlezip.StateFile{Path: name, Content: bundlezip.Bytes(content)})
	}
	name := folder + "/" + basesName
	err := d.createWith(name, perm{bits: 0o600}, func(file *os.File) error {
		_, err := bundlezip.Write(file, kept)
		return err
	})
	if err != nil {
		return nil, err
	}
	return digests, d.syncAll([]string{name})
}
