package console

import (
	"strings"

	"github.com/bundle-delivery/svc/internal/text/printable"
)

// Invitation is a text to send to somebody who is invited: the link, and what their
// machine needs.
func Invitation(baseURL, link, fingerprint string) string {
	return "You are invited to " + strings.TrimRight(baseURL, "/") + ". Make your account with this link; it works once, for seven days:\n\n" +
		link + "\n\n" + Welcome(baseURL, fingerprint)
}

// Welcome is what somebody who is invited has to know beside the link: why the browser
// warns and by what to know the authority, where the service has its own, and the line
// that gives a key to the client.
func Welcome(baseURL, fingerprint string) string {
	base := strings.TrimRight(baseURL, "/")
	var b strings.Builder
	if fingerprint != "" {
		b.WriteString("Your browser will warn, because no public authority vouches for this service but its own. That one is at " +
			base + "/ca.pem, with the SHA-256 fingerprint\n\n" + fingerprint + "\n\n")
	}
	b.WriteString("With a key from the console, this line signs the client in; paste the key after it:\n\n" + authLine(base, fingerprint) + "\n")
	return b.String()
}

// authLine is what gives a key to the client; the key itself is pasted after it.
func authLine(base, fingerprint string) string {
	line := "svc auth --api-key - --api-url " + printable.ShellWord(base)
	if fingerprint != "" {
		line += " --ca-fingerprint " + fingerprint
	}
	return line
}
