package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Somebody whom an OpenID provider vouches for is known by issuer and subject. An
// address alone opens nothing: it says whether they may come at all, and which new
// account they get. An identity is linked to an account that exists only by its
// owner, who is signed in; and no account that an identity makes is an
// administrator's.

const (
	// attemptLife is how long a sign-in at a provider may take.
	attemptLife = 10 * time.Minute
	// freeAttempts can be begun from one network, or in one known browser, or in an
	// account, before each has to wait.
	freeAttempts = 60
	// maxIdentities of an account can be looked after.
	maxIdentities = 20
)

// IdentityRules say whom a provider may let in.
type IdentityRules struct {
	Issuer string
	// Domains are those of the addresses that may come, in lower case and without
	// those below them.
	Domains []string
	// SignUp lets whoever comes from the domains make an account; without it an
	// invitation for their address is needed.
	SignUp bool
}

// Identities are the use cases of identities at an OpenID provider.
type Identities struct {
	service *Service
	rules   IdentityRules
}

// WithIdentities lets people sign in whom a provider vouches for.
func WithIdentities(rules IdentityRules) Option {
	return func(s *Service) { s.Identities.rules = rules }
}

// attemptHash is of both halves of an attempt: whoever has one finds nothing.
func attemptHash(secret, state string) [sha256.Size]byte { return svc.HashToken(secret + " " + state) }

// BeginSignIn notes that a browser with a secret goes to the provider with a state,
// to sign in and come back to a page. CodeTooManyRequests.
func (i *Identities) BeginSignIn(ctx context.Context, secret, state, next string, in SignIn) error {
	tries, err := i.service.place(ctx, "identity", freeAttempts, in)
	if err != nil {
		return err
	}
	return i.begin(ctx, tries, svc.IdentityAttempt{Hash: attemptHash(secret, state), Next: next})
}

// BeginLink notes the same of a browser that has just signed in, and whose identity is
// to be linked to its account. CodeTooManyRequests, ErrNotFresh.
func (i *Identities) BeginLink(ctx context.Context, secret, state string, session svc.Session) error {
	if !i.service.Fresh(session) {
		return ErrNotFresh
	}
	return i.begin(ctx, []bucket{{"identity " + session.AccountID, freeAttempts}},
		svc.IdentityAttempt{Hash: attemptHash(secret, state), AccountID: session.AccountID})
}

func (i *Identities) begin(ctx context.Context, tries []bucket, a svc.IdentityAttempt) error {
	if err := i.service.guesses.count(ctx, tries); err != nil {
		return err
	}
	err := i.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		a.ExpiresAt = now.Add(attemptLife)
		return r.IdentityAttempts().Insert(ctx, a)
	})
	return failed("begin a sign-in at a provider", err)
}

// EndAttempt ends what a browser has begun, once. CodeInvalidRequest where there
// is nothing of the kind: it was another browser, or is over, or was taken before.
func (i *Identities) EndAttempt(ctx context.Context, secret, state string) (svc.IdentityAttempt, error) {
	var a svc.IdentityAttempt
	err := i.service.store.tx(ctx, func(r svc.Records, now time.Time) (err error) {
		if a, err = r.IdentityAttempts().Get(ctx, attemptHash(secret, state)); err != nil {
			return err
		}
		if err := r.IdentityAttempts().Delete(ctx, a.Hash); err != nil {
			return err
		}
		if !now.Before(a.ExpiresAt) {
			a = svc.IdentityAttempt{}
		}
		return nil
	})
	if errors.Is(err, svc.ErrNotFound) || err == nil && a.Hash == [sha256.Size]byte{} {
		return svc.IdentityAttempt{}, refusedIdentity("This sign-in was not begun in this browser, took longer than ten minutes, or is over.", "Begin again.")
	}
	if err != nil {
		return svc.IdentityAttempt{}, fmt.Errorf("end a sign-in at a provider: %w", err)
	}
	return a, nil
}

