package accounts

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/text/printable"
)

const (
	// maxName is the length of the name of a key or passkey, in characters.
	maxName = 100
	// maxKeys is how many usable keys an account may have: one for each machine and
	// pipeline, and so few that somebody can look through them.
	maxKeys = 100
)

// NewKey is what a key is made from.
type NewKey struct {
	AccountID string
	Name      string
	ExpiresAt time.Time // zero: never
}

// CreateKey makes a key and returns its full text, which nobody can ask for
// again, beside the record. CodeNotFound when the account is not there.
func (s *Service) CreateKey(ctx context.Context, n NewKey) (full string, key svc.Key, err error) {
	name, err := keyName(n.Name)
	if err != nil {
		return "", svc.Key{}, err
	}
	// Prefixes are random: meeting a taken one is rare, and twice is absurd.
	for range 3 {
		full, key, err = s.insertKey(ctx, n, name)
		if !errors.Is(err, svc.ErrConflict) {
			break
		}
	}
	if err != nil {
		return "", svc.Key{}, accountError(err, n.AccountID)
	}
	return full, key, nil
}

func keyName(text string) (string, error) { return checkName("key", text, "is used") }

// checkName brings the name of a key or passkey to the form that is kept, or says what
// such a name says.
func checkName(of, text, where string) (string, error) {
	name := strings.TrimSpace(text)
	if name == "" || utf8.RuneCountInString(name) > maxName || !utf8.ValidString(name) || strings.ContainsFunc(name, printable.Steers) {
		return "", svc.Invalid("name", "A %s needs a name of 1 to %d characters, in a line and without control characters, that says where it %s.", of, maxName, where)
	}
	return name, nil
}

func (s *Service) insertKey(ctx context.Context, n NewKey, name string) (string, svc.Key, error) {
	full, key := svc.NewKey()
	key.AccountID, key.Name = n.AccountID, name
	err := s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if _, err := r.Accounts().Get(ctx, n.AccountID); err != nil {
			return err
		}
		all, err := r.Keys().List(ctx, n.AccountID)
		if err != nil {
			return err
		}
		usable := 0
		for _, k := range all {
			if k.Usable(now) {
				usable++
			}
		}
		if usable >= maxKeys {
			return svc.Invalid("name", "The account has %d usable keys, and more cannot be looked after. Revoke one that is no longer used first.", maxKeys)
		}
		key.CreatedAt = now
		if !n.ExpiresAt.IsZero() {
			key.ExpiresAt = n.ExpiresAt.UTC().Truncate(time.Millisecond)
			if !key.ExpiresAt.After(now) {
				return svc.Invalid("expiresAt", "The key would have expired already; choose a time that lies ahead.")
			}
		}
		if err := r.Keys().Insert(ctx, key); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{Action: svc.AuditKeyCreated, AccountID: n.AccountID, Subject: key.Prefix, Detail: name})
	})
	if err != nil {
		return "", svc.Key{}, err
	}
	return full, key, nil
}

// ListKeys returns the keys of an account, newest first, revoked ones included.
func (s *Service) ListKeys(ctx context.Context, accountID string) ([]svc.Key, error) {
	keys, err := s.store.Keys().List(ctx, accountID)
	return keys, failed("list keys of "+accountID, err)
}

// RenameKey gives a key of the account another name. Another account's key is
// CodeNotFound.
func (s *Service) RenameKey(ctx context.Context, accountID, prefix, text string) error {
	name, err := keyName(text)
	if err != nil {
		return err
	}
	return missingOr(unknownKey(prefix), "rename key "+prefix, s.store.Keys().Rename(ctx, accountID, prefix, name))
}

// RevokeKey ends a key for good, whoever owns it: the operator's way.
// CodeNotFound.
func (s *Service) RevokeKey(ctx context.Context, prefix string) error {
	return s.revoke(ctx, "", prefix)
}

// RevokeOwnKey ends a key of the given account for good. Another account's key
// is CodeNotFound.
func (s *Service) RevokeOwnKey(ctx context.Context, accountID, prefix string) error {
	if accountID == "" {
		return unknownKey(prefix)
	}
	return s.revoke(ctx, accountID, prefix)
}

func (s *Service) revoke(ctx context.Context, accountID, prefix string) error {
	err := s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		found, err := r.Keys().Credential(ctx, prefix)
		if err != nil {
			return err
		}
		key := found.Key
		if accountID != "" && key.AccountID != accountID {
			return svc.ErrNotFound
		}
		if !key.RevokedAt.IsZero() {
			return nil
		}
		if err := r.Keys().Revoke(ctx, prefix, now); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{Action: svc.AuditKeyRevoked, AccountID: key.AccountID, Subject: prefix, Detail: key.Name})
	})
	return missingOr(unknownKey(prefix), "revoke key "+prefix, err)
}

func unknownKey(prefix string) error {
	return svc.Errorf(svc.CodeNotFound, "There is no key with the prefix %q; the prefix is the 8 characters after svc_.", prefix)
}
