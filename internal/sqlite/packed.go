package sqlite

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// credentialAndBundle answers the most frequent request of all, so it is one
// statement, three lookups by primary key, and its answer is one value. The
// driver asks SQLite five things about each column of an answer, each under a
// lock: with the twenty columns that there are, that cost more than finding
// them. So SQLite joins the columns, and [packed] takes them apart.
//
// No identifier, number or digest has a bar in it. The key's name may have, and
// comes last.
const credentialAndBundle = `
SELECT concat_ws('|', k.prefix, k.account_id, hex(k.hash), k.created_at,
       coalesce(k.last_used_at, ''), coalesce(k.expires_at, ''), coalesce(k.revoked_at, ''), a.plan,
       coalesce(b.id, ''), coalesce(b.account_id, ''), coalesce(b.project_id, ''), coalesce(b.generation_id, ''),
       coalesce(b.status, ''), coalesce(b.file_count, 0), coalesce(b.size, 0), coalesce(hex(b.sha256), ''),
       coalesce(b.blob, ''), coalesce(b.created_at, ''), coalesce(b.expires_at, ''),
       coalesce(b.downloaded_at, ''), coalesce(b.expired_at, ''), k.name)
FROM api_keys k
JOIN accounts a ON a.id = k.account_id
LEFT JOIN bundles b ON b.id = $2 AND b.account_id = k.account_id
WHERE k.prefix = $1`

// unpackCredentialAndBundle reads what credentialAndBundle answers. A bundle
// that was not found is one without an id.
func unpackCredentialAndBundle(answer string) (cred svc.Credential, b svc.Bundle, err error) {
	p := packed{rest: answer}
	k := &cred.Key
	k.Prefix, k.AccountID = p.text(), p.text()
	p.digest(k.Hash[:])
	k.CreatedAt, k.LastUsedAt, k.ExpiresAt, k.RevokedAt = p.time(), p.time(), p.time(), p.time()
	cred.Plan = svc.Plan(p.text())
	b.ID, b.AccountID, b.ProjectID, b.GenerationID = p.text(), p.text(), p.text(), p.text()
	b.Status = svc.BundleStatus(p.text())
	b.FileCount, b.Size = int(p.number()), p.number()
	p.digest(b.SHA256[:])
	b.Blob = p.text()
	b.CreatedAt, b.ExpiresAt, b.DownloadedAt, b.ExpiredAt = p.time(), p.time(), p.time(), p.time()
	k.Name = p.rest
	if p.err != nil {
		return svc.Credential{}, svc.Bundle{}, p.err
	}
	return cred, b, nil
}

// packed is an answer of which the values are taken off from the left. The first
// thing that is not as it should be stays its error.
type packed struct {
	rest string
	err  error
}

var errPackedShort = errors.New("a packed answer ends too early")

func (p *packed) fail(err error) {
	if p.err == nil {
		p.err = err
	}
}

func (p *packed) text() string {
	value, rest, more := strings.Cut(p.rest, "|")
	if !more {
		p.fail(errPackedShort)
	}
	p.rest = rest
	return value
}

func (p *packed) number() int64 {
	n, err := strconv.ParseInt(p.text(), 10, 64)
	if err != nil {
		p.fail(fmt.Errorf("a packed number: %w", err))
	}
	return n
}

// time reads milliseconds; nothing is the zero time.
func (p *packed) time() time.Time {
	if strings.HasPrefix(p.rest, "|") {
		p.rest = p.rest[1:]
		return time.Time{}
	}
	return time.UnixMilli(p.number()).UTC()
}

// digest reads a SHA-256; nothing is the zero digest.
func (p *packed) digest(to []byte) {
	value := p.text()
	if value == "" {
		return
	}
	if len(value) != hex.EncodedLen(len(to)) {
		p.fail(fmt.Errorf("a packed SHA-256 has %d digits", len(value)))
		return
	}
	if _, err := hex.Decode(to, []byte(value)); err != nil {
		p.fail(fmt.Errorf("a packed SHA-256: %w", err))
	}
}
