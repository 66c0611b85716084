package accounts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
)

// The life of a session.
const (
	// sessionIdle is how long a session lasts that nobody uses.
	sessionIdle = 7 * 24 * time.Hour
	// SessionLife is how long one lasts at most, however it is used.
	SessionLife = 30 * 24 * time.Hour
	// touchEvery is how often the use of a session is written down.
	touchEvery = 5 * time.Minute
	// sweepEvery is how often sessions and links that are over are removed.
	sweepEvery = time.Hour
	maxBrowser = 200
)

// SignIn is somebody at a sign-in form.
type SignIn struct {
	Email, Password string
	// Network is the address that the request came from.
	Network string
	// Browser is what it calls itself.
	Browser string
	// Replaces is the token that the browser had before, if any: it ends.
	Replaces string
	// Proof is what BrowserProof gave the browser when it last signed in, if it did.
	Proof string
	// Known is what KnownBrowser gave it then.
	Known string
	// By is how they proved who they are, for the audit log: a word such as password.
	By string
}

// SignIn opens a session and returns its token, which nobody can ask for again.
// An address that nobody has, an account without a password and a wrong password
// are one and the same CodeNotFound, after the same work; too many of them are
// CodeTooManyRequests with the time to wait. CodeInvalidRequest where passwords
// are switched off.
func (s *Service) SignIn(ctx context.Context, in SignIn) (token string, a svc.Account, err error) {
	if !s.Allows(WayPassword) {
		return "", svc.Account{}, errPasswordsOff()
	}
	tries, err := s.tries(ctx, in)
	if err != nil {
		return "", svc.Account{}, err
	}
	if err := s.guesses.count(ctx, tries); err != nil {
		return "", svc.Account{}, err
	}
	in.By = "password"
	a, err = s.CheckPassword(ctx, in.Email, in.Password)
	if err != nil {
		s.noticeFailure(ctx, in, err)
		return "", svc.Account{}, err
	}
	if err := s.guesses.forgive(ctx, tries); err != nil {
		return "", svc.Account{}, err
	}
	token, err = s.OpenSession(ctx, a.ID, in)
	return token, a, err
}

// OpenSession signs a browser in to an account, without a question: of in, only who
// sits there counts. The token that the browser had before ends, so that nobody can
// choose a token for somebody else.
func (s *Service) OpenSession(ctx context.Context, accountID string, in SignIn) (token string, err error) {
	token, hash := svc.NewToken()
	browser := browserText(in.Browser)
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if in.Replaces != "" {
			if err := r.Sessions().Delete(ctx, svc.HashToken(in.Replaces)); err != nil {
				return err
			}
		}
		account, err := r.Accounts().Get(ctx, accountID)
		if err != nil {
			return err
		}
		if err := r.Sessions().Insert(ctx, svc.Session{
			Hash: hash, AccountID: accountID, Browser: browser, Network: AddressOf(in.Network),
			CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(sessionIdle),
		}); err != nil {
			return err
		}
		return note(ctx, r, svc.AuditEntry{
			Action: svc.AuditSignedIn, AccountID: accountID, Subject: browser, Detail: in.By,
			Actor: svc.Actor{Kind: svc.ActorPerson, Name: account.Email, Address: AddressOf(in.Network)},
		})
	})
	if err != nil {
		return "", accountError(err, accountID)
	}
	return token, nil
}

// letIn opens a session for somebody who has proved who they are, and takes back the
// count of their try.
func (s *Service) letIn(ctx context.Context, kind string, free int, accountID string, in SignIn) (token string, err error) {
	tries, err := s.place(ctx, kind, free, in)
	if err != nil {
		return "", err
	}
	if err := s.guesses.forgive(ctx, tries); err != nil {
		return "", err
	}
	return s.OpenSession(ctx, accountID, in)
}

func browserText(browser string) string {
	if len(browser) > maxBrowser {
		browser = browser[:maxBrowser]
	}
	if !utf8.ValidString(browser) {
		return ""
	}
	return browser
}

