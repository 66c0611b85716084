package storetest

import (
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testWorkers(t *testing.T, db Database) {
	renew := func(t *testing.T, s svc.Store, id, engine string, lease time.Time) {
		t.Helper()
		must.Do(t, s.Workers().Renew(t.Context(), svc.Worker{ID: id, Engine: engine, Lease: lease}))
	}
	engines := func(t *testing.T, w *world, now time.Time, want ...string) {
		t.Helper()
		gives(t, "engines", want)(w.Workers().Engines(t.Context(), now))
	}

	db.run(t, "returns the engines of live workers, sorted, each once", func(t *testing.T, w *world) {
		engines(t, w, noon)
		end, other := noon.Add(time.Minute), w.another(t)
		renew(t, w, "a", "template", end)
		renew(t, other, "b", "exec", end)
		renew(t, other, "c", "template", end)
		engines(t, w, noon, "exec", "template")
	})

	db.run(t, "counts a worker until its lease ends, and not at its end", func(t *testing.T, w *world) {
		end := noon.Add(time.Minute)
		renew(t, w, "a", "template", end)
		renew(t, w, "b", "exec", end.Add(time.Millisecond))
		engines(t, w, end.Add(-time.Millisecond), "exec", "template")
		engines(t, w, end, "exec")
		engines(t, w, end.Add(time.Millisecond))
	})

	db.run(t, "gives a worker that renews the lease and the engine of that time", func(t *testing.T, w *world) {
		renew(t, w, "a", "template", noon.Add(time.Minute))
		renew(t, w, "a", "exec", noon.Add(time.Hour))
		engines(t, w, noon, "exec")
		engines(t, w, noon.Add(30*time.Minute), "exec")
	})

	db.run(t, "removes one worker at once", func(t *testing.T, w *world) {
		renew(t, w, "a", "template", noon.Add(time.Minute))
		renew(t, w, "b", "exec", noon.Add(time.Minute))
		must.Do(t, w.Workers().Remove(t.Context(), "b"))
		must.Do(t, w.Workers().Remove(t.Context(), "b"))
		must.Do(t, w.Workers().Remove(t.Context(), "nobody"))
		engines(t, w, noon, "template")
	})

	db.run(t, "prunes the workers whose leases have ended", func(t *testing.T, w *world) {
		renew(t, w, "a", "template", noon)
		renew(t, w, "b", "exec", noon.Add(time.Millisecond))
		must.Do(t, w.Workers().Prune(t.Context(), noon))
		engines(t, w, noon.Add(-time.Hour), "exec")
	})
}
