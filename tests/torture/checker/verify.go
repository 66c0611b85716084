package checker

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/tests/viewer"
)

// Settle waits until every run has ended, no longer than allowed, and then holds
// everything that is known against what the service says. It needs a service
// that works.
func (c *Checker) Settle(allowed time.Duration) {
	late := time.AfterFunc(allowed, c.giveUp)
	c.watching.Wait()
	if !late.Stop() {
		c.resume()
	}
	c.checkRuns()
	c.checkStates()
	c.checkKeys()
	c.checkCaps()
	c.checkRates()
	c.giveUp()
}

// resume lets requests be made after waiting was given up.
func (c *Checker) resume() {
	c.ctx, c.giveUp = context.WithCancel(context.WithoutCancel(c.ctx))
}

// resumes is how often the log of a run is asked for its rest.
const resumes = 20

// checkRuns: every run that was accepted has ended, and its log tells everybody
// the same.
func (c *Checker) checkRuns() {
	if len(c.runs) == 0 {
		c.problem("no generation was ever accepted")
	}
	for _, r := range c.runs {
		if !r.over {
			found, _ := c.record(r)
			c.problem("run %s of %s has not come to its end: its record is %+v", r.id, r.asked.UTC().Format("15:04:05.000"), found)
			continue
		}
		again := viewer.New()
		_, ok := c.readStream(r, again)
		for range resumes { // a connection may break, and is resumed
			if !ok || again.Over() {
				break
			}
			rest(c.ctx, retryRest)
			_, ok = c.readStream(r, again)
		}
		if ok && again.Digest() != r.viewers[0].Digest() {
			c.problem("the log of %s has %d events, and not the %d that were heard", r.id, again.Last, r.viewers[0].Last)
		}
		if status, ok := c.readStream(r, again); ok && status != http.StatusNoContent {
			c.problem("after the end of %s its stream answers %d", r.id, status)
		}
	}
}

// checkCaps: an account with a cap has a project for each run that it was
// granted, answered or not, and not too many.
func (c *Checker) checkCaps() {
	const hobbyRuns = 3
	for _, t := range c.capped {
		a := c.ask(t, opList, http.MethodGet, "/projects?limit=100", nil)
		if n := strings.Count(string(a.body), `"projectId"`); a.status == http.StatusOK && n > hobbyRuns {
			c.problem("account %s was granted %d generations, and has %d a day", t.AccountID, n, hobbyRuns)
		}
	}
}

// checkStates: every bundle that was announced is known, and in the state that
// was told.
func (c *Checker) checkStates() {
	acked := 0
	for _, b := range c.bundles {
		c.state(b)
		if b.acked != "" {
			acked++
		}
	}
	if acked == 0 {
		c.problem("nothing was ever acknowledged")
	}
}

// checkKeys: every bundle that an account has was announced, but for at most one
// for each key whose request was never answered.
func (c *Checker) checkKeys() {
	unanswered := map[string]int{}
	for k, made := range c.keys {
		if made.answer == nil && made.lost {
			unanswered[k.accountID]++
		}
	}
	for _, t := range c.config.Tenants {
		var unknown []string
		for _, id := range c.list(t) {
			if c.bundles[id] == nil {
				unknown = append(unknown, id)
			}
		}
		if len(unknown) > unanswered[t.AccountID] {
			c.problem("account %s has %d requests that were never answered, and of nobody's asking the bundles %s",
				t.AccountID, unanswered[t.AccountID], strings.Join(unknown, ", "))
		}
	}
}

// list gives the ids of all bundles of an account.
func (c *Checker) list(t Tenant) (ids []string) {
	for cursor := ""; ; {
		a := c.ask(t, opList, http.MethodGet, "/bundles?limit=100&cursor="+url.QueryEscape(cursor), nil)
		var page struct {
			Bundles []struct {
				BundleID string `json:"bundleId"`
			} `json:"bundles"`
			NextCursor string `json:"nextCursor"`
		}
		if a.failed() || a.status != http.StatusOK {
			return ids // which is a problem, and noted
		}
		if err := json.Unmarshal(a.body, &page); err != nil {
			c.problem("a list of bundles: %v", err)
			return ids
		}
		for _, b := range page.Bundles {
			ids = append(ids, b.BundleID)
		}
		if cursor = page.NextCursor; cursor == "" {
			return ids
		}
	}
}
