package bundlezip

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrInvalid is matched by every error that says the material itself is bad,
// in contrast to errors of reading or writing it.
var ErrInvalid = errors.New("invalid bundle")

// PathError says which path is refused and why.
type PathError struct {
	Path   string
	Reason string
}

func (e *PathError) Error() string {
	return "path " + strconv.Quote(e.Path) + " " + e.Reason
}

// Is makes every PathError match ErrInvalid.
func (e *PathError) Is(target error) bool { return target == ErrInvalid }

// ManifestError says what in a manifest is wrong. Field is a JSON pointer, or
// empty if the whole is concerned.
type ManifestError struct {
	Field string
	Err   error
}

func (e *ManifestError) Error() string {
	if e.Field == "" {
		return "manifest.json: " + e.Err.Error()
	}
	return "manifest.json: at " + e.Field + ": " + e.Err.Error()
}

func (e *ManifestError) Unwrap() error { return e.Err }

// Is makes every ManifestError match ErrInvalid.
func (e *ManifestError) Is(target error) bool { return target == ErrInvalid }

// ArchiveError says what in an archive is wrong. Entry is empty if the whole is
// concerned.
type ArchiveError struct {
	Entry string
	Err   error
}

func (e *ArchiveError) Error() string {
	if e.Entry == "" {
		return "archive: " + e.Err.Error()
	}
	return "archive: entry " + strconv.Quote(e.Entry) + ": " + e.Err.Error()
}

func (e *ArchiveError) Unwrap() error { return e.Err }

// Is makes every ArchiveError match ErrInvalid.
func (e *ArchiveError) Is(target error) bool { return target == ErrInvalid }

func badManifest(field, format string, args ...any) error {
	return &ManifestError{Field: field, Err: fmt.Errorf(format, args...)}
}

func badArchive(format string, args ...any) error {
	return &ArchiveError{Err: fmt.Errorf(format, args...)}
}

func badEntry(name, format string, args ...any) error {
	return &ArchiveError{Entry: name, Err: fmt.Errorf(format, args...)}
}
