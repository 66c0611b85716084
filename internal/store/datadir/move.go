package datadir

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// The states of a move out of a data folder.
const (
	// Begun: archives are being copied, and the folder can still be served.
	Begun = "begun"
	// Sealed: the records may have arrived. Nobody must change them here.
	Sealed = "sealed"
	// Done: the records have arrived.
	Done = "done"
)

// MoveNote is what the data folder remembers of being moved.
type MoveNote struct {
	ID    string `json:"id"` // of this folder, for the target
	State string `json:"state"`
	Goal
	At time.Time `json:"at"`
}

// Goal is where things are moved to, by names that people understand and that
// hold no secrets.
type Goal struct {
	Records string `json:"to"`
	// Archives and Events are empty where they stay in the folder.
	Archives string `json:"archives,omitempty"`
	Events   string `json:"events,omitempty"`
}

// String says where everything is, as the rest of a sentence about the records.
func (g Goal) String() string {
	place := func(what, name string) string {
		if name == "" {
			return what + " left in the folder"
		}
		return what + " in " + name
	}
	return g.Records + " (" + place("archives", g.Archives) + ", " + place("events", g.Events) + ")"
}

// CheckGoal refuses to take what was moved, or may have been, to other places:
// what was left behind or went elsewhere then would be missing there.
func (d Dir) CheckGoal(note MoveNote, goal Goal) error {
	if note.State != Sealed && note.State != Done || note.Goal == goal {
		return nil
	}
	if note.State == Sealed {
		return fmt.Errorf("an earlier move to %s was interrupted at its end and may have arrived there; finish it with the same addresses, "+
			"or, if that database was thrown away, remove %s and begin again", note, d.moveFile())
	}
	if note.Records != goal.Records {
		return d.RefuseMoved()
	}
	return fmt.Errorf("the data folder %s was moved to %s before, and what has been moved is not moved elsewhere by a second try; "+
		"start the service with what went there. If nobody has used it there yet: throw that database away, remove %s, and move to new places",
		d, note, d.moveFile())
}

func (d Dir) moveFile() string { return d.Path("svcd.moved") }

// ReadMove reads the note; a folder that nobody moved gets a new name.
func (d Dir) ReadMove() (MoveNote, error) {
	text, err := os.ReadFile(d.moveFile())
	if errors.Is(err, fs.ErrNotExist) {
		return MoveNote{ID: strings.ToLower(rand.Text())}, nil
	}
	var note MoveNote
	if err == nil {
		err = json.Unmarshal(text, &note)
	}
	if err != nil {
		return MoveNote{}, fmt.Errorf("read what is known of a move of the data folder: %w", err)
	}
	return note, nil
}

// WriteMove writes the note; all of it appears or nothing.
func (d Dir) WriteMove(note MoveNote) error {
	text, err := json.Marshal(note)
	if err == nil {
		err = renameio.WriteFile(d.moveFile(), append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("note the move of the data folder: %w", err)
	}
	return nil
}

// RefuseMoved keeps everybody from records that live elsewhere now, or are not
// yet all here.
func (d Dir) RefuseMoved() error {
	if err := d.RefuseHalfRestored(); err != nil {
		return err
	}
	note, err := d.ReadMove()
	if err != nil {
		return err
	}
	switch note.State {
	case Sealed:
		return fmt.Errorf("the records of the data folder %s are being moved to %s, and that was interrupted at its end; "+
			"run svcd migrate again, with the same addresses, to finish it", d, note)
	case Done:
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
