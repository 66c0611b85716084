//go:build mcp

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/client"
	"github.com/bundle-delivery/svc/internal/api"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/mcp"
	"github.com/bundle-delivery/svc/internal/workdir"
)

// serveAgent serves this folder to an agent.
func (a *app) serveAgent(ctx context.Context, opts agentOptions) error {
	server, err := mcp.New(agentProgram{a}, mcp.Options{
		Version: programVersion(), AllowPush: opts.allowPush, AllowAgentFiles: opts.allowAgentFiles,
	})
	if err != nil {
		return err
	}
	if a.term.inTTY {
		a.note("This is a server for coding agents, which start it themselves. To end it: Ctrl-C.")
	}
	err = server.Run(ctx, a.In, a.Out)
	if err == nil && a.term.inTTY {
		err = ctx.Err() // a person has ended it
	}
	return err
}

// agentProgram does for an agent what the commands do.
type agentProgram struct{ app *app }

// quiet is the program for one call: nobody can be asked, and what it says is kept.
func (p agentProgram) quiet(out, notes io.Writer) *app {
	quiet := newApp(Streams{In: strings.NewReader(""), Out: out, Err: notes, Getenv: p.app.Getenv, LookupEnv: p.app.LookupEnv})
	quiet.apiURL, quiet.apiKey, quiet.caFile = p.app.apiURL, p.app.apiKey, p.app.caFile
	return quiet
}

func (p agentProgram) Client() (*client.Client, error) {
	return p.quiet(io.Discard, io.Discard).client()
}

func (p agentProgram) Folder() (*workdir.Folder, error) { return p.app.folder() }

func (p agentProgram) NewKey() string { return newUUID() }

func (p agentProgram) Fetch(ctx context.Context, bundleID string) (*bundlezip.Archive, func() error, error) {
	quiet := p.quiet(io.Discard, io.Discard)
	c, err := quiet.client()
	if err != nil {
		return nil, nil, err
	}
	fetching := pulling{app: quiet, client: c}
	got, err := fetching.fetch(ctx, bundleID)
	if err != nil {
		return nil, nil, err
	}
	return got.archive, got.file.discard, nil
}

func (p agentProgram) Pull(ctx context.Context, wanted mcp.Pull, review func(*workdir.Plan) error) (log workdir.Log, notes []string, err error) {
	var out, said bytes.Buffer
	err = p.quiet(&out, &said).pull(ctx, pullOptions{
		bundleID: wanted.BundleID, latest: wanted.BundleID == "", project: wanted.ProjectID,
		onConflict: string(wanted.OnConflict), dryRun: wanted.DryRun, asJSON: true, review: review,
	})
	if err == nil && !wanted.DryRun {
		err = json.Unmarshal(out.Bytes(), &log)
	}
	return log, noteLines(said), err
}

func (p agentProgram) Push(ctx context.Context, dryRun bool, review func(*workdir.PushPlan) error) (client.Pushed, []string, error) {
	var out, said bytes.Buffer
	err := p.quiet(&out, &said).push(ctx, pushOptions{dryRun: dryRun, asJSON: true, review: review})
	var sent api.Pushed
	if err == nil && !dryRun {
		err = json.Unmarshal(out.Bytes(), &sent)
	}
	return client.Pushed{
		ProjectID: sent.ProjectID, State: sent.State, Changed: sent.Changed, Added: sent.Added, Deleted: sent.Deleted, At: time.Time(sent.PushedAt),
	}, noteLines(said), err
}

func noteLines(said bytes.Buffer) []string {
	return strings.FieldsFunc(said.String(), func(r rune) bool { return r == '\n' })
}

var _ mcp.Program = agentProgram{}
