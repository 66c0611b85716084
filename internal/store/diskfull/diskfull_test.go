package diskfull_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/diskfull"
)

// Promise: store-without-room
func TestARefusalIsRememberedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var recent diskfull.Recent
		if err := recent.Err(); err != nil {
			t.Errorf("before any refusal: %v", err)
		}
		recent.Note()
		time.Sleep(time.Minute)
		recent.Note() // from which it counts
		time.Sleep(diskfull.Remembered)
		if err := recent.Err(); !errors.Is(err, svc.ErrUnavailable) {
			t.Errorf("a refusal of %v ago is forgotten: %v", diskfull.Remembered, err)
		}
		time.Sleep(time.Second)
		if err := recent.Err(); err != nil {
			t.Errorf("it still counts: %v", err)
		}
	})
}
