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

// memory writes what is in memory and the stacks of goroutines, numbered.
func (p profiles) memory() error {
	if p == "" {
		return nil
	}
	for n := 1; ; n++ {
		err := p.write(fmt.Sprintf("heap%d.pprof", n), "heap")
		if errors.Is(err, os.ErrExist) {
			continue
		}
		return errors.Join(err, p.write(fmt.Sprintf("goroutines%d.pprof", n), "goroutine"))
	}
}

// write makes a new file of a profile that the runtime keeps.
func (p profiles) write(name, kept string) error {
	f, err := os.OpenFile(filepath.Join(string(p), name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(pprof.Lookup(kept).WriteTo(f, 0), f.Close())
}
