package accounts

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	svc "github.com/bundle-delivery/svc"
)

// A passkey is made or used in two requests: the browser is asked a question, and
// answers with what a device says to it. What was asked is kept in the records, so
// that any process can judge the answer, for five minutes and for one answer; the
// browser holds the token that finds it.
const (
	// ChallengeLife is how long a question can be answered.
	ChallengeLife = 5 * time.Minute
	// freeQuestions of one network, known browser or account are not delayed; then each
	// waits twice as long as the one before. The page for signing in asks one when it
	// is opened.
	freeQuestions = 300
	// renewAfter is how old a question is when another may take its place uncounted: a
	// page that stays open asks anew before its question is too old to be answered.
	renewAfter = 3 * time.Minute
)

// Question is what a browser is asked: the options for its script, and the token that
// its page brings back with the answer.
type Question struct {
	Options json.RawMessage `json:"options"`
	Token   string          `json:"token"`
}

// Answer is what a browser says: the token of the question and the credential, in
// JSON. Cookie is the one that it had when it was asked, and has again.
type Answer struct {
	Token      string
	Credential []byte
	Cookie     string
}

// purpose is what a passkey is made or used for.
type purpose string

const (
	toSignIn purpose = "sign_in"
	toAdd    purpose = "add"
	toSignUp purpose = "sign_up"
	toFollow purpose = "link"
)

// ceremony is what is kept between question and answer.
type ceremony struct {
	Purpose purpose `json:"purpose"`
	// Bound is what it began with: a session, or a cookie and perhaps a link.
	Bound     string               `json:"bound,omitempty"`
	AccountID string               `json:"accountId,omitempty"`
	Email     string               `json:"email,omitempty"`
	Asked     webauthn.SessionData `json:"asked"`
}

// person is the owner of passkeys, as the library wants to see one.
type person struct {
	id, email string
	keys      []webauthn.Credential
}

func (u person) WebAuthnID() []byte                         { return []byte(u.id) }
func (u person) WebAuthnName() string                       { return u.email }
func (u person) WebAuthnDisplayName() string                { return u.email }
func (u person) WebAuthnCredentials() []webauthn.Credential { return u.keys }

var (
	errNoPasskeys = svc.Errorf(svc.CodeNotFound, "Passkeys are not used here: the service is reached without a host name, or its operator does without them.")
	// errAnsweredLate is the one answer for a question that is not there, has been
	// answered, is too old or was put to somebody else.
	errAnsweredLate = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "passkey", Message: "This took too long, or was done before.", Hint: "Load the page anew and try again.",
	}
	errNotAccepted = &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "passkey", Message: "The passkey was not accepted.",
		Hint: "It has to be made for this address, and your device has to ask who you are: by a PIN, a finger or a face.",
	}
)

// count counts a question of somebody, before it is asked.
func (p *Passkeys) count(ctx context.Context, in SignIn) error {
	if !p.Offered() {
		return errNoPasskeys
	}
	tries, err := p.service.place(ctx, "passkey", freeQuestions, in)
	if err != nil {
		return err
	}
	return p.service.guesses.count(ctx, tries)
}

// boundTo names what a question is put to, so that nobody else answers.
func boundTo(secrets ...string) string {
	hash := svc.HashToken(strings.Join(secrets, " "))
	return hex.EncodeToString(hash[:])
}

// askToMake asks a browser to make a passkey for somebody.
func (p *Passkeys) askToMake(ctx context.Context, who person, c ceremony) (Question, error) {
	without := make([]protocol.CredentialDescriptor, len(who.keys))
	for i, key := range who.keys {
		without[i] = key.Descriptor()
	}
	options, asked, err := p.party.BeginRegistration(who, webauthn.WithExclusions(without),
		webauthn.WithCredentialParameters(webauthn.CredentialParametersRecommendedL3()))
	if err != nil {
		return Question{}, fmt.Errorf("ask for a new passkey: %w", err)
	}
	c.AccountID, c.Email, c.Asked = who.id, who.email, *asked
	return p.keep(ctx, c, options)
}

// keep notes what is asked.
func (p *Passkeys) keep(ctx context.Context, c ceremony, options any) (Question, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return Question{}, fmt.Errorf("write a question as JSON: %w", err)
	}
	state, err := json.Marshal(c)
	if err != nil {
		return Question{}, fmt.Errorf("write a challenge as JSON: %w", err)
	}
	token, hash := svc.NewToken()
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		return r.Challenges().Insert(ctx, svc.Challenge{Hash: hash, State: string(state), ExpiresAt: now.Add(ChallengeLife)})
	})
	if err != nil {
		return Question{}, fmt.Errorf("keep a challenge: %w", err)
	}
	return Question{Options: text, Token: token}, nil
}

// withdraw takes back a question to sign in that nobody has answered, and says whether
// it is time for another in its place.
func (p *Passkeys) withdraw(ctx context.Context, token, bound string) (due bool, err error) {
	hash := svc.HashToken(token)
	err = p.service.store.tx(ctx, func(r svc.Records, now time.Time) error {
		due = false
		found, err := r.Challenges().Get(ctx, hash)
		if err != nil {
			return err
		}
		var c ceremony
		if err := json.Unmarshal([]byte(found.State), &c); err != nil {
			return fmt.Errorf("read a challenge: %w", err)
		}
		if c.Purpose != toSignIn || c.Bound != bound {
			return svc.ErrNotFound
		}
		due = now.Sub(found.ExpiresAt.Add(-ChallengeLife)) >= renewAfter
		return r.Challenges().Delete(ctx, hash)
	})
	if errors.Is(err, svc.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("withdraw a challenge: %w", err)
	}
	return due, nil
}

// take finds what was asked, once.
func (p *Passkeys) take(ctx context.Context, token string, wanted purpose, bound string) (ceremony, error) {
	if !p.Offered() {
		return ceremony{}, errNoPasskeys
	}
	hash := svc.HashToken(token)
	var found svc.Challenge
	var now time.Time
	err := p.service.store.Tx(ctx, func(r svc.Records) (err error) {
		if now, err = r.Now(ctx); err != nil {
			return err
		}
		if found, err = r.Challenges().Get(ctx, hash); err != nil {
			return err
		}
		return r.Challenges().Delete(ctx, hash)
	})
	if errors.Is(err, svc.ErrNotFound) {
		return ceremony{}, errAnsweredLate
	}
	if err != nil {
		return ceremony{}, fmt.Errorf("take a challenge: %w", err)
	}
	var c ceremony
	if err := json.Unmarshal([]byte(found.State), &c); err != nil {
		return ceremony{}, fmt.Errorf("read a challenge: %w", err)
	}
	if !now.Before(found.ExpiresAt) || c.Purpose != wanted || c.Bound != bound {
		return ceremony{}, errAnsweredLate
	}
	return c, nil
}

// made judges the answer of a browser that was asked to make a passkey.
func (p *Passkeys) made(ctx context.Context, answer Answer, wanted purpose, bound string) (ceremony, *webauthn.Credential, error) {
	c, err := p.take(ctx, answer.Token, wanted, bound)
	if err != nil {
		return ceremony{}, nil, err
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer.Credential)
	if err != nil {
		return ceremony{}, nil, errNotAccepted
	}
	fresh, err := p.party.CreateCredential(person{id: c.AccountID}, c.Asked, parsed)
	if err != nil {
		return ceremony{}, nil, errNotAccepted
	}
	return c, fresh, nil
}
