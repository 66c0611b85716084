//go:build unix

package main

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestASecondSignalEndsAtOnce: also one that follows right on the first.
// Promise: client-interrupt
func TestASecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		endBySecondSignal(t, self)
	}
}

func endBySecondSignal(t *testing.T, self string) {
	t.Helper()
	// One that the signal does not end is killed.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, asDeaf)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }() // Wait has done so
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(out)
	for _, word := range []string{"ready", "heard"} {
		if !said.Scan() || said.Text() != word {
			t.Fatalf("it says %q, want %q", said.Text(), word)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	err = cmd.Wait()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatalf("it ended with %v", err)
	}
	if status, known := failed.Sys().(syscall.WaitStatus); !known || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Fatalf("it ended with %v, not by the second signal", failed)
	}
}
