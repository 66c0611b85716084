package main

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/bundle-delivery/svc/internal/workdir"
)

func TestChangesWaitForAnotherClient(t *testing.T) {
	other := errors.New("the disk is full")
	for _, tt := range []struct {
		name string
		busy int // how often the folder is busy; -1 is always
		then error
		want error
	}{
		{"free at once", 0, nil, nil},
		{"free soon", 20, nil, nil},
		{"free soon, and then it fails", 20, other, other},
		{"never free", -1, nil, workdir.ErrBusy},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				err := retryWhileBusy(func() error {
					if calls++; tt.busy < 0 || calls <= tt.busy {
						return fmt.Errorf("lock: %w", workdir.ErrBusy)
					}
					return tt.then
				})
				if !errors.Is(err, tt.want) {
					t.Errorf("error %v, want %v", err, tt.want)
				}
				if tt.busy >= 0 && calls != tt.busy+1 {
					t.Errorf("%d calls, want %d", calls, tt.busy+1)
				}
			})
		})
	}
}
