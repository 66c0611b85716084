package pull

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// The names of temporary archives: between the two stand digits.
const (
	tempPrefix = "svc-bundle-"
	tempSuffix = ".zip"
)

// tempAge is how old a temporary archive must be to count as left behind. One in
// use has no name, or, on Windows, cannot be removed; this is for the moment in
// which it still has one.
const tempAge = time.Hour

// tempArchive is the place of a bundle while it is fetched and applied.
type tempArchive struct {
	*os.File
	named bool
}

// ErrTempFull is the error where there is no room for temporary files.
var ErrTempFull = errors.New("the bundle cannot be fetched")

// inTemp marks a failure for want of room for temporary files.
func inTemp(err error) error {
	if workdir.IsFull(err) {
		return fmt.Errorf("%w: %w", ErrTempFull, err)
	}
	return err
}

// newTempArchive makes a temporary file. Where the system lets an open file lose
// its name, it has none: whatever ends the process, nothing is left.
func newTempArchive() (*tempArchive, error) {
	file, err := os.CreateTemp("", tempPrefix+"*"+tempSuffix)
	if workdir.IsFull(err) {
		return nil, inTemp(err)
	}
	if err != nil {
		return nil, fmt.Errorf("the bundle needs a temporary file, in a folder that TMPDIR can name: %w", err)
	}
	return &tempArchive{File: file, named: os.Remove(file.Name()) != nil}, nil
}

// discard gives the place back.
func (t *tempArchive) discard() error {
	err := t.Close()
	if t.named {
		err = errors.Join(err, os.Remove(t.Name()))
	}
	return err
}

// clearTempArchives removes archives that this user's client has left in the
// folder for temporary files, because it was killed. Failure is no reason not to
// pull: the files are only in the way.
func clearTempArchives(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !isTempArchive(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err == nil && ownedByUser(info) && now.Sub(info.ModTime()) > tempAge {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func isTempArchive(name string) bool {
	digits, ok := strings.CutPrefix(name, tempPrefix)
	if ok {
		digits, ok = strings.CutSuffix(digits, tempSuffix)
	}
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
