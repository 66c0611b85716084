package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// ErrInvalidKey is the one answer for a key that is missing, malformed,
// unknown, wrong, expired or revoked. It tells the caller nothing about which.
func ErrInvalidKey() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeInvalidAPIKey,
		Message: "The API key is missing or not valid.",
		Hint: "Send the header \"Authorization: Bearer <API_KEY>\" with a complete, unrevoked key. " +
			"Keys are made in the web console under Settings, API Keys.",
	}
}

// nobody is compared with when no key has the prefix, so that an unknown prefix
// costs what a wrong secret costs. Its hash is of nothing that has a key's form.
var nobody svc.Key

// Authenticate finds what a full key stands for, for a request from an address (with
// its port). CodeInvalidAPIKey, or another error when the records cannot be asked:
// then nobody is let in.
func (s *Service) Authenticate(ctx context.Context, full, address string) (svc.Credential, error) {
	prefix, ok := svc.ParseKey(full)
	if !ok {
		return svc.Credential{}, ErrInvalidKey()
	}
	found, err := s.store.Keys().Credential(ctx, prefix)
	known := err == nil
	if err != nil && !errors.Is(err, svc.ErrNotFound) {
		return svc.Credential{}, fmt.Errorf("look up key: %w", err)
	}
	key := found.Key
	if !known {
		key = nobody
	}
	now := s.now()
	// Each judgement is made whatever the others say.
	matches, usable := key.Matches(full), key.Usable(now)
	if !known || !matches || !usable {
		return svc.Credential{}, ErrInvalidKey()
	}
	s.noteUse(key, now)
	s.Audit.noticeNetwork(key, address, now)
	return found, nil
}

// useEvery is how often the use of a key is written down.
const useEvery = time.Minute

// noteUse leaves it to Run to write that a key was used, where it is due.
func (s *Service) noteUse(key svc.Key, now time.Time) {
	if now.Sub(key.LastUsedAt) < useEvery {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// The bound is for a server whose Run stands still: it forgets, not grows.
	if _, waiting := s.noted[key.Prefix]; waiting || len(s.noted) < maxNoted {
		s.noted[key.Prefix] = now
	}
}

const (
	maxNoted  = 100_000
	noteEvery = time.Second
	// lastNote is how long the writing may take when the server is going down.
	lastNote = 2 * time.Second
)

// Run writes down which keys were used, until the context ends, and then once
// more. A failure is given to report and the uses are forgotten: the next
// request of the key brings them back.
func (s *Service) Run(ctx context.Context, report func(error)) {
	writeEvery(ctx, s.WriteUses, report)
}

// writeEvery writes down what has gathered, again and again until the context ends, and
// then once more.
func writeEvery(ctx context.Context, write func(context.Context) error, report func(error)) {
	ticker := time.NewTicker(noteEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := write(ctx); err != nil && ctx.Err() == nil {
				report(err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastNote)
			defer cancel()
			if err := write(last); err != nil {
				report(err)
			}
			return
		}
	}
}

// WriteUses writes the uses of keys noted so far, all in one transaction.
func (s *Service) WriteUses(ctx context.Context) error {
	s.mu.Lock()
	uses := s.noted
	s.noted = map[string]time.Time{}
	s.mu.Unlock()
	if len(uses) == 0 {
		return nil
	}
	err := s.store.Tx(ctx, func(r svc.Records) error {
		for prefix, at := range uses {
			// What was noted a whole minute ago is old enough.
			since := at.Add(time.Millisecond - useEvery)
			if err := r.Keys().Touch(ctx, prefix, at, since); err != nil && !errors.Is(err, svc.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return failed("note the use of keys", err)
}
