package storetest

import (
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func runsReserved(t *testing.T, f *runFixture) {
	t.Helper()
	a, b := f.account(t, "a"), f.account(t, "b")
	sum := func(account, except string) int64 {
		t.Helper()
		got, n, err := f.Accounts().Lock(t.Context(), account, except, 1000)
		must.Do(t, err)
		same(t, got.ID, account)
		return n
	}
	same(t, sum(a, ""), int64(0))
	large := svc.Project{ID: "proj_large", AccountID: a, CreatedAt: f.now, UpdatedAt: f.now, Pack: svc.Pack{Blob: "packs/x", Size: 3 << 32}}
	must.Do(t, f.Projects().Insert(t.Context(), large))
	f.queue(t, a, "gen_1") // of a project without files
	f.queueIn(t, a, large.ID, "gen_2")
	f.queueIn(t, a, large.ID, "gen_3")
	f.queue(t, b, "gen_4")
	same(t, sum(a, ""), int64(1000+(6<<32)))
	same(t, sum(a, "gen_2"), int64(1000+(3<<32)))
	same(t, sum(b, ""), int64(1000))
	first := f.claim(t)
	same(t, sum(a, ""), int64(1000+(6<<32))) // a running run holds it as well
	first.Status, first.FinishedAt = svc.RunFailed, f.now
	must.Do(t, f.Runs().Finish(t.Context(), svc.RunRunning, first))
	same(t, sum(a, ""), int64(6<<32))
}
