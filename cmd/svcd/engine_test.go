package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/testkit/wiretest"
)

// smallSite is a project that the provider for tests knows.
func smallSite() wiretest.Author {
	file := func(path string, on ...string) map[string]any {
		return map[string]any{"path": path, "purpose": "part of the page", "interface": "", "depends_on": on}
	}
	return wiretest.Author{
		Plan: map[string]any{
			"summary":   "A page.",
			"decisions": []any{map[string]any{"key": "language", "value": "html", "reason": "a page was asked for"}},
			"files":     []any{file("index.html", "style.css"), file("style.css"), file(".env"), file("README.md", "index.html"), file("src/a.mjs", "src/b.mjs"), file("src/b.mjs")},
			"ports":     []any{map[string]any{"name": "web", "port": 4173, "uses": []any{map[string]any{"path": ".env", "template": "PORT={port}"}}}},
			"memory":    "A page.",
		},
		Files: map[string]string{
			"index.html": "<!doctype html>\n<title>Grüße 🎉</title>\n", "style.css": "body { color: teal }\n", ".env": "PORT=4173\n",
			"README.md": "# A page\n", "src/a.mjs": "import './b.mjs'\n", "src/b.mjs": "export const b = 1\n",
		},
	}
}

// modelFlags start a provider for tests and give the settings that lead to it.
func modelFlags(t *testing.T, name string, answer func(wiretest.Ask) wiretest.Answer) []string {
	t.Helper()
	return handlerFlags(t, name, wiretest.New(answer))
}

// handlerFlags are modelFlags for a provider that can be asked what it saw.
func handlerFlags(t *testing.T, name string, handler *wiretest.Handler) []string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte(wiretest.Key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := server.URL
	if name == engineOpenAI {
		address += "/v1"
	}
	return []string{"--engine", name, "--engine-url", address, "--engine-key-file", key}
}

// Promise: llm-project, llm-parallel-same, llm-cost
func TestGenerationByAModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{engineAnthropic, engineOpenAI} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var digests []string
			for _, parallel := range []string{"1", "4"} {
				flags := append(modelFlags(t, name, smallSite().Answer), "--engine-parallel", parallel, "--engine-account-usd", "5")
				i := start(t, flags...)
				key := i.account(email)
				events := i.follow(key, i.open("POST", "/generations", key, `{"prompt":"a page"}`, "Accept: text/event-stream"))
				last := events[len(events)-1]
				if last.name != "bundle_ready" {
					t.Fatalf("the run ended with %+v\n%s", last, i.log)
				}
				cost := events[len(events)-2]
				if usd, _ := cost.data["estimated_cost_usd"].(float64); cost.name != "cost_summary" || usd <= 0 {
					t.Errorf("the cost is %+v", cost)
				}
				if diff := cmp.Diff(smallSite().Files, rebuilt(events)); diff != "" {
					t.Errorf("with %s at a time the stream does not rebuild the files: %s", parallel, diff)
				}
				id, _ := last.data["bundle_id"].(string)
				delivered := unzip(t, i.want(200, "", "GET", "/bundles/"+id+"/download", key).body)
				delete(delivered, "manifest.json") // it names the project
				if diff := cmp.Diff(smallSite().Files, delivered); diff != "" {
					t.Error(diff)
				}
				digests = append(digests, strings.Join(storyOf(events), "\n"))
				if strings.Contains(i.log.String(), wiretest.Key) {
					t.Error("the log has the key")
				}
			}
			if digests[0] != digests[1] {
				t.Errorf("one at a time:\n%s\nfour at a time:\n%s", digests[0], digests[1])
			}
		})
	}
}

// rebuilt joins the tokens of each file's last attempt.
func rebuilt(events []wireEvent) map[string]string {
	files, attempts := map[string]string{}, map[string]float64{}
	for _, e := range events {
		if e.name != "token" {
			continue
		}
		file, _ := e.data["file"].(string)
		attempt, _ := e.data["attempt"].(float64)
		delta, _ := e.data["delta"].(string)
		if attempt > attempts[file] {
			attempts[file], files[file] = attempt, ""
		}
		files[file] += delta
	}
	return files
}

// storyOf is what was decided and remembered, which no order may change.
func storyOf(events []wireEvent) []string {
	var story []string
	for _, e := range events {
		if text, ok := e.data["value"].(string); ok && e.name == "state_update" {
			story = append(story, text)
		}
		if text, ok := e.data["content"].(string); ok && e.name == "memory_update" {
			story = append(story, text)
		}
	}
	return story
}

