package main

import "github.com/spf13/cobra"

// agentProgramName is the program that serves agents. It is this one with the library of
// the protocol linked (the build tag mcp), which takes about a millisecond to
// start: too much for a program that is asked for its version in every prompt.
const agentProgramName = "svc-mcp"

// agentOptions are the choices of the person who lets an agent in.
type agentOptions struct{ allowPush, allowAgentFiles bool }

func newMCPCommand(a *app) *cobra.Command {
	var opts agentOptions
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve this folder to a coding agent",
		Long: `Serves the current folder and the service to a coding agent, by the Model Context
Protocol on stdin and stdout. The agent is offered to list, generate, preview, pull,
verify and roll back. What changes the folder is done only as a preview showed it;
the home folder is never changed. Files that may run programs or steer agents are
flagged: dot files, packages, manifests that run something. They are pulled only
if you allow them, by name for one preview or all with --allow-agent-files.`,
		Example: `  claude mcp add svc -- svc mcp           # agents start it: see docs/agents.md
  svc mcp --allow-push                    # also send edits back to the project
  svc mcp --allow-agent-files             # also pull AGENTS.md, .vscode, workflows, any flagged file`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return serveAgent(cmd.Context(), a, opts) },
	}
	cmd.Flags().BoolVar(&opts.allowPush, "allow-push", false, "let the agent send edits back to the project")
	cmd.Flags().BoolVar(&opts.allowAgentFiles, "allow-agent-files", false, "let bundles touch any flagged file, without asking for each")
	return cmd
}
