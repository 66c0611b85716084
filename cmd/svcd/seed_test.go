package main

import (
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/seed"
)

// seedUsage writes a month of generations into the records of an account.
func (i *instance) seedUsage(address string) {
	i.t.Helper()
	ctx := i.t.Context()
	store := must.Get(openStore(ctx, i.keptAt("--database-url"), datadir.Dir(i.dir)))(i.t)
	defer func() { _ = store.Close() }()
	must.Do(i.t, seed.Usage(ctx, store, address))
}
