package sleep_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bundle-delivery/svc/internal/sleep"
)

func TestFor(t *testing.T) {
	for name, test := range map[string]struct {
		sleep, ends time.Duration // how long, and when the context ends; below 0: before
		wakes       time.Duration
		err         error
	}{
		"the time passes":                     {sleep: time.Minute, ends: time.Hour, wakes: time.Minute},
		"the context ends first":              {sleep: time.Hour, ends: time.Minute, wakes: time.Minute, err: context.Canceled},
		"the context has ended":               {sleep: time.Hour, ends: -1, err: context.Canceled},
		"there is nothing to wait for":        {ends: time.Hour},
		"nothing to wait for and nobody left": {ends: -1, err: context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if test.ends < 0 {
					cancel()
				} else {
					defer time.AfterFunc(test.ends, cancel).Stop()
				}
				begun := time.Now()
				if err := sleep.For(ctx, test.sleep); !errors.Is(err, test.err) {
					t.Errorf("it ended with %v, want %v", err, test.err)
				}
				if woke := time.Since(begun); woke != test.wakes {
					t.Errorf("it woke after %v, want %v", woke, test.wakes)
				}
			})
		})
	}
}

// Whoever waits in a loop is told of the end at the first time.
func TestAnEndGoesBeforeNothingToWaitFor(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 100 {
		if err := sleep.For(ctx, 0); !errors.Is(err, context.Canceled) {
			t.Fatalf("it ended with %v", err)
		}
	}
}
