package httpd_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/pack"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/generation"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/memlog"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// gatedEngine writes one file, waits for the gate, and writes another.
type gatedEngine struct{ gate chan struct{} }

func (e gatedEngine) Generate(ctx context.Context, req engine.Request, emit func(engine.Output) error) error {
	if err := emit(engine.File{Path: "prompt.txt", Content: []byte(req.Prompt)}); err != nil {
		return err
	}
	select {
	case <-e.gate:
	case <-ctx.Done():
		return ctx.Err()
	}
	return emit(engine.File{Path: "done.txt", Content: []byte("done\n")})
}

// works is a site with generations.
type works struct {
	*site
	service *generation.Service
	gate    chan struct{} // closed: engines do not wait
	stop    func()        // ends streams and workers
}

func newWorks(t *testing.T, change func(*generation.Limits)) *works {
	t.Helper()
	world := deliverytest.New(t)
	limits := generation.DefaultLimits()
	if change != nil {
		change(&limits)
	}
	config := generation.Config{Store: world.Store, Events: memlog.New(), Limits: limits}
	w := &works{service: generation.New(config), gate: make(chan struct{})}
	streams := httpd.NewStreams(func(ctx context.Context, prefixes []string) ([]string, error) {
		return world.Store.Keys().Usable(ctx, prefixes, world.Clock.Now())
	}, nil)
	w.site = newSiteWith(t, world, "/base", func(c *httpd.Config) {
		c.Routes = httpd.NewGenerations(w.service, c.BaseURL+"/", streams).Routes()
	})
	pool := generation.NewPool(generation.PoolConfig{
		Config: config, Packager: &pack.Packager{Store: world.Store, Blobs: world.Blobs},
		Engine: gatedEngine{w.gate}, EngineName: "gated", Workers: 2, TempDir: t.TempDir(),
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { streams.Run(ctx) })
	running.Go(func() {
		if err := pool.Run(ctx); err != nil {
			t.Errorf("pool: %v", err)
		}
	})
	w.stop = sync.OnceFunc(func() { cancel(); running.Wait() })
	t.Cleanup(w.stop)
	return w
}

// opened is an answer that is a stream.
type opened struct {
	status int
	header http.Header
	stream io.Reader
}

// open sends a request whose answer is a stream.
func (w *works) open(method, path, body string, headers ...string) opened {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	must.Do(w.t, err)
	req.Header.Set("Authorization", "Bearer "+w.key)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := w.client.Do(req)
	must.Do(w.t, err)
	w.t.Cleanup(func() { _ = resp.Body.Close() })
	return opened{resp.StatusCode, resp.Header, resp.Body}
}

// readEvents reads a stream to its end, or until it has seen so many events.
func readEvents(t *testing.T, from io.Reader, most int) (seen []svc.Event, err error) {
	t.Helper()
	in := bufio.NewReader(from)
	var e svc.Event
	for most == 0 || len(seen) < most {
		line, err := in.ReadString('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				return seen, nil
			}
			return seen, err
		}
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch name {
		case "id":
			e.Seq, err = strconv.ParseInt(value, 10, 64)
			must.Do(t, err)
		case "event":
			e.Name = svc.EventName(value)
		case "data":
			e.Data = []byte(value)
		case "":
			if e.Seq != 0 {
				seen = append(seen, e)
			}
			e = svc.Event{}
		}
	}
	return seen, nil
}

func names(events []svc.Event) []svc.EventName {
	all := make([]svc.EventName, len(events))
	for i, e := range events {
		all[i] = e.Name
	}
	return all
}

