//go:build !mcp

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
)

// become runs another program in the place of this one.
func become(ctx context.Context, program string, args []string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	return ctx.Err()
}
