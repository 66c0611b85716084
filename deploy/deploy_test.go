//go:build unix

// Package deploy holds what operators install beside the programs. Its tests hold
// it against the programs: a file that names a metric, a label or a setting that
// does not exist is wrong, and nobody would notice before the night it is needed.
package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Clean(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// run runs a program and gives what it printed.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// Promise: alerts-parts, alerts-metrics
func TestAlertRulesAreValidAndFireWhenTheyShould(t *testing.T) {
	promtool := needs.Program(t, "promtool", "install the Debian package prometheus")
	run(t, promtool, "check", "config", "prometheus/prometheus.yml")
	run(t, promtool, "check", "rules", "prometheus/alerts.yml")
	run(t, promtool, "test", "rules", "prometheus/alerts.test.yml")
}

// alertExpressions are the conditions of the alerts, by name.
func alertExpressions(t *testing.T) map[string]string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Expr        string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "prometheus/alerts.yml")), &file); err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			found[r.Alert] = r.Expr
			if r.Labels["severity"] == "" || r.Annotations["summary"] == "" || r.Annotations["action"] == "" {
				t.Errorf("%s does not say how bad it is, what it is and what to do", r.Alert)
			}
		}
	}
	return found
}

// panelExpressions are the queries of the dashboard, by panel.
func panelExpressions(t *testing.T) map[string]string {
	t.Helper()
	var board struct {
		Panels []struct {
			ID      int
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "grafana/svcd.json")), &board); err != nil {
		t.Fatal(err)
	}
	found, ids := map[string]string{}, map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] {
			t.Errorf("two panels have the id %d", p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			found[p.Title] += target.Expr + "\n"
		}
	}
	return found
}

var (
	metricName = regexp.MustCompile(`\b((?:svcd|process|go)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
	labelName  = regexp.MustCompile(`([a-z_]+)\s*(?:=~|!~|!=|=)`)
	grouping   = regexp.MustCompile(`\bby \(([^)]*)\)`)
)

// Promise: alerts-metrics
func TestEveryMetricThatIsNamedIsExported(t *testing.T) {
	exported := exportedMetrics(t)
	expressions := alertExpressions(t)
	for panel, expr := range panelExpressions(t) {
		expressions["panel "+panel] = expr
	}
	if len(expressions) < 20 {
		t.Fatalf("only %d expressions were found", len(expressions))
	}
	for name, expr := range expressions {
		var known []string
		for _, m := range metricName.FindAllStringSubmatch(expr, -1) {
			labels, ok := exported[m[1]]
			if !ok {
				t.Errorf("%s: nothing exports %s", name, m[1])
				continue
			}
			known = append(known, labels...)
			for _, l := range labelName.FindAllStringSubmatch(m[2], -1) {
				if !slices.Contains(labels, l[1]) && l[1] != "job" {
					t.Errorf("%s: %s has no label %s, it has %v", name, m[1], l[1], labels)
				}
			}
		}
		for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
			for label := range strings.SplitSeq(g[1], ",") {
				if l := strings.TrimSpace(label); !slices.Contains(known, l) && l != "job" && l != "instance" {
					t.Errorf("%s: is grouped by %s, and there is only %v", name, l, known)
				}
			}
		}
	}
}

// Promise: alerts-metrics
func TestEveryAlertIsExplainedToTheOperator(t *testing.T) {
	guide := read(t, "../docs/operate.md")
	for _, name := range slices.Sorted(maps.Keys(alertExpressions(t))) {
		if !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("docs/operate.md says nothing about %s", name)
		}
	}
}

var settingFlag = regexp.MustCompile(`(?m)^\s+--([a-z-]+)\b`)

// settingsOf are the settings of `svcd serve`.
func settingsOf(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, m := range settingFlag.FindAllStringSubmatch(run(t, program(t), "serve", "--help"), -1) {
		names = append(names, m[1])
	}
	if len(names) < 20 {
		t.Fatalf("svcd serve --help lists only %v", names)
	}
	return names
}

// Promise: deploy-settings
func TestFilesNameSettingsThatExist(t *testing.T) {
	settings := settingsOf(t)
	variable := regexp.MustCompile(`\bSVCD_([A-Z_]+)\b`)
	key := regexp.MustCompile(`(?m)^#?([a-z-]+) = `)
	for _, tc := range []struct {
		file  string
		names *regexp.Regexp
	}{
		{"Dockerfile", variable}, {"compose/compose.yaml", variable}, {"debian/svcd.toml", key},
	} {
		found := tc.names.FindAllStringSubmatch(read(t, tc.file), -1)
		if len(found) == 0 {
			t.Errorf("%s names no setting", tc.file)
		}
		for _, m := range found {
			if name := strings.ReplaceAll(strings.ToLower(m[1]), "_", "-"); !slices.Contains(settings, name) {
				t.Errorf("%s: there is no setting %s", tc.file, name)
			}
		}
	}
}

// Promise: deploy-settings
func TestImageRunsAsNobodyAndIsStatic(t *testing.T) {
	stages := strings.Split(read(t, "Dockerfile"), "\nFROM ")
	last := stages[len(stages)-1]
	for _, want := range []string{"scratch\n", "\nUSER 65532:65532\n", "HEALTHCHECK", `ENTRYPOINT ["/usr/bin/svcd"]`} {
		if !strings.Contains(last, want) {
			t.Errorf("the last stage lacks %q", want)
		}
	}
	if !strings.Contains(stages[1], "CGO_ENABLED=0") {
		t.Error("the programs are not static")
	}
}

