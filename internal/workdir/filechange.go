package workdir

import (
	"errors"

	"github.com/bundle-delivery/svc/internal/text/diff"
)

// FileChange is one file that will have a new content.
type FileChange struct {
	Name   string // as people read it
	Before func() ([]byte, error)
	After  func() ([]byte, error)
	// Deleted says that the file goes; After then gives nothing.
	Deleted bool
}

// ErrTooLarge says that a content is too large to be shown.
var ErrTooLarge = errors.New("too large to show")

// Unified gives a change as diff -u shows it. What cannot be shown so is named in one
// line.
func (c FileChange) Unified() (string, error) {
	before, err := c.Before()
	var after []byte
	if err == nil {
		after, err = c.After()
	}
	switch {
	case errors.Is(err, ErrTooLarge):
		return "too large to show: " + c.Name + "\n", nil
	case errors.Is(err, ErrNotKept):
		return "changed, and " + ErrNotKept.Error() + ": " + c.Name + "\n", nil
	case errors.Is(err, ErrNotPlain):
		return "no plain file any more: " + c.Name + "\n", nil
	case err != nil:
		return "", err
	case !isText(before) || !isText(after):
		return "binary file: " + c.Name + "\n", nil
	}
	old, changed := "a/"+c.Name, "b/"+c.Name
	if before == nil {
		old = "/dev/null"
	}
	if c.Deleted {
		changed = "/dev/null"
	}
	return diff.Unified(old, changed, string(before), string(after)), nil
}

// show reads a file for a diff.
func (d disk) show(name string) ([]byte, error) {
	at, err := d.lookFile(name)
	if err == nil && at.exists && at.info.Size() > maxMerged {
		err = ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return d.read(name, maxMerged)
}
