package checker

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"
)

// What the tally calls the requests.
const (
	opRepackage   = "repackage"
	opDownload    = "download"
	opAcknowledge = "ack"
	opLook        = "look"
	opLatest      = "latest"
	opGenerate    = "generate"
	opRecord      = "record"
	opCancel      = "cancel"
	opList        = "list"
	opStream      = "stream"
)

// bundle is what is known of a bundle. The checker's lock guards it.
type bundle struct {
	id, projectID string
	owner         Tenant
	made          time.Time // asked for then, so its life is over no earlier than a TTL after it
	size          int64     // 0: not told
	sha256        string    // hex; empty: not told

	ackSent bool      // somebody asked for it, answered or not
	acked   string    // the time that the answer gave
	expired bool      // that was told
	gone    time.Time // when it was first told that it is gone, one way or the other
}

// key is an idempotency key.
type key struct{ accountID, key string }

// attempt is what came of a key.
type attempt struct {
	op     string
	answer []byte // the first answer
	lost   bool   // one was never heard, or told nothing of what was done
}

// keyLife is how long a request is repeated under its key; the service knows a
// key for a minute from its answer.
const keyLife = 40 * time.Second

// retryRest is the wait before a request is sent again.
const retryRest = 250 * time.Millisecond

// repeat sends an idempotent request until it is answered, sometimes twice at
// once, and checks that all answers are one. The answer has status 0 when there
// was none in time.
func (c *Checker) repeat(t Tenant, op, path string, body []byte, twice bool) answer {
	c.mu.Lock()
	k := key{t.AccountID, fmt.Sprintf("key-%d", len(c.keys))}
	made := &attempt{op: op}
	c.keys[k] = made
	c.mu.Unlock()
	for start := time.Now(); time.Since(start) < keyLife && c.ctx.Err() == nil; rest(c.ctx, retryRest) {
		send := func() answer {
			a := c.ask(t, op, http.MethodPost, path, body, "Idempotency-Key", k.key, "Content-Type", "application/json")
			c.sameAnswer(k, made, a)
			return a
		}
		var other sync.WaitGroup
		var second answer
		if twice {
			other.Go(func() { second = send() })
		}
		first := send()
		other.Wait()
		for _, a := range []answer{first, second} {
			if a.status != 0 && !a.failed() && a.status != http.StatusTooManyRequests {
				return a
			}
		}
		if first.status == http.StatusTooManyRequests {
			return first
		}
	}
	return answer{}
}

// sameAnswer holds a good answer against those that the key had before.
func (c *Checker) sameAnswer(k key, made *attempt, a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.failed() {
		made.lost = true
		return
	}
	if a.status >= http.StatusMultipleChoices {
		return
	}
	if made.answer == nil {
		made.answer = a.body
	} else if !bytes.Equal(made.answer, a.body) {
		c.blame("key %s of %s was answered %s, then %s", k.key, made.op, made.answer, a.body)
	}
}

