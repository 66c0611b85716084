package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	svc "github.com/bundle-delivery/svc"
)

// ErrPasskeyCopied refuses a passkey whose counter went back: a device counts up
// with each use, so two of them may hold the same passkey.
var ErrPasskeyCopied = &svc.Error{
	Code:    svc.CodeNotFound,
	Message: "This passkey may have been copied: its counter is behind the one that was last used here. You are not signed in.",
	Hint:    "Sign in another way, remove the passkey under Settings, Passkeys, and tell the operator of this service.",
}

var errUnknownPasskey = &svc.Error{
	Code: svc.CodeNotFound, Message: "This passkey is not known here. It may have been removed.", Hint: "Sign in another way.",
}

// AskToSignIn asks a browser for any passkey that it has for this service. renews is
// the token of a question that it was asked before and does not answer any more, if
// there is one.
func (p *Passkeys) AskToSignIn(ctx context.Context, in SignIn, cookie, renews string) (Question, error) {
	if !p.Offered() {
		return Question{}, errNoPasskeys
	}
	due := false
	if renews != "" {
		var err error
		if due, err = p.withdraw(ctx, renews, boundTo(cookie)); err != nil {
			return Question{}, err
		}
	}
	if !due {
		if err := p.count(ctx, in); err != nil {
			return Question{}, err
		}
	}
	options, asked, err := p.party.BeginDiscoverableLogin()
	if err != nil {
		return Question{}, fmt.Errorf("ask for a passkey: %w", err)
	}
	return p.keep(ctx, ceremony{Purpose: toSignIn, Bound: boundTo(cookie), Asked: *asked}, options)
}

// SignedIn is who signed in, and with what.
type SignedIn struct {
	Token   string // of the session
	Account svc.Account
	Passkey svc.Passkey
}

// SignIn opens a session for whoever has a passkey. What is wrong with it is
// CodeInvalidRequest, or CodeNotFound where it is not known or ErrPasskeyCopied; the
// account and the passkey are then told, too.
func (p *Passkeys) SignIn(ctx context.Context, answer Answer, in SignIn) (SignedIn, error) {
	in.By = "passkey"
	c, err := p.take(ctx, answer.Token, toSignIn, boundTo(answer.Cookie))
	if err != nil {
		return SignedIn{}, err
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer.Credential)
	if err != nil {
		return SignedIn{}, errNotAccepted
	}
	var who SignedIn
	var copied bool
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) (err error) {
		who, copied, err = p.use(ctx, r, now, c, parsed)
		return err
	})
	switch {
	case errors.Is(err, svc.ErrNotFound):
		return SignedIn{}, errUnknownPasskey
	case errors.Is(err, errNotAccepted):
		p.service.noticeRefusal(who.Account, in)
		return SignedIn{}, err
	case err != nil:
		return SignedIn{}, fmt.Errorf("use a passkey: %w", err)
	case copied:
		in.By = "passkey that may have been copied"
		p.service.noticeRefusal(who.Account, in)
		return who, ErrPasskeyCopied
	}
	who.Token, err = p.service.letIn(ctx, "passkey", freeQuestions, who.Account.ID, in)
	return who, err
}

// use judges an answer and keeps what the device says of the passkey. That it may
// have been copied stays in its record.
func (p *Passkeys) use(ctx context.Context, r svc.Records, now time.Time, c ceremony, parsed *protocol.ParsedCredentialAssertionData) (who SignedIn, copied bool, err error) {
	if who.Passkey, err = r.Passkeys().Get(ctx, passkeyID(parsed.RawID)); err != nil {
		return who, false, err
	}
	if who.Account, err = r.Accounts().Get(ctx, who.Passkey.AccountID); err != nil {
		return who, false, err
	}
	known, err := credential(who.Passkey)
	if err != nil {
		return who, false, err
	}
	before := known.Authenticator.CloneWarning
	known.Authenticator.CloneWarning = false
	owner := person{id: who.Account.ID, email: who.Account.Email, keys: []webauthn.Credential{known}}
	_, used, err := p.party.ValidatePasskeyLogin(func(_, _ []byte) (webauthn.User, error) { return owner, nil }, c.Asked, parsed)
	if err != nil {
		return who, false, errNotAccepted
	}
	copied = used.Authenticator.CloneWarning
	used.Authenticator.CloneWarning = copied || before
	if !copied {
		who.Passkey.UsedAt = now
	}
	record, err := json.Marshal(used)
	if err != nil {
		return who, false, fmt.Errorf("write a passkey as JSON: %w", err)
	}
	who.Passkey.Record = string(record)
	return who, copied, r.Passkeys().Update(ctx, who.Passkey.ID, who.Passkey.Record, who.Passkey.UsedAt)
}

