package accounts

import (
	"context"
	"slices"

	svc "github.com/bundle-delivery/svc"
)

// Way is a way to sign in to the console.
type Way string

// The ways.
const (
	WayPassword Way = "password"
	WayPasskey  Way = "passkey"
	WayOIDC     Way = "oidc"
)

// Option changes what the use cases allow.
type Option func(*Service)

// WithWays lets people sign in by these ways alone, instead of by password and
// passkey. What somebody has for another way is kept and opens nothing.
func WithWays(ways ...Way) Option {
	return func(s *Service) { s.ways = slices.Clone(ways) }
}

// Allows says whether people may sign in by a way.
func (s *Service) Allows(way Way) bool { return slices.Contains(s.ways, way) }

// keepsAWay refuses what has just left an account without a way to sign in that is
// allowed, inside the transaction that did it.
func (s *Service) keepsAWay(ctx context.Context, r svc.Records, accountID string) error {
	a, err := r.Accounts().Get(ctx, accountID)
	if err != nil {
		return err
	}
	if a.PasswordHash != "" && s.Allows(WayPassword) {
		return nil
	}
	passkeys, err := r.Passkeys().List(ctx, accountID)
	if err != nil {
		return err
	}
	if s.Allows(WayPasskey) && slices.ContainsFunc(passkeys, func(p svc.Passkey) bool { return p.Host == s.passkeyHost }) {
		return nil
	}
	identities, err := r.Identities().List(ctx, accountID)
	if err != nil {
		return err
	}
	if s.Allows(WayOIDC) && slices.ContainsFunc(identities, func(i svc.Identity) bool { return i.Issuer == s.Identities.rules.Issuer }) {
		return nil
	}
	return &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "way",
		Message: "This is the last way to sign in to your account.",
		Hint:    "Add another one first.",
	}
}

// errPasswordsOff answers whoever comes with a password where none is asked for.
func errPasswordsOff() *svc.Error {
	return &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "password",
		Message: "Passwords are switched off here.",
		Hint:    "Sign in another way. Whoever runs this service can make a link that lets you in once.",
	}
}

// errInvitedElsewhere answers somebody who follows an invitation where a provider
// alone tells who people are.
func errInvitedElsewhere() *svc.Error {
	return &svc.Error{
		Code: svc.CodeInvalidRequest, Field: "email",
		Message: "Accounts of this service are opened by its identity provider alone.",
		Hint:    "Sign in there with the address that was invited; the invitation is then taken up.",
	}
}
