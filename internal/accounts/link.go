package accounts

import (
	"context"
	"errors"
	"fmt"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// How long links work.
const (
	SetUpLife  = time.Hour
	InviteLife = 7 * 24 * time.Hour
	ResetLife  = 24 * time.Hour
)

// SetUpLink makes the link with which the first account is made, and voids the
// ones before it. It returns nothing when there is an account.
func (s *Service) SetUpLink(ctx context.Context) (token string, err error) {
	token, hash := svc.NewToken()
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		n, err := r.Accounts().Count(ctx)
		if err != nil {
			return err
		}
		if n > 0 {
			token = ""
			return nil
		}
		return replaceLink(ctx, r, svc.Link{Hash: hash, Kind: svc.LinkSetUp, CreatedAt: now, ExpiresAt: now.Add(SetUpLife)})
	})
	if err != nil {
		return "", fmt.Errorf("make a set-up link: %w", err)
	}
	return token, nil
}

// Invite makes the link with which somebody makes an account, and voids earlier
// ones for the same address.
func (s *Service) Invite(ctx context.Context, email string, plan svc.Plan) (token string, err error) {
	if email, err = NormalizeEmail(email); err != nil {
		return "", err
	}
	if err := checkPlan(plan); err != nil {
		return "", err
	}
	token, hash := svc.NewToken()
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if _, err := r.Accounts().ByEmail(ctx, email); err == nil {
			return emailTaken(email)
		} else if !errors.Is(err, svc.ErrNotFound) {
			return err
		}
		if err := replaceLink(ctx, r, svc.Link{
			Hash: hash, Kind: svc.LinkInvite, Email: email, Plan: plan, CreatedAt: now, ExpiresAt: now.Add(InviteLife),
		}); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{
			Action: svc.AuditInvited, AccountID: svc.ActorOf(ctx).AccountID, Subject: email, Detail: string(plan),
		})
	})
	if err != nil {
		return "", fmt.Errorf("invite %s: %w", email, err)
	}
	return token, nil
}

// ResetLink makes the link that gives an account a new password, or lets its owner
// in once where passwords are switched off, and voids earlier ones. Whoever follows
// it ends every other way in. CodeNotFound.
func (s *Service) ResetLink(ctx context.Context, accountID string) (token string, err error) {
	token, hash := svc.NewToken()
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		account, err := r.Accounts().Get(ctx, accountID)
		if err != nil {
			return err
		}
		if err := replaceLink(ctx, r, svc.Link{
			Hash: hash, Kind: svc.LinkReset, AccountID: accountID, CreatedAt: now, ExpiresAt: now.Add(ResetLife),
		}); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{Action: svc.AuditResetLinkMade, AccountID: accountID, Subject: account.Email})
	})
	if err != nil {
		return "", accountError(err, accountID)
	}
	return token, nil
}

// replaceLink keeps a link, and voids those before it for the same account or address.
func replaceLink(ctx context.Context, r svc.Records, l svc.Link) error {
	if err := r.Links().Withdraw(ctx, l.Kind, l.AccountID, l.Email); err != nil {
		return err
	}
	return r.Links().Insert(ctx, l)
}

// ErrLinkOver is the one answer for a link that does not exist, was used, has
// expired or has lost its purpose.
func ErrLinkOver() *svc.Error {
	return &svc.Error{
		Code:    svc.CodeNotFound,
		Message: "This link does not work any more.",
		Hint:    "It may have been used or replaced, or its time is over. Ask for a new one.",
	}
}

// Link finds what a link is for, and the address of the account that it makes
// or changes, where that is known. CodeNotFound.
func (s *Service) Link(ctx context.Context, token string) (svc.Link, error) {
	l, err := s.openLink(ctx, s.store, token, s.now())
	if err != nil && !errors.Is(err, svc.ErrNotFound) {
		return svc.Link{}, fmt.Errorf("look up link: %w", err)
	}
	if err != nil {
		return svc.Link{}, ErrLinkOver()
	}
	return l, nil
}

// openLink gives svc.ErrNotFound for a link that opens nothing.
func (s *Service) openLink(ctx context.Context, r svc.Records, token string, now time.Time) (svc.Link, error) {
	l, err := r.Links().Get(ctx, svc.HashToken(token))
	if err != nil {
		return svc.Link{}, err
	}
	if !l.Usable(now) {
		return svc.Link{}, svc.ErrNotFound
	}
	switch l.Kind {
	case svc.LinkSetUp:
		n, err := r.Accounts().Count(ctx)
		if err != nil {
			return svc.Link{}, err
		}
		if n > 0 {
			return svc.Link{}, svc.ErrNotFound
		}
	case svc.LinkReset:
		a, err := r.Accounts().Get(ctx, l.AccountID)
		if err != nil {
			return svc.Link{}, err
		}
		l.Email = a.Email
	}
	return l, nil
}

