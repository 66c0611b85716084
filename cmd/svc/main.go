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
	std := Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv}
	args := os.Args[1:]
	if answerVersion(args, std) {
		return
	}
	debug.SetGCPercent(garbagePercent)
	// Whoever reads the output may leave: that is an error like another, and no end.
	signal.Ignore(syscall.SIGPIPE)
	// The first signal asks Main to end well; a second one ends the process at
	// once, which a folder survives as well.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(Main(ctx, args, std))
}