// admit says whether somebody may come at all, and gives their address.
func (i *Identities) admit(by svc.Assertion) (email string, err error) {
	if !i.service.Allows(WayOIDC) || i.rules.Issuer == "" || by.Issuer != i.rules.Issuer || by.Subject == "" {
		return "", refusedIdentity("Nobody signs in here by this provider.", "Sign in another way.")
	}
	if email, err = NormalizeEmail(by.Email); err != nil {
		return "", refusedIdentity("Your identity provider tells no e-mail address of yours.", "Ask whoever runs it to send the claim “email”.")
	}
	if !by.EmailVerified {
		return "", refusedIdentity("Your identity provider has not verified your address "+email+".", "Verify it there, then sign in again.")
	}
	if domain := email[strings.LastIndexByte(email, '@')+1:]; !slices.Contains(i.rules.Domains, domain) {
		return "", refusedIdentity("Addresses at "+domain+" have no access to this service.", "Sign in at the provider with an address of your organisation, or sign in another way.")
	}
	return email, nil
}

// SignIn opens a session for somebody whom the provider vouches for, in
// the account that the identity is linked to, or in a new one. CodeInvalidRequest
// with what to do where there is none to be had; the audit log of the account that the
// identity or its address names has it then.
func (i *Identities) SignIn(ctx context.Context, by svc.Assertion, in SignIn) (token string, a svc.Account, err error) {
	email, err := i.admit(by)
	if err != nil {
		if known, unknown := i.service.store.Identities().Get(ctx, by.Issuer, by.Subject); unknown == nil {
			i.service.noticeRefusal(svc.Account{ID: known.AccountID}, in)
		}
		return "", svc.Account{}, err
	}
	err = i.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		known, err := r.Identities().Get(ctx, by.Issuer, by.Subject)
		if errors.Is(err, svc.ErrNotFound) {
			a, err = i.makeAccount(ctx, r, by, email, now)
			return err
		}
		if err != nil {
			return err
		}
		if err := r.Identities().Use(ctx, by.Issuer, by.Subject, email, now); err != nil {
			return err
		}
		a, err = r.Accounts().Get(ctx, known.AccountID)
		return err
	})
	if errors.Is(err, svc.ErrConflict) {
		return "", svc.Account{}, refusedIdentity("Your account was being made by another window at the same moment.", "Begin again.")
	}
	if err != nil {
		if a.ID != "" && svc.CodeOf(err) == svc.CodeInvalidRequest {
			i.service.noticeRefusal(a, in) // it has the address
		}
		return "", svc.Account{}, fmt.Errorf("sign in by identity: %w", err)
	}
	token, err = i.service.letIn(ctx, "identity", freeAttempts, a.ID, in)
	return token, a, err
}

// makeAccount makes the account of somebody new: an ordinary one, by invitation
// or where the rules let everybody of the domains in. The account that has the address
// already is told with the refusal.
func (i *Identities) makeAccount(ctx context.Context, r svc.Records, by svc.Assertion, email string, now time.Time) (svc.Account, error) {
	if taken, err := r.Accounts().ByEmail(ctx, email); err == nil {
		return taken, refusedIdentity("There is an account with the address "+email+", and your identity is not linked to it.",
			"Sign in to it as usual, then link your identity under Settings, Account.")
	} else if !errors.Is(err, svc.ErrNotFound) {
		return svc.Account{}, err
	}
	a := svc.Account{ID: svc.NewAccountID(), Email: email, Plan: svc.PlanHobby, CreatedAt: now}
	invitation, err := r.Links().Invitation(ctx, email, now)
	switch {
	case err == nil:
		a.Plan = invitation.Plan
		if err := r.Links().Use(ctx, invitation.Hash, now); err != nil {
			return svc.Account{}, err
		}
	case !errors.Is(err, svc.ErrNotFound):
		return svc.Account{}, err
	case !i.rules.SignUp:
		return svc.Account{}, refusedIdentity("There is no account for "+email+", and accounts are made by invitation.", "Ask the operator of this service for one.")
	default:
		// The first account is an administrator's, and its link is void once there is any.
		n, err := r.Accounts().Count(ctx)
		if err != nil {
			return svc.Account{}, err
		}
		if n == 0 {
			return svc.Account{}, refusedIdentity("This service is not set up yet.", "Whoever runs it makes the first account, with the set-up link or by svcd account create --admin; then sign in again.")
		}
	}
	if err := insertAccount(ctx, r, a); err != nil {
		return svc.Account{}, err
	}
	return a, linkIdentity(ctx, r, svc.Identity{
		Issuer: by.Issuer, Subject: by.Subject, AccountID: a.ID, Email: email, LinkedAt: now, UsedAt: now,
	})
}

