package pull

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/bundle-delivery/svc/internal/workdir"
)

// Promise: ack-note, client-interrupt
func TestChangesWaitForAnotherClient(t *testing.T) {
	other := errors.New("the disk is full")
	for _, tt := range []struct {
		name string
		busy int // how often the folder is busy; -1 is always
		then error
		want error
		left bool // the user has pressed Ctrl-C
	}{
		{"free at once", 0, nil, nil, false},
		{"free soon", 20, nil, nil, false},
		{"free soon, and then it fails", 20, other, other, false},
		{"never free", -1, nil, workdir.ErrBusy, false},
		{"free, after Ctrl-C", 0, nil, nil, true},
		{"never free, after Ctrl-C", -1, nil, workdir.ErrBusy, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				ctx, end := context.WithCancel(t.Context())
				defer end()
				if tt.left {
					end()
				}
				err := retryWhileBusy(ctx, func() error {
					if calls++; tt.busy < 0 || calls <= tt.busy {
						return fmt.Errorf("lock: %w", workdir.ErrBusy)
					}
					return tt.then
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if tt.left && calls != 1 {
					t.Errorf("%d calls after Ctrl-C", calls)
				}
				if tt.busy >= 0 && calls != tt.busy+1 {
					t.Errorf("%d calls, want %d", calls, tt.busy+1)
				}
			})
		})
	}
}
