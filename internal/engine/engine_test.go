package engine_test

import (
	"errors"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine"
)

// held counts how often it is closed.
type held struct {
	closed int
	err    error
}

func (h *held) Close() error {
	h.closed++
	return h.err
}

func TestWhatIsKeptIsClosedOnce(t *testing.T) {
	if err := (&engine.Kept{}).Close(); err != nil {
		t.Errorf("nothing is kept: %v", err)
	}
	h := &held{err: errors.New("disk on fire")}
	kept := &engine.Kept{Closer: h}
	if err := kept.Close(); !errors.Is(err, h.err) {
		t.Errorf("closed: %v", err)
	}
	if err := kept.Close(); err != nil || h.closed != 1 {
		t.Errorf("closed again: %v, and %d times in all", err, h.closed)
	}
}

// The log has the cause of a failure; people are shown the message.
func TestAnErrorTellsItsCauseToTheLog(t *testing.T) {
	e := &engine.Error{Code: engine.CodeInternal, Message: "the engine ended"}
	if got, want := e.Error(), "INTERNAL: the engine ended"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	e.Err = errors.New("disk on fire")
	if got, want := e.Error(), "INTERNAL: the engine ended: disk on fire"; got != want || !errors.Is(e, e.Err) {
		t.Errorf("%q, want %q", got, want)
	}
}
