// Package engine defines what a run and the engines that write its files expect
// of each other.
//
// An engine is called once for each attempt and emits outputs, in order. It sees
// the project as it stands, says what it does, and changes files one by one; what
// it does not mention stays. Every path, size and value that it emits is checked
// by the run, and an engine that misbehaves ends the run, not the server.
//
// The same [Request] must be answerable any number of times: a run that lost its
// worker starts again from the beginning.
package engine

import (
	"context"
	"fmt"
	"io"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Engine writes the files of a run.
//
// Generate returns nil when it is done, an [Error] when it cannot do what was
// asked, the error of emit as soon as emit returns one, and ctx's error when it
// was stopped; everything else ends the run as an internal failure. After emit
// has returned an error it may still be given a Usage: what was used up to then
// counts. It is not called after Generate has returned, nor from two goroutines
// at once.
type Engine interface {
	Generate(ctx context.Context, req Request, emit func(Output) error) error
}

// Reader decides whether an engine can read a request, before a run is made of it.
type Reader interface {
	// Check returns the [Error] with CodeConstraintUnresolvable and a Suggestion with
	// which Generate would refuse the request on its first attempt, and nil for any
	// other request. state is that of the project to continue, empty for a new one.
	// It is fast, reads nothing else, and may be called from several goroutines at
	// once.
	Check(prompt string, constraints, state map[string]string) error
	// Title returns the title of the project that a prompt in the engine's own notation
	// describes, and nothing for any other prompt.
	Title(prompt string) string
}

// Request is what an engine is asked.
type Request struct {
	GenerationID string
	ProjectID    string
	AccountID    string // who pays
	Prompt       string
	Constraints  map[string]string
	// Project is the project as it stands. On a further attempt of the same run
	// that is what the attempt before it left, so that only what failed needs repair.
	Project Project
	// Attempt is 1, and one more for each validation that failed in this run.
	Attempt int
	// Spent is what the run has used up to now: in former attempts, and by
	// workers that were lost.
	Spent Spent
	// Findings say what the validation found wrong with the attempt before.
	Findings []string
	// Kept holds what the engine wants to find again in the next attempt of this
	// run, such as a working copy or a conversation; nil: there is no next attempt.
	Kept *Kept
}

// Kept holds something from one attempt of a run to the next. Who asks the engine
// closes it when no attempt follows.
type Kept struct{ io.Closer }

// Close closes what is held, if there is something.
func (k *Kept) Close() error {
	if k.Closer == nil {
		return nil
	}
	err := k.Closer.Close()
	k.Closer = nil
	return err
}

// Spent is what a run has used.
type Spent struct {
	Tokens  int64
	CostUSD float64
	Time    time.Duration
}

// Budget bounds what may be spent; zero fields are not bounded.
type Budget struct {
	Tokens int64
	USD    float64
	Time   time.Duration
	// Spent says that nothing is left, and Until when there will be.
	Spent bool
	Until time.Time
}

// Constraint is one that an engine understands.
type Constraint struct {
	Name   string
	Values string // that it can have, in words
}

// Project is the state an engine builds on; the zero value is a new project.
type Project struct {
	Files  []FileInfo // sorted by path
	Ports  []Port
	State  map[string]string
	Memory string
	// Open reads a file of Files.
	Open func(path string) (io.ReadCloser, error)
}

// FileInfo describes a file of the project as it stands.
type FileInfo struct {
	Path  string
	Size  int64
	Place Placement
}

// Placement says where a file goes and how it is merged there, in the words of
// the manifest. Empty fields mean that it stays where and as the project has it;
// a new file is placed by its name, as bundlezip.DefaultPlacement says, at the
// project root and with mode 0644.
type Placement struct {
	DestinationType string
	MergeStrategy   string
	Base            string
	Mode            string
}

// Output is one thing an engine emits: a ToolStatus, StateUpdate, MemoryUpdate,
// Token, File, Delete, Port or Usage.
type Output interface{ output() }

// The actions of a ToolStatus.
const (
	ActionPlan         = "plan"
	ActionGenerateFile = "generate_file"
	ActionValidate     = "validate"
	ActionRepairFile   = "repair_file"
	ActionFinalize     = "finalize"
)

// ToolStatus says that the engine begins a named action.
type ToolStatus struct {
	Action string
	File   string // empty when the action concerns no single file
	Detail string // more about it, in a few words
}

// StateUpdate locks a decision about the architecture.
type StateUpdate struct{ Key, Value, Reason string }

// MemoryUpdate replaces the project's memory document.
type MemoryUpdate struct{ Content string }

// Token is the next piece of a file. The pieces of a file, joined, are its content.
type Token struct{ File, Delta string }

// File says that a file is complete, and where it goes. Content is compared
// with what the tokens built: the same adds nothing, other content replaces it,
// and without tokens it is told as tokens itself. Content nil takes what the
// tokens built, or an empty file where there were none.
type File struct {
	Path    string
	Content []byte
	// Binary says that the content is no text: it is told by its name alone.
	Binary bool
	Place  Placement
}

// Delete takes a file out of the project.
type Delete struct{ Path string }

// Port declares a logical port and where its number is written; declaring a
// name again replaces it, and with the number 0 takes it out.
type Port struct {
	Name string
	Port int
	Uses []PortUse
}

// PortUse is one place where the number of a port stands: the template with
// {port} filled in occurs exactly once in the file.
type PortUse struct{ Path, Template string }

// Usage adds to what the run has cost.
type Usage struct {
	Model        string
	InputTokens  int64
	OutputTokens int64
	CostUSD      float64
}

func (ToolStatus) output()   {}
func (StateUpdate) output()  {}
func (MemoryUpdate) output() {}
func (Token) output()        {}
func (File) output()         {}
func (Delete) output()       {}
func (Port) output()         {}
func (Usage) output()        {}

// The codes of an Error, as the error event shows them.
const (
	CodeValidationFailed       = "VALIDATION_FAILED"
	CodeUpstreamOutage         = "UPSTREAM_OUTAGE"
	CodeConstraintUnresolvable = "CONSTRAINT_UNRESOLVABLE"
	CodeCancelled              = "CANCELLED"
	CodeInternal               = "INTERNAL"
)

// Error ends a run with a reason that people see.
type Error struct {
	Code      string
	Message   string
	Retryable bool
	// Suggestion goes with CodeConstraintUnresolvable: what could be read of the
	// request. nil: the engine has none.
	Suggestion *svc.Suggestion
	Err        error // for the log alone
}

// Error gives code, message and cause, for logs.
func (e *Error) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.Err)
	}
	return e.Code + ": " + e.Message
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }
