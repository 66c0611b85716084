package validate

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// Where things of projects are inside a box.
const (
	cacheDir   = "/cache"
	goCache    = sandbox.Home + "/go-build"
	pythonPath = sandbox.Home + "/python"
	npmCache   = sandbox.Home + "/npm"
	wayOut     = "127.0.0.1:3128"
)

// npmCopy gives npm a cache that it can write to: its index is copied, and what it
// leads to is shown where it is.
const npmCopy = `[ ! -d "$0/index-v5" ] || { mkdir -p "$1" && cp -r "$0/index-v5" "$1" && cp -rs "$0/content-v2" "$1"; }`

// errNoBox says that there is no box, whatever is tried.
var errNoBox = errors.New("the sandbox could not be opened")

// openBox makes a box for a project with the files of a tree.
func (v *Validator) openBox(ctx context.Context, tree Tree, k kind) (*sandbox.Box, error) {
	tool, err := v.tools.of(ctx, k)
	if err != nil {
		return nil, err
	}
	spec, err := v.boxSpec(tool)
	if err != nil {
		return nil, err
	}
	box, err := v.config.Sandbox.Open(ctx, spec)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoBox, err)
	}
	err = Fill(ctx, box, tree)
	if err == nil {
		err = v.equip(ctx, box, k, tool)
	}
	if err != nil {
		box.Close()
		return nil, err
	}
	return box, nil
}

// equip gives a box what was built and fetched for all projects of a kind.
func (v *Validator) equip(ctx context.Context, box *sandbox.Box, k kind, tool Tool) error {
	switch {
	case k == kindGo:
		return v.base.unpack(ctx, box, tool)
	case k == kindNode && v.config.Cache != "":
		_, err := box.Run(ctx, sandbox.Command{Args: []string{"sh", "-c", npmCopy, cacheDir + "/npm/_cacache", npmCache + "/_cacache"}, Time: toolTime})
		return err
	}
	return nil
}

// Equip puts a tree into a box that was given an [Validator.Outfit], with what was
// built and fetched for projects of its kinds.
func (v *Validator) Equip(ctx context.Context, box *sandbox.Box, tree Tree) error {
	if err := Fill(ctx, box, tree); err != nil {
		return err
	}
	projects, err := findProjects(tree)
	if err != nil {
		return err
	}
	done := map[kind]bool{}
	for _, p := range projects {
		if done[p.kind] || p.kind == kindOther {
			continue
		}
		done[p.kind] = true
		tool, err := v.tools.of(ctx, p.kind)
		if err == nil && tool.Missing == "" {
			err = v.equip(ctx, box, p.kind, tool)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// boxSpec is what the boxes of this validator are given.
func (v *Validator) boxSpec(tool Tool) (s sandbox.Spec, err error) {
	s = v.spec(v.config.Way != nil, tool)
	if v.config.Way != nil {
		s.Forward, err = v.config.Way()
	}
	return s, err
}

// Outfit is what a box is given that has every toolchain, for somebody who works
// on projects of any kind there. proxied says that a proxy at [WayOut] leads out.
func (v *Validator) Outfit(ctx context.Context, proxied bool) (sandbox.Spec, error) {
	tools, err := v.Tools(ctx)
	if err != nil {
		return sandbox.Spec{}, err
	}
	return v.spec(proxied, tools...), nil
}

// spec is what boxes with toolchains are given.
func (v *Validator) spec(proxied bool, tools ...Tool) sandbox.Spec {
	s := sandbox.Spec{Limits: v.config.Limits, Path: pathOf(tools), Env: []string{
		"CI=true", "GOTOOLCHAIN=local", "GOFLAGS=-mod=mod", "GOCACHE=" + goCache, "GOTELEMETRY=off",
		"npm_config_cache=" + npmCache, "npm_config_update_notifier=false", "npm_config_logs_max=0",
		"PYTHONPATH=" + pythonPath, "PYTHONDONTWRITEBYTECODE=", "PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_CACHE_DIR=1",
		"CARGO_HOME=" + sandbox.Home + "/cargo", "CARGO_TARGET_DIR=" + sandbox.Temp + "/target",
	}}
	for _, tool := range tools {
		for _, m := range tool.mounts {
			if !slices.Contains(s.Show, m) {
				s.Show = append(s.Show, m)
			}
		}
	}
	if v.config.Cache != "" {
		s.Show = append(s.Show, sandbox.Mount{From: v.config.Cache, To: cacheDir})
		s.Env = append(s.Env, "PIP_FIND_LINKS="+cacheDir+"/pip")
	}
	s.Env = append(append(s.Env, v.fetching(proxied)...), v.config.Env...)
	return s
}

// fetching are the variables that say where dependencies come from.
func (v *Validator) fetching(proxied bool) []string {
	modules := false
	if v.config.Cache != "" {
		_, err := os.Stat(filepath.Join(v.config.Cache, "go", "mod"))
		modules = err == nil
	}
	if !proxied {
		env := []string{"GOPROXY=off", "GOSUMDB=off", "npm_config_offline=true", "PIP_NO_INDEX=1", "CARGO_NET_OFFLINE=true"}
		if modules { // nothing will be added to it
			env = append(env, "GOMODCACHE="+cacheDir+"/go/mod")
		}
		return env
	}
	proxy := "http://" + wayOut
	env := []string{
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "http_proxy=" + proxy, "https_proxy=" + proxy,
		"NO_PROXY=localhost,127.0.0.1,::1", "no_proxy=localhost,127.0.0.1,::1", "GOSUMDB=off", "npm_config_prefer_offline=true",
	}
	if modules { // what a module cache has fetched has the form of a module proxy
		env = append(env, "GOPROXY=file://"+cacheDir+"/go/mod/cache/download,https://proxy.golang.org,direct")
	}
	return env
}

// WayOut is the address inside boxes from which [Config.Way] and [Validator.LeadOut]
// lead out.
func WayOut() string { return wayOut }

// Fill puts the files of a tree into a box.
func Fill(ctx context.Context, box *sandbox.Box, tree Tree) error {
	var size counter
	if err := writeTar(&size, tree, func(f File, w io.Writer) error {
		_, err := io.CopyN(w, zeros{}, f.Size)
		return err
	}); err != nil {
		return err
	}
	r, w := io.Pipe()
	go func() {
		w.CloseWithError(writeTar(w, tree, func(f File, w io.Writer) error { return copyFile(tree, f, w) }))
	}()
	err := box.Unpack(ctx, sandbox.Source, r, int64(size))
	_ = r.Close() // what was not read is not needed
	return err
}

func copyFile(tree Tree, f File, w io.Writer) error {
	r, err := tree.Open(f.Path)
	if err != nil {
		return fmt.Errorf("try %s: %w", f.Path, err)
	}
	_, err = io.Copy(w, r)
	if err = errors.Join(err, r.Close()); err != nil {
		return fmt.Errorf("try %s: %w", f.Path, err)
	}
	return nil
}

func writeTar(to io.Writer, tree Tree, content func(File, io.Writer) error) error {
	w := tar.NewWriter(to)
	for _, f := range tree.Files {
		mode := int64(0o644)
		if f.Executable {
			mode = 0o755
		}
		if err := w.WriteHeader(&tar.Header{Name: path.Clean(f.Path), Mode: mode, Size: f.Size, Typeflag: tar.TypeReg}); err != nil {
			return err
		}
		if err := content(f, w); err != nil {
			return err
		}
	}
	return w.Close()
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// zeros are read without end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
