package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// freeReports of one network are not delayed; then each waits twice as long as the
// one before.
const freeReports = 20

// CountReport counts a report of found keys, before anybody looks at what it says.
// CodeTooManyRequests with the wait.
func (s *Service) CountReport(ctx context.Context, address string) error {
	return s.guesses.count(ctx, []bucket{{"report " + networkOf(address), freeReports}})
}

// FoundKeys are keys that somebody found, and says so.
type FoundKeys struct {
	Keys    []string // as they were found
	Address string   // of whoever says it
	URL     string   // where they were found, as they say
}

// ReportFound ends the keys that were found: who holds a whole key may end it. It
// gives the prefixes of those that are keys of this service.
func (s *Service) ReportFound(ctx context.Context, found FoundKeys) (ended []string, err error) {
	for _, full := range found.Keys {
		prefix, ok := svc.ParseKey(full)
		if !ok {
			continue
		}
		known, lookErr := s.store.Keys().Credential(ctx, prefix)
		switch {
		case errors.Is(lookErr, svc.ErrNotFound) || lookErr == nil && !known.Key.Matches(full):
			continue
		case lookErr == nil:
			lookErr = s.report(ctx, known.Key, found)
		}
		if lookErr != nil {
			err = errors.Join(err, fmt.Errorf("report key %s: %w", prefix, lookErr))
			continue
		}
		ended = append(ended, prefix)
	}
	return ended, err
}

// report ends a key. Whoever says the same once more changes nothing, and gets no line.
func (s *Service) report(ctx context.Context, key svc.Key, found FoundKeys) error {
	return s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		known, err := r.Keys().Credential(ctx, key.Prefix)
		if err != nil || known.Key.Report != nil {
			return err
		}
		err = r.Keys().Report(ctx, key.Prefix, svc.KeyReport{At: now, From: networkOf(found.Address), URL: found.URL})
		if err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{
			Action: svc.AuditKeyReported, AccountID: key.AccountID, Subject: key.Prefix, Detail: found.URL,
			Actor: svc.Actor{Kind: svc.ActorVisitor, Address: AddressOf(found.Address)},
		})
	})
}
