package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/validate"
)

// inside plays the parts for which this program starts itself once more, if args
// (os.Args) name one of them.
func inside(args []string) (code int, asked bool) {
	for _, part := range []func([]string) (int, bool){exec.Supervise, sandbox.Inside, validate.Inside} {
		if code, asked := part(args); asked {
			return code, true
		}
	}
	return 0, false
}

func main() {
	if code, asked := inside(os.Args); asked {
		os.Exit(code)
	}
	configureGC()
	// The first signal asks Main to end well. Before Main hears of it, signals have
	// their ordinary effect again: a second one ends the process at once.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	go func() {
		<-signals
		signal.Stop(signals)
		end()
	}()
	os.Exit(Main(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Program: os.Args[0]}, os.Environ()))
}
