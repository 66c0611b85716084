package main

import (
	"fmt"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// modelProcess starts the service as a process of its own, with a provider for
// tests whose key is in the environment.
func modelProcess(t *testing.T, dir, name string, answer func(wiretest.Ask) wiretest.Answer, flags ...string) *instance {
	t.Helper()
	provider := httptest.NewServer(wiretest.New(answer))
	t.Cleanup(provider.Close)
	address := provider.URL
	if name == engineOpenAI {
		address += "/v1"
	}
	cmd := program(t, append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0", "--engine", name, "--engine-url", address}, flags...)...)
	cmd.Env = append(cmd.Env, strings.ToUpper(name)+"_API_KEY="+wiretest.Key)
	return killable(t, cmd, dir)
}

// lastOf starts a generation and gives its last event.
func (i *instance) lastOf(key string) wireEvent {
	i.t.Helper()
	events := i.follow(key, i.open("POST", "/generations", key, `{"prompt":"a page"}`, "Accept: text/event-stream"))
	return events[len(events)-1]
}

// A provider that repeats the key in every way it has, and a server that logs
// what went wrong: the key is in nothing that the server writes.
// Promise: llm-key-secret
func TestNoKeyOfAProviderIsWrittenAnywhere(t *testing.T) {
	t.Parallel()
	echo := "no " + wiretest.Key + " here"
	for _, name := range []string{engineAnthropic, engineOpenAI} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			asked := 0
			site := smallSite()
			dir := filepath.Join(t.TempDir(), "data")
			i := modelProcess(t, dir, name, func(a wiretest.Ask) wiretest.Answer {
				mu.Lock()
				defer mu.Unlock()
				asked++
				switch asked {
				case 1:
					return wiretest.Answer{Text: "x", StreamErr: "api_error", Message: echo}
				case 2:
					return wiretest.Answer{Raw: "<html>" + echo, ContentType: "text/html"}
				case 3:
					return wiretest.Answer{Status: 401, Type: "authentication_error", Message: echo}
				case 4:
					return wiretest.Answer{Status: 400, Type: "invalid_request_error", Message: echo} // of the form; then in words
				}
				return site.Answer(a)
			})
			key := i.account(email)
			if last := i.lastOf(key); last.data["code"] != "UPSTREAM_OUTAGE" || strings.Contains(fmt.Sprint(last.data), wiretest.Key) {
				t.Errorf("the run ended with %+v", last)
			}
			if last := i.lastOf(key); last.name != "bundle_ready" {
				t.Errorf("the run ended with %+v\n%s", last, i.log)
			}
			i.end()
			if log := i.log.String(); !strings.Contains(log, "no *** here") {
				t.Errorf("the log does not say what the provider said:\n%s", log)
			}
			if strings.Contains(i.log.String()+i.out.String(), wiretest.Key) {
				t.Errorf("the key is in the log:\n%s", i.log)
			}
			holdsNowhere(t, dir, wiretest.Key)
		})
	}
}

// A secret in a request is in nothing that the server writes, logs, tells or sends to
// a provider.
// Promise: prompt-secrets
func TestNoSecretOfARequestIsWrittenAnywhere(t *testing.T) {
	t.Parallel()
	secret := "ghp_" + "k3Jd92LmQx7VbN1sTz8RcY4WfG6hPa0EuiDo"
	var mu sync.Mutex
	var sent strings.Builder
	dir := filepath.Join(t.TempDir(), "data")
	i := modelProcess(t, dir, engineOpenAI, func(a wiretest.Ask) wiretest.Answer {
		mu.Lock()
		defer mu.Unlock()
		sent.WriteString(a.Text())
		author := smallSite()
		author.Files["README.md"] = "# A page\n\n" + a.Turns[0].Text // a model that repeats what it was asked
		return author.Answer(a)
	})
	key := i.account(email)
	events := i.follow(key, i.open("POST", "/generations", key, `{"prompt":"mirror with `+secret+` at night","constraints":{"token":"`+secret+`"}}`, "Accept: text/event-stream"))
	if last := events[len(events)-1]; last.name != "bundle_ready" {
		t.Fatalf("the run ended with %+v\n%s", last, i.log)
	}
	i.end()
	told := fmt.Sprint(events) + i.log.String() + i.out.String()
	for what, text := range map[string]string{"told or logged": told, "sent to the provider": sent.String()} {
		if strings.Contains(text, secret[4:]) || !strings.Contains(text, "GITHUB_TOKEN") {
			t.Errorf("%s:\n%s", what, text)
		}
	}
	holdsNowhere(t, dir, secret[4:])
}