var newerKey = regexp.MustCompile(`Unknown key (?:name )?'Restart(?:Steps|MaxDelaySec)'`)

// Promise: unit-hardened
func TestUnitIsValidAndHardened(t *testing.T) {
	analyze := needs.Program(t, "systemd-analyze", "install the Debian package systemd")
	// Where the package would put it, so that the file can be looked at here.
	unit := strings.ReplaceAll(read(t, "systemd/svcd.service"), "/usr/bin/svcd", program(t))
	file := filepath.Join(t.TempDir(), "svcd.service")
	if err := os.WriteFile(file, []byte(unit), 0o600); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(run(t, analyze, "verify", "--man=no", file)) {
		// What a systemd before 254 does not know it passes over.
		if strings.Contains(line, "svcd.service") && !newerKey.MatchString(line) {
			t.Errorf("systemd says: %s", line)
		}
	}
	// The scale is 0 to 10 in tenths; what most services ship is above 9.
	run(t, analyze, "security", "--offline=true", "--threshold=20", file)
	stops := regexp.MustCompile(`TimeoutStopSec=(\d+)`).FindStringSubmatch(unit)
	if stops == nil || stops[1] < "30" {
		t.Errorf("the server may take 30 seconds to end, and the unit gives it %v", stops)
	}
	if !bytes.Contains([]byte(read(t, "systemd/engine-exec.conf")), []byte("[Service]")) {
		t.Error("the drop-in is none")
	}
}

// Promise: sandbox-unit
func TestDropInOfTheSandboxIsValidAndOpensNoMoreThanItNeeds(t *testing.T) {
	analyze := needs.Program(t, "systemd-analyze", "install the Debian package systemd")
	dir := t.TempDir()
	file := filepath.Join(dir, "svcd.service")
	unit := strings.ReplaceAll(read(t, "systemd/svcd.service"), "/usr/bin/svcd", program(t))
	if err := errors.Join(
		os.Mkdir(filepath.Join(dir, "svcd.service.d"), 0o700), os.WriteFile(file, []byte(unit), 0o600),
		os.WriteFile(filepath.Join(dir, "svcd.service.d", "sandbox.conf"), []byte(read(t, "systemd/sandbox.conf")), 0o600),
	); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(run(t, analyze, "verify", "--man=no", file)) {
		if strings.Contains(line, "svcd.service") && !newerKey.MatchString(line) {
			t.Errorf("systemd says: %s", line)
		}
	}
	run(t, analyze, "security", "--offline=true", "--threshold=40", file)
}

// What the unit forbids is what a sandbox is made of; its drop-in allows that.
// Promise: sandbox-unit
func TestSandboxWorksUnderTheUnitWithItsDropIn(t *testing.T) {
	python := needs.Program(t, "python3", "install python3")
	needs.Program(t, "systemd-analyze", "install the Debian package systemd")
	needs.Program(t, "bwrap", "install bubblewrap")
	if os.Geteuid() != 0 {
		needs.Missing(t, "only root can take the place of systemd")
	}
	dir, err := os.MkdirTemp("/tmp", "svcd-deploy-*") //nolint:usetesting // for another user to read
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	server := filepath.Join(dir, "svcd")
	text, err := os.ReadFile(program(t))
	if err = errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(server, text, 0o755)); err != nil {
		t.Fatal(err)
	}
	for dropIn, want := range map[string]string{"systemd/sandbox.conf": "sandbox            works", os.DevNull: "sandbox            none"} {
		said := run(t, python, "testdata/unit.py", "systemd/svcd.service", dropIn, server, "engine", "check")
		if !strings.Contains(said, want) {
			t.Errorf("with %s:\n%s", dropIn, said)
		}
	}
}

// unitSettings returns what files of a unit set; the last of a name counts.
func unitSettings(t *testing.T, files ...string) map[string]string {
	t.Helper()
	set := map[string]string{}
	for _, file := range files {
		section := ""
		for line := range strings.Lines(read(t, file)) {
			line = strings.TrimSpace(line)
			if strings.HasPrefix(line, "[") {
				section = line
			}
			if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
				set[section+name] = value
			}
		}
	}
	return set
}

// Sandboxes are in the group of the unit, whose memory is bounded: a kill there is
// theirs, not the service's.
// Promise: sandbox-unit
func TestUnitOutlivesASandboxWithoutMemory(t *testing.T) {
	for _, files := range [][]string{
		{"systemd/svcd.service"},
		{"systemd/svcd.service", "systemd/engine-exec.conf"},
		{"systemd/svcd.service", "systemd/engine-exec.conf", "systemd/sandbox.conf"},
	} {
		if got := unitSettings(t, files...)["[Service]OOMPolicy"]; got != "continue" {
			t.Errorf("%v: OOMPolicy is %q", files, got)
		}
	}
	if !strings.Contains(read(t, "../.goreleaser.yaml"), "deploy/systemd/svcd.service") {
		t.Error("the package has another unit")
	}
}

func TestUnitNeverGivesUp(t *testing.T) {
	set := unitSettings(t, "systemd/svcd.service")
	for name, want := range map[string]string{
		"[Unit]StartLimitIntervalSec": "0", // by default five quick failures are the end
		"[Service]Restart":            "on-failure",
		"[Service]RestartSteps":       "6",
		"[Service]RestartMaxDelaySec": "30",
		"[Service]ProcSubset":         "", // with pid, Go lets 128 connections wait and no more
	} {
		if got := set[name]; got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