func (c *Checker) repackage(t Tenant, random *rand.Rand) {
	asked := time.Now()
	a := c.repeat(t, opRepackage, "/projects/"+t.ProjectID+"/bundles/repackage", nil, random.IntN(4) == 0)
	if a.status != http.StatusOK {
		return
	}
	var said struct {
		BundleID       string `json:"bundleId"`
		TotalSizeBytes int64  `json:"totalSizeBytes"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.BundleID == "" {
		c.problem("repackage answered %s", a.body)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.bundles[said.BundleID]; known != nil {
		c.blame("two keys gave bundle %s", said.BundleID)
	}
	c.bundles[said.BundleID] = &bundle{id: said.BundleID, projectID: t.ProjectID, owner: t, made: asked, size: said.TotalSizeBytes}
}

// some picks a bundle of an account by what is known of it.
func (c *Checker) some(t Tenant, wanted func(*bundle) bool) *bundle {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range c.bundles {
		if b.owner.AccountID == t.AccountID && wanted(b) {
			return b
		}
	}
	return nil
}

// download fetches a bundle, and now and then tries to fetch one that is gone.
func (c *Checker) download(t Tenant, random *rand.Rand) {
	done := random.IntN(4) == 0
	if b := c.some(t, func(b *bundle) bool { return (b.acked != "" || b.expired) == done }); b != nil {
		c.fetch(b)
	}
}

// fetch downloads a bundle; what breaks off is taken up where it broke, as
// clients do. nil when it could not be had.
func (c *Checker) fetch(b *bundle) []byte {
	var archive []byte
	var etag, digest string
	for range 3 {
		header := []string{}
		if len(archive) > 0 {
			header = append(header, "Range", fmt.Sprintf("bytes=%d-", len(archive)), "If-Range", etag)
		}
		a := c.ask(b.owner, opDownload, http.MethodGet, "/bundles/"+b.id+"/download", nil, header...)
		if a.status == http.StatusOK || a.status == http.StatusPartialContent {
			c.mu.Lock()
			c.stillThere(b, a, "its archive can be downloaded")
			c.mu.Unlock()
		}
		switch a.status {
		case http.StatusOK:
			archive, etag, digest = a.body, a.header.Get("ETag"), a.header.Get("Repr-Digest")
		case http.StatusPartialContent:
			archive = append(archive, a.body...)
		case http.StatusGone:
			c.gone(b, a)
			return nil
		case http.StatusTooManyRequests:
			return nil
		}
		if (a.status == http.StatusOK || a.status == http.StatusPartialContent) && a.failure == nil {
			c.intact(b, archive, digest)
			return archive
		}
		if !a.failed() {
			return nil
		}
		rest(c.ctx, retryRest)
	}
	return nil
}

// intact compares an archive with what was said about it.
func (c *Checker) intact(b *bundle, archive []byte, digest string) {
	sum := sha256.Sum256(archive)
	c.mu.Lock()
	defer c.mu.Unlock()
	if want := "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"; digest != want {
		c.blame("the archive of %s has %s, told %s", b.id, want, digest)
	}
	if b.size != 0 && b.size != int64(len(archive)) {
		c.blame("the archive of %s has %d bytes, told %d", b.id, len(archive), b.size)
	}
	if got := fmt.Sprintf("%x", sum); b.sha256 != "" && b.sha256 != got {
		c.blame("the archive of %s has %s, told %s", b.id, got, b.sha256)
	}
	if b.projectID != b.owner.ProjectID {
		return
	}
	// The same state gives the same bytes.
	if known := c.digests[b.projectID]; known == "" {
		c.digests[b.projectID] = digest
	} else if known != digest {
		c.blame("project %s was delivered as %s and as %s", b.projectID, known, digest)
	}
}

// gone looks whether a bundle may be gone, and in this way.
func (c *Checker) gone(b *bundle, a answer) {
	var said struct {
		Code         string `json:"code"`
		BundleID     string `json:"bundleId"`
		DownloadedAt string `json:"downloadedAt"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.BundleID != b.id {
		c.problem("bundle %s is gone: %s", b.id, a.body)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case said.Code == "BUNDLE_EXPIRED":
		if b.acked != "" {
			c.blame("bundle %s was acknowledged at %s and is expired", b.id, b.acked)
		}
		if a.span.answered.Before(b.made.Add(c.config.BundleTTL)) {
			c.blame("bundle %s is expired after %s", b.id, a.span.answered.Sub(b.made))
		}
		b.expired = true
		b.goneSince(a.span.answered)
	case said.Code != "BUNDLE_DOWNLOADED" || !b.ackSent || b.expired:
		c.blame("bundle %s is gone and nobody acknowledged it: %s", b.id, a.body)
	default:
		c.confirm(b, said.DownloadedAt, a.span.answered)
	}
}

// goneSince notes that a bundle was gone when an answer came.
func (b *bundle) goneSince(answered time.Time) {
	if b.gone.IsZero() || answered.Before(b.gone) {
		b.gone = answered
	}
}

// confirm notes when a bundle was acknowledged, which never changes. The lock is held.
func (c *Checker) confirm(b *bundle, at string, heard time.Time) {
	switch {
	case at == "":
		c.blame("bundle %s was acknowledged at no time", b.id)
	case b.acked == "":
		b.acked = at
	case b.acked != at:
		c.blame("bundle %s was acknowledged at %s and at %s", b.id, b.acked, at)
	}
	b.goneSince(heard)
}

// acknowledge confirms a bundle, and now and then one that was confirmed before.
func (c *Checker) acknowledge(t Tenant, random *rand.Rand) {
	again := random.IntN(4) == 0
	if b := c.some(t, func(b *bundle) bool { return (b.acked != "") == again && !b.expired }); b != nil {
		c.confirmReceipt(b)
	}
}

func (c *Checker) confirmReceipt(b *bundle) {
	c.mu.Lock()
	b.ackSent = true
	c.mu.Unlock()
	a := c.ask(b.owner, opAcknowledge, http.MethodPost, "/bundles/"+b.id+"/ack", nil)
	if a.status == http.StatusGone && !a.failed() {
		c.gone(b, a)
	}
	if a.status != http.StatusOK || a.failed() {
		return
	}
	var said struct {
		Status       string `json:"status"`
		DownloadedAt string `json:"downloadedAt"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.Status != "downloaded" {
		c.problem("acknowledgement of %s answered %s", b.id, a.body)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.confirm(b, said.DownloadedAt, a.span.answered)
}

// look asks for a bundle, most often for one that is gone.
func (c *Checker) look(t Tenant, random *rand.Rand) {
	done := random.IntN(3) > 0
	if b := c.some(t, func(b *bundle) bool { return (b.acked != "" || b.expired) == done }); b != nil {
		c.state(b)
	}
}

// state asks for a bundle and compares it with what is known.
func (c *Checker) state(b *bundle) {
	a := c.ask(b.owner, opLook, http.MethodGet, "/bundles/"+b.id, nil)
	switch {
	case a.failed():
	case a.status == http.StatusGone:
		c.gone(b, a)
	case a.status == http.StatusOK:
		c.mu.Lock()
		defer c.mu.Unlock()
		c.stillThere(b, a, string(a.body))
	}
}

// stillThere blames the service for showing what is gone. The lock is held.
func (c *Checker) stillThere(b *bundle, a answer, seen string) {
	if !b.gone.IsZero() && b.gone.Before(a.span.sent) {
		c.blame("bundle %s, which was gone, is there again: %s", b.id, seen)
	}
}

func (c *Checker) latest(t Tenant, _ *rand.Rand) {
	a := c.ask(t, opLatest, http.MethodGet, "/bundles/latest", nil)
	if a.status != http.StatusOK || a.failed() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, b := range c.bundles {
		if strings.Contains(string(a.body), id) {
			c.stillThere(b, a, "it is the latest")
		}
	}
}
