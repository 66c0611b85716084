// Mutants changes the shipped code in one small place at a time and runs the
// tests that ought to notice. What no test notices is a promise that nobody
// holds, unless survivors.txt says why it cannot matter.
//
//	go -C tests run ./mutants                     # 220 mutants, as `make test-long` runs them
//	go -C tests run ./mutants -only internal/edge # those of one package
//	go -C tests run ./mutants -list               # the chosen ones, without running them
//
// Which places are changed is chosen by a seed and the text of the place, so that
// a change elsewhere in the code chooses the same ones again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	var (
		seed  = flag.Uint64("seed", 1, "chooses the places")
		count = flag.Int("count", 220, "how many mutants; some do not compile")
		only  = flag.String("only", "", "a package, as a path below the module's folder")
		list  = flag.Bool("list", false, "says what would be changed")
		lanes = flag.Int("lanes", max(1, runtime.NumCPU()), "mutants that are tried at a time")
	)
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	survivors, err := run(ctx, *seed, *count, *only, *list, *lanes)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d survived; write a test that notices them, or into tests/mutants/survivors.txt why they cannot matter\n", survivors)
		os.Exit(1)
	}
}

func run(ctx context.Context, seed uint64, count int, only string, list bool, lanes int) (survivors int, err error) {
	packages, err := shipped(ctx)
	if err != nil {
		return 0, err
	}
	known, err := readSurvivors("mutants/survivors.txt")
	if err != nil {
		return 0, err
	}
	chosen, err := choose(packages, seed, count)
	if err != nil {
		return 0, err
	}
	if only != "" {
		chosen = chosenOf(chosen, only)
	}
	if list {
		for _, m := range chosen {
			fmt.Println(m)
		}
		return 0, nil
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	t := &trial{dir: dir, known: known, baselines: make(map[string]func() (time.Duration, error))}
	return t.all(ctx, chosen, lanes)
}

// all tries the mutants and counts those that nobody noticed.
func (t *trial) all(ctx context.Context, chosen []mutant, lanes int) (survivors int, err error) {
	var (
		mu     sync.Mutex
		work   sync.WaitGroup
		counts = make(map[string]int)
		next   = make(chan mutant)
	)
	began := time.Now()
	for range lanes {
		work.Go(func() {
			for m := range next {
				verdict, detail := t.try(ctx, m)
				mu.Lock()
				counts[verdict]++
				fmt.Printf("%-9s %s%s\n", verdict, m, detail)
				mu.Unlock()
			}
		})
	}
	for _, m := range chosen {
		if ctx.Err() != nil {
			break
		}
		next <- m
	}
	close(next)
	work.Wait()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	var words []string
	for _, v := range []string{caught, excused, senseless, survived} {
		words = append(words, fmt.Sprintf("%d %s", counts[v], v))
	}
	fmt.Printf("%d mutants in %s: %s\n", len(chosen), time.Since(began).Round(time.Second), strings.Join(words, ", "))
	if stale := t.known.unused(); len(stale) > 0 {
		fmt.Printf("survivors.txt tells of mutants that were not tried: %s\n", strings.Join(stale, "; "))
	}
	return counts[survived], nil
}
