package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/pprof"
)

// profiles is a folder for profiles of the service under measurement, for
// `go tool pprof`; empty: none are wanted. Profiling costs, so figures that are
// quoted are taken without.
type profiles string

// processor begins a profile, which done ends. The last of a name is kept.
func (p profiles) processor(name string) (done func() error, err error) {
	if p == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(filepath.Join(string(p), name+".pprof"))
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

// heap writes what is in memory, numbered, and the stacks of goroutines.
func (p profiles) heap() error {
	if p == "" {
		return nil
	}
	for n := 1; ; n++ {
		name := filepath.Join(string(p), fmt.Sprintf("heap%d.pprof", n))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		return errors.Join(pprof.WriteHeapProfile(f), f.Close())
	}
}