// noticeFailure leaves it to Audit.Run to write that a sign-in to an account failed.
// The work is the same for an address that nobody has, which is written nowhere: what
// people mistype there may be a password.
func (s *Service) noticeFailure(ctx context.Context, in SignIn, why error) {
	if svc.CodeOf(why) != svc.CodeNotFound {
		return
	}
	account, err := s.lookUp(ctx, in.Email)
	if err != nil || account.ID == "" {
		return
	}
	s.noticeRefusal(account, in)
}

// noticeRefusal leaves it to Audit.Run to write that somebody was not let in to an
// account.
func (s *Service) noticeRefusal(account svc.Account, in SignIn) {
	s.Audit.notice(notice{at: s.now(), entry: svc.AuditEntry{
		Action: svc.AuditSignInFailed, AccountID: account.ID, Subject: browserText(in.Browser), Detail: in.By,
		Actor: svc.Actor{Kind: svc.ActorVisitor, Address: AddressOf(in.Network)},
	}})
}

// ErrNoSession says that a token opens nothing.
var ErrNoSession = errors.New("nobody is signed in")

// Session finds who is signed in with a token. ErrNoSession.
func (s *Service) Session(ctx context.Context, token string) (svc.Session, svc.Account, error) {
	hash := svc.HashToken(token)
	session, account, err := s.store.Sessions().Get(ctx, hash)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Session{}, svc.Account{}, ErrNoSession
	}
	if err != nil {
		return svc.Session{}, svc.Account{}, fmt.Errorf("look up session: %w", err)
	}
	now := s.now()
	if !now.Before(session.ExpiresAt) {
		return svc.Session{}, svc.Account{}, ErrNoSession
	}
	if now.Sub(session.SeenAt) >= touchEvery {
		session.SeenAt = now
		session.ExpiresAt = now.Add(sessionIdle)
		if end := session.CreatedAt.Add(SessionLife); end.Before(session.ExpiresAt) {
			session.ExpiresAt = end
		}
		err := s.store.Sessions().Touch(ctx, hash, session.SeenAt, session.ExpiresAt)
		if errors.Is(err, svc.ErrNotFound) {
			return svc.Session{}, svc.Account{}, ErrNoSession // it was ended just now
		}
		if err != nil {
			return svc.Session{}, svc.Account{}, fmt.Errorf("note the use of a session: %w", err)
		}
	}
	return session, account, nil
}

// Sessions lists the browsers that are signed in to an account.
func (s *Service) Sessions(ctx context.Context, accountID string) ([]svc.Session, error) {
	all, err := s.store.Sessions().List(ctx, accountID)
	if err != nil {
		return nil, fmt.Errorf("list sessions: %w", err)
	}
	now := s.now()
	return slices.DeleteFunc(all, func(session svc.Session) bool { return !now.Before(session.ExpiresAt) }), nil
}

// SignOut ends the session of a token.
func (s *Service) SignOut(ctx context.Context, token string) error {
	return failed("sign out", s.store.Sessions().Delete(ctx, svc.HashToken(token)))
}

// SignOutOne ends one session of an account, on whichever machine. CodeNotFound.
func (s *Service) SignOutOne(ctx context.Context, accountID string, hash [sha256.Size]byte) error {
	err := s.store.Sessions().DeleteOwn(ctx, accountID, hash)
	return missingOr(svc.Errorf(svc.CodeNotFound, "That browser is signed out already."), "sign out a browser", err)
}

// SignOutOthers ends every session of an account but one.
func (s *Service) SignOutOthers(ctx context.Context, accountID string, spared [sha256.Size]byte) error {
	return failed("sign out elsewhere", s.store.Sessions().DeleteOthers(ctx, accountID, spared))
}

// ChangePassword gives an account a new password, for one who knows the old one,
// and ends its sessions everywhere: the caller opens a new one. A wrong old
// password is CodeInvalidRequest, guessing it is limited as at the sign-in.
func (s *Service) ChangePassword(ctx context.Context, a svc.Account, network, old, fresh string) error {
	if !s.Allows(WayPassword) {
		return errPasswordsOff()
	}
	if err := s.checkOld(ctx, a, network, old); err != nil {
		return err
	}
	return s.SetPassword(ctx, a.ID, fresh)
}

