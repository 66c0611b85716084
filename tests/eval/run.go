package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
	"github.com/bundle-delivery/svc/internal/pgtest"
	"github.com/bundle-delivery/svc/internal/toolbox"
)

// service is a server of its own, with the engine that is evaluated.
type service struct {
	daemon   *harness.Server
	key      string           // of the trial that runs
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
func (s *service) account(ctx context.Context, name string) (err error) {
	email := name + "@example.com"
	if _, err = s.daemon.Admin(ctx, "account", "create", "--email", email, "--plan", "developer"); err == nil {
		s.key, err = s.daemon.Admin(ctx, "key", "create", "--account", email, "--name", "eval")
	}
	return err
}

// outcome is how a generation ended.
type outcome struct {
	project, bundle string
	left            string // out, as the engine says
	tokens          int64
	usd             float64
}

// refusal is an engine's answer that it does not do what was asked.
type refusal struct{ code, message string }

func (r refusal) Error() string { return r.code + ": " + r.message }

// generate asks for a generation and follows it to its end.
func (s *service) generate(ctx context.Context, project, prompt string) (outcome, error) {
	body, err := json.Marshal(map[string]string{"prompt": prompt})
	if err != nil {
		return outcome{}, err
	}
	path := "/generations"
	if project != "" {
		path = "/projects/" + project + "/generations"
	}
	answer, err := s.send(ctx, http.MethodPost, path, bytes.NewReader(body))
	if err != nil {
		return outcome{}, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	var out outcome
	name, lines := "", bufio.NewReader(answer.Body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return out, fmt.Errorf("the stream ended early: %w", err)
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "event":
			name = value
		case "data":
			done, err := out.take(name, []byte(value))
			if done || err != nil {
				return out, err
			}
		}
	}
}

// take reads one event, and says whether it is the last.
func (o *outcome) take(name string, data []byte) (bool, error) {
	var e struct {
		ProjectID string  `json:"project_id"`
		BundleID  string  `json:"bundle_id"`
		Input     int64   `json:"input_tokens"`
		Output    int64   `json:"output_tokens"`
		USD       float64 `json:"estimated_cost_usd"`
		Code      string  `json:"code"`
		Message   string  `json:"message"`
		Key       string  `json:"key"`
		Value     string  `json:"value"`
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return false, err
	}
	switch name {
	case "state_update":
		if e.Key == "left_out" {
			o.left = e.Value
		}
	case "cost_summary":
		o.tokens, o.usd = e.Input+e.Output, e.USD
	case "bundle_ready":
		o.project, o.bundle = e.ProjectID, e.BundleID
		return true, nil
	case "error":
		return true, refusal{e.Code, e.Message}
	}
	return false, nil
}

func (s *service) send(ctx context.Context, method, path string, body io.Reader) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, method, s.daemon.Base+path, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Accept", "text/event-stream")
	answer, err := s.daemon.Client.Do(request)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(answer.Body, 1000)) // as much as can be had
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, text)
	}
	return answer, nil
}

// fetch downloads a bundle.
func (s *service) fetch(ctx context.Context, bundle string) (*made, error) {
	answer, err := s.send(ctx, http.MethodGet, "/bundles/"+bundle+"/download", http.NoBody)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	archive, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, err
	}
	out := &made{files: map[string]string{}, samples: map[string]object{}, paths: map[string]string{}, token: "0123456789abcdef0123456789abcdef"}
	for _, f := range z.File {
		text, err := readEntry(f)
		if err != nil {
			return out, err
		}
		out.files[f.Name] = text
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

func readEntry(f *zip.File) (string, error) {
	r, err := f.Open()
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(r, 100<<20))
	_ = r.Close() // only read
	return string(text), err
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
		last, err = s.generate(ctx, last.project, prompt)
		out.Tokens, out.USD, left = out.Tokens+last.tokens, out.USD+last.usd, append(left, last.left)
		if no := (refusal{}); errors.As(err, &no) && no.code == "CONSTRAINT_UNRESOLVABLE" {
			out.refused(t, no.message)
			return out
		}
		if err != nil {
			out.note("%v", err)
			return out
		}
	}
	m, err := s.fetch(ctx, last.bundle)
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