// holdsNowhere looks for a text in all files of a folder.
func holdsNowhere(t *testing.T, dir, text string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if strings.Contains(string(content), text) {
			t.Errorf("it stands in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// stallsAfterThePlan is a provider that counts ten thousand tokens for a plan and
// then says nothing more.
func stallsAfterThePlan(a wiretest.Ask) wiretest.Answer {
	if a.File() != "" {
		return wiretest.Answer{Text: "x", Stall: true}
	}
	answer := smallSite().Answer(a)
	answer.Input, answer.Output = 6000, 4000
	return answer
}

// beginSpending starts a generation and waits until its record knows what it has cost.
func (i *instance) beginSpending(key string) (id string) {
	i.t.Helper()
	started := i.send("POST", "/generations", key, `{"prompt":"a page"}`)
	if started.status != 202 {
		i.t.Fatalf("got %d: %s", started.status, started.body)
	}
	id = started.field(i.t, "generationId")
	eventually(i.t, "the record knows what was spent", func() bool {
		return i.want(200, "", "GET", "/generations/"+id, key).field(i.t, "cost") != ""
	})
	return id
}

// What a run has used counts for its account while it runs, and when its server
// was killed: the budget of an account is held by the records, not by a process.
// Promise: llm-account-budget
func TestTheBudgetOfAnAccountOutlivesItsServer(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	i := modelProcess(t, dir, engineOpenAI, stallsAfterThePlan, "--engine-account-tokens", "15000")
	key := i.account(email)
	id := i.beginSpending(key)
	// A second run while the first goes on: 5,000 tokens are left, and what was spent counts.
	last := i.lastOf(key)
	if text, _ := last.data["message"].(string); !strings.Contains(text, "account has used") {
		t.Errorf("a second run beside the first ended with %+v", last)
	}
	i.end() // killed
	i = modelProcess(t, dir, engineOpenAI, smallSite().Answer, "--engine-account-tokens", "10000")
	last = i.lastOf(key)
	if text, _ := last.data["message"].(string); !strings.Contains(text, "account has used") {
		t.Errorf("after the server was killed a run ended with %+v", last)
	}
	// The run itself is taken up, with what it used before.
	eventually(t, "the run is taken up and ended", func() bool {
		return i.want(200, "", "GET", "/generations/"+id, key).field(t, "status") == "failed"
	})
	if record := string(i.want(200, "", "GET", "/generations/"+id, key).body); !strings.Contains(record, "account has used") || !strings.Contains(record, `"inputTokens":6000`) {
		t.Errorf("the run ended as %s", record)
	}
}

// Cancel closes the connections to the provider.
// Promise: llm-cancel
func TestCancelIsSeenByTheProvider(t *testing.T) {
	t.Parallel()
	for _, name := range []string{engineAnthropic, engineOpenAI} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := wiretest.New(stallsAfterThePlan)
			flags := handlerFlags(t, name, handler)
			i := start(t, flags...)
			key := i.account(email)
			id := i.beginSpending(key)
			i.want(200, "", "POST", "/generations/"+id+"/cancel", key)
			for open := len(handler.Asks()) - 1; open > 0; open-- { // all but the plan
				select {
				case <-handler.Left():
				case <-t.Context().Done():
					t.Fatalf("%d answers are still being written", open)
				}
			}
			if record := i.want(200, "", "GET", "/generations/"+id, key); record.field(t, "status") != "cancelled" || record.field(t, "cost") == "" {
				t.Errorf("the run is %s", record.body)
			}
		})
	}
}
