package validate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// goBase is a build cache of Go with the standard library in it. Without it every
// box would have to build that first, which takes a minute. It is made in a box
// that has seen no project, and every box has a copy of its own: no run can leave
// anything in it for the next.
type goBase struct {
	validator *Validator
	turn      chan struct{} // holds one while somebody makes it or looks
	tried     bool
	archive   string // empty: there is none
}

const goBaseTime = 15 * time.Minute

// goWarm makes a project that imports what can be imported of the standard
// library, and does with it what is done with projects.
const goWarm = `set -e
printf 'module warm\n\ngo 1.21\n' >go.mod
{ echo 'package warm'; go list std | grep -v -e internal -e vendor -e '^builtin$' -e '^runtime/cgo$' -e '^runtime/race$' -e '^unsafe$' -e '^cmd' | sed 's/.*/import _ "&"/'; } >warm.go
printf 'package warm\n\nimport "testing"\n\nfunc TestWarm(t *testing.T) {}\n' >warm_test.go
go build ./... && go vet ./... && go test -count=1 ./...
`

// unpack gives a box its copy. Without one it builds what it needs.
func (b *goBase) unpack(ctx context.Context, box *sandbox.Box, tool Tool) error {
	name, err := b.get(ctx, tool)
	if err != nil || name == "" {
		return err
	}
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("open the build cache of Go: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("open the build cache of Go: %w", err)
	}
	return box.Unpack(ctx, goCache, f, info.Size())
}

// get gives the archive, made by the first who needs it.
func (b *goBase) get(ctx context.Context, tool Tool) (string, error) {
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-ctx.Done(): // it may take minutes: a run that is stopped does not wait
		return "", context.Cause(ctx)
	}
	config := b.validator.config
	if b.tried || config.CacheDir == "" || tool.Version == "" {
		return b.archive, nil
	}
	name := filepath.Join(config.CacheDir, "go-build-"+strings.ReplaceAll(tool.Version, "/", "_")+".tar")
	if _, err := os.Stat(name); err != nil {
		began := time.Now()
		if err := b.build(ctx, tool, name); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			b.tried = true
			config.Log.Warn("the standard library of Go was not built for projects; each builds it anew", "error", err)
			return "", nil
		}
		config.Log.Info("the standard library of Go is built for projects", "version", tool.Version, "took", time.Since(began).Round(time.Second).String())
	}
	b.tried, b.archive = true, name
	return name, nil
}

func (b *goBase) build(ctx context.Context, tool Tool, name string) error {
	spec, err := b.validator.boxSpec(tool)
	if err != nil {
		return err
	}
	box, err := b.validator.config.Sandbox.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer box.Close()
	r, err := box.Run(ctx, sandbox.Command{Args: []string{"sh", "-c", goWarm}, Time: goBaseTime})
	if err != nil {
		return err
	}
	if !r.OK() {
		return fmt.Errorf("%s %d: %s", r.Ending, r.Exit, Cut(string(r.Output), maxFindingText))
	}
	f, err := os.CreateTemp(b.validator.config.CacheDir, "go-build-*")
	if err != nil {
		return err
	}
	r, err = box.Run(ctx, sandbox.Command{
		Args: []string{"sh", "-c", "date +%s >" + goCache + "/trim.txt; exec tar -cf - -C " + goCache + " . 2>/dev/null"}, Time: toolTime * 5, Output: b.validator.config.Limits.Disk,
		Stdout: func(p []byte) error { _, err := f.Write(p); return err },
	})
	if err == nil && !r.OK() {
		err = fmt.Errorf("%s %d", r.Ending, r.Exit)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Prepare does once what projects would wait for, if they are tried in a sandbox: it
// finds the tools, and builds the standard library of Go where Go is.
func (v *Validator) Prepare(ctx context.Context) error {
	if v.config.Sandbox == nil || !v.config.Level.inBox() {
		return nil
	}
	if _, err := v.Tools(ctx); err != nil {
		return err
	}
	tool, err := v.tools.of(ctx, kindGo)
	if err != nil {
		return err
	}
	_, err = v.base.get(ctx, tool)
	return err
}
