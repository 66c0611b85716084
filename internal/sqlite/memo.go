package sqlite

import (
	svc "github.com/bundle-delivery/svc"
)

// memo is what a reading connection remembers of keys and bundles that it is
// asked about again and again, as by clients that poll. It never tells anything
// old: SQLite's data_version says, at a third of the price of a lookup, whether
// any other connection, of this process or another, has committed since, and a
// reading connection changes nothing itself.
//
// A pair that is asked about once costs nothing but its place: only the second
// question asks for the version, and only the third can be answered from here.
type memo struct {
	version int64
	answers map[keyAndBundle]*credentialWithBundle // nil: seen once
}

// memoSize is how many pairs a memo has places for. When they are taken, it
// begins anew.
const memoSize = 256

type keyAndBundle struct{ prefix, bundleID string }

type credentialWithBundle struct {
	cred   svc.Credential
	bundle svc.Bundle // without an id: there is none
}

// credentialWithBundle answers from the memo where that is certain, and from the
// tables otherwise.
func (c *conn) credentialWithBundle(pair keyAndBundle) (credentialWithBundle, error) {
	if c.memo == nil {
		return c.findCredentialWithBundle(pair)
	}
	known, seen := c.memo.answers[pair]
	if seen {
		var version int64
		if err := c.row(`PRAGMA data_version`, nil, []any{&version}); err != nil {
			return credentialWithBundle{}, err
		}
		if version == c.memo.version && known != nil {
			return *known, nil
		}
		if version != c.memo.version {
			clear(c.memo.answers)
			c.memo.version = version
		}
	}
	found, err := c.findCredentialWithBundle(pair)
	if err != nil {
		return found, err
	}
	if len(c.memo.answers) >= memoSize {
		clear(c.memo.answers)
	}
	// Found after the version was asked for: should somebody have committed in
	// between, the next version is another one, and this is not used.
	if seen {
		c.memo.answers[pair] = &found
	} else {
		c.memo.answers[pair] = nil
	}
	return found, nil
}

func (c *conn) findCredentialWithBundle(pair keyAndBundle) (credentialWithBundle, error) {
	var answer string
	if err := c.row(credentialAndBundle, []any{pair.prefix, pair.bundleID}, []any{&answer}); err != nil {
		return credentialWithBundle{}, err
	}
	cred, b, err := unpackCredentialAndBundle(answer)
	return credentialWithBundle{cred, b}, err
}
