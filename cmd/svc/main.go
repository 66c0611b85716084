package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// garbagePercent is how much garbage may gather. The program lives for a moment
// and then gives all its memory back: collecting as early as a server does would
// cost a good part of that moment.
const garbagePercent = 200

func main() {
	std := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, LookupEnv: os.LookupEnv}
	args := os.Args[1:]
	if answerVersion(args, std) {
		return
	}
	debug.SetGCPercent(garbagePercent)
	// Whoever reads the output may leave: that is an error like another, and no end.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(Main(untilSignal(), args, std))
}

// untilSignal ends with the first signal, which asks Main to end well. Before Main hears
// of it, signals have their ordinary effect again: a second one ends the process at
// once, which a folder survives as well. While an editor has the terminal, Ctrl-C is
// left to it.
func untilSignal() context.Context {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, end := context.WithCancel(context.Background())
	go func() {
		for s := range signals {
			if s != os.Interrupt || !editing.Load() {
				break
			}
		}
		signal.Stop(signals)
		end()
	}()
	return ctx
}
