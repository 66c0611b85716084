package validate

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// toolchain is what projects of one kind need.
type toolchain struct {
	kind kind
	// tools have to be there, the first says which version it is.
	tools   []string
	version []string
	// home asks a tool of this machine where it is installed.
	home []string
	// parts are what is shown of a home that was found so; empty: all of it, for it
	// holds nothing else. Others may be where a person keeps more than tools.
	parts []string
}

var prefixParts = []string{"bin", "lib", "lib64", "include"}

// The toolchains that are known.
var known = []toolchain{
	{kindGo, []string{"go"}, []string{"go", "env", "GOVERSION"}, []string{"go", "env", "GOROOT"}, nil},
	{kindNode, []string{"node", "npm"}, []string{"node", "--version"}, []string{"node", "-p", "require('path').dirname(require('path').dirname(process.execPath))"}, prefixParts},
	{kindPython, []string{"python3"}, []string{"python3", "--version"}, []string{"python3", "-c", "import sys; print(sys.base_prefix)"}, prefixParts},
	{kindRust, []string{"cargo", "rustc", "cc"}, []string{"cargo", "--version"}, []string{"rustc", "--print", "sysroot"}, prefixParts},
	{kindMake, []string{"make"}, []string{"make", "--version"}, nil, nil},
}

// Tool is a toolchain as boxes have it.
type Tool struct {
	Name    string
	Version string // empty: it is missing
	Missing string // why
	bin     string // to be added to PATH; empty: it is there
	mounts  []sandbox.Mount
}

// toolchains finds what boxes can use, once.
type toolchains struct {
	config Config
	mu     sync.Mutex
	found  map[kind]Tool
}

const toolTime = time.Minute

// Tools says which toolchains boxes have.
func (v *Validator) Tools(ctx context.Context) ([]Tool, error) {
	var all []Tool
	for _, t := range known {
		tool, err := v.tools.of(ctx, t.kind)
		if err != nil {
			return nil, err
		}
		all = append(all, tool)
	}
	return all, nil
}

// of finds one toolchain.
func (t *toolchains) of(ctx context.Context, k kind) (Tool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if tool, ok := t.found[k]; ok {
		return tool, nil
	}
	i := slices.IndexFunc(known, func(c toolchain) bool { return c.kind == k })
	tool, err := t.find(ctx, known[i])
	if err != nil {
		return Tool{}, err
	}
	if t.found == nil {
		t.found = make(map[kind]Tool)
	}
	t.found[k] = tool
	return tool, nil
}

// find tries where a toolchain may be: in the folders that the operator named,
// where this machine has it, and in the system's own folders. It is there when it
// works in a box.
func (t *toolchains) find(ctx context.Context, c toolchain) (Tool, error) {
	if t.config.Sandbox == nil {
		return Tool{Name: string(c.kind), Missing: t.config.Missing}, nil
	}
	places := slices.Clone(t.config.Toolchains)
	home, why := homeOf(ctx, c), ""
	if folder := privateIn(home); folder != "" {
		why, home = fmt.Sprintf("%s lies in %s, and so does %s, which is not for sandboxes", c.tools[0], home, folder), ""
	}
	if home != "" {
		places = append(places, home)
	}
	for _, place := range append(places, "") {
		tool := Tool{Name: string(c.kind)}
		if place != "" {
			tool.bin = filepath.Join(place, "bin")
			if !inSystem(place) {
				parts := []string{"."}
				if place == home && c.parts != nil {
					parts = c.parts
				}
				tool.mounts = mountsOf(place, parts)
			}
		}
		err := t.try(ctx, c, &tool)
		if err == nil {
			return tool, nil
		}
		if ctx.Err() != nil {
			return Tool{}, ctx.Err()
		}
		if why == "" || place == "" && len(places) == 0 {
			why = err.Error()
		}
	}
	return Tool{Name: string(c.kind), Missing: Cut(why, maxDetail)}, nil
}

// try asks for the version in a box.
func (t *toolchains) try(ctx context.Context, c toolchain, tool *Tool) error {
	spec := sandbox.Spec{Limits: t.config.Limits, Path: pathOf([]Tool{*tool}), Show: tool.mounts}
	box, err := t.config.Sandbox.Open(ctx, spec)
	if err != nil {
		return err
	}
	defer box.Close()
	for _, name := range c.tools {
		r, err := box.Run(ctx, sandbox.Command{Args: []string{"sh", "-c", `command -v "$0"`, name}, Time: toolTime})
		if err != nil {
			return err
		}
		if !r.OK() {
			return fmt.Errorf("%s is not installed", name)
		}
	}
	r, err := box.Run(ctx, sandbox.Command{Args: c.version, Time: toolTime})
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(r.Output)), "\n")
	if !r.OK() || first == "" {
		return fmt.Errorf("%s does not work in the sandbox: %s", c.tools[0], Cut(first, 100))
	}
	tool.Version = first
	return nil
}

// pathOf lists where tools lie that are not found by the box's own PATH.
func pathOf(tools []Tool) []string {
	var bins []string
	for _, t := range tools {
		if t.bin != "" && t.Missing == "" && !slices.Contains(bins, t.bin) {
			bins = append(bins, t.bin)
		}
	}
	return bins
}

// mountsOf shows those parts of a folder that are there.
func mountsOf(folder string, parts []string) (all []sandbox.Mount) {
	for _, part := range parts {
		part = filepath.Join(folder, part)
		if _, err := os.Stat(part); err == nil {
			all = append(all, sandbox.Mount{From: part, To: part})
		}
	}
	return all
}

// privateIn names a folder that people keep other things in and that would be seen
// with another one; empty: there is none.
func privateIn(folder string) string {
	within, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "" // there is nothing
	}
	for _, private := range []string{os.Getenv("HOME"), "/home", "/root", "/opt", "/var", "/etc", "/srv"} {
		resolved, err := filepath.EvalSymlinks(private)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(within, resolved); err == nil && filepath.IsLocal(rel) {
			return private
		}
	}
	return ""
}

// homeOf asks a tool where it is installed.
func homeOf(ctx context.Context, c toolchain) string {
	if c.home == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, toolTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.home[0], c.home[1:]...) //nolint:gosec // one of the known questions
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "GOTOOLCHAIN=local"}
	cmd.Dir = "/"
	out, err := cmd.Output()
	home := strings.TrimSpace(string(out))
	if err != nil || !filepath.IsAbs(home) || home == "/" || home == "/usr" {
		return ""
	}
	return home
}

// inSystem says that a folder is shown in boxes anyway.
func inSystem(folder string) bool {
	resolved, err := filepath.EvalSymlinks(folder)
	return err == nil && (resolved == "/usr" || strings.HasPrefix(resolved, "/usr/"))
}
