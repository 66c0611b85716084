// Package pull brings bundles of the service into a folder and sends edits back.
//
// A [Session] has the use cases of the client that need both a folder and the service:
// [Session.Prepare] downloads a bundle, verifies who made it and plans its pull, and
// [Prepared.Apply] carries the plan out and acknowledges the bundle; [Session.PreparePush]
// and [PreparedPush.Send] do the same for edits. Between the two the caller shows the
// plan, asks a person, or compares a digest. What needs the folder alone, such as a
// rollback or a difference, is in package workdir.
//
// The commands of svc and the tools for agents share this package; it prints nothing,
// asks nobody and reads no flags.
package pull

import (
	"fmt"
	"strings"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// Session is a user's client at work in one folder. It is used by one goroutine at a time.
type Session struct {
	Folder *workdir.Folder
	// Connect makes a client of the service. It is called only when the network is
	// needed, so that an interrupted pull is finished without it.
	Connect func() (*client.Client, error)
	Keys    Keyring
	// Tell receives what a person should know besides the result, in order.
	Tell func(Note)
	// Progress, if there is one, is told how far a download is; total is negative where
	// that is not known.
	Progress func(have, total int64)
	// Unattended makes an unfinished pull or rollback of an earlier process an error,
	// because no person has seen what finishing it would do.
	Unattended bool

	// Remembered is set to the project of the last pull where it stood in for one that
	// the caller did not name.
	Remembered string

	client *client.Client
}

// Note is a line for a person.
type Note struct {
	// Warning reports that everybody should see the note.
	Warning bool
	Word    string // what it is about, such as "conflict:"; may be empty
	Text    string
}

// wordWidth is the width of the column of words.
const wordWidth = 9

// String returns the note as a line.
func (n Note) String() string {
	if n.Word == "" {
		return n.Text
	}
	return fmt.Sprintf("%-*s %s", wordWidth, n.Word, n.Text)
}

func (s *Session) note(format string, args ...any) {
	s.Tell(Note{Text: fmt.Sprintf(format, args...)})
}

func (s *Session) warn(format string, args ...any) {
	s.Tell(Note{Warning: true, Text: fmt.Sprintf(format, args...)})
}

func (s *Session) connect() (err error) {
	if s.client == nil {
		s.client, err = s.Connect()
	}
	return err
}

// ready finishes what an earlier command could not, or refuses a folder in which
// something is unfinished. It needs no network, and so nothing that fails there keeps a
// folder half done.
func (s *Session) ready(dryRun bool) error {
	if dryRun || s.Unattended {
		return s.Folder.CheckFinished()
	}
	done, err := s.Folder.Recover()
	if err == nil && done.Kind != "" {
		s.note("An interrupted %s of bundle %s was finished first.", done.Kind, done.BundleID)
	}
	return err
}

// firstLine returns the first line of an error.
func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