// FollowLink does what a link is for, once: it makes an account, or gives one a
// new password and ends its sessions, passkeys and identities. email counts only
// where the link names none. Where passwords are switched off, the password is not looked
// at: the link alone lets somebody in, who then adds another way. CodeNotFound
// when the link is over, CodeInvalidRequest with the field.
func (s *Service) FollowLink(ctx context.Context, token, email, password string) (svc.Account, error) {
	l, err := s.Link(ctx, token)
	if err != nil {
		return svc.Account{}, err
	}
	if l.Email != "" {
		email = l.Email
	}
	if email, err = NormalizeEmail(email); err != nil {
		return svc.Account{}, err
	}
	if l.Kind == svc.LinkInvite && !s.Allows(WayPassword) && (!s.Allows(WayPasskey) || s.passkeyHost == "") {
		return svc.Account{}, errInvitedElsewhere()
	}
	var hash string
	if s.Allows(WayPassword) {
		if hash, err = s.HashPassword(ctx, email, password); err != nil {
			return svc.Account{}, err
		}
	}
	var account svc.Account
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) (err error) {
		account, err = s.useLink(ctx, r, now, token, l, svc.Account{ID: svc.NewAccountID(), Email: email, PasswordHash: hash})
		return err
	})
	return account, linkError(err)
}

// useLink is the step that does what a link is for. Of fresh it takes what the link
// does not say of an account: its id, its address and the hash of its password.
func (s *Service) useLink(ctx context.Context, r svc.Records, now time.Time, token string, l svc.Link, fresh svc.Account) (svc.Account, error) {
	if _, err := s.openLink(ctx, r, token, now); err != nil {
		return svc.Account{}, err
	}
	if err := r.Links().Use(ctx, l.Hash, now); err != nil {
		return svc.Account{}, err
	}
	if l.Kind == svc.LinkReset {
		return reset(ctx, r, l.AccountID, fresh.PasswordHash)
	}
	fresh.Plan, fresh.CreatedAt = l.Plan, now
	if l.Kind == svc.LinkSetUp {
		fresh.Plan, fresh.Admin = svc.PlanArchitectPro, true
	}
	if err := insertAccount(ctx, r, fresh); errors.Is(err, svc.ErrConflict) {
		return svc.Account{}, emailTaken(fresh.Email)
	} else if err != nil {
		return svc.Account{}, err
	}
	return fresh, nil
}

// reset is the step that leaves an account one password or none, and no other way in:
// whoever has got hold of the account before may have added theirs. API keys stay, for
// what runs with them.
func reset(ctx context.Context, r svc.Records, accountID, hash string) (svc.Account, error) {
	account, err := r.Accounts().Get(ctx, accountID)
	if err != nil {
		return svc.Account{}, err
	}
	passkeys, err := r.Passkeys().List(ctx, accountID)
	if err != nil {
		return svc.Account{}, err
	}
	for _, key := range passkeys {
		if err := removePasskey(ctx, r, key, byLink); err != nil {
			return svc.Account{}, err
		}
	}
	identities, err := r.Identities().List(ctx, accountID)
	if err != nil {
		return svc.Account{}, err
	}
	for _, i := range identities {
		if err := unlinkIdentity(ctx, r, i, byLink); err != nil {
			return svc.Account{}, err
		}
	}
	how := byLink
	switch {
	case hash == "" && account.PasswordHash == "":
		return account, endSignIns(ctx, r, accountID)
	case hash == "":
		how = "removed by a link"
	}
	account.PasswordHash = hash
	return account, replacePassword(ctx, r, accountID, hash, how)
}

// byLink says in the audit log how something ended.
const byLink = "by a link"

func emailTaken(email string) error {
	return svc.Invalid("email", "There is an account with the address %s already.", email)
}

// linkError says that a link is over; nil stays nil.
func linkError(err error) error {
	switch {
	case errors.Is(err, svc.ErrNotFound), errors.Is(err, svc.ErrConflict):
		return ErrLinkOver()
	case err != nil:
		return fmt.Errorf("follow a link: %w", err)
	}
	return nil
}

// replacePassword is the step that ends what the old password opened: every
// session, and links to set another. how is for the audit log.
func replacePassword(ctx context.Context, r svc.Records, accountID, hash, how string) error {
	if err := r.Accounts().SetPassword(ctx, accountID, hash); err != nil {
		return err
	}
	if err := note(ctx, r, svc.AuditEntry{Action: svc.AuditPasswordChanged, AccountID: accountID, Detail: how}); err != nil {
		return err
	}
	return endSignIns(ctx, r, accountID)
}

// endSignIns ends every session of an account, and the links that would let
// somebody in.
func endSignIns(ctx context.Context, r svc.Records, accountID string) error {
	if err := r.Sessions().DeleteOthers(ctx, accountID, [32]byte{}); err != nil {
		return err
	}
	return r.Links().Withdraw(ctx, svc.LinkReset, accountID, "")
}
