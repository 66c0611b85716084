package checker

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/delivery"
)

// Populate makes accounts to work with, each with a project from a folder; the
// last of them has the Hobby plan and nothing else.
func Populate(ctx context.Context, store svc.Store, blobs svc.Blobs, n int, tree string, ttl time.Duration) ([]Tenant, error) {
	people := accounts.New(store, time.Now)
	packager := &pack.Packager{Store: store, Blobs: blobs, BundleTTL: ttl}
	var all []Tenant
	for i := range n {
		plan, hobby := svc.PlanArchitectPro, i == n-1
		if hobby {
			plan = svc.PlanHobby
		}
		a, err := people.Create(ctx, accounts.NewAccount{Email: fmt.Sprintf("checker%d@example.com", i), Plan: plan})
		if err != nil {
			return nil, err
		}
		t := Tenant{AccountID: a.ID, Hobby: hobby, MadeAt: time.Now()}
		if t.Key, _, err = people.CreateKey(ctx, accounts.NewKey{AccountID: a.ID, Name: "checker"}); err != nil {
			return nil, err
		}
		if !hobby {
			made, err := packager.ImportDir(ctx, a, tree, pack.ImportOptions{Name: "checker"})
			if err != nil {
				return nil, err
			}
			t.ProjectID, t.BundleID = made.Project.ID, made.Bundle.ID
		}
		all = append(all, t)
	}
	return all, nil
}

// Inspect looks behind the address, when nobody works there any more: records
// and bytes agree with each other and with what was told. The store's clock is
// ahead, so that everything that may be swept is; keys lists what bytes there
// are.
func (c *Checker) Inspect(ctx context.Context, store svc.Store, blobs svc.Blobs, keys func() ([]string, error)) error {
	cleaner := &delivery.Cleaner{Store: store, Blobs: blobs, Interval: time.Hour}
	if _, err := cleaner.Sweep(ctx); err != nil {
		return fmt.Errorf("sweep: %w", err)
	}
	lying, err := keys()
	if err != nil {
		return err
	}
	wanted, before := map[string]bool{}, map[string]bool{} // the states before the present ones may be there
	for _, t := range c.config.Tenants {
		bundles, err := bundlesOf(ctx, store, t.AccountID)
		if err != nil {
			return err
		}
		for _, b := range bundles {
			c.compareRecord(b)
			if b.Status == svc.BundlePending {
				wanted[b.Blob] = true
				c.readable(ctx, blobs, b.Blob, b.SHA256)
			}
		}
		projects, err := projectsOf(ctx, store, t.AccountID)
		if err != nil {
			return err
		}
		for _, p := range projects {
			if p.Pack.Blob != "" {
				wanted[p.Pack.Blob] = true
				c.readable(ctx, blobs, p.Pack.Blob, p.Pack.SHA256)
			}
			if p, err = store.Projects().Get(ctx, t.AccountID, p.ID); err != nil { // a list has no provenance
				return err
			}
			if p.Provenance != nil {
				before[p.Provenance.BasePack] = true
			}
		}
	}
	for _, key := range lying {
		if !wanted[key] && !before[key] {
			c.problem("the bytes of %s lie there and no record points at them", key)
		}
	}
	for key := range wanted {
		if !slices.Contains(lying, key) {
			c.problem("the bytes of %s are lost", key)
		}
	}
	return nil
}

// compareRecord holds a record against what was told of it.
func (c *Checker) compareRecord(b svc.Bundle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.bundles[b.ID]
	switch {
	case known == nil: // one whose announcement was lost
	case known.acked != "":
		if got := svc.FormatTime(b.DownloadedAt); b.Status != svc.BundleDownloaded || got != known.acked {
			c.blame("bundle %s was acknowledged at %s and is %s, %s", b.ID, known.acked, b.Status, got)
		}
	case b.Status == svc.BundleDownloaded && !known.ackSent:
		c.blame("bundle %s is downloaded and nobody acknowledged it", b.ID)
	}
}

// readable wants the bytes of a key to be what the record says.
func (c *Checker) readable(ctx context.Context, blobs svc.Blobs, key string, want [sha256.Size]byte) {
	r, err := blobs.Open(ctx, key)
	if err != nil {
		c.problem("%v", err)
		return
	}
	defer func() { _ = r.Close() }() // it was only read
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil || !slices.Equal(h.Sum(nil), want[:]) {
		c.problem("the bytes of %s are damaged (%v)", key, err)
	}
}

// pageSize is how many records are read at a time.
const pageSize = 100

func bundlesOf(ctx context.Context, store svc.Store, accountID string) ([]svc.Bundle, error) {
	return allPages(func(after *svc.Cursor) ([]svc.Bundle, error) {
		return store.Bundles().List(ctx, svc.BundleQuery{AccountID: accountID, After: after, Limit: pageSize})
	}, func(b svc.Bundle) svc.Cursor { return svc.Cursor{CreatedAt: b.CreatedAt, ID: b.ID} })
}

func projectsOf(ctx context.Context, store svc.Store, accountID string) ([]svc.Project, error) {
	return allPages(func(after *svc.Cursor) ([]svc.Project, error) {
		return store.Projects().List(ctx, accountID, after, pageSize)
	}, func(p svc.Project) svc.Cursor { return svc.Cursor{CreatedAt: p.CreatedAt, ID: p.ID} })
}

// allPages reads page after page; at says where an item stands.
func allPages[T any](read func(after *svc.Cursor) ([]T, error), at func(T) svc.Cursor) (all []T, err error) {
	for after := (*svc.Cursor)(nil); ; {
		page, err := read(after)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < pageSize {
			return all, nil
		}
		last := at(page[len(page)-1])
		after = &last
	}
}
