// Mutants changes the shipped code in one small place at a time and runs the
// tests that ought to notice. What no test notices is a promise that nobody
// holds, unless survivors.txt says why it cannot matter.
//
//	go -C tests run ./mutants                         # four of every package, as `make test-long` runs them
//	go -C tests run ./mutants -only internal/web/edge # those of one package
//	go -C tests run ./mutants -list                   # the chosen ones, without running them
//	go -C tests run ./mutants -note                   # tries new ones, notes what catches them
//
// Which places of a package are changed is chosen by a seed and the text of the
// place, so that a change elsewhere in the code chooses the same ones again.
// caught.txt only saves time: it names the test that noticed a mutant, by file,
// function, operator and number. That test runs alone, and all of the package only
// if it fails to notice, is gone, or the mutant is new. survivors.txt names mutants
// by their text, so that an excuse ends with the code that it is for.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// options are what is asked for.
type options struct {
	seed  uint64
	each  int
	only  string
	list  bool
	note  bool
	lanes int
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "chooses the places")
	flag.IntVar(&o.each, "each", 4, "how many mutants of every package; some do not compile")
	flag.StringVar(&o.only, "only", "", "a package, as a path below the module's folder, or . for the module's own")
	flag.BoolVar(&o.list, "list", false, "says what would be changed")
	flag.BoolVar(&o.note, "note", false, "tries what is not in caught.txt, and notes there what catches it")
	flag.IntVar(&o.lanes, "lanes", max(1, runtime.NumCPU()), "mutants that are tried at a time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	survivors, err := run(ctx, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
	if survivors > 0 {
		fmt.Fprintf(os.Stderr, "mutants: %d survived; write a test that notices them, or into tests/mutants/survivors.txt why they cannot matter\n", survivors)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (survivors int, err error) {
	packages, err := shipped(ctx)
	if err != nil {
		return 0, err
	}
	excuses, err := readKnown("mutants/survivors.txt", mutant.key)
	if err != nil {
		return 0, err
	}
	noted, err := readKnown("mutants/caught.txt", mutant.place)
	if err != nil {
		return 0, err
	}
	chosen, err := choose(packages, o.seed, o.each)
	if err != nil {
		return 0, err
	}
	chosen = slices.DeleteFunc(chosen, func(m mutant) bool {
		return o.only != "" && m.pkg.name() != strings.Trim(o.only, "./") || o.note && noted.of(m) != ""
	})
	if o.list {
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
	t := &trial{dir: dir, excuses: excuses, noted: noted, note: o.note, baselines: make(map[string]func() (*baseline, error))}
	survivors, err = t.all(ctx, chosen, o.lanes)
	if stale := slices.Concat(noted.unused(), excuses.unused()); err == nil && o.only == "" && len(stale) > 0 {
		fmt.Printf("caught.txt and survivors.txt tell of mutants that were not chosen:\n  %s\n", strings.Join(stale, "\n  "))
	}
	return survivors, err
}

// all tries the mutants and counts those that nobody noticed.
func (t *trial) all(ctx context.Context, chosen []mutant, lanes int) (survivors int, err error) {
	var (
		mu     sync.Mutex
		work   sync.WaitGroup
		total  tally
		counts = make(map[string]*tally)
		next   = make(chan mutant)
	)
	began := time.Now()
	for range lanes {
		work.Go(func() {
			for m := range next {
				since := time.Now()
				verdict, detail := t.try(ctx, m)
				mu.Lock()
				total.add(verdict)
				if counts[m.pkg.ImportPath] == nil {
					counts[m.pkg.ImportPath] = new(tally)
				}
				counts[m.pkg.ImportPath].add(verdict)
				fmt.Printf("%-9s %4.0f s  %s%s\n", verdict, time.Since(since).Seconds(), m, detail)
				mu.Unlock()
			}
		})
	}
	for _, m := range inTurns(chosen) {
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
	for i, m := range chosen {
		if i == 0 || chosen[i-1].pkg != m.pkg {
			fmt.Printf("%s: %s\n", m.pkg.ImportPath, counts[m.pkg.ImportPath])
		}
	}
	fmt.Printf("%d mutants in %s: %s\n", len(chosen), time.Since(began).Round(time.Second), &total)
	return total.of[survived], nil
}

// inTurns takes one of every package after the other: what tests take without a
// mutant is measured once for a package, and the other lanes do not wait for it.
func inTurns(chosen []mutant) []mutant {
	var turns [][]mutant
	taken := make(map[*pkg]int)
	for _, m := range chosen {
		if taken[m.pkg] == len(turns) {
			turns = append(turns, nil)
		}
		turns[taken[m.pkg]] = append(turns[taken[m.pkg]], m)
		taken[m.pkg]++
	}
	return slices.Concat(turns...)
}

// tally counts how trials ended.
type tally struct{ of map[string]int }

func (t *tally) add(verdict string) {
	if t.of == nil {
		t.of = make(map[string]int)
	}
	t.of[verdict]++
}

func (t *tally) String() string {
	var words []string
	for _, v := range []string{caught, excused, senseless, survived} {
		if t.of[v] > 0 {
			words = append(words, fmt.Sprintf("%d %s", t.of[v], v))
		}
	}
	return strings.Join(words, ", ")
}
