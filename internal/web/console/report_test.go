package console_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/accounts"
	"github.com/bundle-delivery/svc/internal/web/console"
)

// scan sends a report as a scanner does, from an address.
func (d *site) scan(from, body string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequestWithContext(d.t.Context(), http.MethodPost, "/console/report-key", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json; charset=utf-8")
	r.RemoteAddr = from
	answer := httptest.NewRecorder()
	d.console.ServeHTTP(answer, r)
	return answer
}

func reportOf(keys []string, address string) string {
	text, _ := json.Marshal(map[string]any{"keys": keys, "url": address}) //nolint:errchkjson // texts can be written
	return string(text)
}

// settle looks at what was reported so far.
func (d *site) settle() {
	d.t.Helper()
	ctx, cancel := context.WithCancel(d.t.Context())
	cancel() // what is left is seen to at the end
	d.console.Run(ctx)
}

func (d *site) stored(full string) svc.Key {
	d.t.Helper()
	prefix, _ := svc.ParseKey(full)
	found, err := d.Store.Keys().Credential(d.t.Context(), prefix)
	if err != nil {
		d.t.Fatal(err)
	}
	return found.Key
}

// Promise: leak-report
func TestAReportedKeyIsRevokedAndItsOwnerSeesIt(t *testing.T) {
	d := newSite(t)
	scanned, pasted, other := d.Key(d.account), d.Key(d.account), d.Key(d.account)
	wrong := other[:len(other)-1] + map[bool]string{true: "1", false: "0"}[other[len(other)-1] == '0']
	const place = `https://paste.example/x"><script>`
	unknown := d.scan("203.0.113.9:1", reportOf([]string{"svc_nobody00_00000000000000000000000000000000", "no key", wrong}, ""))
	held := d.scan("203.0.113.9:2", reportOf([]string{"no key", scanned, scanned}, place))
	if held.Code != http.StatusAccepted || held.Code != unknown.Code || held.Body.String() != unknown.Body.String() {
		t.Errorf("a real key gets %d %s, an unknown one %d %s", held.Code, held.Body, unknown.Code, unknown.Body)
	}
	if key := d.stored(scanned); !key.RevokedAt.IsZero() {
		t.Error("the key was looked up before the answer")
	}
	d.cookie = "" // anybody may
	form := d.want(http.StatusAccepted, "/console/report-key", url.Values{"keys": {" " + pasted + "\r\n"}, "url": {"a chat"}})
	if !strings.Contains(form, "says the same whatever") {
		t.Error(form)
	}
	d.settle()
	if key := d.stored(scanned); key.RevokedAt.IsZero() || key.Report == nil || key.Report.From != "203.0.113.9" || key.Report.URL != place {
		t.Errorf("%+v", key)
	}
	if d.stored(pasted).RevokedAt.IsZero() || !d.stored(other).RevokedAt.IsZero() {
		t.Error("the wrong keys are revoked")
	}
	if _, err := d.Accounts.Authenticate(t.Context(), scanned, ""); svc.CodeOf(err) != svc.CodeInvalidAPIKey {
		t.Errorf("the key opens: %v", err)
	}
	d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux")
	for _, path := range []string{"/console/", "/console/settings/keys", "/console/projects"} {
		page := d.want(http.StatusOK, path, nil)
		if !strings.Contains(page, "203.0.113.9") || !strings.Contains(page, "paste.example") || strings.Contains(page, "<script>") || strings.Contains(page, `href="https://paste`) {
			t.Errorf("%s does not tell of it, or makes a link of it", path)
		}
		at := d.stored(scanned).Report.At.UTC()
		contains(t, page, `reported <time datetime="`+at.Format(time.RFC3339)+`" data-local>`+at.Format("2 Jan 2006, 15:04")+" UTC</time> from 203.0.113.9")
	}
	d.Clock.Advance(31 * 24 * time.Hour)
	d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux")
	if page := d.want(http.StatusOK, "/console/projects", nil); strings.Contains(page, "203.0.113.9") {
		t.Error("the pages tell of it for ever")
	}
}

// slowKeys are those of a database that answers about keys when it is told to.
type slowKeys struct {
	svc.Store
	answer chan struct{}
	asked  *atomic.Int64
}

func (s slowKeys) Keys() svc.Keys { return slowLookUps{s.Store.Keys(), s} }

type slowLookUps struct {
	svc.Keys
	slowKeys
}

func (k slowLookUps) Credential(ctx context.Context, prefix string) (svc.Credential, error) {
	k.asked.Add(1)
	<-k.answer
	return k.Keys.Credential(ctx, prefix)
}

// An unknown key gets the same answer in the same time as a real one, because no key
// is looked up before the answer: here the database says nothing about keys until all
// answers are there.
// Promise: leak-report
func TestReportsAreAnsweredBeforeAnyKeyIsLookedUp(t *testing.T) {
	d := newSite(t)
	known := d.Key(d.account)
	store := slowKeys{d.Store, make(chan struct{}), new(atomic.Int64)}
	c, err := console.New(console.Config{
		Accounts: accounts.New(store, d.Clock.Now), Delivery: d.Delivery, BaseURL: "https://svc.example", Now: d.Clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	d.console, d.cookie = c, "" // anybody may
	ctx, stop := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.Run(ctx)
	}()
	var bodies []string
	for n, key := range []string{known, "svc_nobody00_00000000000000000000000000000000", known[:len(known)-1] + "x", "no key"} {
		from := fmt.Sprintf("203.0.113.%d:1", n)
		answer := d.scan(from, reportOf([]string{key}, ""))
		form := d.want(http.StatusAccepted, "/console/report-key", url.Values{"keys": {key}})
		bodies = append(bodies, answer.Body.String()+form)
		if answer.Code != http.StatusAccepted || bodies[n] != bodies[0] {
			t.Errorf("%.12s is answered %d %s", key, answer.Code, answer.Body)
		}
	}
	if !d.stored(known).RevokedAt.IsZero() {
		t.Error("the key is revoked, and nobody could have looked it up")
	}
	close(store.answer)
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for d.stored(known).RevokedAt.IsZero() { // what took too long is tried again
		<-look.C
	}
	stop()
	<-over
	if store.asked.Load() == 0 {
		t.Error("the key was not looked up here, so that nothing is shown")
	}
}

// Promise: leak-report-limited
func TestAThousandReportsFromOneAddressDoNothing(t *testing.T) {
	d := newSite(t)
	key := d.Key(d.account)
	refused := 0
	for n := range 1000 {
		body := reportOf([]string{"svc_nobody00_00000000000000000000000000000000"}, "")
		if n == 999 {
			body = reportOf([]string{key}, "")
		}
		if answer := d.scan("198.51.100.4:9", body); answer.Code == http.StatusTooManyRequests && answer.Header().Get("Retry-After") != "" {
			refused++
		}
	}
	d.settle()
	if refused < 950 || !d.stored(key).RevokedAt.IsZero() {
		t.Errorf("%d are refused, and the key is revoked at %v", refused, d.stored(key).RevokedAt)
	}
}

// Promise: leak-report
func TestReportsThatAreNoneAreRefused(t *testing.T) {
	d := newSite(t)
	many := strings.Split(strings.Repeat("k,", 20)+"k", ",")
	for name, body := range map[string]string{
		"no JSON": "keys", "no keys": `{}`, "none": `{"keys":[]}`, "too many": reportOf(many, ""), "another field": `{"keys":["k"],"who":"me"}`,
		"a long address": reportOf([]string{"k"}, strings.Repeat("x", 2001)), "keys of another kind": `{"keys":[1]}`,
	} {
		if answer := d.scan("192.0.2.1:1", body); answer.Code != http.StatusBadRequest || !strings.Contains(answer.Body.String(), string(svc.CodeInvalidRequest)) {
			t.Errorf("%s: %d %s", name, answer.Code, answer.Body)
		}
	}
	page := d.want(http.StatusUnprocessableEntity, "/console/report-key", url.Values{"keys": {" "}})
	if !strings.Contains(page, "1 to 20 keys") {
		t.Error(page)
	}
	d.want(http.StatusOK, "/console/report-key", nil)
	if answer := d.ask("/console/report-key", url.Values{"keys": {"k"}}, "Sec-Fetch-Site: cross-site"); answer.Code == http.StatusAccepted {
		t.Error("another site sends forms")
	}
}
