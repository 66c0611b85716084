package accounts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// Guessing is slowed down for whoever guesses, never for an account: what is
// counted is an address together with the network that tries it, and the network
// alone. Somebody who fails at another's account from elsewhere changes nothing
// for its owner, and from the same network nothing for a browser in which the
// owner has signed in before (see BrowserProof). Others there wait up to maxWait
// for a try. Addresses that nobody has count as others do.
const (
	// freeForAccount tries of one address from one network are not delayed;
	// then each waits twice as long as the one before.
	freeForAccount = 5
	// freeForNetwork tries of any addresses from one network are not delayed.
	freeForNetwork = 60
	maxWait        = time.Minute
	// forgetAfter is how long quiet makes all well again.
	forgetAfter = time.Hour
)

// bucket is one count, and how many tries it has free.
type bucket struct {
	name string
	free int
}

// buckets are the counts that a try belongs to. The address is hashed: what
// people mistype there may be a password.
func buckets(email, network string) []bucket {
	if normal, err := NormalizeEmail(email); err == nil {
		email = normal
	}
	sum := sha256.Sum256([]byte(strings.ToLower(email)))
	place := networkOf(network)
	return []bucket{
		{"account " + hex.EncodeToString(sum[:12]) + " " + place, freeForAccount},
		{"network " + place, freeForNetwork},
	}
}

// networkOf is what one household or office has: an IPv4 address, or the /64 of
// an IPv6 address. What is neither counts as one network.
func networkOf(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return "unknown"
	}
	ip := at.Addr().Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, err := ip.Prefix(64)
	if err != nil {
		return "unknown"
	}
	return prefix.String()
}

// AddressOf is where a request came from, without its port, or nothing.
func AddressOf(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return ""
	}
	return at.Addr().Unmap().WithZone("").String()
}

// guesses counts tries in the records.
type guesses struct{ store records }

// count counts a try as if it had failed, before it is judged: tries at the
// same time cannot slip through together. CodeTooManyRequests with the wait.
func (all guesses) count(ctx context.Context, tries []bucket) error {
	return all.store.tx(ctx, func(r svc.Records, now time.Time) error {
		var counted []svc.Guesses
		for _, try := range tries {
			g, err := r.GuessLog().Lock(ctx, try.name)
			if err != nil {
				return err
			}
			if now.Sub(g.LastAt) >= forgetAfter {
				g.Count = 0
			}
			if wait := g.LastAt.Add(delay(g.Count - try.free)).Sub(now); g.Count > 0 && wait > 0 {
				return tooManyGuesses(wait)
			}
			g.Count, g.LastAt = g.Count+1, now
			counted = append(counted, g)
		}
		for _, g := range counted {
			if err := r.GuessLog().Save(ctx, g); err != nil {
				return err
			}
		}
		return nil
	})
}

// delay is the wait after so many tries beyond the free ones.
func delay(over int) time.Duration {
	if over < 0 {
		return 0
	}
	if over > 6 {
		return maxWait
	}
	return min(time.Second<<over, maxWait)
}

// forgive takes back the count of a try that was right: its own bucket is
// forgotten, the network gets one back.
func (all guesses) forgive(ctx context.Context, tries []bucket) error {
	return all.store.Tx(ctx, func(r svc.Records) error {
		for i, try := range tries {
			g, err := r.GuessLog().Lock(ctx, try.name)
			if err != nil {
				return err
			}
			if i == 0 {
				g.Count = 0
			} else {
				g.Count = max(g.Count-1, 0)
			}
			if err := r.GuessLog().Save(ctx, g); err != nil {
				return err
			}
		}
		return nil
	})
}

func tooManyGuesses(wait time.Duration) *svc.Error {
	seconds := (wait + time.Second - 1).Truncate(time.Second)
	e := svc.Errorf(svc.CodeTooManyRequests, "Too many attempts from your network. Try again in %d seconds.", int(seconds.Seconds()))
	e.RetryAfter = seconds
	return e
}
