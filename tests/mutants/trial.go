package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// How a trial ends.
const (
	caught    = "caught"
	excused   = "excused"   // survivors.txt says why it cannot matter
	senseless = "senseless" // does not compile
	survived  = "SURVIVED"
)

// patience is what the tests of a mutant may take beyond three times what they
// take without it: a mutant that hangs is caught.
const patience = 30 * time.Second

// trial runs tests against mutants.
type trial struct {
	dir   string
	known *survivors

	mu        sync.Mutex
	baselines map[string]func() (time.Duration, error)
	overlays  int
}

// try runs the tests that ought to notice a mutant: the one that survivors.txt
// names, or those of its package, or, where that has none, of those that import it.
func (t *trial) try(ctx context.Context, m mutant) (verdict, detail string) {
	overlay, err := t.overlay(m)
	if err != nil {
		return survived, ": " + err.Error()
	}
	if out, err := goTool(ctx, "build", "-overlay", overlay, "-o", os.DevNull, "./"+m.pkg.name()); err != nil {
		return senseless, ": " + lastLine(out)
	}
	if why := t.known.of(m); why != nil {
		if why.test == "" {
			return excused, ": " + why.reason
		}
		if noticed, err := t.notices(ctx, overlay, why.pkg, why.test); err != nil || !noticed {
			return survived, fmt.Sprintf(": %s of %s does not notice it (%v)", why.test, why.pkg, err)
		}
		return caught, " by " + why.test
	}
	holders := m.pkg.importers
	if m.pkg.tested() {
		holders = []string{m.pkg.name()}
	}
	for _, holder := range holders {
		noticed, err := t.notices(ctx, overlay, holder, "")
		if err != nil {
			return survived, fmt.Sprintf(": the tests of %s do not pass without it: %v", holder, err)
		}
		if noticed {
			if holder != m.pkg.name() {
				return caught, " by " + holder
			}
			return caught, ""
		}
	}
	return survived, ""
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

// notices says whether the tests of a package, or one of them, fail on a mutant.
func (t *trial) notices(ctx context.Context, overlay, name, test string) (bool, error) {
	usual, err := t.baseline(ctx, name, test)
	if err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute+3*usual+2*patience) // with compiling
	defer cancel()
	_, err = goTool(ctx, testArgs(name, test, "-failfast", "-overlay", overlay, "-timeout", (patience+3*usual).String())...)
	return err != nil, nil
}

// baseline is how long the tests take on the code as it is, on which they pass.
func (t *trial) baseline(ctx context.Context, name, test string) (time.Duration, error) {
	t.mu.Lock()
	measure := t.baselines[name+" "+test]
	if measure == nil {
		measure = sync.OnceValues(func() (time.Duration, error) {
			began := time.Now()
			out, err := goTool(ctx, testArgs(name, test)...)
			if err != nil {
				return 0, fmt.Errorf("%w\n%s", err, out)
			}
			if bytes.Contains(out, []byte("no tests to run")) {
				return 0, fmt.Errorf("%s has no test %s", name, test)
			}
			return time.Since(began), nil
		})
		t.baselines[name+" "+test] = measure
	}
	t.mu.Unlock()
	return measure()
}

func testArgs(name, test string, more ...string) []string {
	args := append([]string{"test", "-count", "1", "-vet", "off"}, more...)
	if test != "" {
		args = append(args, "-run", "^"+test+"$")
	}
	return append(args, "./"+name)
}

// goTool runs the go command in the module's folder.
func goTool(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...) //nolint:gosec // names of our own packages and tests
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "SVC_TEST_LONG=")
	cmd.WaitDelay = 10 * time.Second // for children of a test that was killed
	return cmd.CombinedOutput()
}

func lastLine(out []byte) string {
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	return lines[len(lines)-1]
}

// survivors is what survivors.txt says of mutants that the tests of their own
// package do not notice. A line is the name of a mutant, then either
// "| package Test", which is run instead, or "= why it cannot matter".
type survivors struct {
	mu   sync.Mutex
	told map[string]*survivor
}

type survivor struct {
	pkg, test, reason string
	used              bool
}

func readSurvivors(path string) (*survivors, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s := &survivors{told: make(map[string]*survivor)}
	var key string
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "= ") && key != "":
			s.told[key], key = &survivor{reason: line[2:]}, ""
		case strings.HasPrefix(line, "| ") && key != "":
			name, test, ok := strings.Cut(line[2:], " ")
			if !ok {
				return nil, fmt.Errorf("%s: line %d names no test", path, n+1)
			}
			s.told[key], key = &survivor{pkg: name, test: test}, ""
		case key == "":
			key = line
		default:
			return nil, fmt.Errorf("%s: line %d: nothing is said about %s", path, n+1, key)
		}
	}
	return s, nil
}

func (s *survivors) of(m mutant) *survivor {
	s.mu.Lock()
	defer s.mu.Unlock()
	found := s.told[m.key()]
	if found != nil {
		found.used = true
	}
	return found
}

func (s *survivors) unused() (keys []string) {
	for key, told := range s.told {
		if !told.used {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