// Promise: prompt-secrets
func TestWhoeverSendsASecretIsToldSo(t *testing.T) {
	w := newWorks(t, nil)
	close(w.gate)
	body := `{"prompt":"a shop that reads ghp_` + `k3Jd92LmQx7VbN1sTz8RcY4WfG6hPa0EuiDo"}`
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(body)).want(http.StatusAccepted))
	if !strings.Contains(queued.Notice, "GITHUB_TOKEN") {
		t.Errorf("queued as %+v", queued)
	}
	if plain := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"a shop"}`)).want(http.StatusAccepted)); plain.Notice != "" {
		t.Errorf("queued as %+v", plain)
	}
}

// Promise: stream-closes
func TestGenerationFromRequestToDownload(t *testing.T) {
	w := newWorks(t, nil)
	close(w.gate)
	answered := w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"a shop","constraints":{"language":"go"}}`)).want(http.StatusAccepted)
	queued := decode[api.Queued](answered)
	if got, want := answered.header.Get("Location"), w.url+"/generations/"+queued.GenerationID; got != want {
		t.Errorf("Location is %q, want %q", got, want)
	}
	if want := w.url + "/generations/" + queued.GenerationID + "/stream"; queued.StreamURL != want || queued.Status != "queued" || queued.QueuePosition != 1 {
		t.Errorf("queued as %+v", queued)
	}
	resp := w.open(http.MethodGet, "/generations/"+queued.GenerationID+"/stream", "")
	events, err := readEvents(t, resp.stream, 0)
	must.Do(t, err)
	want := []svc.EventName{
		svc.EventToolStatus, svc.EventToken, svc.EventToken,
		svc.EventToolStatus, svc.EventToolStatus, svc.EventToolStatus, // the check of the bundle, and what all came to
		svc.EventToolStatus, svc.EventCostSummary, svc.EventBundleReady,
	}
	if diff := cmp.Diff(want, names(events)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	record := decode[api.Generation](w.do(http.MethodGet, "/generations/"+queued.GenerationID).want(http.StatusOK))
	if record.Status != "succeeded" || record.Cost == nil || record.StartedAt == nil || record.FinishedAt == nil || record.Error != nil {
		t.Errorf("the record is %+v", record)
	}
	w.do(http.MethodGet, "/bundles/"+record.BundleID+"/download").want(http.StatusOK)
	w.do(http.MethodPost, "/bundles/"+record.BundleID+"/ack").want(http.StatusOK)
	if latest := decode[api.ProjectList](w.do(http.MethodGet, "/projects").want(http.StatusOK)); latest.Projects[0].FileCount != 2 {
		t.Errorf("the projects are %+v", latest)
	}
	// Continue it.
	answered = w.send(http.MethodPost, "/projects/"+queued.ProjectID+"/generations", strings.NewReader(`{"prompt":"more"}`)).want(http.StatusAccepted)
	if again := decode[api.Queued](answered); again.ProjectID != queued.ProjectID {
		t.Errorf("continued as %+v", again)
	}
}

func TestStartAnswersWithTheStreamItself(t *testing.T) {
	w := newWorks(t, nil)
	for _, accept := range []string{"text/event-stream", "application/json, Text/Event-Stream;q=0.9"} {
		resp := w.open(http.MethodPost, "/generations", `{"prompt":"x"}`, "Accept", accept, "Idempotency-Key", accept[:4])
		first, err := bufio.NewReader(resp.stream).ReadString('\n')
		if err != nil || first != "retry: 1000\n" || resp.status != http.StatusOK {
			t.Errorf("%s: %d begins with %q (%v)", accept, resp.status, first, err)
		}
		if !strings.HasPrefix(resp.header.Get("Location"), w.url+"/generations/gen_") {
			t.Errorf("Location is %q", resp.header.Get("Location"))
		}
		again := w.open(http.MethodPost, "/generations", `{"prompt":"x"}`, "Accept", accept, "Idempotency-Key", accept[:4])
		if again.header.Get("Location") != resp.header.Get("Location") || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: the replay is %v", accept, again.header)
		}
	}
}

// Promise: generation-idempotent
func TestIdempotentGeneration(t *testing.T) {
	w := newWorks(t, nil)
	ask := func(body string) answer {
		return w.send(http.MethodPost, "/generations", strings.NewReader(body), "Idempotency-Key", "k")
	}
	first := ask(`{"prompt":"x"}`).want(http.StatusAccepted)
	again := ask(`{"prompt":"x"}`).want(http.StatusAccepted)
	if string(again.body) != string(first.body) || again.header.Get("Idempotency-Replayed") != "true" || again.header.Get("Location") != first.header.Get("Location") {
		t.Errorf("the replay is %s, want %s", again.body, first.body)
	}
	ask(`{"prompt":"y"}`).failure(http.StatusUnprocessableEntity, svc.CodeIdempotencyMismatch)
	w.Clock.Advance(time.Minute)
	if fresh := ask(`{"prompt":"y"}`).want(http.StatusAccepted); fresh.header.Get("Idempotency-Replayed") != "" {
		t.Error("after a minute the answer is replayed")
	}
}

