// Package accounts manages accounts, their API keys, passwords and sessions, and
// authenticates requests with them.
//
// Invariants. A full key and a password are seen once and never kept: the records
// hold a SHA-256 of the one and an Argon2id string of the other. Whatever is
// wrong with a key, the answer is one and the same. A revocation holds from the
// next request on, because every request asks the records; when they cannot be
// asked, nobody is let in. That a key was used is noted at most once a minute,
// away from the request.
package accounts

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"sync"
	"time"
	"unicode"

	svc "github.com/bundle-delivery/svc"
)

// Service are the use cases of accounts and keys.
type Service struct {
	Audit      *Audit
	Identities *Identities

	store   records
	guesses guesses
	now     func() time.Time
	ways    []Way
	// passkeyHost is the name that passkeys are for; empty where there is none.
	passkeyHost string

	browserKey func(context.Context) ([]byte, error) // nil: no browser is known

	// hashing admits few password computations at a time: each takes memory on purpose.
	hashing chan struct{}

	mu    sync.Mutex
	noted map[string]time.Time // uses of keys that Run has yet to write
}

// New makes the use cases. The clock judges expiry of keys; what is recorded is
// timed by the records.
func New(store svc.Store, clock func() time.Time, options ...Option) *Service {
	kept := records{store}
	s := &Service{
		Audit:   &Audit{store: kept},
		store:   kept,
		guesses: guesses{kept},
		now:     clock,
		ways:    []Way{WayPassword, WayPasskey},
		hashing: make(chan struct{}, hashesAtOnce),
		noted:   map[string]time.Time{},
	}
	s.Identities = &Identities{service: s}
	for _, o := range options {
		o(s)
	}
	return s
}

// records adds to the store what every use case needs.
type records struct{ svc.Store }

// tx runs a transaction of the records with the time of their clock.
func (all records) tx(ctx context.Context, do func(r svc.Records, now time.Time) error) error {
	return all.Tx(ctx, func(r svc.Records) error {
		now, err := r.Now(ctx)
		if err != nil {
			return err
		}
		return do(r, now)
	})
}

// NewAccount is what an account is made from.
type NewAccount struct {
	Email string
	Plan  svc.Plan
	// Password may be empty: the account then lives by its keys alone.
	Password string
	Admin    bool
}

// Create makes an account. What is wrong with the request is told with
// CodeInvalidRequest and the field, an address that is taken likewise.
func (s *Service) Create(ctx context.Context, n NewAccount) (svc.Account, error) {
	email, err := NormalizeEmail(n.Email)
	if err != nil {
		return svc.Account{}, err
	}
	if err := checkPlan(n.Plan); err != nil {
		return svc.Account{}, err
	}
	var hash string
	if n.Password != "" {
		if hash, err = s.HashPassword(ctx, email, n.Password); err != nil {
			return svc.Account{}, err
		}
	}
	account := svc.Account{
		ID: svc.NewAccountID(), Email: email, Plan: n.Plan, PasswordHash: hash, Admin: n.Admin,
	}
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		account.CreatedAt = now
		return insertAccount(ctx, r, account)
	})
	if errors.Is(err, svc.ErrConflict) {
		return svc.Account{}, emailTaken(email)
	}
	if err != nil {
		return svc.Account{}, fmt.Errorf("create account: %w", err)
	}
	return account, nil
}

// insertAccount is the step that makes an account.
func insertAccount(ctx context.Context, r svc.Records, a svc.Account) error {
	if err := r.Accounts().Insert(ctx, a); err != nil {
		return err
	}
	detail := string(a.Plan)
	if a.Admin {
		detail += ", administrator"
	}
	return note(ctx, r, svc.AuditEntry{Action: svc.AuditAccountCreated, AccountID: a.ID, Subject: a.Email, Detail: detail})
}

// ByEmail finds an account by its address. CodeNotFound.
func (s *Service) ByEmail(ctx context.Context, email string) (svc.Account, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return svc.Account{}, err
	}
	account, err := s.store.Accounts().ByEmail(ctx, email)
	return account, accountError(err, email)
}

