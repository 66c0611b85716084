package storetest

import (
	"cmp"
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// BundleModel runs random steps on bundles against a model in memory: their
// states, the latest, the listings, the tally and the pending bytes. All
// sequences share one database, as accounts do; each ends by deleting what it
// made, after which the tally must be empty again. Once for an adapter is enough:
// it takes as long as the rest of Records.
func BundleModel(t *testing.T, db Database) {
	w := newWorld(t, db)
	var left []string // accounts of a sequence that failed, when rapid tries shorter ones
	rapid.Check(t, func(rt *rapid.T) {
		for _, id := range left {
			must.Do(rt, w.Accounts().Delete(rt.Context(), id, noon))
		}
		m := newModel(rt, w)
		left = m.accounts
		rt.Repeat(map[string]func(*rapid.T){
			"":              m.compare,
			"insert":        m.insert,
			"acknowledge":   m.acknowledge,
			"expire":        m.expire,
			"deleteProject": m.deleteProject,
			"abort":         m.abort,
		})
		m.remove(rt)
		left = nil
	})
}

type model struct {
	w        *world
	accounts []string
	projects []svc.Project
	bundles  []svc.Bundle
	now      time.Time
}

func newModel(t *rapid.T, w *world) *model {
	m := &model{w: w, now: noon}
	must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
		m.accounts, m.projects = nil, nil
		for range 2 {
			id := svc.NewAccountID()
			must.Do(t, r.Accounts().Insert(t.Context(), svc.Account{ID: id, Email: id + "@example.com", Plan: svc.PlanDeveloper, CreatedAt: noon}))
			m.accounts = append(m.accounts, id)
			for range 2 {
				p := svc.Project{ID: svc.NewProjectID(), AccountID: id, CreatedAt: noon, UpdatedAt: noon}
				must.Do(t, r.Projects().Insert(t.Context(), p))
				m.projects = append(m.projects, p)
			}
		}
		return nil
	}))
	return m
}

// remove compares once more, with the listings, and deletes what one sequence
// has made.
func (m *model) remove(t *rapid.T) {
	newest := m.newest()
	for _, id := range m.accounts {
		own := slices.DeleteFunc(slices.Clone(newest), func(b svc.Bundle) bool { return b.AccountID != id })
		wantSame(t, "listing", pages(t, m.w, svc.BundleQuery{AccountID: id, Limit: 4}), own)
	}
	must.Do(t, m.w.Tx(t.Context(), func(r svc.Records) error {
		for _, id := range m.accounts {
			must.Do(t, r.Accounts().Delete(t.Context(), id, noon))
		}
		return nil
	}))
	m.bundles = nil
	m.compareTally(t)
}

// newest gives the bundles in the order of a listing.
func (m *model) newest() []svc.Bundle {
	return slices.SortedFunc(slices.Values(m.bundles), func(x, y svc.Bundle) int { return -compareBundles(x, y) })
}

func (m *model) draw(t *rapid.T) svc.Bundle {
	p := m.projects[rapid.IntRange(0, len(m.projects)-1).Draw(t, "project")]
	b := newBundle(p, m.now.Add(time.Duration(rapid.IntRange(0, 3).Draw(t, "created"))*time.Millisecond), rapid.Int64Range(0, 1<<40).Draw(t, "size"))
	b.ExpiresAt = m.now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "life")) * time.Millisecond)
	return b
}

func (m *model) insert(t *rapid.T) {
	if len(m.projects) == 0 {
		t.Skip("no project is left")
	}
	b := m.draw(t)
	must.Do(t, m.w.Bundles().Insert(t.Context(), b))
	m.bundles = append(m.bundles, b)
}

func (m *model) acknowledge(t *rapid.T) {
	if len(m.bundles) == 0 {
		t.Skip("no bundle is left")
	}
	b := &m.bundles[rapid.IntRange(0, len(m.bundles)-1).Draw(t, "bundle")]
	m.now = m.now.Add(time.Millisecond)
	gives(t, "before the acknowledgement", *b)(m.w.Bundles().Acknowledge(t.Context(), b.AccountID, b.ID, m.now))
	if b.Status == svc.BundlePending {
		b.Status, b.Blob, b.DownloadedAt = svc.BundleDownloaded, "", m.now
	}
}