// Promise: stream-resume
func TestResumeOverHTTP(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	path := "/generations/" + queued.GenerationID + "/stream"
	live := w.open(http.MethodGet, path, "")
	begun, err := readEvents(t, live.stream, 2)
	must.Do(t, err)
	// A number that the live run has not reached: everything.
	ahead := w.open(http.MethodGet, path, "", "Last-Event-ID", "900")
	if all, err := readEvents(t, ahead.stream, 2); err != nil || all[0].Seq != 1 {
		t.Errorf("with a number ahead the first event is %d (%v)", all[0].Seq, err)
	}
	close(w.gate)
	all, err := readEvents(t, w.open(http.MethodGet, path, "").stream, 0)
	must.Do(t, err)
	if diff := cmp.Diff(begun, all[:2]); diff != "" {
		t.Errorf("the beginning changed (-want +got):\n%s", diff)
	}
	last := all[len(all)-1].Seq
	for _, test := range []struct {
		header, query string
		from          int64
	}{
		{"", "", 1},
		{"0", "", 1},
		{"nonsense", "", 1},
		{"-4", "", 1},
		{"3", "", 4},
		{"", "3", 4},
		{"2", "3", 3},
		{"nonsense", "3", 1},
		{fmt.Sprint(last - 1), "", last},
		{"+3", "", 1},
	} {
		var headers []string
		if test.header != "" {
			headers = []string{"Last-Event-ID", test.header}
		}
		at := path
		if test.query != "" {
			at += "?lastEventId=" + test.query
		}
		got, err := readEvents(t, w.open(http.MethodGet, at, "", headers...).stream, 0)
		if diff := cmp.Diff(all[test.from-1:], got); err != nil || diff != "" {
			t.Errorf("%q and %q (%v) (-want +got):\n%s", test.header, test.query, err, diff)
		}
	}
	for _, n := range []string{fmt.Sprint(last), fmt.Sprint(last + 1), "99999999999999999999"} {
		if a := w.do(http.MethodGet, path, "Last-Event-ID", n).want(http.StatusNoContent); len(a.body) != 0 {
			t.Errorf("204 has a body of %d bytes", len(a.body))
		}
	}
	if a := w.do(http.MethodHead, path).want(http.StatusOK); a.header.Get("Content-Type") != api.EventStream {
		t.Errorf("HEAD answers %v", a.header)
	}
}

// Promise: run-cancel
func TestCancelOverHTTP(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	path := "/generations/" + queued.GenerationID
	stream := w.open(http.MethodGet, path+"/stream", "")
	if _, err := readEvents(t, stream.stream, 2); err != nil {
		t.Fatal(err)
	}
	record := decode[api.Generation](w.do(http.MethodPost, path+"/cancel").want(http.StatusOK))
	if record.Status != "cancelled" || record.Error == nil || record.Error.Code != "CANCELLED" {
		t.Errorf("the record is %+v", record)
	}
	rest, err := readEvents(t, stream.stream, 0)
	must.Do(t, err)
	if last := rest[len(rest)-1]; last.Name != svc.EventError || !strings.Contains(string(last.Data), `"code":"CANCELLED"`) {
		t.Errorf("the stream ends with %s %s", last.Name, last.Data)
	}
	again := w.do(http.MethodPost, path+"/cancel").want(http.StatusOK)
	if string(again.body) != string(w.do(http.MethodGet, path).body) {
		t.Errorf("a second cancellation answers %s", again.body)
	}
}

