package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
)

// known is a file about mutants: a line with the name of one, and below it an
// indented line with what is known.
type known struct {
	path string
	name func(mutant) string // as the file has it

	mu   sync.Mutex
	told map[string]string
	used map[string]bool
}

func readKnown(path string, name func(mutant) string) (*known, error) {
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	k := &known{path: path, name: name, told: make(map[string]string), used: make(map[string]bool)}
	key := ""
	for n, line := range strings.Split(string(text), "\n") {
		said, indented := strings.CutPrefix(line, "\t")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case indented && key != "":
			k.told[key], key = said, ""
		case !indented && key == "":
			key = line
		default:
			return nil, fmt.Errorf("%s: line %d is not what follows the line before it", path, n+1)
		}
	}
	return k, nil
}

// of is what is said of a mutant.
func (k *known) of(m mutant) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used[k.name(m)] = true
	return k.told[k.name(m)]
}

// add says something of a mutant, at once in the file too: whoever is interrupted
// goes on from there.
func (k *known) add(m mutant, said string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.told[k.name(m)] = said
	f, err := os.OpenFile(k.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644) //nolint:gosec // part of the source
	if err != nil {
		return err
	}
	_, err = f.WriteString(k.name(m) + "\n\t" + said + "\n")
	return errors.Join(err, f.Close())
}

// testsOf names the tests of a package that are told of.
func (k *known) testsOf(pkg string) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var names []string
	for _, said := range k.told {
		if at := parseTest(said); at.pkg == pkg {
			names = append(names, at.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// unused are the names of mutants that nobody asked for.
func (k *known) unused() (keys []string) {
	for key := range k.told {
		if !k.used[key] {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