// AskToAdd asks a browser that has just signed in for a new passkey. ErrNotFresh.
func (p *Passkeys) AskToAdd(ctx context.Context, a svc.Account, session svc.Session) (Question, error) {
	if !p.Offered() {
		return Question{}, errNoPasskeys
	}
	if !p.service.Fresh(session) {
		return Question{}, ErrNotFresh
	}
	if err := p.service.guesses.count(ctx, []bucket{{"passkey " + a.ID, freeQuestions}}); err != nil {
		return Question{}, err
	}
	all, err := p.service.store.Passkeys().List(ctx, a.ID)
	if err != nil {
		return Question{}, fmt.Errorf("list passkeys: %w", err)
	}
	who := person{id: a.ID, email: a.Email}
	for _, key := range all {
		c, err := credential(key)
		if err != nil {
			return Question{}, err
		}
		who.keys = append(who.keys, c)
	}
	return p.askToMake(ctx, who, ceremony{Purpose: toAdd, Bound: boundTo(string(session.Hash[:]))})
}

// Add keeps the passkey that was made in a session, under a name. CodeInvalidRequest,
// ErrNoSession.
func (p *Passkeys) Add(ctx context.Context, session svc.Session, answer Answer, text string) error {
	name, err := passkeyName(text)
	if err != nil {
		return err
	}
	c, fresh, err := p.made(ctx, answer, toAdd, boundTo(string(session.Hash[:])))
	if err != nil {
		return err
	}
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if _, err := live(ctx, r, session.Hash, now); err != nil {
			return err
		}
		return p.insert(ctx, r, now, c.AccountID, name, fresh)
	})
	return accountError(err, c.AccountID)
}

// AskToSignUp asks the browser of somebody without an account for a passkey. An
// address that is taken is CodeInvalidRequest.
func (p *Passkeys) AskToSignUp(ctx context.Context, email, network, cookie string) (Question, error) {
	if err := p.count(ctx, SignIn{Network: network}); err != nil {
		return Question{}, err
	}
	if err := p.service.countSignUp(ctx, network); err != nil {
		return Question{}, err
	}
	email, err := p.free(ctx, email)
	if err != nil {
		return Question{}, err
	}
	return p.askToMake(ctx, person{id: svc.NewAccountID(), email: email}, ceremony{Purpose: toSignUp, Bound: boundTo(cookie)})
}

// free brings an address to its normal form and refuses one that is taken.
func (p *Passkeys) free(ctx context.Context, email string) (string, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return "", err
	}
	taken, err := p.service.lookUp(ctx, email)
	if err != nil {
		return "", err
	}
	if taken.ID != "" {
		return "", emailTaken(email)
	}
	return email, nil
}

// SignUp makes an account without a password, on the smallest plan, and opens a
// session. The passkey has the name of the browser. CodeInvalidRequest.
func (p *Passkeys) SignUp(ctx context.Context, answer Answer, in SignIn) (token string, a svc.Account, err error) {
	c, fresh, err := p.made(ctx, answer, toSignUp, boundTo(answer.Cookie))
	if err != nil {
		return "", svc.Account{}, err
	}
	a = svc.Account{ID: c.AccountID, Email: c.Email, Plan: svc.PlanHobby}
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		a.CreatedAt = now
		if err := insertAccount(ctx, r, a); errors.Is(err, svc.ErrConflict) {
			return emailTaken(a.Email)
		} else if err != nil {
			return err
		}
		return p.insert(ctx, r, now, a.ID, firstName(in), fresh)
	})
	if err != nil {
		return "", svc.Account{}, fmt.Errorf("sign up with a passkey: %w", err)
	}
	in.By = "sign-up"
	token, err = p.service.OpenSession(ctx, a.ID, in)
	return token, a, err
}

// firstName is what a passkey is called that nobody has named.
func firstName(in SignIn) string {
	if name, err := passkeyName(in.Browser); err == nil {
		return name
	}
	return "First passkey"
}

// AskToFollow asks the browser of somebody with a one-time link for a passkey. email
// counts only where the link names none. CodeNotFound when the link is over.
func (p *Passkeys) AskToFollow(ctx context.Context, link, email, network, cookie string) (Question, error) {
	if err := p.count(ctx, SignIn{Network: network}); err != nil {
		return Question{}, err
	}
	l, err := p.service.Link(ctx, link)
	if err != nil {
		return Question{}, err
	}
	who := person{id: l.AccountID, email: l.Email}
	if l.Kind != svc.LinkReset {
		if l.Email != "" {
			email = l.Email
		}
		if who.email, err = p.free(ctx, email); err != nil {
			return Question{}, err
		}
		who.id = svc.NewAccountID()
	}
	return p.askToMake(ctx, who, ceremony{Purpose: toFollow, Bound: boundTo(cookie, link)})
}

// FollowLink is [Service.FollowLink] with a passkey in the place of a password: the
// account that is made has none, and one whose access is reset loses it, and the
// passkeys that it had.
func (p *Passkeys) FollowLink(ctx context.Context, link string, answer Answer, in SignIn) (a svc.Account, err error) {
	l, err := p.service.Link(ctx, link)
	if err != nil {
		return svc.Account{}, err
	}
	c, fresh, err := p.made(ctx, answer, toFollow, boundTo(answer.Cookie, link))
	if err != nil {
		return svc.Account{}, err
	}
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		if a, err = p.service.useLink(ctx, r, now, link, l, svc.Account{ID: c.AccountID, Email: c.Email}); err != nil {
			return err
		}
		return p.insert(ctx, r, now, a.ID, firstName(in), fresh)
	})
	return a, linkError(err)
}