// Promise: llm-failure-charged
func TestWhatFailsIsPaidForAsWell(t *testing.T) {
	t.Parallel()
	site := smallSite()
	i := start(t, append(modelFlags(t, engineAnthropic, func(a wiretest.Ask) wiretest.Answer {
		if a.File() != "" {
			return wiretest.Answer{Status: 401, Type: "authentication_error"}
		}
		return site.Answer(a)
	}), "--engine-account-tokens", "10")...)
	key := i.account(email)
	if last := i.lastOf(key); last.data["code"] != "CONSTRAINT_UNRESOLVABLE" {
		t.Errorf("an account without enough tokens: %+v", last)
	}
	i.stop()
	i = startIn(t, i.dir, modelFlags(t, engineAnthropic, func(a wiretest.Ask) wiretest.Answer {
		if a.File() != "" {
			return wiretest.Answer{Status: 401, Type: "authentication_error"}
		}
		return site.Answer(a)
	})...)
	if last := i.lastOf(key); last.data["code"] != "UPSTREAM_OUTAGE" || last.data["retryable"] != false {
		t.Errorf("a key that is not accepted: %+v", last)
	}
	i.stop()
	i = startIn(t, i.dir, append(modelFlags(t, engineAnthropic, site.Answer), "--engine-account-tokens", "100")...)
	last := i.lastOf(key)
	if text, _ := last.data["message"].(string); last.data["code"] != "CONSTRAINT_UNRESOLVABLE" || !strings.Contains(text, "account has used") {
		t.Errorf("after a run that failed and cost more than the budget: %+v", last)
	}
}

// Promise: engine-check
func TestEngineCheck(t *testing.T) {
	t.Parallel()
	hello := func(a wiretest.Ask) wiretest.Answer {
		if a.Tools != nil {
			return wiretest.Answer{Calls: []wiretest.Call{{Name: "greet", Input: `{"greeting":"hello"}`}}}
		}
		return wiretest.Answer{Text: "Hello."}
	}
	for _, tc := range []struct {
		name string
		args []string
		code int
		want []string
	}{
		{"template", nil, exitOK, []string{"ok      generation", "template wrote"}},
		{"anthropic", modelFlags(t, engineAnthropic, hello), exitOK, []string{"ok      streaming", "ok      usage", "$0.000", "ok      tools"}},
		{"openai", modelFlags(t, engineOpenAI, hello), exitOK, []string{"ok      streaming", "ok      tools"}},
		{"unknown price", append(modelFlags(t, engineOpenAI, hello), "--engine-model", "llama"), exitOK, []string{"price is not known"}},
		{"without tools", modelFlags(t, engineOpenAI, func(a wiretest.Ask) wiretest.Answer {
			if a.Tools != nil {
				return wiretest.Answer{Status: 400, Type: "invalid_request_error"}
			}
			return hello(a)
		}), exitOK, []string{"asked in words"}},
		{"refused", modelFlags(t, engineAnthropic, func(wiretest.Ask) wiretest.Answer {
			return wiretest.Answer{Status: 401, Type: "authentication_error", Message: "not " + wiretest.Key}
		}), exitFailure, []string{"FAILED  streaming", "key denied", "does not work"}},
		{"program", []string{"--engine", "exec", "--engine-command", "false"}, exitFailure, []string{"FAILED  generation"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, out, errText := runMain(t, nil, append([]string{"engine", "check"}, tc.args...)...)
			for _, want := range tc.want {
				if !strings.Contains(out+errText, want) {
					t.Errorf("no %q in\n%s%s", want, out, errText)
				}
			}
			if code != tc.code || strings.Contains(out+errText, wiretest.Key) {
				t.Errorf("exit %d\n%s%s", code, out, errText)
			}
		})
	}
}

// Promise: llm-settings
func TestSettingsOfModels(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		args        []string
		environment []string
		want        string
	}{
		{"no key", []string{"--engine", "anthropic"}, nil, "ANTHROPIC_API_KEY"},
		{"no key for OpenAI", []string{"--engine", "openai"}, []string{"ANTHROPIC_API_KEY=x"}, "OPENAI_API_KEY"},
		{"key file that is not there", []string{"--engine", "openai", "--engine-key-file", "/nowhere/key"}, nil, "/nowhere/key"},
		{"no address", []string{"--engine", "openai", "--engine-url", "localhost"}, nil, "--engine-url"},
		{"model without its engine", []string{"--engine-model", "x"}, nil, "--engine-model"},
		{"temperature", []string{"--engine-temperature", "hot"}, nil, "--engine-temperature"},
		{"budget below zero", nil, []string{"SVCD_ENGINE_RUN_USD=-1"}, "SVCD_ENGINE_RUN_USD"},
		{"budget without a price", []string{"--engine", "openai", "--engine-url", "http://localhost:1", "--engine-model", "llama", "--engine-run-usd", "1"}, nil, "--engine-prices"},
		{"prices that are not there", []string{"--engine", "openai", "--engine-url", "http://localhost:1", "--engine-prices", "/nowhere/prices"}, nil, "/nowhere/prices"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			code, _, text := runMain(t, tc.environment, append([]string{"engine", "check"}, tc.args...)...)
			if code != exitUsage || !strings.Contains(text, tc.want) {
				t.Errorf("exit %d: %s; want %q", code, text, tc.want)
			}
		})
	}
}
