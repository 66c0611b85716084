package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// The states of a move out of a data folder.
const (
	// moveBegun: archives are being copied, and the folder can still be served.
	moveBegun = "begun"
	// moveSealed: the records may have arrived. Nobody must change them here.
	moveSealed = "sealed"
	// moveDone: the records have arrived.
	moveDone = "done"
)

// moveNote is what the data folder remembers of being moved.
type moveNote struct {
	ID    string `json:"id"` // of this folder, for the target
	State string `json:"state"`
	moveGoal
	At time.Time `json:"at"`
}

// moveGoal is where things are moved to, by names that people understand and
// that hold no secrets.
type moveGoal struct {
	Records string `json:"to"`
	// Archives and Events are empty where they stay in the folder.
	Archives string `json:"archives,omitempty"`
	Events   string `json:"events,omitempty"`
}

// String says where everything is, as the rest of a sentence about the records.
func (g moveGoal) String() string {
	place := func(what, name string) string {
		if name == "" {
			return what + " left in the folder"
		}
		return what + " in " + name
	}
	return g.Records + " (" + place("archives", g.Archives) + ", " + place("events", g.Events) + ")"
}

// serverNames names the servers of a list of addresses, without what else the
// addresses hold, and whatever their order.
func serverNames(list string) string {
	var hosts []string
	for text := range strings.SplitSeq(list, ",") {
		if u, err := url.Parse(strings.TrimSpace(text)); err == nil && u.Host != "" {
			hosts = append(hosts, u.Host)
		}
	}
	slices.Sort(hosts)
	return strings.Join(slices.Compact(hosts), ",")
}

// checkGoal refuses to take what was moved, or may have been, to other places:
// what was left behind or went elsewhere then would be missing there.
func (d dataDir) checkGoal(note moveNote, goal moveGoal) error {
	if note.State != moveSealed && note.State != moveDone || note.moveGoal == goal {
		return nil
	}
	if note.State == moveSealed {
		return fmt.Errorf("an earlier move to %s was interrupted at its end and may have arrived there; finish it with the same addresses, "+
			"or, if that database was thrown away, remove %s and begin again", note, d.moveFile())
	}
	if note.Records != goal.Records {
		return d.refuseMoved()
	}
	return fmt.Errorf("the data folder %s was moved to %s before, and what has been moved is not moved elsewhere by a second try; "+
		"start the service with what went there. If nobody has used it there yet: throw that database away, remove %s, and move to new places",
		d, note, d.moveFile())
}

func (d dataDir) moveFile() string { return d.path("svcd.moved") }

// readMove reads the note; a folder that nobody moved gets a new name.
func (d dataDir) readMove() (moveNote, error) {
	text, err := os.ReadFile(d.moveFile())
	if errors.Is(err, fs.ErrNotExist) {
		return moveNote{ID: strings.ToLower(rand.Text())}, nil
	}
	var note moveNote
	if err == nil {
		err = json.Unmarshal(text, &note)
	}
	if err != nil {
		return moveNote{}, fmt.Errorf("read what is known of a move of the data folder: %w", err)
	}
	return note, nil
}

func (d dataDir) writeMove(note moveNote) error {
	text, err := json.Marshal(note)
	if err == nil {
		err = renameio.WriteFile(d.moveFile(), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note the move of the data folder: %w", err)
	}
	return nil
}

// refuseMoved keeps everybody from records that live elsewhere now, or are not
// yet all here.
func (d dataDir) refuseMoved() error {
	if err := d.refuseHalfRestored(); err != nil {
		return err
	}
	note, err := d.readMove()
	if err != nil {
		return err
	}
	switch note.State {
	case moveSealed:
		return fmt.Errorf("the records of the data folder %s are being moved to %s, and that was interrupted at its end; "+
			"run svcd migrate again, with the same addresses, to finish it", d, note)
	case moveDone:
		name := "name that database with --database-url"
		if note.Archives != "" {
			name += " and the archives with --blob-url"
		}
		return fmt.Errorf("the records of the data folder %s were moved to %s at %s and live there; %s. "+
			"To return to this folder and lose what happened since, remove %s",
			d, note, note.At.Format(time.RFC3339), name, d.moveFile())
	}
	return nil
}
