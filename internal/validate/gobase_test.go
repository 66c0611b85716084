package validate

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// What cannot be built is tried once for all; what was only stopped is tried again.
func TestTheStandardLibraryIsBuiltOnce(t *testing.T) {
	tries, stop := 0, func() {}
	v := &Validator{config: Config{CacheDir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Way: func() (*sandbox.Forward, error) {
		tries++
		stop()
		return nil, errors.New("there is no way out")
	}}}
	b := &goBase{validator: v, turn: make(chan struct{}, 1)}
	tool := Tool{Version: "go1.25"}
	for i := range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		stop = cancel
		if _, err := b.get(ctx, tool); !errors.Is(err, context.Canceled) || tries != i+1 {
			t.Fatalf("a run that was stopped: %v after %d tries", err, tries)
		}
	}
	stop = func() {}
	for range 2 {
		if name, err := b.get(t.Context(), tool); name != "" || err != nil || tries != 3 {
			t.Errorf("%q, %v after %d tries", name, err, tries)
		}
	}
}
