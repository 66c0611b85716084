package storetest

import (
	"errors"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

func testWindows(t *testing.T, db Database) {
	lock := func(t *testing.T, s svc.Store, accountID string, op svc.Operation) (w svc.Window) {
		t.Helper()
		must.Do(t, s.Tx(t.Context(), func(r svc.Records) (err error) {
			w, err = r.Windows().Lock(t.Context(), accountID, op)
			return err
		}))
		return w
	}
	times := func(ms ...int) (all []time.Time) {
		for _, n := range ms {
			all = append(all, noon.Add(time.Duration(n)*time.Millisecond))
		}
		return all
	}

	db.run(t, "is empty until it is saved, and keeps what was saved last", func(t *testing.T, w *world) {
		a, other := w.account(t), w.account(t)
		wantSame(t, "new window", lock(t, w, a.ID, svc.OpDownload), svc.Window{Now: noon})
		must.Do(t, w.Windows().Save(t.Context(), a.ID, svc.OpDownload, times(-9, -5, -5, -1)))
		wantSame(t, "window", lock(t, w, a.ID, svc.OpDownload), svc.Window{Admitted: times(-9, -5, -5, -1), Now: noon})
		wantSame(t, "another operation", lock(t, w, a.ID, svc.OpRepackage), svc.Window{Now: noon})
		wantSame(t, "another account", lock(t, w, other.ID, svc.OpDownload), svc.Window{Now: noon})
		must.Do(t, w.Windows().Save(t.Context(), a.ID, svc.OpDownload, nil))
		wantSame(t, "emptied window", lock(t, w, a.ID, svc.OpDownload), svc.Window{Now: noon})
		wantErr(t, "no account", w.Windows().Save(t.Context(), "acct_none", svc.OpDownload, times(0)), svc.ErrNotFound)
	})

	db.run(t, "is never earlier than its last admission", func(t *testing.T, w *world) {
		a := w.account(t)
		must.Do(t, w.Windows().Save(t.Context(), a.ID, svc.OpDownload, times(0, 10)))
		for _, c := range []struct {
			what      string
			clock, is time.Duration
		}{
			{"the clock was set back", -time.Hour, 10 * time.Millisecond},
			{"the same moment", 10 * time.Millisecond, 10 * time.Millisecond},
			{"time has passed, part of it less than a millisecond", 11*time.Millisecond + 999*time.Microsecond, 11 * time.Millisecond},
		} {
			w.clock.Set(noon.Add(c.clock))
			wantSame(t, c.what, lock(t, w, a.ID, svc.OpDownload).Now, noon.Add(c.is))
		}
	})

	db.run(t, "forgets what a failed transaction saved", func(t *testing.T, w *world) {
		a := w.account(t)
		stop := errors.New("stop")
		wantErr(t, "Tx", w.Tx(t.Context(), func(r svc.Records) error {
			must.Do(t, r.Windows().Save(t.Context(), a.ID, svc.OpDownload, times(0)))
			return stop
		}), stop)
		wantSame(t, "window", lock(t, w, a.ID, svc.OpDownload).Admitted, times())
	})

	db.run(t, "reads the clock after the lock is held", func(t *testing.T, w *world) {
		a := w.account(t)
		waited := make(chan svc.Window, 1)
		must.Do(t, w.Tx(t.Context(), func(r svc.Records) error {
			if _, err := r.Windows().Lock(t.Context(), a.ID, svc.OpDownload); err != nil {
				return err
			}
			go func() { // waits for this transaction, whenever it comes to run
				var got svc.Window
				err := w.Tx(t.Context(), func(r svc.Records) (err error) {
					got, err = r.Windows().Lock(t.Context(), a.ID, svc.OpDownload)
					return err
				})
				if err != nil {
					t.Error(err)
				}
				waited <- got
			}()
			w.clock.Set(noon.Add(time.Second))
			return nil
		}))
		wantSame(t, "time of the one who waited", (<-waited).Now, noon.Add(time.Second))
	})

	db.run(t, "loses no admission of many at once", func(t *testing.T, w *world) {
		a := w.account(t)
		stores := []svc.Store{w.Store, w.another(t)}
		const hands, turns = 8, 5
		together(hands, func(i int) {
			for range turns {
				if err := stores[i%2].Tx(t.Context(), func(r svc.Records) error {
					window, err := r.Windows().Lock(t.Context(), a.ID, svc.OpDownload)
					if err != nil {
						return err
					}
					return r.Windows().Save(t.Context(), a.ID, svc.OpDownload, append(window.Admitted, window.Now))
				}); err != nil {
					t.Error(err)
				}
			}
		})
		wantSame(t, "admissions", len(lock(t, w, a.ID, svc.OpDownload).Admitted), hands*turns)
	})
}
