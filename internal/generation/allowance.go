package generation

import (
	"context"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Allowance is what a plan leaves an account.
type Allowance struct {
	Unlimited  bool
	Runs, Used int       // of the present window
	ResetsAt   time.Time // zero: no window is open
	QueueShare int
	Queued     int // runs of the account that wait
}

// Left is how many runs may still be started in the window.
func (a Allowance) Left() int { return max(a.Runs-a.Used, 0) }

// Allowance tells what the plan of an account leaves it.
func (s *Service) Allowance(ctx context.Context, account svc.Account) (Allowance, error) {
	out := Allowance{Unlimited: account.Plan != svc.PlanHobby, Runs: s.Limits.HobbyRuns, QueueShare: s.Limits.QueueShare}
	err := s.Store.Tx(ctx, func(r svc.Records) error {
		length, err := r.Runs().Waiting(ctx, account.ID)
		if err != nil {
			return err
		}
		out.Queued = length.Account
		w, err := r.Windows().Lock(ctx, account.ID, svc.OpGeneration)
		if err != nil || len(w.Admitted) == 0 {
			return err
		}
		if ends := w.Admitted[0].Add(s.Limits.HobbyWindow); w.Now.Before(ends) {
			out.Used, out.ResetsAt = len(w.Admitted), ends
		}
		return nil
	})
	if err != nil {
		return Allowance{}, fmt.Errorf("read the allowance of %s: %w", account.ID, err)
	}
	return out, nil
}
