//go:build unix && !mcp

package main

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// become makes this process another program: streams, signals and exit code are its
// own from here on.
func become(_ context.Context, program string, args []string) error {
	err := syscall.Exec(program, append([]string{program}, args...), os.Environ()) //nolint:gosec // it is ours
	return fmt.Errorf("%s cannot be started: %w", program, err)
}
