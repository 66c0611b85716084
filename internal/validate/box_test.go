//go:build linux && (amd64 || arm64)

package validate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Promise: checks-listed
func TestSeveralKindsInOneTree(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	all := map[string]string{}
	var want int
	for kind, dir := range map[string]string{"node": "web", "python": "tools"} {
		l := languages()[kind]
		want += len(l.checks) - 2
		for name, content := range l.right {
			all[dir+"/"+name] = content
		}
	}
	report, _ := try(t, v, nil, all)
	if report.Status != Passed || len(report.Checks) != want+2 {
		t.Errorf("%d checks, want %d:\n%s", len(report.Checks), want+2, shown(report))
	}
	report, _ = try(t, v, nil, changed(all, "tools/app/sum.py", "def of(a, b):\n    return a - b\n"))
	if report.Status != Failed || !strings.Contains(strings.Join(report.Findings, "\n"), "tools/tests/test_sum.py:8:") || statusOf(report, "npm test (web)") != Passed {
		t.Error(shown(report))
	}
}

// Promise: checks-time-up
func TestARunWhoseTimeIsNearlyUsedUpStopsTrying(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	trial := v.NewTrial("acct", Tree{}, time.Now().Add(Reserve), func(Check) error { return nil })
	report, err := trial.Try(t.Context(), treeOf(languages()["python"].right), func(string) bool { return true }, false)
	if err != nil {
		t.Fatal(err)
	}
	last := report.Checks[len(report.Checks)-1]
	if report.Status != Unchecked || last.Status != Skipped || !strings.Contains(last.Detail, "nearly used up") {
		t.Error(shown(report))
	}
}

// Promise: checks-unchecked
func TestDependenciesThatCannotBeHadAreSkippedWithTheReason(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	for name, files := range map[string]map[string]string{
		"node":   changed(languages()["node"].right, "package.json", `{"name":"x","type":"module","dependencies":{"left-pad":"1.3.0"},"scripts":{"test":"node --test"}}`),
		"python": changed(languages()["python"].right, "requirements.txt", "fastapi\n", "app/sum.py", "import fastapi\n"),
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, files)
			skipped := 0
			for _, c := range report.Checks {
				if c.Status == Skipped && strings.Contains(c.Detail, "dependencies cannot be had") {
					skipped++
				}
			}
			if report.Status == Passed || report.Status == Failed || skipped == 0 {
				t.Error(shown(report))
			}
		})
	}
}

// Scripts that attack, at install and as a test: they see nothing, reach nobody,
// leave nothing, and the next project is tried as if they had not been.
// Promise: sandbox-isolated
func TestHostileProjectsAreContained(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("s3cr3t"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("SVCD_SECRET", "s3cr3t")
	attack := fmt.Sprintf("cat %s /etc/shadow /proc/%d/environ; env; touch /usr/x /etc/x; ln -s / out; cp /bin/sh suid; chmod 6755 suid; mknod dev c 1 3; (setsid sleep 711 &) ; exit 1", secret, os.Getpid())
	for name, files := range map[string]map[string]string{
		"npm":  changed(nil, "package.json", fmt.Sprintf(`{"name":"x","version":"1.0.0","dependencies":{"y":"file:./y"},"scripts":{"preinstall":%[1]q,"postinstall":%[1]q,"test":%[1]q}}`, attack), "y/package.json", fmt.Sprintf(`{"name":"y","version":"1.0.0","scripts":{"install":%q}}`, attack)),
		"make": changed(nil, "Makefile", "test:\n\t"+strings.ReplaceAll(attack, "$", "$$")+"\n"),
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, files)
			if report.Status != Failed || strings.Contains(shown(report), "s3cr3t") {
				t.Error(shown(report))
			}
		})
	}
	if report, _ := try(t, v, nil, languages()["make"].right); report.Status != Passed {
		t.Errorf("the next: %s", shown(report))
	}
}
