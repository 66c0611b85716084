package storetest

import (
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testJobs(t *testing.T, db Database) {
	claim := func(t *testing.T, w *world, name string, now time.Time) bool {
		t.Helper()
		taken := must.Get(w.Jobs().Claim(t.Context(), name, now, now.Add(time.Minute)))(t)
		return taken
	}

	db.run(t, "takes a job that is due and that nobody holds", func(t *testing.T, w *world) {
		next := noon.Add(time.Hour)
		wantSame(t, "never seen", claim(t, w, "clean-up", noon), true)
		wantSame(t, "held", claim(t, w, "clean-up", noon.Add(time.Minute-time.Millisecond)), false)
		wantSame(t, "another name", claim(t, w, "sweep", noon), true)
		wantSame(t, "lease over", claim(t, w, "clean-up", noon.Add(time.Minute)), true)
		must.Do(t, w.Jobs().Finish(t.Context(), "clean-up", next))
		wantSame(t, "not due", claim(t, w, "clean-up", next.Add(-time.Millisecond)), false)
		wantSame(t, "due", claim(t, w, "clean-up", next), true)
	})

	db.run(t, "gives a job back before its lease ends", func(t *testing.T, w *world) {
		wantSame(t, "never seen", claim(t, w, "clean-up", noon), true)
		must.Do(t, w.Jobs().Finish(t.Context(), "clean-up", noon))
		wantSame(t, "given back", claim(t, w, "clean-up", noon), true)
	})

	db.run(t, "remembers when a job is due that was finished without a claim", func(t *testing.T, w *world) {
		must.Do(t, w.Jobs().Finish(t.Context(), "clean-up", noon.Add(time.Hour)))
		wantSame(t, "not due", claim(t, w, "clean-up", noon), false)
	})

	db.run(t, "gives a job to one of many", func(t *testing.T, w *world) {
		stores := []svc.Store{w.Store, w.another(t)}
		for round := range 3 {
			now := noon.Add(time.Duration(round) * time.Hour)
			var won atomic.Int32
			together(8, func(i int) {
				taken, err := stores[i%2].Jobs().Claim(t.Context(), "clean-up", now, now.Add(time.Minute))
				if err != nil {
					t.Error(err)
				}
				if taken {
					won.Add(1)
				}
			})
			wantSame(t, "winners", won.Load(), int32(1))
		}
	})
}
