// Command bench measures the service beside a peer or the physical limit, in
// the same run and in turns, and reports ratios: machines are noisy, and a
// figure alone says more about the machine than about the program.
//
//	go -C tests run ./bench             everything, printed
//	go -C tests run ./bench download    one of them
//
// Nothing here asserts a time. Every server listens on loopback and ends with
// the run.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
)

// A benchmark measures one claim and writes its part of the report.
type benchmark struct {
	name  string
	title string
	run   func(context.Context, *env) section
}

var benchmarks = []benchmark{
	{"repackage", "Repackaging 500 files, 25 MB of text", benchRepackage},
	{"metadata", "Authenticated metadata requests", benchMetadata},
	{"download", "Downloading a bundle", benchDownload},
	{"scale", "A million bundles in the database", benchScale},
	{"streams", "Two thousand live streams", benchStreams},
	{"roundtrips", "Round trips to the database", benchRoundTrips},
	{"eventlog", "The event log on three servers", benchEventLog},
	{"processes", "One, two and three processes", benchProcesses},
	{"client", "The client", benchClient},
	{"merge", "Merging large files", benchMerge},
	{"sandbox", "Trying a project in a sandbox", benchSandbox},
}

func main() {
	if len(os.Args) > 1 {
		// Some parts of benchmarks run in processes of their own.
		switch os.Args[1] {
		case noopServerArg:
			os.Exit(report(serveNoop(os.Args[2:])))
		case streamServerArg:
			os.Exit(report(guard(func() { serveStreams(os.Args[2:]) })))
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds := flag.Int("rounds", 7, "interleaved rounds of each measurement, at least 5")
	streams := flag.Int("streams", 2000, "generation runs that are live at once, each with a viewer")
	out := flag.String("o", "", "write the report to this file as well")
	flag.Parse()
	if err := benchAll(ctx, flag.Args(), &env{rounds: *rounds, streams: *streams}, *out); err != nil {
		os.Exit(report(err))
	}
}

func report(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, "bench:", err)
	return 1
}

func benchAll(ctx context.Context, names []string, e *env, out string) (err error) {
	if e.rounds < 5 {
		return errors.New("fewer than 5 rounds say nothing about the spread")
	}
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	e.dir = dir

	var doc bytes.Buffer
	writeHeading(&doc, e.rounds)
	for _, b := range benchmarks {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s …\n", b.title)
		s, err := e.hold(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		s.write(&doc, b)
	}
	if _, err := io.Copy(os.Stdout, bytes.NewReader(doc.Bytes())); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	return os.WriteFile(filepath.Clean(out), doc.Bytes(), 0o644) // a report is for everybody
}
