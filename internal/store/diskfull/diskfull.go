// Package diskfull remembers that a store had no room for a write.
//
// A store that is full answers every question and refuses what is to be kept. Whether
// it has room shows when somebody writes, and not when it is asked: a small record may
// find a place where the next one finds none. So each adapter notes the refusals that
// it meets, and tells of them for a while.
package diskfull

import (
	"fmt"
	"sync/atomic"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Remembered is how long a refusal counts: longer than it takes until an alert fires.
const Remembered = 2 * time.Minute

// Recent is the last refusal of a store. The zero value has met none.
type Recent struct{ last atomic.Pointer[time.Time] }

// Note remembers that a write was refused just now, for want of room.
func (r *Recent) Note() {
	now := time.Now()
	r.last.Store(&now)
}

// Err tells of a refusal that still counts: svc.ErrUnavailable.
func (r *Recent) Err() error {
	last := r.last.Load()
	if last == nil || time.Since(*last) > Remembered {
		return nil
	}
	return fmt.Errorf("%w: there was no room for what was to be written %s ago", svc.ErrUnavailable, time.Since(*last).Round(time.Second))
}
