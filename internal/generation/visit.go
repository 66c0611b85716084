package generation

import (
	"context"
	"fmt"

	svc "github.com/bundle-delivery/svc"
)

// VisitEvents goes through the events that a run of an account has so far, without
// waiting for more, until visit returns false. CodeGenerationNotFound.
func (s *Service) VisitEvents(ctx context.Context, accountID, id string, visit func(svc.Event) bool) error {
	run, err := s.Get(ctx, accountID, id)
	if err != nil {
		return err
	}
	for last := int64(0); ; {
		events, err := s.Events.Read(ctx, run.ID, last)
		if err != nil {
			return fmt.Errorf("read the events of %s: %w", run.ID, err)
		}
		if len(events) == 0 {
			return nil
		}
		for _, e := range events {
			if !visit(e) || e.Name.Terminal() {
				return nil
			}
			last = e.Seq
		}
	}
}
