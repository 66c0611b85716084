package checker

import (
	"net/http"
	"slices"
	"time"
)

// rates are the published limits, for a rolling minute.
var rates = map[string]int{opRepackage: 3, opDownload: 10}

// window is what a limit counts.
type window struct{ accountID, op string }

// use is a request that used a slot of a limit, or may have.
type use struct {
	span         // not answered while it is under way
	certain bool // its answer tells that it used one
}

// enter notes a request that is about to be sent.
func (c *Checker) enter(accountID, op string) *use {
	u := &use{span: span{sent: time.Now()}}
	if rates[op] > 0 {
		c.mu.Lock()
		defer c.mu.Unlock()
		at := window{accountID, op}
		c.used[at] = append(c.used[at], u)
	}
	return u
}

// leave notes what came of it, of all the times that it was sent: one was
// answered, and what the others did is not known. Refusals and replays use no
// slot, and a refusal is held against the limit.
func (c *Checker) leave(accountID, op string, u *use, sent []*use, a answer) {
	if rates[op] == 0 {
		return
	}
	at := window{accountID, op}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, other := range sent {
		other.answered = a.span.answered
		if i == len(sent)-1 { // this is u
			c.used[at] = slices.DeleteFunc(c.used[at], func(use *use) bool { return use == other })
		}
	}
	u.answered = a.span.answered
	u.certain = a.failure == nil && a.status < http.StatusInternalServerError || a.status == http.StatusBadGateway
	refused := a.failure == nil && a.status == http.StatusTooManyRequests
	if refused || a.header.Get("Idempotency-Replayed") == "true" {
		c.used[at] = slices.DeleteFunc(c.used[at], func(other *use) bool { return other == u })
	}
	if refused && a.code == "TOO_MANY_REQUESTS" && c.counted(at, u.span) < rates[op] {
		c.blame("%s of %s is refused with fewer than %d requests in a minute", op, accountID, rates[op])
	}
}

// counted is how many requests may have been counted when one was refused.
func (c *Checker) counted(at window, refused span) (n int) {
	for _, u := range c.used[at] {
		if (u.answered.IsZero() || u.answered.After(refused.sent.Add(-time.Minute))) && u.sent.Before(refused.answered) {
			n++
		}
	}
	return n
}

// checkRates: no rolling minute admitted more than the limit. A request was
// admitted somewhere between being sent and answered, so only a certain excess
// counts.
func (c *Checker) checkRates() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for at, uses := range c.used {
		limit := rates[at.op]
		certain := slices.DeleteFunc(slices.Clone(uses), func(u *use) bool { return !u.certain })
		slices.SortFunc(certain, func(a, b *use) int { return a.answered.Compare(b.answered) })
		for i := limit; i < len(certain); i++ {
			earliest := certain[i].sent
			for _, u := range certain[i-limit : i] {
				if u.sent.Before(earliest) {
					earliest = u.sent
				}
			}
			if all := certain[i].answered.Sub(earliest); all < time.Minute {
				c.blame("%d %s requests of %s were admitted within %s", limit+1, at.op, at.accountID, all)
			}
		}
	}
}
