package main

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/pgtest"
	"github.com/bundle-delivery/svc/internal/testkit/toolbox"
)

// service is a server of its own, with the engine that is evaluated.
type service struct {
	daemon   *harness.Server
	client   *client.Client   // of the trial that runs
	postgres *harness.Process // nil until a trial needs it
}

// openService builds and starts the server below a folder.
func openService(ctx context.Context, dir string, flags []string) (*service, error) {
	binary, err := harness.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &service{}
	if s.daemon, err = harness.Start(ctx, binary, filepath.Join(dir, "data"), flags...); err != nil {
		return nil, err
	}
	return s, nil
}

// account makes one for a trial, since an account may only download so often.
func (s *service) account(ctx context.Context, name string) error {
	email := name + "@example.com"
	_, err := s.daemon.Admin(ctx, "account", "create", "--email", email, "--plan", "developer")
	if err != nil {
		return err
	}
	key, err := s.daemon.Admin(ctx, "key", "create", "--account", email, "--name", "eval")
	if err == nil {
		s.client, err = client.New(client.Options{BaseURL: s.daemon.Base, APIKey: key, Transport: s.daemon.Client.Transport})
	}
	return err
}

// outcome is how a generation ended.
type outcome struct {
	ready svc.BundleReadyEvent
	cost  svc.CostSummaryEvent
	left  string // out, as the engine says
}

// refusal is an engine's answer that it does not do what was asked.
type refusal struct{ svc.ErrorEvent }

func (r refusal) Error() string { return r.Code + ": " + r.Message }

// generate asks for a generation and follows it to its end.
func (s *service) generate(ctx context.Context, project, prompt string) (out outcome, err error) {
	run, err := s.client.Generate(ctx, project, prompt, nil, rand.Text())
	if e, ok := errors.AsType[*svc.Error](err); ok && e.Code == svc.CodeUnresolvable {
		return out, refusal{svc.ErrorEvent{Code: string(e.Code), Message: e.Message, Suggestion: e.Suggestion}}
	}
	if err != nil {
		return out, err
	}
	for e, err := range s.client.Watch(ctx, run.ID, 0) {
		if err != nil {
			return out, err
		}
		var state svc.StateUpdateEvent
		var failure svc.ErrorEvent
		into := map[svc.EventName]any{svc.EventStateUpdate: &state, svc.EventCostSummary: &out.cost, svc.EventBundleReady: &out.ready, svc.EventError: &failure}[e.Name]
		if into == nil {
			continue
		}
		if err := json.Unmarshal(e.Data, into); err != nil {
			return out, err
		}
		if state.Key == "left_out" {
			out.left = state.Value
		}
		if failure.Code != "" {
			return out, refusal{failure}
		}
	}
	return out, nil
}

// fetch downloads a bundle.
func (s *service) fetch(ctx context.Context, bundle string) (*made, error) {
	file, err := os.CreateTemp("", "svc-eval-*.zip")
	if err != nil {
		return nil, err
	}
	defer func() { _, _ = file.Close(), os.Remove(file.Name()) }() // it was read
	fetched, err := s.client.Download(ctx, bundle, file, nil)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(file, fetched.Size)
	if err != nil {
		return nil, err
	}
	out := &made{files: map[string]string{}, samples: map[string]object{}, paths: map[string]string{}, token: "0123456789abcdef0123456789abcdef"}
	for _, f := range z.File {
		text, err := fs.ReadFile(z, f.Name)
		if err != nil {
			return out, err
		}
		out.files[f.Name] = string(text)
	}
	var manifest struct {
		Ports []struct {
			Port int `json:"port"`
		} `json:"ports"`
	}
	if err := json.Unmarshal([]byte(out.files["manifest.json"]), &manifest); err != nil {
		return out, err
	}
	delete(out.files, "manifest.json")
	for _, p := range manifest.Ports {
		out.ports = append(out.ports, p.Port)
	}
	return out, nil
}

// attempt runs one trial and judges it.
func (s *service) attempt(ctx context.Context, t trial, dir string) (out score) {
	began := time.Now()
	out.Trial, out.Verdict = t.name, misleading
	out.Within = slices.ContainsFunc(within, func(w trial) bool { return w.name == t.name })
	defer func() { out.Took = time.Since(began).Round(time.Millisecond).String() }()
	if err := s.account(ctx, t.name); err != nil {
		out.note("%v", err)
		return out
	}
	var last outcome
	var left []string
	for _, prompt := range append([]string{t.prompt}, t.then...) {
		var err error
		last, err = s.generate(ctx, last.ready.ProjectID, prompt)
		out.Tokens += last.cost.InputTokens + last.cost.OutputTokens
		out.USD, left = out.USD+last.cost.EstimatedCostUSD, append(left, last.left)
		if no := (refusal{}); errors.As(err, &no) && no.Code == "CONSTRAINT_UNRESOLVABLE" {
			out.refused(t, no.Message)
			return out
		}
		if err != nil {
			out.note("%v", err)
			return out
		}
	}
	m, err := s.fetch(ctx, last.ready.BundleID)
	if err == nil {
		m.dir, m.left = dir, strings.Trim(strings.Join(left, "; "), "; ")
		err = unpack(dir, m.files)
	}
	if err == nil && needsPostgres(t) {
		m.database, err = s.database(ctx, t.name)
	}
	if err != nil {
		out.note("%v", err)
		return out
	}
	out.delivered(ctx, t, m)
	return out
}

func needsPostgres(t trial) bool {
	return slices.ContainsFunc(t.facts, func(f fact) bool { return f.what == postgres })
}

// database makes one for a trial, in a PostgreSQL that the first trial starts.
func (s *service) database(ctx context.Context, name string) (string, error) {
	name = strings.ReplaceAll(name, "-", "_")
	if s.postgres == nil {
		// The user of PostgreSQL has to reach it.
		dir, err := os.MkdirTemp("", "pg")
		if err != nil {
			return "", err
		}
		address, err := toolbox.FreeAddress()
		if err == nil {
			s.postgres, err = pgtest.New(ctx, dir, address)
		}
		if err == nil {
			err = s.postgres.Start(ctx)
		}
		if err != nil {
			return "", err
		}
	}
	return pgtest.URL(s.postgres.Address, name), pgtest.Exec(ctx, pgtest.URL(s.postgres.Address, "postgres"), "CREATE DATABASE "+name)
}

func (s *service) close() error {
	err := s.daemon.Stop()
	if s.postgres != nil {
		err = errors.Join(err, s.postgres.Kill(), os.RemoveAll(filepath.Dir(s.postgres.LogFile)))
	}
	return err
}
