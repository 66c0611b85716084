//go:build !mcp

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// serveAgent lets the program beside this one serve an agent.
func serveAgent(ctx context.Context, a *app, opts agentOptions) error {
	program, err := findAgentProgram()
	if err != nil {
		return err
	}
	args := []string{"mcp"}
	if opts.allowPush {
		args = append(args, "--allow-push")
	}
	if opts.allowAgentFiles {
		args = append(args, "--allow-agent-files")
	}
	for name, value := range map[string]string{"SVC_API_URL": a.apiURL, "SVC_TOKEN": a.apiKey, "SVC_CA_FILE": a.caFile} {
		if value == "" {
			continue
		}
		if err := os.Setenv(name, value); err != nil { // others can read the arguments of a process
			return err
		}
	}
	return become(ctx, program, args)
}

// findAgentProgram looks beside this program, then where programs are.
func findAgentProgram() (string, error) {
	name := agentProgramName
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	if found, err := exec.LookPath(name); err == nil {
		return found, nil
	}
	return "", fmt.Errorf("%s is not there: it comes with svc, in the same archive or package, and belongs beside it (%s)", name, strings.TrimSuffix(self, filepath.Base(self)))
}
