//go:build unix

package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/store/postgres"
	"github.com/bundle-delivery/svc/internal/testkit/cluster"
	"github.com/bundle-delivery/svc/internal/testkit/faultproxy"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// outageRuns are under way when an outage begins. They would take from a second to
// half as long again as the outage.
const outageRuns = 10

const outageEmail = "ada@example.com"

// TestRunsSurviveAnOutage: records, bytes or events are out of reach for two processes
// that have runs. None of these fails, and none is begun anew.
// Promise: run-survives-outage
func TestRunsSurviveAnOutage(t *testing.T) {
	engines, err := cluster.StartEngines(context.WithoutCancel(t.Context()), t.TempDir())
	needs.Check(t, err)
	t.Cleanup(func() { must.Do(t, engines.Stop()) })
	engine := buildEngine(t)
	records := func(w ways) []*faultproxy.Proxy { return []*faultproxy.Proxy{w.postgres} }
	s3 := func(w ways) []*faultproxy.Proxy { return []*faultproxy.Proxy{w.s3} }
	nats := func(w ways) []*faultproxy.Proxy { return w.nats }
	for _, c := range []struct {
		name  string
		on    func(ways) []*faultproxy.Proxy
		fault faultproxy.Fault
		long  bool
	}{
		{"PostgreSQL silent", records, faultproxy.Fault{Silent: true}, false},
		{"S3 refused", s3, faultproxy.Fault{Refuse: true}, false},
		{"NATS refused", nats, faultproxy.Fault{Refuse: true}, false},
		{"PostgreSQL refused", records, faultproxy.Fault{Refuse: true}, true},
		{"S3 silent", s3, faultproxy.Fault{Silent: true}, true},
		{"NATS silent", nats, faultproxy.Fault{Silent: true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.long {
				needs.Long(t, "every outage that runs survive, refused and silent")
			}
			r := &testbed{dir: t.TempDir()}
			t.Cleanup(func() { r.closeWays(t) })
			r.Cluster = cluster.ForTest(t, cluster.Config{
				Dir: r.dir, Program: binary, Engines: engines, Servers: make([][]string, 2),
				Flags: []string{"--engine", "exec", "--engine-command", engine, "--workers", "6", "--queue-depth", "100", "--queue-share", "100"},
				Route: func(_ int, own cluster.Addresses) (cluster.Addresses, error) { return r.route(t.Context(), own) },
			})
			r.surviveOutage(t, c.fault, c.on)
		})
	}
}

func (r *testbed) surviveOutage(t *testing.T, fault faultproxy.Fault, on func(ways) []*faultproxy.Proxy) {
	t.Helper()
	tenant, err := r.Service.Tenant(t.Context(), outageEmail, sampleTree(t))
	must.Do(t, err)
	ids := make([]string, outageRuns)
	for i := range ids {
		lasts := time.Second + *out*3/2*time.Duration(i)/outageRuns
		const files, pause = 2, 200
		ids[i] = r.startRun(t, tenant, fmt.Sprintf(`{"seed":%d,"files":%d,"pieces":%d,"pause_ms":%d}`,
			i, files, 1+int(lasts.Milliseconds())/pause, pause))
	}
	store, err := postgres.Open(t.Context(), r.Cluster.Tenant.DatabaseURL())
	must.Do(t, err)
	defer func() { must.Do(t, store.Close()) }()
	account, err := store.Accounts().ByEmail(t.Context(), outageEmail)
	must.Do(t, err)
	for _, id := range ids {
		awaitRun(t, store, account.ID, id, func(s svc.RunStatus) bool { return s != svc.RunQueued })
	}
	pause(t, time.Second) // their workers have heard that they have them
	for _, w := range r.ways {
		for _, p := range on(w) {
			p.Set(fault)
		}
	}
	pause(t, *out)
	for _, w := range r.ways {
		for _, p := range on(w) {
			p.Set(faultproxy.Fault{})
		}
	}
	counts := map[string]int{}
	for _, id := range ids {
		run := awaitRun(t, store, account.ID, id, svc.RunStatus.Final)
		counts[string(run.Status)]++
		if run.Epoch > 1 {
			counts["begun anew"]++
		}
		if run.Status != svc.RunSucceeded || run.Epoch != 1 {
			t.Errorf("%s is %s with epoch %d: %+v", id, run.Status, run.Epoch, run.Error)
		}
	}
	t.Logf("%v without it: %d runs started, %v", *out, len(ids), counts)
	if t.Failed() {
		for _, s := range r.Servers {
			t.Logf("what went wrong in %s:\n%s", s.Name, wrong(s.LogFile))
		}
	}
}

func (r *testbed) startRun(t *testing.T, tenant harness.Tenant, task string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"prompt": task})
	must.Do(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.Base+"/generations", strings.NewReader(string(body)))
	must.Do(t, err)
	req.Header.Set("Authorization", "Bearer "+tenant.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := r.Client.Do(req)
	must.Do(t, err)
	defer func() { _ = resp.Body.Close() }()
	var said struct {
		GenerationID string `json:"generationId"`
	}
	must.Do(t, json.NewDecoder(resp.Body).Decode(&said))
	if resp.StatusCode != http.StatusAccepted {
		t.Fatalf("a run is answered with %d", resp.StatusCode)
	}
	return said.GenerationID
}

// awaitRun waits until a run has come so far.
func awaitRun(t *testing.T, store svc.Store, accountID, id string, come func(svc.RunStatus) bool) svc.Run {
	t.Helper()
	for late := time.Now().Add(readyAgain); ; pause(t, 200*time.Millisecond) {
		run, err := store.Runs().Get(t.Context(), accountID, id)
		must.Do(t, err)
		if come(run.Status) {
			return run
		}
		if time.Now().After(late) {
			t.Errorf("%s is still %s", id, run.Status)
			return run
		}
	}
}
