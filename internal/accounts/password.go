package accounts

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	svc "github.com/bundle-delivery/svc"
)

// The cost of a password: OWASP's first recommendation for Argon2id. The figures
// stand in every hash, so that they can be raised without breaking old ones.
const (
	argonMemory  = 19 << 10 // KiB
	argonTime    = 2
	argonThreads = 1
	argonSalt    = 16
	argonKey     = 32
	// hashesAtOnce bounds memory and processor that sign-ins can take together.
	hashesAtOnce = 4
)

const (
	minPassword = 10
	maxPassword = 1024
)

// HashPassword turns a password into the string that is kept (PHC format), or
// says with CodeInvalidRequest why it is none for the account with the address.
func (s *Service) HashPassword(ctx context.Context, email, password string) (string, error) {
	if utf8.RuneCountInString(password) < minPassword || len(password) > maxPassword || !utf8.ValidString(password) {
		return "", svc.Invalid("password", "A password has at least %d characters and at most %d bytes.", minPassword, maxPassword)
	}
	if why := weakness(email, password); why != "" {
		return "", svc.Invalid("password", "This password is easily guessed. %s Take several words that do not belong together, or let a password manager make one.", why)
	}
	var salt [argonSalt]byte
	_, _ = rand.Read(salt[:]) // never fails: the runtime ends the program instead
	p := phc{memory: argonMemory, time: argonTime, threads: argonThreads, salt: salt[:]}
	key, err := s.derive(ctx, password, p, argonKey)
	if err != nil {
		return "", err
	}
	p.key = key
	return p.String(), nil
}

// CheckPassword finds the account that an address and a password open. One that
// does not exist, one without a password and a wrong password are the same
// CodeNotFound, after the same work.
func (s *Service) CheckPassword(ctx context.Context, email, password string) (svc.Account, error) {
	refused := svc.Errorf(svc.CodeNotFound, "E-mail address or password is wrong.")
	account, err := s.lookUp(ctx, email)
	if err != nil {
		return svc.Account{}, err
	}
	p, ok := parsePHC(account.PasswordHash)
	if !ok {
		// The work is done for its time alone.
		p = phc{
			memory: argonMemory, time: argonTime, threads: argonThreads,
			salt: make([]byte, argonSalt), key: make([]byte, argonKey),
		}
	}
	if len(password) > maxPassword {
		password = password[:maxPassword]
		ok = false
	}
	key, err := s.derive(ctx, password, p, uint32(len(p.key)))
	if err != nil {
		return svc.Account{}, err
	}
	if subtle.ConstantTimeCompare(key, p.key) != 1 || !ok {
		return svc.Account{}, refused
	}
	return account, nil
}

// lookUp gives the zero account for an address that nobody has.
func (s *Service) lookUp(ctx context.Context, email string) (svc.Account, error) {
	email, err := NormalizeEmail(email)
	if err != nil {
		return svc.Account{}, nil //nolint:nilerr // no address is nobody's address
	}
	account, err := s.store.Accounts().ByEmail(ctx, email)
	if errors.Is(err, svc.ErrNotFound) {
		return svc.Account{}, nil
	}
	if err != nil {
		return svc.Account{}, fmt.Errorf("look up account: %w", err)
	}
	return account, nil
}

// derive computes Argon2id, with few others at the same time.
func (s *Service) derive(ctx context.Context, password string, p phc, length uint32) ([]byte, error) {
	select {
	case s.hashing <- struct{}{}:
		defer func() { <-s.hashing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("wait to hash a password: %w", ctx.Err())
	}
	return argon2.IDKey([]byte(password), p.salt, p.time, p.memory, p.threads, length), nil
}

// phc is an Argon2id hash and what it was made with.
type phc struct {
	memory, time uint32
	threads      uint8
	salt, key    []byte
}

// String gives the PHC format, such as $argon2id$v=19$m=19456,t=2,p=1$salt$key.
func (p phc) String() string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, p.memory, p.time, p.threads,
		b64.EncodeToString(p.salt), b64.EncodeToString(p.key))
}

// parsePHC reads what String wrote. Figures beyond reason are refused, so that
// a row in the database cannot make the server compute for ever.
func parsePHC(text string) (phc, bool) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phc{}, false
	}
	var p phc
	if n, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); err != nil || n != 3 {
		return phc{}, false
	}
	var err error
	if p.salt, err = base64.RawStdEncoding.DecodeString(parts[4]); err != nil {
		return phc{}, false
	}
	if p.key, err = base64.RawStdEncoding.DecodeString(parts[5]); err != nil {
		return phc{}, false
	}
	sane := p.memory >= 8 && p.memory <= 1<<20 && p.time >= 1 && p.time <= 16 && p.threads >= 1 &&
		len(p.salt) >= 8 && len(p.salt) <= 64 && len(p.key) >= 16 && len(p.key) <= 64
	return p, sane
}
