package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
)

// service is a server of its own, with the engine that is evaluated.
type service struct {
	daemon *harness.Server
	key    string
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
	const email = "eval@example.com"
	if _, err = s.daemon.Admin(ctx, "account", "create", "--email", email, "--plan", "developer"); err == nil {
		s.key, err = s.daemon.Admin(ctx, "key", "create", "--account", email, "--name", "eval")
	}
	if err != nil {
		_ = s.daemon.Stop() // the first error says more
		return nil, err
	}
	return s, nil
}

// outcome is how a generation ended.
type outcome struct {
	project, bundle string
	tokens          int64
	usd             float64
}

// generate asks for a generation and follows it to its end.
func (s *service) generate(ctx context.Context, project, prompt string, constraints map[string]string) (outcome, error) {
	body, err := json.Marshal(map[string]any{"prompt": prompt, "constraints": constraints})
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
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return false, err
	}
	switch name {
	case "cost_summary":
		o.tokens, o.usd = e.Input+e.Output, e.USD
	case "bundle_ready":
		o.project, o.bundle = e.ProjectID, e.BundleID
		return true, nil
	case "error":
		return true, fmt.Errorf("%s: %s", e.Code, e.Message)
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
func (s *service) fetch(ctx context.Context, bundle string) (result, error) {
	answer, err := s.send(ctx, http.MethodGet, "/bundles/"+bundle+"/download", http.NoBody)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = answer.Body.Close() }() // only read
	archive, err := io.ReadAll(answer.Body)
	if err != nil {
		return result{}, err
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return result{}, err
	}
	out := result{files: make(map[string]string)}
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

// attempt runs one trial and scores it.
func (s *service) attempt(ctx context.Context, t trial, dir string) (out score) {
	began := time.Now()
	out.Trial = t.name
	defer func() { out.Took = time.Since(began).Round(time.Millisecond).String() }()
	made, err := s.generate(ctx, "", t.prompt, t.constraints)
	out.Tokens, out.USD = made.tokens, made.usd
	if err == nil && t.then != "" {
		project := made.project
		made, err = s.generate(ctx, project, t.then, nil)
		out.Tokens, out.USD = out.Tokens+made.tokens, out.USD+made.usd
	}
	if err != nil {
		out.note("%v", err)
		return out
	}
	delivered, err := s.fetch(ctx, made.bundle)
	if err == nil {
		if err = os.MkdirAll(dir, 0o750); err == nil {
			err = delivered.unpack(dir)
		}
	}
	if err != nil {
		out.note("%v", err)
		return out
	}
	out.Made = true
	out.judge(ctx, dir, delivered, t)
	return out
}
