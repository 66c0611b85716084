package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/exec"
	"github.com/bundle-delivery/svc/internal/ops/setting"
	"github.com/bundle-delivery/svc/internal/ops/telemetry"
	"github.com/bundle-delivery/svc/internal/sandbox"
	"github.com/bundle-delivery/svc/internal/sandbox/egress"
	"github.com/bundle-delivery/svc/internal/store/datadir"
	"github.com/bundle-delivery/svc/internal/validate"
)

// The sandboxes that can be chosen.
const (
	sandboxAuto       = "auto"
	sandboxBubblewrap = "bwrap"
	sandboxCommand    = "command"
	sandboxOff        = "off"
)

// trialSettings say how far results are tried, and where.
type trialSettings struct {
	level      string // empty: what the engine deserves
	parallel   int
	sandbox    string
	command    string
	user       string
	toolchains []string
	cache      string
	hosts      []string
	env        []string
	limits     sandbox.Limits
}

func defaultTrialSettings() trialSettings {
	return trialSettings{parallel: 2, sandbox: sandboxAuto, user: "nobody", limits: sandbox.DefaultLimits()}
}

func (t *trialSettings) table() []setting.Setting {
	return []setting.Setting{
		setting.Of("validate", "how far a result is tried before it is delivered: off, syntax, build or test (default test for models and agents where there is a sandbox, else syntax)",
			setting.Choice(&t.level, "how far", string(validate.Off), string(validate.Syntax), string(validate.Build), string(validate.Test))),
		setting.Of("validate-parallel", "how many results are in a sandbox at a time; the others wait, fairly between accounts", setting.Count(&t.parallel, 1, 1000)),
		setting.Of("sandbox", "where projects are tried: bwrap (bubblewrap), command (with --sandbox-command), off; auto is bwrap where it works", setting.Choice(&t.sandbox, "which", sandboxAuto, sandboxBubblewrap, sandboxCommand, sandboxOff)),
		setting.Of("sandbox-command", "the command that starts a container which reads from its standard input, such as podman run --rm -i --network=none --tmpfs /work IMAGE; a shell with its arguments is added", setting.Text(&t.command, "command")),
		setting.Of("sandbox-user", "as whom projects are tried where svcd runs as root", setting.Text(&t.user, "user")),
		setting.Of("sandbox-toolchains", "folders with toolchains, each with a bin folder, shown read-only (default those found by PATH)", foldersValue(&t.toolchains)),
		setting.Of("sandbox-cache", "a folder with fetched dependencies, shown read-only: go/mod, npm and pip in it", setting.Text(&t.cache, "dir")),
		setting.Of("sandbox-hosts", "hosts that what is tried may reach, such as a module proxy; with a port unless it is 80 or 443", hostsValue(&t.hosts)),
		setting.Of("sandbox-env", "variables of what is tried, such as GOPROXY=https://modules.example.com npm_config_registry=https://npm.example.com; what is tried can read them", variablesValue(&t.env)),
		setting.Of("sandbox-memory", "what all processes of one sandbox may use together", setting.Size(&t.limits.Memory)),
		setting.Of("sandbox-disk", "what all files of one sandbox may need together; they live in memory", setting.Size(&t.limits.Disk)),
	}
}

// foldersValue holds absolute folders.
func foldersValue(to *[]string) *setting.Value[[]string] {
	return setting.New(to, "dir,…", func(text string) ([]string, error) {
		var all []string
		for folder := range strings.SplitSeq(text, ",") {
			if folder = strings.TrimSpace(folder); folder == "" {
				continue
			}
			if !filepath.IsAbs(folder) {
				return nil, fmt.Errorf("%q is no absolute folder", folder)
			}
			all = append(all, filepath.Clean(folder))
		}
		return all, nil
	}, func(all []string) string { return strings.Join(all, ",") })
}

// hostsValue holds hosts of the relay.
func hostsValue(to *[]string) *setting.Value[[]string] {
	return setting.New(to, "host,…", func(text string) ([]string, error) {
		var all []string
		for host := range strings.SplitSeq(text, ",") {
			if host = strings.TrimSpace(host); host != "" {
				all = append(all, host)
			}
		}
		_, err := egress.New(egress.Config{Hosts: all})
		return all, err
	}, func(all []string) string { return strings.Join(all, ",") })
}

var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// variablesValue holds words such as NAME=value, split as a shell would.
func variablesValue(to *[]string) *setting.Value[[]string] {
	return setting.New(to, "NAME=value …", func(text string) ([]string, error) {
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		words, err := exec.Split(text)
		for _, word := range words {
			if !variable.MatchString(word) {
				return nil, fmt.Errorf("%q sets no variable; give NAME=value", word)
			}
		}
		return words, err
	}, func(all []string) string { return strings.Join(all, " ") })
}

func (t *trialSettings) check() error {
	switch {
	case t.sandbox == sandboxCommand && t.command == "":
		return usagef("--sandbox command needs --sandbox-command, what starts the sandbox")
	case t.sandbox != sandboxCommand && t.command != "":
		return usagef("--sandbox-command has no use without --sandbox command")
	case t.sandbox == sandboxCommand && len(t.hosts) > 0:
		return usagef("--sandbox-hosts has no use with --sandbox command: what a container may reach is chosen where it is started")
	case t.cache != "" && !filepath.IsAbs(t.cache):
		return usagef("--sandbox-cache %s: it has to be an absolute folder", t.cache)
	}
	return nil
}

// open finds the sandbox of this machine. Without an error there may be none: why
// says what is missing. No box sees anything of the hidden folders.
func (t *trialSettings) open(ctx context.Context, hidden ...string) (s *sandbox.Sandbox, why string, err error) {
	config := sandbox.Config{User: t.user, Hidden: hidden}
	switch t.sandbox {
	case sandboxOff:
		return nil, "it is switched off (--sandbox off)", nil
	case sandboxCommand:
		if config.Command, err = exec.Split(t.command); err != nil {
			return nil, "", usagef("--sandbox-command: %w", err)
		}
	}
	s, err = sandbox.New(config)
	if err == nil {
		err = s.Probe(ctx)
	}
	switch {
	case err == nil:
		if t.cache != "" && t.sandbox != sandboxCommand {
			if err := s.Probe(ctx, sandbox.Mount{From: t.cache, To: t.cache}); err != nil {
				return nil, "", usagef("--sandbox-cache %s cannot be shown in sandboxes: %w", t.cache, err)
			}
		}
		return s, "", nil
	case ctx.Err() != nil:
		return nil, "", ctx.Err()
	case t.sandbox == sandboxAuto:
		return nil, err.Error(), nil
	}
	return nil, "", usagef("--sandbox %s: %w", t.sandbox, err)
}

// wrap puts the program of the exec engine into a wider sandbox, where that is
// possible. Where it is not, the start says so.
func (t *trialSettings) wrap(ctx context.Context, dataDir string, log *slog.Logger) (func(dir, program string) []string, error) {
	if t.sandbox == sandboxOff || t.sandbox == sandboxCommand {
		log.Warn("the program of the engine runs without a sandbox", "sandbox", t.sandbox)
		return nil, nil
	}
	if os.Geteuid() == 0 {
		log.Warn("svcd runs as root, and so does the program of the engine, without a sandbox")
		return nil, nil
	}
	var hidden []string
	if _, err := os.Stat(dataDir); err == nil {
		hidden = append(hidden, dataDir)
	}
	wide, err := sandbox.NewWide(ctx, hidden...)
	switch {
	case err == nil:
		return wide.Around, nil
	case t.sandbox == sandboxBubblewrap:
		return nil, usagef("--sandbox bwrap: %w", err)
	}
	log.Warn("the program of the engine runs without a sandbox", "missing", err.Error())
	return nil, nil
}

// openValidator finds out what results can be tried with, and says so. Agents work in
// the same place.
func openValidator(ctx context.Context, s *settings, dir datadir.Dir, metrics *telemetry.Metrics, log *slog.Logger) (v *validate.Validator, place workshop, err error) {
	t := &s.trials
	config := validate.Config{
		Level: validate.Level(t.level), Models: slices.Contains([]string{engineAnthropic, engineOpenAI, engineAgent}, s.engine),
		Program: "/proc/self/exe", Toolchains: t.toolchains, Cache: t.cache, Env: t.env,
		Parallel: t.parallel, Limits: t.limits, Log: log, CacheDir: dir.Path("toolcache"),
		Observe: metrics.WatchChecks(),
	}
	if t.sandbox == sandboxOff {
		log.Warn("there is no sandbox (--sandbox off): no project is built or tested")
	}
	if config.NeedsSandbox() || s.engine == engineAgent || t.sandbox == sandboxBubblewrap || t.sandbox == sandboxCommand {
		if config.Sandbox, config.Missing, err = t.open(ctx, s.dataDir); err != nil {
			return nil, place, err
		}
	}
	if config.Sandbox == nil && config.Missing != "" && t.sandbox != sandboxOff {
		log.Warn("projects are not built or tested: there is no sandbox here", "missing", config.Missing)
	}
	v = validate.New(config)
	place = workshop{sandbox: config.Sandbox, missing: config.Missing, places: egress.NewPlaces(), validator: v}
	if config.Sandbox != nil {
		if err := os.MkdirAll(config.CacheDir, 0o700); err != nil {
			return nil, place, fmt.Errorf("make a folder for what toolchains have built: %w", err)
		}
	}
	if config.Sandbox != nil && len(t.hosts) > 0 {
		out, err := egress.New(egress.Config{Hosts: t.hosts, Places: place.places, Log: log})
		if err != nil {
			return nil, place, usagef("--sandbox-hosts: %w", err)
		}
		if err := v.LeadOut(out); err != nil {
			return nil, place, err
		}
	}
	log.Info("results are tried before they are delivered", "validate", string(v.Level()), "sandbox", config.Sandbox != nil, "relay_connections", place.places.Max())
	return v, place, nil
}
