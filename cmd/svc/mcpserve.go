//go:build mcp

package main

import (
	"context"

	"github.com/bundle-delivery/svc/internal/mcp"
)

// serveAgent serves this folder to an agent.
func serveAgent(ctx context.Context, a *app, opts agentOptions) error {
	headless := *a
	headless.term = newTerminal(Streams{Getenv: a.Getenv})
	server, err := mcp.New(mcp.User{Open: a.folder, Connect: headless.connect, Keys: a.keyring()}, mcp.Options{
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
