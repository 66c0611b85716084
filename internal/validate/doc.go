// Package validate tries what was generated before it is delivered: which checks
// a tree of files needs, in which order, and what their output means.
//
// Some checks are made in this process: the syntax of the languages that it
// knows, imports inside the tree, and links of pages. The others are the
// project's own tools (go, npm, python3, cargo, make), which run what was
// generated and therefore run in a [sandbox.Box] and nowhere else.
//
// The law of a check. Every check that applies to a tree is listed, also one that
// could not be made: it is skipped, with the reason. One that fails is failed,
// unless it fails on the state that the run began with as well: then it failed
// before. A tree passed when the checks of each of its projects were made, as far
// as the level asks for them; where one was not, the tree is unchecked, and so is
// one in which nothing was looked at.
package validate

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Level is how far a tree is tried.
type Level string

// The levels, each of which includes those before it.
const (
	Off    Level = "off"
	Syntax Level = "syntax"
	Build  Level = "build"
	Test   Level = "test"
)

// inBox reports whether a level runs the tools of projects.
func (l Level) inBox() bool { return l == Build || l == Test }

// Status is what came of a check, or of all of them.
type Status string

// The states of a check. Of all checks together it is one of Passed, Failed,
// FailedBefore and Unchecked.
const (
	Started      Status = "started"
	Passed       Status = "passed"
	Failed       Status = "failed"
	FailedBefore Status = "failed_before"
	Skipped      Status = "skipped"
	Unchecked    Status = "unchecked"
)

// Check is one thing that was tried.
type Check struct {
	Name    string // the command, or what was looked at
	Status  Status
	Elapsed time.Duration
	Detail  string // why it was skipped, what was counted, what went wrong
	Version string // of the tool
}

// Report is what came of a tree.
type Report struct {
	Status Status
	Checks []Check
	// Findings are for whoever mends the tree; empty unless Status is Failed.
	Findings []string
}

// Tree is the files that are tried.
type Tree struct {
	Files []File // sorted by path
	Open  func(path string) (io.ReadCloser, error)
}

// File is one file of a tree.
type File struct {
	Path       string
	Size       int64
	Executable bool
}

const (
	// maxFindings is how many things are said to be wrong at a time, each in so
	// many bytes: whoever mends them needs no more, and a person neither.
	maxFindings    = 20
	maxFindingText = 500
	// maxDetail is the same for what is said about a check.
	maxDetail = 300
)

// Findings collects what is wrong, as far as it is worth saying.
type Findings struct{ All []string }

// Full says that more would not be kept.
func (f *Findings) Full() bool { return len(f.All) >= maxFindings }

// Add notes one thing.
func (f *Findings) Add(format string, args ...any) {
	if !f.Full() {
		f.All = append(f.All, Cut(fmt.Sprintf(format, args...), maxFindingText))
	}
}

// Cut shortens a text to about so many bytes, between two characters.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + "…"
}

// read gives a file of the tree.
func (t Tree) read(path string) ([]byte, error) {
	r, err := t.Open(path)
	if err != nil {
		return nil, fmt.Errorf("validate %s: %w", path, err)
	}
	content, err := io.ReadAll(r)
	if closed := r.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, fmt.Errorf("validate %s: %w", path, err)
	}
	return content, nil
}

func (t Tree) paths() []string {
	all := make([]string, len(t.Files))
	for i, f := range t.Files {
		all[i] = f.Path
	}
	return all
}
