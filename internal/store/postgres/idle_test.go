//go:build unix

package postgres_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/pgmeter"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
)

// TestAnIdleWorkerProcessAsksOnceASecond counts on the wire what a process asks that
// has workers and nothing for them to do. The clock of the process is a made one, which
// stands still while an answer is on its way: a slow machine changes no count.
// Promise: round-trips, worker-wake
func TestAnIdleWorkerProcessAsksOnceASecond(t *testing.T) {
	cluster := pgtest.Start(t)
	name := cluster.Database(t)
	meter, err := pgmeter.Start(t.Context(), "unix", cluster.Socket())
	must.Do(t, err)
	defer func() { must.Do(t, meter.Close()) }()
	synctest.Test(t, func(t *testing.T) {
		store, err := postgres.Open(t.Context(), "postgres://svc@"+meter.Address()+"/"+name+"?sslmode=disable")
		must.Do(t, err)
		defer func() { must.Do(t, store.Close()) }()
		pool := generation.NewPool(generation.PoolConfig{Config: generation.Config{Store: store}, EngineName: "template", Workers: 4})
		cleaner := &delivery.Cleaner{Store: store, Blobs: deletesAll{}, Interval: time.Hour, Report: func(err error) { t.Error(err) }}
		ctx, stop := context.WithCancel(t.Context())
		var working sync.WaitGroup
		defer working.Wait()
		defer stop()
		working.Go(func() {
			if err := pool.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		working.Go(func() { cleaner.Run(ctx) })
		const warm, span = 5 * time.Minute, 10 * time.Minute // the first minutes prepare connections and statements
		time.Sleep(warm)
		synctest.Wait()
		before := meter.Trips()
		time.Sleep(span)
		synctest.Wait()
		asked := time.Duration(meter.Trips() - before)
		t.Logf("%d round trips in %v", asked, span)
		// Half as many would find a run that lost its worker too late.
		if most := span / time.Second; asked > most || asked < most/2 {
			t.Errorf("an idle worker asked %d times in %v, want at most %d", asked, span, most)
		}
	})
}
