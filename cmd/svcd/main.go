package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/bundle-delivery/svc/internal/engine/exec"
)

func main() {
	if code, asked := exec.Supervise(os.Args); asked {
		os.Exit(code)
	}
	configureGC()
	// The first signal asks Main to end well. From then on signals have their
	// ordinary effect again: a second one ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Program: os.Args[0]}, os.Environ()))
}
