package workdir

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
)

// Pending is an acknowledgement that could not be sent yet.
type Pending struct {
	BundleID string
	APIURL   string
}

const (
	maxPending      = 64 << 10
	maxPendingLines = 200
)

// PendingAcks reads the sentinel. Lines that no client writes are passed over:
// the file may have come with a stranger's folder.
func (f *Folder) PendingAcks() ([]Pending, error) {
	at, err := f.project.lookFile(PendingName)
	if err == nil && at.exists && at.info.Size() > maxPending {
		return nil, fmt.Errorf("it has %d bytes, and svc writes no more than %d, so something else has written to it; rename it (its lines name bundles that wait to be acknowledged, so do not throw it away unread) and run the command again", at.info.Size(), maxPending)
	}
	if err != nil {
		return nil, err
	}
	text, err := f.project.read(PendingName, maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parsePending(string(text)), nil
}

func parsePending(text string) []Pending {
	var out []Pending
	for line := range strings.Lines(text) {
		id, url, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && IsBundleID(id) && url != "" && !strings.ContainsFunc(url, blank) && len(out) < maxPendingLines {
			out = append(out, Pending{BundleID: id, APIURL: url})
		}
	}
	return out
}

func blank(r rune) bool { return r <= ' ' || r == 0x7f || unicode.IsSpace(r) }

// AddPending remembers an acknowledgement in the sentinel. It comes first, so
// that lines that lay there before cannot crowd it out.
func (f *Folder) AddPending(p Pending) error {
	return f.editPending(func(all []Pending) []Pending {
		if slices.Contains(all, p) {
			return all
		}
		return slices.Insert(all, 0, p)
	})
}

// SettlePending takes an acknowledgement out of the sentinel; an empty sentinel
// goes.
func (f *Folder) SettlePending(p Pending) error {
	return f.editPending(func(all []Pending) []Pending {
		return slices.DeleteFunc(all, func(q Pending) bool { return q == p })
	})
}

func (f *Folder) editPending(edit func([]Pending) []Pending) error {
	if _, err := f.PendingAcks(); err != nil {
		return err
	}
	unlock, err := f.lock()
	if err != nil {
		return err
	}
	defer unlock() //nolint:errcheck // the lock ends with the process at the latest
	all, err := f.PendingAcks()
	if err != nil {
		return err
	}
	all = edit(all)
	if len(all) == 0 {
		err = f.project.remove(PendingName)
	} else {
		var text strings.Builder
		for i, p := range all {
			line := p.BundleID + " " + p.APIURL + "\n"
			if i == maxPendingLines || text.Len()+len(line) > maxPending {
				break // more than this is not read again
			}
			text.WriteString(line)
		}
		err = f.project.replace(PendingName, tempName, perm{bits: 0o644}, strings.NewReader(text.String()))
	}
	if err != nil {
		return err
	}
	if open, err := f.Interrupted(); err != nil || open {
		return err
	}
	return f.tidy()
}
