package main

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
	// moveBegun: archives are being copied, and the folder can still be served.
	moveBegun = "begun"
	// moveSealed: the records may have arrived. Nobody must change them here.
	moveSealed = "sealed"
	// moveDone: the records have arrived.
	moveDone = "done"
)

// moveNote is what the data folder remembers of being moved.
type moveNote struct {
	ID    string    `json:"id"` // of this folder, for the target
	State string    `json:"state"`
	To    string    `json:"to"` // for people, without secrets
	At    time.Time `json:"at"`
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
			"run svcd migrate again, with the same addresses, to finish it", d, note.To)
	case moveDone:
		return fmt.Errorf("the records of the data folder %s were moved to %s at %s and live there; name that database with --database-url "+
			"(and the archives with --blob-url). To return to this folder and lose what happened since, remove %s",
			d, note.To, note.At.Format(time.RFC3339), d.moveFile())
	}
	return nil
}