func (m *model) expire(t *rapid.T) {
	m.now = m.now.Add(time.Duration(rapid.IntRange(1, 10).Draw(t, "passes")) * time.Millisecond)
	limit := rapid.IntRange(1, 5).Draw(t, "limit")
	var due []*svc.Bundle
	for i := range m.bundles {
		if b := &m.bundles[i]; b.Status == svc.BundlePending && !b.ExpiresAt.After(m.now) {
			due = append(due, b)
		}
	}
	slices.SortFunc(due, func(x, y *svc.Bundle) int {
		return cmp.Or(x.ExpiresAt.Compare(y.ExpiresAt), cmp.Compare(x.ID, y.ID))
	})
	due = due[:min(limit, len(due))]
	var want []svc.Bundle
	for _, b := range due {
		want = append(want, *b)
		b.Status, b.Blob, b.ExpiredAt = svc.BundleExpired, "", m.now
	}
	gives(t, "before the clean-up", want)(m.w.Bundles().Expire(t.Context(), m.now, limit))
}

func (m *model) deleteProject(t *rapid.T) {
	if len(m.projects) == 0 || rapid.IntRange(0, 9).Draw(t, "seldom") > 0 {
		t.Skip("projects stay, mostly")
	}
	i := rapid.IntRange(0, len(m.projects)-1).Draw(t, "project")
	p := m.projects[i]
	must.Do(t, m.w.Projects().Delete(t.Context(), p.AccountID, p.ID, noon))
	m.projects = slices.Delete(m.projects, i, i+1)
	m.bundles = slices.DeleteFunc(m.bundles, func(b svc.Bundle) bool { return b.ProjectID == p.ID })
}

// abort takes steps in a transaction that fails: nothing may come of them.
func (m *model) abort(t *rapid.T) {
	if len(m.projects) == 0 {
		t.Skip("no project is left")
	}
	stop := errors.New("stop")
	b := m.draw(t)
	wantErr(t, "Tx", m.w.Tx(t.Context(), func(r svc.Records) error {
		must.Do(t, r.Bundles().Insert(t.Context(), b))
		if _, err := r.Bundles().Acknowledge(t.Context(), b.AccountID, b.ID, m.now); err != nil {
			return err
		}
		if _, err := r.Bundles().Expire(t.Context(), m.now.Add(time.Hour), 3); err != nil {
			return err
		}
		return stop
	}), stop)
}

// compare holds what can be asked quickly against the model.
func (m *model) compare(t *rapid.T) {
	newest := m.newest()
	for _, id := range m.accounts {
		pending := slices.DeleteFunc(slices.Clone(newest), func(b svc.Bundle) bool {
			return b.AccountID != id || b.Status != svc.BundlePending
		})
		m.compareLatest(t, id, "", pending)
		var bytes int64
		for _, b := range pending {
			bytes += b.Size
		}
		a := must.Get(m.w.Accounts().Get(t.Context(), id))(t)
		wantSame(t, "pending bytes", a.PendingBytes, bytes)
		for _, p := range m.projects {
			if p.AccountID == id {
				m.compareLatest(t, id, p.ID, slices.DeleteFunc(slices.Clone(pending), func(b svc.Bundle) bool { return b.ProjectID != p.ID }))
			}
		}
	}
	m.compareTally(t)
}

func (m *model) compareLatest(t *rapid.T, accountID, projectID string, pending []svc.Bundle) {
	got, err := m.w.Bundles().Latest(t.Context(), accountID, projectID)
	if len(pending) == 0 {
		wantErr(t, "Latest", err, svc.ErrNotFound)
		return
	}
	must.Do(t, err)
	wantSame(t, "Latest", got, pending[0])
}

func (m *model) compareTally(t *rapid.T) {
	want := []svc.BundleTally{{Status: svc.BundlePending}, {Status: svc.BundleDownloaded}, {Status: svc.BundleExpired}}
	for _, b := range m.bundles {
		for i := range want {
			if want[i].Status == b.Status {
				want[i].Count++
			}
		}
		if b.Status == svc.BundlePending {
			want[0].Bytes += b.Size
		}
	}
	gives(t, "tally", want)(m.w.Bundles().Tally(t.Context()))
}
