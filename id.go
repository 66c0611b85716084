package svc

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// NewBundleID makes the id of a bundle.
func NewBundleID(now time.Time) string { return timedID(now) }

// NewAuditID makes the id of an entry of the audit log.
func NewAuditID(now time.Time) string { return timedID(now) }

// timedID makes a UUID of version 7: its first bits are the time, so that ids sort
// by creation.
func timedID(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[6:])
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], b[0:4])
	hex.Encode(text[9:13], b[4:6])
	hex.Encode(text[14:18], b[6:8])
	hex.Encode(text[19:23], b[8:10])
	hex.Encode(text[24:36], b[10:16])
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
	return string(text[:])
}

// NewProjectID makes the id of a project.
func NewProjectID() string { return "proj_" + randomText(20) }

// NewGenerationID makes the id of a run.
func NewGenerationID() string { return "gen_" + randomText(20) }

// NewAccountID makes the id of an account.
func NewAccountID() string { return "acct_" + randomText(20) }

// NewRequestID makes an id for a request, for logs and error bodies.
func NewRequestID() string { return "req_" + randomText(20) }

// ValidBundleID says whether a text can be the id of a bundle: a UUID as it is
// written here, in lower case. What cannot be an id is not asked for.
func ValidBundleID(id string) bool {
	if len(id) != 36 {
		return false
	}
	for i := range len(id) {
		c := id[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

// ValidProjectID says whether a text can be the id of a project.
func ValidProjectID(id string) bool { return validID(id, "proj_") }

// ValidGenerationID says whether a text can be the id of a run.
func ValidGenerationID(id string) bool { return validID(id, "gen_") }

func validID(id, prefix string) bool {
	rest, found := strings.CutPrefix(id, prefix)
	if !found || rest == "" || len(rest) > 40 {
		return false
	}
	for i := range len(rest) {
		if c := rest[i]; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}

// randomText gives n random lower-case letters and digits, each with the same
// chance: bytes that would favour some of the 36 are passed over.
func randomText(n int) string {
	const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
	const fair = 256 - 256%len(alphabet)
	out := make([]byte, 0, n)
	var buf [32]byte
	for len(out) < n {
		_, _ = rand.Read(buf[:])
		for _, c := range buf {
			if int(c) < fair && len(out) < n {
				out = append(out, alphabet[int(c)%len(alphabet)])
			}
		}
	}
	return string(out)
}
