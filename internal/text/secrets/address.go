package secrets

import (
	"bytes"
	"net"
	"net/url"
	"slices"
	"strings"
)

const (
	maxScheme   = 32
	maxUserInfo = 512
	maxHost     = 255
)

// addressPasswords finds passwords in addresses such as postgres://user:password@host.
// strict says that the text is likely to illustrate something: only a password that
// nobody would make up for that is found then.
func addressPasswords(text []byte, strict bool) []Finding {
	var found []Finding
	separator := []byte("://")
	for from := 0; ; {
		at := bytes.Index(text[from:], separator)
		if at < 0 {
			return found
		}
		start := from + at + len(separator)
		from = start
		if !schemeBefore(text[:start-len(separator)]) {
			continue
		}
		// A slash ends it, so that no byte is looked at for two addresses.
		authority := text[start:min(len(text), start+maxUserInfo+maxHost)]
		if end := bytes.IndexAny(authority, "/?#<> \t\r\n\"'`\\,;|"); end >= 0 {
			authority = authority[:end]
		}
		at = bytes.LastIndexByte(authority, '@')
		colon := bytes.IndexByte(authority, ':')
		if at < 0 || colon < 0 || colon > at {
			continue
		}
		user, password, host := string(authority[:colon]), string(authority[colon+1:at]), string(authority[at+1:])
		if guessable(user, password, host, strict) {
			continue
		}
		from = start + at
		found = append(found, Finding{Kind: "password in an address", Start: start + colon + 1, End: from})
	}
}

// schemeBefore reports whether a text ends in the scheme of an address.
func schemeBefore(text []byte) bool {
	n := 0
	for n < len(text) && n < maxScheme {
		if c := text[len(text)-1-n]; !wordByte(c) && c != '+' && c != '-' && c != '.' {
			break
		}
		n++
	}
	return n > 0
}

// guessable reports whether the password of an address is none, or one that is no
// secret.
func guessable(user, password, host string, strict bool) bool {
	if strings.ContainsAny(host, "{}$%()*") || host == "" {
		return true
	}
	unescaped, err := url.PathUnescape(password)
	if err != nil {
		return true // a verb of a format, such as %s
	}
	switch whereabouts := kindOfHost(host); {
	case whereabouts == reservedHost, standsForOther(unescaped), strings.EqualFold(unescaped, user):
		return true
	case strict || whereabouts == localHost:
		return !mixed(unescaped)
	}
	return len(unescaped) < minPassword
}

type hostKind int

const (
	publicHost   hostKind = iota
	localHost             // this machine, or a neighbour in a compose file
	reservedHost          // reserved for documentation and tests
)

func kindOfHost(host string) hostKind {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip := net.ParseIP(host); ip != nil {
		if ip.IsLoopback() || ip.IsUnspecified() {
			return localHost
		}
		return publicHost
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case slices.Contains([]string{"example", "invalid", "test"}, last),
		len(labels) > 1 && labels[len(labels)-2] == "example" && slices.Contains([]string{"com", "net", "org"}, last):
		return reservedHost
	case len(labels) == 1 || last == "localhost":
		return localHost
	}
	return publicHost
}
