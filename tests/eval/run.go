package main

import (
	"archive/zip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/harness"
)

// service is a server of its own, with the engine that is evaluated, and its user.
type service struct {
	server *harness.Server
	user   *client.Client
	dir    string // for archives
}

// openService builds and starts the server below a folder.
func openService(ctx context.Context, dir string, flags []string) (*service, error) {
	binary, err := harness.Build(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &service{dir: dir}
	if s.server, err = harness.Start(ctx, binary, filepath.Join(dir, "data"), flags...); err != nil {
		return nil, err
	}
	const email = "eval@example.com"
	if _, err = s.server.Admin(ctx, "account", "create", "--email", email, "--plan", "developer"); err == nil {
		var key string
		if key, err = s.server.Admin(ctx, "key", "create", "--account", email, "--name", "eval"); err == nil {
			s.user, err = client.New(client.Options{BaseURL: s.server.Base, APIKey: key, Transport: s.server.Client.Transport})
		}
	}
	if err != nil {
		_ = s.server.Stop() // the first error says more
		return nil, err
	}
	return s, nil
}

// outcome is how a generation ended.
type outcome struct {
	svc.BundleReadyEvent
	svc.CostSummaryEvent
}

// generate asks for a generation and follows it to its end.
func (s *service) generate(ctx context.Context, project, prompt string, constraints map[string]string) (out outcome, err error) {
	run, err := s.user.Generate(ctx, project, prompt, constraints, "")
	if err != nil {
		return out, err
	}
	for e, err := range s.user.Watch(ctx, run.ID, 0) {
		if err != nil {
			return out, err
		}
		switch e.Name {
		case svc.EventCostSummary:
			err = json.Unmarshal(e.Data, &out.CostSummaryEvent)
		case svc.EventBundleReady:
			err = json.Unmarshal(e.Data, &out.BundleReadyEvent)
		case svc.EventError:
			var failed svc.ErrorEvent
			if err = json.Unmarshal(e.Data, &failed); err == nil {
				err = fmt.Errorf("%s: %s", failed.Code, failed.Message)
			}
		}
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

// fetch downloads a bundle.
func (s *service) fetch(ctx context.Context, bundle string) (out result, err error) {
	archive, err := os.CreateTemp(s.dir, "bundle")
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, archive.Close(), os.Remove(archive.Name())) }()
	size, err := s.user.Download(ctx, bundle, archive, nil)
	if err != nil {
		return out, err
	}
	z, err := zip.NewReader(archive, size)
	if err != nil {
		return out, err
	}
	out.files = make(map[string]string)
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

// attempt runs one trial and scores it.
func (s *service) attempt(ctx context.Context, t trial, dir string) (out score) {
	began := time.Now()
	out.Trial = t.name
	defer func() { out.Took = time.Since(began).Round(time.Millisecond).String() }()
	made, err := s.generate(ctx, "", t.prompt, t.constraints)
	out.spent(made)
	if err == nil && t.then != "" {
		made, err = s.generate(ctx, made.ProjectID, t.then, nil)
		out.spent(made)
	}
	if err != nil {
		out.note("%v", err)
		return out
	}
	delivered, err := s.fetch(ctx, made.BundleID)
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
