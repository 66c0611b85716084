package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is what all shipped packages begin with.
const module = "github.com/bundle-delivery/svc"

// pkg is a shipped package.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
	// Tests are what a package has of its own to be held to.
	TestGoFiles  []string
	XTestGoFiles []string
	TestImports  []string
	XTestImports []string
	// importers are the shipped packages whose tests import it, and then those that
	// import it and have tests.
	importers []string
}

func (p *pkg) tested() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// name is the package's folder below that of the module.
func (p *pkg) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
}

// shipped lists the packages of both programs.
func shipped(ctx context.Context) ([]*pkg, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=ImportPath,Dir,GoFiles,Imports,TestGoFiles,XTestGoFiles,TestImports,XTestImports", "./cmd/svc", "./cmd/svcd")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list the packages: %w", err)
	}
	var all []*pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		p := new(pkg)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("list the packages: %w", err)
		}
		if p.ImportPath == module || strings.HasPrefix(p.ImportPath, module+"/") {
			all = append(all, p)
		}
	}
	for _, p := range all {
		var others []string
		for _, by := range all {
			switch {
			case strings.HasPrefix(by.name(), "cmd/"):
			case slices.Contains(by.TestImports, p.ImportPath) || slices.Contains(by.XTestImports, p.ImportPath):
				p.importers = append(p.importers, by.name())
			case slices.Contains(by.Imports, p.ImportPath) && by.tested():
				others = append(others, by.name())
			}
		}
		p.importers = append(p.importers, others...)
	}
	return all, nil
}

// choose takes as many mutants of every package, so that the small ones are held
// as well as the large, and a change in one does not move the choice in another.
func choose(packages []*pkg, seed uint64, each int) ([]mutant, error) {
	var chosen []mutant
	for _, p := range packages {
		sites, err := sitesOf(p)
		if err != nil {
			return nil, err
		}
		slices.SortFunc(sites, func(a, b mutant) int {
			return cmp.Or(cmp.Compare(a.rank(seed), b.rank(seed)), cmp.Compare(a.key(), b.key()))
		})
		chosen = append(chosen, sites[:min(each, len(sites))]...)
	}
	slices.SortStableFunc(chosen, func(a, b mutant) int { return cmp.Compare(a.pkg.ImportPath, b.pkg.ImportPath) })
	return chosen, nil
}

// rank orders the places of a package as the seed wants it. The room of a package does
// not count, so that moving it to another chooses the same places.
func (m mutant) rank(seed uint64) uint64 {
	h := fnv.New64a()
	name := strings.Split(m.pkg.name(), "/")
	if len(name) > 2 && room(filepath.Dir(m.pkg.Dir)) {
		name = slices.Delete(name, len(name)-2, len(name)-1)
	}
	_, _ = fmt.Fprintf(h, "%d %s/%s %s", seed, strings.Join(name, "/"), m.file, m.text()) // a sum takes everything
	// The last bytes of a text change only the low bits of the sum, which would
	// keep places of one function together.
	sum := h.Sum64()
	sum ^= sum >> 33
	sum *= 0xff51afd7ed558ccd
	return sum ^ sum>>33
}

// room reports whether a folder holds packages and is none itself.
func room(dir string) bool {
	own, err := filepath.Glob(filepath.Join(dir, "*.go"))
	return err == nil && len(own) == 0
}
