// Command eval scores an engine by ten prompts: is something delivered, does it
// build, does it pass its own tests, does it keep what was asked.
//
//	go -C tests run ./eval                                    the template engine
//	go -C tests run ./eval -- --engine anthropic              a model; the key from the environment
//	go -C tests run ./eval -recorded -- --engine openai       recorded streams, no key and no network
//
// What follows -- are settings of svcd serve. The evaluation starts a server of
// its own with them and uses it as a client would. It builds and runs what was
// generated: do that where nothing can be harmed.
//
// The recordings in recordings were made by -record from the local server
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
	"strconv"
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
	defer func() { err = errors.Join(err, s.server.Stop()) }()
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
	points := 0
	for _, s := range scores {
		points += s.points()
	}
	total := 100 * points / (4 * len(scores))
	if asJSON {
		encoder := json.NewEncoder(out)
		for _, s := range scores {
			if err := encoder.Encode(s); err != nil {
				return total, err
			}
		}
		return total, nil
	}
	_, err := fmt.Fprintf(out, "%s%d points of a hundred\n", tableOf(scores), total)
	return total, err
}

// tableOf lays the scores out for people, with what was noted below.
func tableOf(scores []score) string {
	var text, notes strings.Builder
	yes := map[bool]string{true: "yes", false: "NO"}
	row := "%-16s %-5s %-7s %-6s %-6s %9s %9s  %s\n"
	fmt.Fprintf(&text, row, "trial", "made", "builds", "tests", "kept", "tokens", "USD", "took")
	tokens, usd := int64(0), 0.0
	for _, s := range scores {
		tokens, usd = tokens+s.Tokens, usd+s.USD
		fmt.Fprintf(&text, row, s.Trial, yes[s.Made], yes[s.Builds], yes[s.Tests], fmt.Sprintf("%d/%d", s.Kept, s.Asked),
			strconv.FormatInt(s.Tokens, 10), fmt.Sprintf("%.4f", s.USD), s.Took)
		for _, note := range s.Notes {
			fmt.Fprintf(&notes, "%s: %s\n", s.Trial, note)
		}
	}
	fmt.Fprintf(&text, row, "together", "", "", "", "", strconv.FormatInt(tokens, 10), fmt.Sprintf("%.4f", usd), "")
	return text.String() + notes.String()
}