// Promise: error-429-queue, plan-hobby
func TestGenerationsThatAreRefused(t *testing.T) {
	w := newWorks(t, func(l *generation.Limits) { l.QueueShare = 1 })
	for name, test := range map[string]struct {
		path, body string
		status     int
		code       svc.Code
		field      string
	}{
		"no body":        {"/generations", ``, 400, svc.CodeInvalidRequest, "body"},
		"no JSON":        {"/generations", `prompt`, 400, svc.CodeInvalidRequest, "body"},
		"unknown field":  {"/generations", `{"prompt":"x","model":"y"}`, 400, svc.CodeInvalidRequest, "model"},
		"no prompt":      {"/generations", `{}`, 400, svc.CodeInvalidRequest, "prompt"},
		"a number":       {"/generations", `{"prompt":3}`, 400, svc.CodeInvalidRequest, "prompt"},
		"long prompt":    {"/generations", `{"prompt":"` + strings.Repeat("x", 32769) + `"}`, 400, svc.CodeInvalidRequest, "prompt"},
		"large body":     {"/generations", `{"prompt":"` + strings.Repeat("x", 1<<20) + `"}`, 413, svc.CodeRequestTooLarge, ""},
		"no project":     {"/projects/proj_none/generations", `{"prompt":"x"}`, 404, svc.CodeProjectNotFound, ""},
		"no id at all":   {"/projects/nothing/generations", `{"prompt":"x"}`, 404, svc.CodeProjectNotFound, ""},
		"bad constraint": {"/generations", `{"prompt":"x","constraints":{"a":1}}`, 400, svc.CodeInvalidRequest, "constraints.a"},
	} {
		e := w.send(http.MethodPost, test.path, strings.NewReader(test.body)).failure(test.status, test.code)
		if test.field != "" && !strings.HasPrefix(test.field, e.Field) {
			t.Errorf("%s: the field is %q, want %q", name, e.Field, test.field)
		}
	}
	hobby := w.Account("hobby@example.com")
	must.Do(t, w.Store.Accounts().SetPlan(t.Context(), hobby.ID, svc.PlanHobby))
	w.key = w.Key(hobby)
	close(w.gate)
	for i := range 3 {
		queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
		if _, err := readEvents(t, w.open(http.MethodGet, "/generations/"+queued.GenerationID+"/stream", "").stream, 0); err != nil {
			t.Fatal(i, err)
		}
	}
	refusedAnswer := w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`))
	refusedAnswer.failure(http.StatusTooManyRequests, svc.CodePlanLimitReached)
	if got := refusedAnswer.header.Get("Retry-After"); got != "86400" {
		t.Errorf("Retry-After is %q", got)
	}
}

// Promise: queue-limits
func TestFullQueueIsRefusedWithAWait(t *testing.T) {
	w := newWorks(t, func(l *generation.Limits) { l.QueueDepth = 0 })
	a := w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`))
	a.failure(http.StatusTooManyRequests, svc.CodeQueueFull)
	if wait, err := strconv.Atoi(a.header.Get("Retry-After")); err != nil || wait < 1 {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
}

func TestOthersGenerationsDoNotExist(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	w.key = w.Key(w.Account("eve@example.com"))
	bodies := map[string]bool{}
	for _, id := range []string{queued.GenerationID, "gen_00000000000000000000", "nothing"} {
		for _, test := range []struct{ method, path string }{
			{http.MethodGet, ""}, {http.MethodGet, "/stream"}, {http.MethodPost, "/cancel"},
		} {
			a := w.do(test.method, "/generations/"+id+test.path)
			a.failure(http.StatusNotFound, svc.CodeGenerationNotFound)
			bodies[a.anonymous()] = true
		}
	}
	if len(bodies) != 1 {
		t.Errorf("there are %d different answers", len(bodies))
	}
}

// Promise: stream-revoked
func TestRevokedKeyLosesItsStream(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	path := "/generations/" + queued.GenerationID + "/stream"
	stream := w.open(http.MethodGet, path, "")
	if _, err := readEvents(t, stream.stream, 1); err != nil {
		t.Fatal(err)
	}
	prefix, _ := svc.ParseKey(w.key)
	must.Do(t, w.Store.Keys().Revoke(t.Context(), prefix, w.Clock.Now()))
	rest, _ := io.ReadAll(stream.stream) // it ends, one way or another
	if strings.Contains(string(rest), "bundle_ready") {
		t.Error("the stream of a revoked key went on to its end")
	}
	w.do(http.MethodGet, path).failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
}

// Promise: runs-handed-back
func TestStoppingServerClosesStreamsAndHandsRunsBack(t *testing.T) {
	w := newWorks(t, nil)
	queued := decode[api.Queued](w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)).want(http.StatusAccepted))
	stream := w.open(http.MethodGet, "/generations/"+queued.GenerationID+"/stream", "")
	if _, err := readEvents(t, stream.stream, 2); err != nil {
		t.Fatal(err)
	}
	w.stop()
	if _, err := readEvents(t, stream.stream, 0); err != nil {
		t.Errorf("the stream is broken off: %v", err)
	}
	record := decode[api.Generation](w.do(http.MethodGet, "/generations/"+queued.GenerationID).want(http.StatusOK))
	if record.Status != "queued" {
		t.Errorf("the run is %s", record.Status)
	}
}
