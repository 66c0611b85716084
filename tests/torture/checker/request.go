package checker

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The ways in which a request may fail through no fault of its own.
const (
	// Broken is a connection that could not be made or did not last.
	Broken = "broken"
	// Late is an answer that did not come while the checker waited.
	Late = "late"
	// Unavailable is status 503, Assembly 502.
	Unavailable = "503 UNAVAILABLE"
	Assembly    = "502 ASSEMBLY_UNAVAILABLE"
	// Failed is a generation that ended with INTERNAL, Anew one whose engine was asked
	// again by another worker.
	Failed = "run INTERNAL"
	Anew   = "run begun anew"
)

// patience is how long an answer is waited for.
const patience = 40 * time.Second

// phase is a time of the test, with the failures that are expected in it.
type phase struct {
	name     string
	expected []string
	seen     map[string]int
	slowest  time.Duration
}

// Phase begins a phase in which these failures are expected, and ends the one
// before it.
func (c *Checker) Phase(name string, expected ...string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.phases = append(c.phases, &phase{name: name, expected: expected, seen: map[string]int{}})
}

// Summary tells for each phase what was answered how often, and the longest wait.
func (c *Checker) Summary() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var text strings.Builder
	for _, p := range c.phases {
		fmt.Fprintf(&text, "%s:", p.name)
		for _, kind := range slices.Sorted(maps.Keys(p.seen)) {
			fmt.Fprintf(&text, " %d× %s,", p.seen[kind], kind)
		}
		fmt.Fprintf(&text, " slowest %s\n", p.slowest.Round(time.Millisecond))
	}
	return text.String()
}

// current is the number of the phase that it is.
func (c *Checker) current() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.phases) - 1
}

// tally counts what came of a request that was sent in a phase, and blames the
// service for a failure that no phase since then expects.
func (c *Checker) tally(since int, op, kind string, failure bool, took time.Duration, detail string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.phases[len(c.phases)-1]
	now.seen[op+" "+kind]++
	now.slowest = max(now.slowest, took)
	if !failure {
		return
	}
	for _, p := range c.phases[since:] {
		if slices.Contains(p.expected, kind) {
			return
		}
	}
	c.blame("%s failed with %s after %s: %s", op, kind, took.Round(time.Millisecond), detail)
}

// answer is what a request came back with; status 0 when it did not.
type answer struct {
	status  int
	header  http.Header
	body    []byte
	code    string // of a failure
	span    span
	failure error // of the connection, perhaps in the middle of the body
}

// span is when a request was sent and answered: what it did, it did in between.
type span struct{ sent, answered time.Time }

// failed says whether to ask again.
func (a answer) failed() bool {
	return a.failure != nil || a.status >= http.StatusInternalServerError
}

// ask sends one request. op is what the tally has for it.
func (c *Checker) ask(t Tenant, op, method, path string, body []byte, header ...string) answer {
	since := c.current()
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	slot := c.enter(t.AccountID, op)
	a := answer{span: slot.span}
	// The library sends what is idempotent again by itself: each time may count.
	var sent []*use
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) {
		sent = append(sent, c.enter(t.AccountID, op))
	}})
	a.failure = c.exchange(traced, &a, t, method, path, body, header)
	a.span.answered = time.Now()
	defer func() { c.leave(t.AccountID, op, slot, sent, a) }()
	took := a.span.answered.Sub(a.span.sent)
	switch {
	case c.ctx.Err() != nil:
		a.failure = errors.Join(a.failure, c.ctx.Err()) // it is all over
	case a.failure != nil && ctx.Err() != nil:
		c.tally(since, op, Late, true, took, path)
	case a.failure != nil:
		c.tally(since, op, Broken, true, took, fmt.Sprintf("%s: %v", path, a.failure))
	default:
		c.judge(since, op, path, &a)
	}
	return a
}

func (c *Checker) exchange(ctx context.Context, a *answer, t Tenant, method, path string, body []byte, header []string) error {
	req, err := http.NewRequestWithContext(ctx, method, c.config.Base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	// A request that may have been carried out is sent again by us, or not at all.
	req.GetBody = nil
	req.Header.Set("Authorization", "Bearer "+t.Key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := c.config.Client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	a.status, a.header = resp.StatusCode, resp.Header
	a.body, err = io.ReadAll(resp.Body)
	return err
}

// judge looks whether an answer has the shape that the contract gives it.
func (c *Checker) judge(since int, op, path string, a *answer) {
	took := a.span.answered.Sub(a.span.sent)
	kind := strconv.Itoa(a.status)
	if a.status < http.StatusBadRequest {
		c.tally(since, op, kind, false, took, "")
		return
	}
	var said struct {
		Code      string `json:"code"`
		Error     string `json:"error"`
		RequestID string `json:"requestId"`
	}
	if err := json.Unmarshal(a.body, &said); err != nil || said.Code == "" || said.Error == "" || said.RequestID == "" {
		c.problem("%s %s: %d with body %.200q", op, path, a.status, a.body)
	}
	a.code = said.Code
	kind += " " + said.Code
	detail := fmt.Sprintf("%s: %s", path, a.body)
	if a.status == http.StatusTooManyRequests || a.status == http.StatusBadGateway || a.status == http.StatusServiceUnavailable {
		if seconds, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || seconds < 1 {
			c.problem("%s %s: %d with Retry-After %q", op, path, a.status, a.header.Get("Retry-After"))
		}
	}
	if a.status == http.StatusBadGateway && op != opRepackage {
		c.problem("%s", detail)
	}
	c.tally(since, op, kind, a.status >= http.StatusInternalServerError, took, detail)
	switch a.status {
	case http.StatusTooManyRequests, http.StatusGone, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable:
	case http.StatusNotFound:
		if op != opLatest {
			c.problem("%s of what was announced: %s", op, detail)
		}
	default:
		c.problem("%s is refused: %d %s", op, a.status, detail)
	}
}
