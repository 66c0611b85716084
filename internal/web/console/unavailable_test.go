package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// lostRuns are records that cannot be reached.
type lostRuns struct{ svc.Store }

func (s lostRuns) Runs() svc.Runs { return unreachable{s.Store.Runs()} }

type unreachable struct{ svc.Runs }

func (unreachable) List(context.Context, svc.RunQuery) ([]svc.Run, error) {
	return nil, fmt.Errorf("list runs: %w: the cable is cut", svc.ErrUnavailable)
}

// TestAPageWhoseStoreCannotBeReachedSaysWhatToDo: it is no failure of the server's own.
// Promise: unavailable-503
func TestAPageWhoseStoreCannotBeReachedSaysWhatToDo(t *testing.T) {
	w := newSite(t)
	d := newSite(t, func(c *console.Config) {
		c.Generations = generation.New(generation.Config{Store: lostRuns{w.Store}, Limits: generation.DefaultLimits()})
	})
	answer := d.ask("/console/generations", nil)
	if answer.Code != http.StatusServiceUnavailable || answer.Header().Get("Retry-After") == "" {
		t.Errorf("it is answered %d, Retry-After %q", answer.Code, answer.Header().Get("Retry-After"))
	}
	for _, said := range []string{"cannot be reached at the moment", "Nothing is lost", "Try again in"} {
		if !strings.Contains(answer.Body.String(), said) {
			t.Errorf("the page does not say %q:\n%s", said, answer.Body)
		}
	}
}
