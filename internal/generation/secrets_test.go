package generation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// A secret in a request is known to nobody after it was accepted: not to the
// record, the project, the engine, nor to anything that the run says or makes.
// Promise: prompt-secrets
func TestSecretsAreStruckOutBeforeARunIsRecorded(t *testing.T) {
	token := "ghp_" + "k3Jd92LmQx7VbN1sTz8RcY4WfG6hPa0EuiDo"
	key := "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpgQ0mEUjbSUtKqnLsGpJlzXfyRwb8T9aKd\n-----END PRIVATE KEY-----"
	inHouse(t, func(h *house) {
		t := h.t
		var asked engine.Request
		stop := h.work(engineFunc(func(_ context.Context, req engine.Request, emit func(engine.Output) error) error {
			asked = req
			for _, out := range []engine.Output{
				engine.StateUpdate{Key: "asked", Value: req.Prompt + req.Constraints["token"]},
				engine.MemoryUpdate{Content: "# Asked\n" + req.Prompt},
				engine.File{Path: "README.md", Content: []byte(req.Prompt)},
			} {
				if err := emit(out); err != nil {
					return err
				}
			}
			return nil
		}), 1)
		defer stop()
		started, err := h.Start(t.Context(), Start{
			AccountID: h.account.ID, Prompt: token + " opens the mirror, and " + key + " signs it",
			Constraints: map[string]string{"token": token, token: "x"}, Encode: encodeID,
		})
		must.Do(t, err)
		events := h.watchAll(started.Run.ID, 0)
		run := h.run(started.Run.ID)
		const wantPrompt = "[secret struck out: $GITHUB_TOKEN] opens the mirror, and [secret struck out: $PRIVATE_KEY] signs it"
		if asked.Prompt != wantPrompt || run.Prompt != wantPrompt {
			t.Errorf("the engine was asked %q, the record has %q", asked.Prompt, run.Prompt)
		}
		project, err := h.Store.Projects().Get(t.Context(), h.account.ID, run.ProjectID)
		must.Do(t, err)
		all, err := json.Marshal([]any{run, project, h.projectFiles(run), started, asked.Constraints})
		must.Do(t, err)
		text := string(all)
		var told []svc.StateUpdateEvent
		for _, e := range events {
			text += string(e.Data)
			if e.Name == svc.EventStateUpdate {
				if u := payload[svc.StateUpdateEvent](t, e); u.Key == "secrets_struck_out" {
					told = append(told, u)
				}
			}
		}
		for _, secret := range []string{token, token[4:20], "MC4CAQAw"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is still there: %s", secret, text)
			}
		}
		want := []svc.StateUpdateEvent{{Key: "secrets_struck_out", Value: "GITHUB_TOKEN, PRIVATE_KEY", Reason: useVariables}}
		if diff := cmp.Diff(want, told); diff != "" {
			t.Error(diff)
		}
		if _, kept := project.State["secrets_struck_out"]; kept {
			t.Error("the notice became a decision of the project")
		}
		if notice := SecretsNotice(run); !strings.Contains(notice, "environment variable") || !strings.Contains(notice, "GITHUB_TOKEN, PRIVATE_KEY") {
			t.Errorf("whoever asked is told %q", notice)
		}
	})
}

// Promise: prompt-secrets
func TestARequestWithoutSecretsStaysAsItIs(t *testing.T) {
	t.Parallel()
	const prompt = "a shop; read $GITHUB_TOKEN from the environment, ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is an example"
	q := Start{Prompt: prompt}.withoutSecrets()
	if q.Prompt != prompt || q.Constraints != nil || SecretsNotice(svc.Run{Prompt: q.Prompt}) != "" {
		t.Errorf("became %+v", q)
	}
}

// Promise: llm-cost
func TestCostsAreToldWithSixDecimals(t *testing.T) {
	t.Parallel()
	run := svc.Run{Cost: &svc.Cost{EstimatedUSD: 0.1 + 0.2 + 1e-9}}
	cost, _ := succeeded(run, svc.Bundle{})[0].(svc.CostSummaryEvent)
	if got := fmt.Sprint(cost.EstimatedCostUSD); got != "0.3" {
		t.Errorf("told %s", got)
	}
}
