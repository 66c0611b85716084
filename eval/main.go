// Command eval scores an engine by ten prompts: is something delivered, does it
// build, does it pass its own tests, does it keep what was asked.
//
//	go run ./eval                                    the template engine
//	go run ./eval -- --engine anthropic              a model; the key from the environment
//	go run ./eval -recorded -- --engine openai       recorded streams, no key and no network
//
// What follows -- are settings of svcd serve. The evaluation starts a server of
// its own with them and uses it as a client would. It builds and runs what was
// generated: do that where nothing can be harmed.
//
// The recordings in eval/recordings were made by -record from the local server
// that speaks the providers' protocols for tests, with the template engine's
// files in the place of a model's. They are no answers of a provider, and say
// nothing about any model: they hold the whole path from wire to bundle in place.
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
	"text/tabwriter"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
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
	recorded := flags.Bool("recorded", false, "answer from the recordings instead of a provider")
	record := flags.Bool("record", false, "make the recordings anew, and do nothing else")
	recordings := flags.String("recordings", "eval/recordings", "the folder of the recordings")
	asJSON := flags.Bool("json", false, "print a line of JSON for each trial instead of a table")
	keep := flags.String("keep", "", "leave what was generated in this folder")
	least := flags.Int("least", 0, "fail below so many points of a hundred")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *record {
		return recordAll(ctx, *recordings)
	}
	chosen := slices.DeleteFunc(trials(), func(t trial) bool { return !strings.Contains(t.name, *only) })
	settings := flags.Args()
	dir, err := os.MkdirTemp("", "svc-eval-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // the system's clean-up takes what is left
	if *recorded {
		tape, err := openTape(*recordings, engineIn(settings))
		if err != nil {
			return err
		}
		defer tape.close()
		chosen = slices.DeleteFunc(chosen, func(t trial) bool { return !tape.has(t) })
		more, err := tape.settings(dir)
		if err != nil {
			return err
		}
		settings = append(settings, more...)
	}
	if len(chosen) == 0 {
		return errors.New("no trial is chosen")
	}
	scores, err := evaluate(ctx, dir, *keep, settings, chosen)
	if err != nil {
		return err
	}
	total, err := report(out, scores, *asJSON)
	if err == nil && total < *least {
		err = fmt.Errorf("%d points of a hundred, and at least %d are wanted", total, *least)
	}
	return err
}

// engineIn finds the engine among settings.
func engineIn(settings []string) string {
	for i, s := range settings {
		if s == "--engine" && i+1 < len(settings) {
			return settings[i+1]
		}
		if name, ok := strings.CutPrefix(s, "--engine="); ok {
			return name
		}
	}
	return "template"
}

func evaluate(ctx context.Context, dir, keep string, settings []string, chosen []trial) (scores []score, err error) {
	s, err := openService(ctx, dir, settings)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.daemon.Stop()) }()
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

// report prints the scores and gives the points of a hundred.
func report(out io.Writer, scores []score, asJSON bool) (int, error) {
	points, tokens, usd := 0, int64(0), 0.0
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	encoder := json.NewEncoder(out)
	yes := map[bool]string{true: "yes", false: "NO"}
	if !asJSON {
		fmt.Fprintln(table, "trial\tmade\tbuilds\ttests\tkept\ttokens\tUSD\ttook")
	}
	for _, s := range scores {
		points, tokens, usd = points+s.points(), tokens+s.Tokens, usd+s.USD
		if asJSON {
			if err := encoder.Encode(s); err != nil {
				return 0, err
			}
			continue
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%d/%d\t%d\t%.4f\t%s\n", s.Trial, yes[s.Made], yes[s.Builds], yes[s.Tests], s.Kept, s.Asked, s.Tokens, s.USD, s.Took)
	}
	total := 100 * points / (4 * len(scores))
	if asJSON {
		return total, nil
	}
	fmt.Fprintf(table, "together\t\t\t\t\t%d\t%.4f\t\n", tokens, usd)
	if err := table.Flush(); err != nil {
		return 0, err
	}
	for _, s := range scores {
		for _, note := range s.Notes {
			fmt.Fprintf(out, "%s: %s\n", s.Trial, note)
		}
	}
	_, err := fmt.Fprintf(out, "%d points of a hundred\n", total)
	return total, err
}