// checkOld refuses who does not know the present password of an account.
func (s *Service) checkOld(ctx context.Context, a svc.Account, network, old string) error {
	tries := buckets(a.Email, network)
	if err := s.guesses.count(ctx, tries); err != nil {
		return err
	}
	if _, err := s.CheckPassword(ctx, a.Email, old); err != nil {
		if svc.CodeOf(err) == svc.CodeNotFound {
			return svc.Invalid("old", "The present password is another one.")
		}
		return err
	}
	return s.guesses.forgive(ctx, tries)
}

// AddPassword gives a password to the account of a session that has none, and ends its
// sessions everywhere: the caller opens a new one. CodeInvalidRequest, ErrNotFresh,
// ErrNoSession.
func (s *Service) AddPassword(ctx context.Context, a svc.Account, session svc.Session, fresh string) error {
	if !s.Allows(WayPassword) {
		return errPasswordsOff()
	}
	if !s.Fresh(session) {
		return ErrNotFresh
	}
	hash, err := s.HashPassword(ctx, a.Email, fresh)
	if err != nil {
		return err
	}
	err = s.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if _, err := live(ctx, r, session.Hash, now); err != nil {
			return err
		}
		present, err := r.Accounts().Get(ctx, a.ID)
		if err != nil {
			return err
		}
		if present.PasswordHash != "" {
			return svc.Invalid("old", "The account has a password by now. Load the page anew to change it.")
		}
		return replacePassword(ctx, r, a.ID, hash, "set anew")
	})
	return accountError(err, a.ID)
}

// RemoveExpired removes sessions, links and guesses that are over, now and every
// hour, until the context ends.
func (s *Service) RemoveExpired(ctx context.Context, report func(error)) {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		now := s.now()
		if err := s.store.Sessions().Sweep(ctx, now, now.Add(-forgetAfter)); err != nil && ctx.Err() == nil {
			report(fmt.Errorf("sweep sessions: %w", err))
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

// Usage tells what an account did on each of the last days, today included;
// none is left out.
func (s *Service) Usage(ctx context.Context, accountID string, days int) ([]svc.DayUsage, error) {
	const day = 24 * time.Hour
	today := s.now().UTC().Truncate(day)
	first := today.Add(-time.Duration(days-1) * day)
	found, err := s.store.Usage().Daily(ctx, accountID, first, today)
	if err != nil {
		return nil, fmt.Errorf("read the usage of %s: %w", accountID, err)
	}
	all := make([]svc.DayUsage, days)
	for i := range all {
		all[i].Day = first.Add(time.Duration(i) * day)
	}
	for _, d := range found {
		if i := int(d.Day.Sub(first) / day); i >= 0 && i < days {
			all[i] = d
		}
	}
	return all, nil
}

// freeSignUps accounts can be made from one network before each has to wait.
const freeSignUps = 10

// SignUp makes an account for whoever asks, on the smallest plan, and opens a
// session. An address that is taken cannot be kept a secret here, for nobody is
// written to; asking is slowed down for the network that asks.
func (s *Service) SignUp(ctx context.Context, in SignIn) (token string, err error) {
	if !s.Allows(WayPassword) {
		return "", errPasswordsOff()
	}
	if err := s.countSignUp(ctx, in.Network); err != nil {
		return "", err
	}
	if in.Password == "" {
		return "", svc.Invalid("password", "An account needs a password to sign in with.")
	}
	a, err := s.Create(ctx, NewAccount{Email: in.Email, Plan: svc.PlanHobby, Password: in.Password})
	if err != nil {
		return "", err
	}
	in.By = "sign-up"
	return s.OpenSession(ctx, a.ID, in)
}

func (s *Service) countSignUp(ctx context.Context, network string) error {
	return s.guesses.count(ctx, []bucket{{"sign-up " + networkOf(network), freeSignUps}})
}
