package accounts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"
	"golang.org/x/net/idna"

	svc "github.com/bundle-delivery/svc"
)

// Passkeys are the use cases of passkeys, for a service at one address.
//
// A passkey signs in by itself, beside a password or without one: so whoever makes
// or uses one has to show their device who they are (user verification), and it
// lies on the device with the account that it is for (discoverable).
type Passkeys struct {
	service *Service
	host    string
	party   *webauthn.WebAuthn // nil: the host is no name
}

// PasskeysAt gives the passkeys of a service that browsers find at an address. It is
// called before the service is used.
func (s *Service) PasskeysAt(base *url.URL) (*Passkeys, error) {
	p := &Passkeys{service: s, host: base.Hostname()}
	name, err := idna.Lookup.ToASCII(p.host)
	if err != nil || protocol.ValidateRPID(name) != nil {
		return p, nil //nolint:nilerr // a host that is no name has no passkeys
	}
	p.host, s.passkeyHost = name, name
	origin := base.Scheme + "://" + name
	if port := base.Port(); port != "" && port != "443" {
		origin += ":" + port
	}
	p.party, err = webauthn.New(&webauthn.Config{
		RPID: name, RPDisplayName: "svc at " + name, RPOrigins: []string{origin},
		// Nobody here judges the makers of devices.
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, RequireResidentKey: protocol.ResidentKeyRequired(),
			UserVerification: protocol.VerificationRequired,
		},
		// None is asked for, and some password managers tell of some all the same.
		ExtensionsUnsolicitedOutputPolicy: protocol.UnsolicitedOutputPolicyIgnore,
	})
	if err != nil {
		return nil, fmt.Errorf("passkeys at %s: %w", origin, err)
	}
	return p, nil
}

// Offered says whether passkeys can be made and used here: browsers do so for names
// and never for addresses, and operators can do without.
func (p *Passkeys) Offered() bool { return p.party != nil && p.service.Allows(WayPasskey) }

// Host is what passkeys are made for.
func (p *Passkeys) Host() string { return p.host }

// PasskeyView is a passkey as its owner sees it.
type PasskeyView struct {
	svc.Passkey
	// Synced says that copies of it are kept elsewhere by whoever made the device.
	Synced bool
	// Copied says that its counter once went back.
	Copied bool
	// Elsewhere says that it was made for another host, and does not work here.
	Elsewhere bool
}

// List returns the passkeys of an account, the oldest first.
func (p *Passkeys) List(ctx context.Context, accountID string) ([]PasskeyView, error) {
	all, err := p.service.store.Passkeys().List(ctx, accountID)
	if err != nil {
		return nil, fmt.Errorf("list the passkeys of %s: %w", accountID, err)
	}
	views := make([]PasskeyView, len(all))
	for i, key := range all {
		c, err := credential(key)
		if err != nil {
			return nil, err
		}
		views[i] = PasskeyView{
			Passkey: key, Synced: c.Flags.BackupState, Copied: c.Authenticator.CloneWarning, Elsewhere: key.Host != p.host,
		}
	}
	return views, nil
}

// Rename gives a passkey of the account another name. CodeNotFound,
// CodeInvalidRequest.
func (p *Passkeys) Rename(ctx context.Context, accountID, id, text string) error {
	name, err := passkeyName(text)
	if err != nil {
		return err
	}
	return passkeyError(p.service.store.Passkeys().Rename(ctx, accountID, id, name))
}

// Remove takes a passkey of the account away and ends every session but the one
// that is spared: a device that was lost may hold one. The last way to sign in is
// refused with CodeInvalidRequest, a passkey that is not there with CodeNotFound.
func (p *Passkeys) Remove(ctx context.Context, accountID, id string, spared [32]byte) error {
	return passkeyError(p.service.store.Tx(ctx, func(r svc.Records) error {
		key, err := r.Passkeys().Get(ctx, id)
		if err != nil {
			return err
		}
		key.AccountID = accountID // whose it has to be
		if err := removePasskey(ctx, r, key, ""); err != nil {
			return err
		}
		if err := p.service.keepsAWay(ctx, r, accountID); err != nil {
			return err
		}
		return r.Sessions().DeleteOthers(ctx, accountID, spared)
	}))
}

// removePasskey is the step that takes a passkey away. how is for the audit log.
func removePasskey(ctx context.Context, r svc.Records, key svc.Passkey, how string) error {
	if err := r.Passkeys().Delete(ctx, key.AccountID, key.ID); err != nil {
		return err
	}
	return note(ctx, r, svc.AuditEntry{Action: svc.AuditPasskeyRemoved, AccountID: key.AccountID, Subject: key.Name, Detail: details(shortID(key.ID), how)})
}

// RemovePassword leaves an account its passkeys, for one who knows the password, and
// ends its sessions everywhere: the caller opens a new one. CodeInvalidRequest when
// there is no other way to sign in; a wrong password is told and counted as by ChangePassword.
func (p *Passkeys) RemovePassword(ctx context.Context, a svc.Account, network, old string) error {
	if err := p.service.checkOld(ctx, a, network, old); err != nil {
		return err
	}
	err := p.service.store.Tx(ctx, func(r svc.Records) error {
		if err := replacePassword(ctx, r, a.ID, "", "removed"); err != nil {
			return err
		}
		return p.service.keepsAWay(ctx, r, a.ID)
	})
	return accountError(err, a.ID)
}

// maxPasskeys of an account can be looked after.
const maxPasskeys = 20

func passkeyName(text string) (string, error) { return checkName("passkey", text, "lies") }

// insert keeps a new passkey of an account.
func (p *Passkeys) insert(ctx context.Context, r svc.Records, now time.Time, accountID, name string, c *webauthn.Credential) error {
	all, err := r.Passkeys().List(ctx, accountID)
	if err != nil {
		return err
	}
	if len(all) >= maxPasskeys {
		return svc.Invalid("passkey", "The account has %d passkeys, and more cannot be looked after. Remove one that is no longer used first.", maxPasskeys)
	}
	record, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("write a passkey as JSON: %w", err)
	}
	err = r.Passkeys().Insert(ctx, svc.Passkey{
		ID: passkeyID(c.ID), AccountID: accountID, Name: name, Host: p.host, Record: string(record), CreatedAt: now,
	})
	if errors.Is(err, svc.ErrConflict) {
		return svc.Invalid("passkey", "This passkey is known here already.")
	}
	if err != nil {
		return err
	}
	return note(ctx, r, svc.AuditEntry{Action: svc.AuditPasskeyAdded, AccountID: accountID, Subject: name, Detail: shortID(passkeyID(c.ID))})
}

// shortID tells passkeys apart in the audit log, whatever they are called by then.
func shortID(id string) string { return "…" + id[max(len(id)-8, 0):] }

func passkeyID(raw []byte) string { return protocol.URLEncodedBase64(raw).String() }

// credential reads the record of a passkey.
func credential(key svc.Passkey) (c webauthn.Credential, err error) {
	if err := json.Unmarshal([]byte(key.Record), &c); err != nil {
		return c, fmt.Errorf("read the record of passkey %s: %w", key.ID, err)
	}
	return c, nil
}

// passkeyError says that a passkey is not there; nil stays nil.
func passkeyError(err error) error {
	return missingOr(svc.Errorf(svc.CodeNotFound, "There is no such passkey."), "change a passkey", err)
}