// Get finds an account by its id. CodeNotFound.
func (s *Service) Get(ctx context.Context, id string) (svc.Account, error) {
	account, err := s.store.Accounts().Get(ctx, id)
	return account, accountError(err, id)
}

// Page is how many accounts List returns at most.
const Page = 500

// List returns accounts in the order of their addresses, those after the given one.
func (s *Service) List(ctx context.Context, afterEmail string) ([]svc.Account, error) {
	accounts, err := s.store.Accounts().List(ctx, afterEmail, Page)
	return accounts, failed("list accounts", err)
}

// Count says how many accounts there are.
func (s *Service) Count(ctx context.Context) (int64, error) {
	n, err := s.store.Accounts().Count(ctx)
	return n, failed("count accounts", err)
}

// SetPlan changes the plan of an account. CodeNotFound.
func (s *Service) SetPlan(ctx context.Context, accountID string, plan svc.Plan) error {
	if err := checkPlan(plan); err != nil {
		return err
	}
	err := s.store.Tx(ctx, func(r svc.Records) error {
		account, err := r.Accounts().Get(ctx, accountID)
		if err != nil || account.Plan == plan {
			return err
		}
		if err := r.Accounts().SetPlan(ctx, accountID, plan); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{
			Action: svc.AuditPlanChanged, AccountID: accountID, Subject: string(plan), Detail: "was " + string(account.Plan),
		})
	})
	return accountError(err, accountID)
}

// SetPassword changes the password of an account and ends its sessions
// everywhere. CodeNotFound.
func (s *Service) SetPassword(ctx context.Context, accountID, password string) error {
	account, err := s.Get(ctx, accountID)
	if err != nil {
		return err
	}
	hash, err := s.HashPassword(ctx, account.Email, password)
	if err != nil {
		return err
	}
	err = s.store.Tx(ctx, func(r svc.Records) error { return replacePassword(ctx, r, accountID, hash, "") })
	return accountError(err, accountID)
}

// Delete removes an account and everything that belongs to it; the bytes go
// with the next sweep. CodeNotFound.
func (s *Service) Delete(ctx context.Context, accountID string) error {
	err := s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		account, err := r.Accounts().Get(ctx, accountID)
		if err != nil {
			return err
		}
		// The line comes first: it says which address the account had.
		if err := note(ctx, r, svc.AuditEntry{Action: svc.AuditAccountDeleted, AccountID: accountID, Subject: account.Email}); err != nil {
			return err
		}
		return r.Accounts().Delete(ctx, accountID, now)
	})
	return accountError(err, accountID)
}

// maxEmail is the longest address that mail systems carry.
const maxEmail = 254

// NormalizeEmail brings an address to the one form that is kept, or says why it
// is none: a bare address, without a display name, in lower case.
func NormalizeEmail(email string) (string, error) {
	email = strings.ToLower(strings.TrimSpace(email))
	refused := svc.Invalid("email", "%q is not an e-mail address such as ada@example.com.", email)
	if email == "" || len(email) > maxEmail || strings.ContainsFunc(email, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
	}) {
		return "", refused
	}
	parsed, err := mail.ParseAddress(email)
	if err != nil || parsed.Name != "" || parsed.Address != email {
		return "", refused
	}
	return email, nil
}

func checkPlan(plan svc.Plan) error {
	if plan.Valid() {
		return nil
	}
	return svc.Invalid("plan", "%q is not a plan; there are %s, %s and %s.",
		string(plan), svc.PlanHobby, svc.PlanDeveloper, svc.PlanArchitectPro)
}

// failed says what failed with an error; nil stays nil.
func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}

// missingOr is failed, with an answer of its own for what is not there.
func missingOr(missing error, what string, err error) error {
	if errors.Is(err, svc.ErrNotFound) {
		return missing
	}
	return failed(what, err)
}

// accountError names the account that is not there; nil stays nil.
func accountError(err error, name string) error {
	return missingOr(svc.Errorf(svc.CodeNotFound, "There is no account %s.", name), "account "+name, err)
}
