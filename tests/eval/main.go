// Command eval tries an engine with sentences as people write them, and judges
// what it makes of them by what the program does: the server is started and
// asked, the command is run on files, the page is opened in Chromium. A trial is
// right if every fact holds; honest if it was refused, or what does not hold was
// named as left out; and misleading otherwise.
//
//	go -C tests run ./eval -- --engine anthropic              a model; the key from the environment
//
// The default engine reads specs and few of these sentences; package sentences judges it.
//
// What follows -- are settings of svcd serve. The evaluation starts a server of
// its own with them and uses it as a client would. It builds and runs what was
// generated: do that where nothing can be harmed.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "eval:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("eval", flag.ContinueOnError)
	only := flags.String("only", "", "run only the trials whose name contains this")
	asJSON := flags.Bool("json", false, "print a line of JSON for each trial instead of a table")
	keep := flags.String("keep", "", "leave what was generated in this folder")
	least := flags.Int("least", 0, "fail if fewer than so many of the first forty or so are right")
	short := flags.Bool("short", false, "try only the dozen that every test run tries")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := slices.DeleteFunc(slices.Concat(within, beyond), func(t trial) bool {
		return !strings.Contains(t.name, *only) || *short && !t.short
	})
	dir, err := os.MkdirTemp("", "svc-eval-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's clean-up takes what is left
	if len(chosen) == 0 {
		return errors.New("no trial is chosen")
	}
	scores, err := evaluate(ctx, dir, *keep, flags.Args(), chosen)
	if err != nil {
		return err
	}
	if err := report(out, scores, *asJSON); err != nil {
		return err
	}
	if n := count(scores, func(s score) bool { return s.Verdict == misleading }); n > 0 {
		return fmt.Errorf("%d trials are misleading", n)
	}
	if n := count(scores, func(s score) bool { return s.Within && s.Verdict == right }); n < *least {
		return fmt.Errorf("%d are right, and at least %d are wanted", n, *least)
	}
	return nil
}

func count(scores []score, match func(score) bool) (n int) {
	for _, s := range scores {
		if match(s) {
			n++
		}
	}
	return n
}

func evaluate(ctx context.Context, dir, keep string, settings []string, chosen []trial) (scores []score, err error) {
	s, err := openService(ctx, dir, settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	for _, t := range chosen {
		where := filepath.Join(dir, "made", t.name)
		if keep != "" {
			where = filepath.Join(keep, t.name)
		}
		scores = append(scores, s.attempt(ctx, t, where))
		if ctx.Err() != nil {
			return scores, ctx.Err()
		}
	}
	return scores, nil
}

// report prints the scores, with what was noted.
func report(out io.Writer, scores []score, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(out)
		for _, s := range scores {
			if err := encoder.Encode(s); err != nil {
				return err
			}
		}
		return nil
	}
	var text strings.Builder
	tokens, usd := int64(0), 0.0
	for _, s := range scores {
		tokens, usd = tokens+s.Tokens, usd+s.USD
		fmt.Fprintf(&text, "%-18s %-10s %s\n", s.Trial, s.Verdict, s.Took)
		for _, note := range s.Notes {
			fmt.Fprintf(&text, "    %s\n", note)
		}
	}
	for _, kind := range []bool{true, false} {
		of := func(verdict string) int {
			return count(scores, func(s score) bool { return s.Within == kind && s.Verdict == verdict })
		}
		fmt.Fprintf(&text, "%s the kinds of the template engine: %d right, %d honest, %d misleading\n",
			map[bool]string{true: "within", false: "beyond"}[kind], of(right), of(honest), of(misleading))
	}
	_, err := fmt.Fprintf(out, "%s%d tokens, %.4f USD\n", &text, tokens, usd)
	return err
}
