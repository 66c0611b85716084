package merge

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// MaxSize is the largest input, in bytes, that is merged. A larger one is a
// conflict of the whole file.
const MaxSize = 1 << 20

// maxDepth is how deep containers may be nested in a structured file.
const maxDepth = 200

// Policy says what becomes of a conflict. The zero value keeps the user's
// content. Whether a conflict ends the whole pull is for the caller to decide
// from [Result.Conflicts].
type Policy string

// The policies.
const (
	// Keep leaves the user's content.
	Keep Policy = "keep"
	// Theirs takes the bundle's content, where that can be done safely.
	Theirs Policy = "theirs"
	// Markers writes both sides between conflict markers in a three-way text
	// merge. Structured files have no place for markers that a program could
	// still read, so there it acts like Keep.
	Markers Policy = "markers"
)

// Input is one file to merge.
type Input struct {
	Path     string // decides the format and the comment style
	Current  []byte // the user's file; nil when there is none
	Incoming []byte // the file from the bundle
	Base     []byte // the file from the bundle of the last pull; nil if there was none
	Owner    string // who owns a managed block: the project id
	Policy   Policy
}

// Outcome says whose content stands where a conflict was.
type Outcome string

// The outcomes.
const (
	Kept        Outcome = "kept"
	TakenTheirs Outcome = "theirs"
	Marked      Outcome = "markers"
)

// Conflict is one place where the two sides could not both be had.
type Conflict struct {
	Where   string // key path such as scripts.build, "line 12", or "" for the whole file
	Reason  string // for people
	Whole   bool   // nothing of the incoming file was merged, or a text as a whole is concerned
	Outcome Outcome
}

// String puts the conflict in one line for people.
func (c Conflict) String() string {
	if c.Where == "" {
		return fmt.Sprintf("%s (%s)", c.Reason, c.Outcome)
	}
	return fmt.Sprintf("%s: %s (%s)", c.Where, c.Reason, c.Outcome)
}

// Result is what a merge makes of an input.
type Result struct {
	Content   []byte // what the file should hold
	Changed   bool   // whether Content differs from Input.Current
	Conflicts []Conflict
	Added     []string // key paths or lines that the user did not have
	Updated   []string // key paths that took a new value
}

// WholeConflict reports whether the user's file stayed as it was while the
// incoming text as a whole found no place: the caller then puts that text
// beside the file.
func (r Result) WholeConflict() bool {
	for _, c := range r.Conflicts {
		if c.Whole && c.Outcome == Kept {
			return true
		}
	}
	return false
}

// Merge merges by a strategy of the manifest. It never fails: what it
// cannot do is a conflict, an unknown strategy included.
func Merge(strategy bundlezip.MergeStrategy, in Input) Result {
	switch strategy {
	case bundlezip.Overwrite:
		return finish(in, Result{Content: in.Incoming})
	case bundlezip.CreateOnly:
		if in.Current == nil {
			return newFile(in)
		}
		return Result{Content: in.Current}
	case bundlezip.DeepMerge:
		return DeepMerge(in)
	case bundlezip.EnvMerge:
		return EnvMerge(in)
	case bundlezip.AppendUnique:
		return AppendUnique(in)
	case bundlezip.ManagedBlock:
		return ManagedBlock(in)
	case bundlezip.ThreeWay:
		return ThreeWay(in)
	}
	return fileConflict(in, fmt.Sprintf("the merge strategy %q is not known to this client", strategy))
}

// newFile is the result when the user has no such file.
func newFile(in Input) Result {
	return Result{Content: in.Incoming, Changed: true, Added: []string{""}}
}

// fileConflict is a conflict of the file as a whole.
func fileConflict(in Input, reason string) Result {
	c := Conflict{Reason: reason, Whole: true, Outcome: Kept}
	if in.Policy == Theirs {
		c.Outcome = TakenTheirs
		return finish(in, Result{Content: in.Incoming, Conflicts: []Conflict{c}})
	}
	return Result{Content: in.Current, Conflicts: []Conflict{c}}
}

// finish fills in what follows from the content.
func finish(in Input, r Result) Result {
	r.Changed = in.Current == nil || !bytes.Equal(r.Content, in.Current)
	return r
}

// trivialResult answers the cases that all text merges share; done is false when
// there is something left to merge.
func trivialResult(in Input) (r Result, done bool) {
	switch {
	case in.Current == nil:
		return newFile(in), true
	case bytes.Equal(in.Current, in.Incoming):
		return Result{Content: in.Current}, true
	case len(in.Current) > MaxSize:
		return fileConflict(in, fmt.Sprintf("your file is larger than %d bytes and is not merged", MaxSize)), true
	case len(in.Incoming) > MaxSize:
		return fileConflict(in, fmt.Sprintf("the incoming file is larger than %d bytes and is not merged", MaxSize)), true
	case !isText(in.Current):
		return fileConflict(in, "your file is not UTF-8 text with the usual line endings"), true
	case !isText(in.Incoming):
		return fileConflict(in, "the incoming file is not UTF-8 text with the usual line endings"), true
	}
	return Result{}, false
}

// isText reports whether b can be merged as text: UTF-8 without NUL and
// without carriage returns other than before a newline.
func isText(b []byte) bool {
	return utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 && bytes.Count(b, []byte("\r")) == bytes.Count(b, []byte("\r\n"))
}
