package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// How a trial ends.
const (
	caught    = "caught"
	excused   = "excused"   // survivors.txt says why it cannot matter
	senseless = "senseless" // does not compile
	survived  = "SURVIVED"
)

// trial runs tests against mutants.
type trial struct {
	dir     string
	excuses *known // of survivors.txt
	noted   *known // of caught.txt
	note    bool   // what catches a mutant is noted there

	mu        sync.Mutex
	baselines map[string]func() (*baseline, error)
	overlays  int
}

// try runs the tests that ought to notice a mutant: the one that noticed it when
// it was tried last, and, should that be gone or have changed, all of its package,
// or, where that has none, of those that import it.
func (t *trial) try(ctx context.Context, m mutant) (verdict, detail string) {
	if why := t.excuses.of(m); why != "" {
		return excused, ": " + why
	}
	overlay, err := t.overlay(m)
	if err != nil {
		return survived, ": " + err.Error()
	}
	lost := ""
	if last := t.noted.of(m); last != "" {
		at := parseTest(last)
		noticed, built, err := t.alone(ctx, overlay, at)
		switch {
		case err == nil && !built:
			return senseless, ""
		case err == nil && noticed:
			return caught, " by " + last
		}
		lost = fmt.Sprintf(" (%s does not notice it any more: %v)", last, err)
	}
	holders := m.pkg.importers
	if m.pkg.tested() {
		holders = []string{m.pkg.name()}
	}
	for _, holder := range holders {
		by, built, err := t.together(ctx, overlay, holder)
		if err != nil {
			return survived, fmt.Sprintf(": the tests of %s: %v", holder, err)
		}
		if !built {
			return senseless, ""
		}
		if by.name == "" {
			continue
		}
		if t.note {
			if err := t.noted.add(m, by.String()); err != nil {
				return survived, ": " + err.Error()
			}
		}
		return caught, " by " + by.String() + lost
	}
	return survived, lost
}

// alone says whether one test fails on a mutant that can be built.
func (t *trial) alone(ctx context.Context, overlay string, at test) (noticed, built bool, err error) {
	usual, err := t.baseline(ctx, at.pkg, t.noted.testsOf(at.pkg))
	if err != nil {
		return false, true, err
	}
	took, ok := usual.tests[at.name]
	if !ok {
		return false, true, fmt.Errorf("%s has no such test", at.pkg)
	}
	binary, err := t.build(ctx, overlay, at.pkg)
	if err != nil {
		return false, false, ctx.Err()
	}
	defer func() { _ = os.Remove(binary) }()
	_, err = runTests(ctx, binary, overlay, at.pkg, []string{at.name}, patience+3*took)
	return err != nil, true, ctx.Err()
}

// together finds the test of a package that fails on a mutant, with the others
// and without them.
func (t *trial) together(ctx context.Context, overlay, pkg string) (by test, built bool, err error) {
	binary, err := t.build(ctx, overlay, pkg)
	if err != nil {
		return test{}, false, ctx.Err()
	}
	defer func() { _ = os.Remove(binary) }()
	usual, err := t.baseline(ctx, pkg, nil)
	if err != nil {
		return test{}, true, err
	}
	out, failed := runTests(ctx, binary, overlay, pkg, nil, patience+3*usual.all)
	if err := ctx.Err(); err != nil || failed == nil {
		return test{}, true, err
	}
	by = test{pkg: pkg, name: failedTest(out)}
	if by.name == "" {
		return test{}, true, fmt.Errorf("no test failed, but %w: %s", failed, tail(out))
	}
	if _, failed := runTests(ctx, binary, overlay, pkg, []string{by.name}, patience+3*usual.tests[by.name]); failed == nil {
		return test{}, true, fmt.Errorf("%s failed, but not alone: %s", by.name, tail(out))
	}
	return by, true, ctx.Err()
}

// overlay makes the file by which the go command sees the mutant.
func (t *trial) overlay(m mutant) (string, error) {
	path := filepath.Join(m.pkg.Dir, m.file)
	source, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	t.overlays++
	base := filepath.Join(t.dir, fmt.Sprint(t.overlays))
	t.mu.Unlock()
	changed := slices.Concat(source[:m.from], []byte(m.new), source[m.to:])
	if err := os.WriteFile(base+".go", changed, 0o600); err != nil { //nolint:gosec // in our own folder
		return "", err
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{path: base + ".go"}})
	if err != nil {
		return "", err
	}
	return base + ".json", os.WriteFile(base+".json", overlay, 0o600)
}
