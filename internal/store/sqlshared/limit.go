package sqlshared

import (
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/column"
)

// Window is a rolling window at a time, of admissions in milliseconds.
func Window(now time.Time, admitted []int64) svc.Window {
	w := svc.Window{Now: now}
	for _, ms := range admitted {
		t := column.FromMillis(ms)
		w.Admitted = append(w.Admitted, t)
		if t.After(w.Now) { // the clock was set back
			w.Now = t
		}
	}
	return w
}

// Admissions are the times of a window in milliseconds.
func Admissions(admitted []time.Time) []int64 {
	ms := make([]int64, len(admitted))
	for i, t := range admitted {
		ms[i] = t.UnixMilli()
	}
	return ms
}
