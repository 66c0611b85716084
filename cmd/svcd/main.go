package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/bundle-delivery/svc/internal/engine/exec"
)

// garbagePercent is how much garbage may gather where the operator says nothing
// (GOGC). What the server keeps in memory is small, so twice the usual costs a
// few megabytes and spares a good part of the collector's work.
const garbagePercent = 200

func main() {
	if code, asked := exec.Supervise(os.Args); asked {
		os.Exit(code)
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbagePercent)
	}
	// The first signal asks Main to end well. From then on signals have their
	// ordinary effect again: a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Program: os.Args[0]}, os.Environ()))
}
