package validate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"

	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/sandbox/egress"
)

// way leads boxes out to a relay as long as the validator is open.
type way struct {
	outlet  *sandbox.Outlet
	relay   *egress.Relay
	hangUp  context.CancelFunc
	serving sync.WaitGroup
	log     *slog.Logger
}

// LeadOut leads the boxes of this validator to a relay until [Validator.Close]. It is
// called before the first trial.
func (v *Validator) LeadOut(r *egress.Relay) error {
	outlet, err := v.config.Sandbox.NewOutlet()
	if err != nil {
		return fmt.Errorf("lead out of the sandbox: %w", err)
	}
	v.way = &way{outlet: outlet, relay: r, log: v.config.Log}
	ways, hangUp := context.WithCancel(context.Background())
	v.way.hangUp = hangUp
	v.config.Way = func() (*sandbox.Forward, error) { return v.way.branch(ways) }
	return nil
}

// branch leads one box out, by a socket of its own: no project takes another's
// places at the relay.
func (w *way) branch(ways context.Context) (*sandbox.Forward, error) {
	branch, err := w.outlet.Branch()
	if err != nil {
		return nil, err
	}
	ctx, hangUp := context.WithCancel(ways)
	w.serving.Go(func() {
		if err := errors.Join(w.relay.Serve(ctx, branch, nil), branch.Close()); err != nil {
			w.log.Error("a way out of a sandbox ended", "error", err)
		}
	})
	forward := branch.Forward(wayOut)
	forward.HangUp = hangUp
	return forward, nil
}

// close ends what boxes still ask for.
func (w *way) close() error {
	if w == nil {
		return nil
	}
	w.hangUp()
	w.serving.Wait()
	if err := w.outlet.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return fmt.Errorf("remove the way out of sandboxes: %w", err)
	}
	return nil
}