// linkIdentity is the step that lets an identity open an account.
func linkIdentity(ctx context.Context, r svc.Records, i svc.Identity) error {
	if err := r.Identities().Insert(ctx, i); err != nil {
		return err
	}
	return note(ctx, r, svc.AuditEntry{Action: svc.AuditIdentityLinked, AccountID: i.AccountID, Subject: i.Issuer, Detail: i.Email})
}

// Link lets an identity open the account of a session. ErrNoSession where that
// has ended since it was looked at, CodeInvalidRequest where the identity opens another
// account.
func (i *Identities) Link(ctx context.Context, session svc.Session, by svc.Assertion) error {
	email, err := i.admit(by)
	if err != nil {
		return err
	}
	err = i.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		session, err := live(ctx, r, session.Hash, now)
		if err != nil {
			return err
		}
		known, err := r.Identities().Get(ctx, by.Issuer, by.Subject)
		switch {
		case err == nil && known.AccountID == session.AccountID:
			return r.Identities().Use(ctx, by.Issuer, by.Subject, email, now)
		case err == nil:
			return errIdentityElsewhere()
		case !errors.Is(err, svc.ErrNotFound):
			return err
		}
		all, err := r.Identities().List(ctx, session.AccountID)
		if err != nil {
			return err
		}
		if len(all) >= maxIdentities {
			return refusedIdentity(fmt.Sprintf("The account has %d identities, and more cannot be looked after.", maxIdentities), "Unlink one that is no longer used first.")
		}
		return linkIdentity(ctx, r, svc.Identity{
			Issuer: by.Issuer, Subject: by.Subject, AccountID: session.AccountID, Email: email, LinkedAt: now,
		})
	})
	if errors.Is(err, svc.ErrConflict) { // another account was faster
		return errIdentityElsewhere()
	}
	return failed("link an identity", err)
}

func errIdentityElsewhere() *svc.Error {
	return refusedIdentity("This identity opens another account.", "Sign in to that one and unlink it there, or choose another identity at the provider.")
}

// List lists who may open an account.
func (i *Identities) List(ctx context.Context, accountID string) ([]svc.Identity, error) {
	all, err := i.service.store.Identities().List(ctx, accountID)
	return all, failed("list identities", err)
}

// Unlink ends that an identity opens an account, and every session but the one
// that is spared: whoever has got hold of the identity may have one. CodeInvalidRequest
// where nothing else would open it, CodeNotFound where it does not open it now.
func (i *Identities) Unlink(ctx context.Context, accountID, issuer, subject string, spared [sha256.Size]byte) error {
	err := i.service.store.Tx(ctx, func(r svc.Records) error {
		known, err := r.Identities().Get(ctx, issuer, subject)
		if err != nil {
			return err
		}
		known.AccountID = accountID // whose it has to be
		if err := unlinkIdentity(ctx, r, known, ""); err != nil {
			return err
		}
		if err := i.service.keepsAWay(ctx, r, accountID); err != nil {
			return err
		}
		return r.Sessions().DeleteOthers(ctx, accountID, spared)
	})
	return missingOr(svc.Errorf(svc.CodeNotFound, "That identity is not linked to your account."), "unlink an identity", err)
}

// unlinkIdentity is the step that ends that an identity opens an account. how is for
// the audit log.
func unlinkIdentity(ctx context.Context, r svc.Records, i svc.Identity, how string) error {
	if err := r.Identities().Delete(ctx, i.AccountID, i.Issuer, i.Subject); err != nil {
		return err
	}
	return note(ctx, r, svc.AuditEntry{Action: svc.AuditIdentityUnlinked, AccountID: i.AccountID, Subject: i.Issuer, Detail: details(i.Email, how)})
}

func refusedIdentity(message, hint string) *svc.Error {
	return &svc.Error{Code: svc.CodeInvalidRequest, Field: "identity", Message: message, Hint: hint}
}
