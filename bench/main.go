// Command bench measures the service beside a peer or the physical limit, in
// the same run and in turns, and reports ratios: machines are noisy, and a
// figure alone says more about the machine than about the program.
//
//	go run ./bench             everything, written to bench/RESULTS.md
//	go run ./bench download    one of them, printed
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
	run   func(context.Context, *lab) (section, error)
}

var benchmarks = []benchmark{
	{"repackage", "Repackaging 500 files, 25 MB of text", benchRepackage},
	{"metadata", "Authenticated metadata requests", benchMetadata},
	{"download", "Downloading a bundle", benchDownload},
	{"scale", "A million bundles in the database", benchScale},
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == noopServerArg {
		// The peer of the metadata benchmark runs in a process of its own.
		os.Exit(report(serveNoop(os.Args[2:])))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	rounds := flag.Int("rounds", 7, "interleaved rounds of each measurement, at least 5")
	out := flag.String("o", "", "write the report to this file as well")
	flag.Parse()
	if err := benchAll(ctx, flag.Args(), *rounds, *out); err != nil {
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

func benchAll(ctx context.Context, names []string, rounds int, out string) (err error) {
	if rounds < 5 {
		return errors.New("fewer than 5 rounds say nothing about the spread")
	}
	dir, err := os.MkdirTemp("", "svc-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l := &lab{dir: dir, rounds: rounds}

	var doc bytes.Buffer
	writeHeading(&doc, rounds)
	for _, b := range benchmarks {
		if len(names) > 0 && !slices.Contains(names, b.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s …\n", b.title)
		s, err := b.run(ctx, l)
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
	return os.WriteFile(filepath.Clean(out), doc.Bytes(), 0o644) //nolint:gosec // a report is for everybody
}
