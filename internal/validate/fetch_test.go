//go:build linux && (amd64 || arm64)

package validate

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/bundle-delivery/svc/internal/sandbox/egress"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// ledOut makes a validator whose boxes are led out by a relay.
func ledOut(t *testing.T, c Config, r egress.Config) *Validator {
	t.Helper()
	out, err := egress.New(r)
	if err != nil {
		t.Fatal(err)
	}
	v := validator(t, c)
	if err := v.LeadOut(out); err != nil {
		t.Fatal(err)
	}
	return v
}

// Promise: checks-dependencies
func TestDependenciesAreFetchedThroughTheRelay(t *testing.T) {
	r := newRegistry(t)
	_, port, err := net.SplitHostPort(r.address)
	if err != nil {
		t.Fatal(err)
	}
	host := "deps.test:" + port
	v := ledOut(t, Config{Level: Test, Sandbox: boxes(t), CacheDir: testCache(t), Env: r.variables(host)}, egress.Config{
		Hosts: []string{host, r.address}, // the address alone would not do: tools call loopback directly
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			if name != "deps.test" {
				return nil, errors.New("no such host")
			}
			return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
		},
	})
	projects := dependents()
	manifested := maps.Clone(projects["python"])
	delete(manifested, "requirements.txt")
	manifested["pyproject.toml"] = "[project]\nname = \"x\"\nversion = \"1\"\ndependencies = [\"depone>=1\"]\n"
	projects["python by its manifest"] = manifested
	for name, files := range projects {
		t.Run(name, func(t *testing.T) {
			report, _ := try(t, v, nil, files)
			if report.Status != Passed {
				t.Error(shown(report))
			}
			if name == "go" && !strings.Contains(shown(report), "go.sum lacks example.com/depone") {
				t.Errorf("what its builder will miss is not told: %s", shown(report))
			}
			if path := map[string]string{"go": "v1.0.0.zip", "node": ".tgz", "python": ".whl"}[name]; !r.wasAsked(path) {
				t.Errorf("nobody asked for %s: %q", path, r.asked)
			}
		})
	}
}

// A name that leads where nothing of ours may be reached is refused, whatever a
// project calls it by.
// Promise: sandbox-egress
func TestTheRelayLeadsNoProjectToAddressesOfOurs(t *testing.T) {
	names := map[string]string{
		"loop.test": "127.0.0.1", "loop6.test": "::1", "private.test": "10.0.0.1", "link.test": "169.254.1.1", "metadata.test": "169.254.169.254",
		"metadata6.test": "fd00:ec2::254", "service.test": "93.184.216.1",
	}
	hosts := slices.Sorted(maps.Keys(names))
	var mu sync.Mutex
	var called []string
	v := ledOut(t, Config{Level: Test, Sandbox: boxes(t)}, egress.Config{
		Hosts: hosts,
		Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr(names[name])}, nil
		},
		Own: func() ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr("93.184.216.1")}, nil },
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			called = append(called, address)
			return nil, errors.New("nothing is called in tests")
		},
	})
	attack := `import http.client, socket, sys
reached = False
for name in "` + strings.Join(hosts, " ") + ` 127.0.0.1 localhost 169.254.169.254".split():
    for method, target in (("GET", "http://" + name + "/"), ("CONNECT", name + ":443")):
        c = http.client.HTTPConnection("127.0.0.1", 3128, timeout=20)
        c.request(method, target)
        status = c.getresponse().status
        print(method, name, status)
        reached = reached or status != 403
sys.exit(reached)
`
	report, _ := try(t, v, nil, map[string]string{"Makefile": "test:\n\t/usr/bin/python3 attack.txt\n", "attack.txt": attack})
	if report.Status != Passed {
		t.Error(shown(report))
	}
	mu.Lock()
	defer mu.Unlock()
	if len(called) > 0 {
		t.Errorf("called %q", called)
	}
}

// filledCache is what an operator's tools have fetched from a registry, for others
// to read.
func filledCache(t *testing.T, r *registry) string {
	t.Helper()
	for _, tool := range []string{"go", "npm"} {
		needs.Program(t, tool, "scripts/ensure-tools.sh installs it")
	}
	dir, err := os.MkdirTemp("/tmp", "svc-validate-test-*") //nolint:usetesting // the test's own folder is for its owner alone
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, _ error) error {
			if d != nil && d.IsDir() {
				_ = os.Chmod(name, 0o755) // the folders of modules are read-only
			}
			return nil
		})
		_ = os.RemoveAll(dir)
	})
	fetch := func(files map[string]string, args ...string) {
		t.Helper()
		folder := t.TempDir()
		for name, content := range files {
			name = filepath.Join(folder, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(content), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
		cmd.Dir = folder
		cmd.Env = append(append(os.Environ(), r.variables(r.address)...),
			"GOMODCACHE="+dir+"/go/mod", "GOFLAGS=-mod=mod", "GOSUMDB=off", "npm_config_cache="+dir+"/npm", "npm_config_update_notifier=false")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	projects := dependents()
	fetch(projects["go"], "go", "mod", "download", "example.com/depone@v1.0.0")
	fetch(projects["node"], "npm", "install", "--ignore-scripts", "--no-audit", "--no-fund")
	if err := errors.Join(os.Chmod(dir, 0o755), os.Mkdir(dir+"/pip", 0o755), os.WriteFile(filepath.Join(dir, "pip", wheelName), wheel(t), 0o644)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// digestOf is what a folder holds: names, modes and contents.
func digestOf(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(sum, "%s %v\n", name, info.Mode()) // never fails
		if d.Type().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			_, _ = sum.Write(content) // never fails
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// poison writes to whatever its tools read, and says what it could change.
const poison = `for place in /cache "$GOMODCACHE" "$GOCACHE" "$npm_config_cache" "$PYTHONPATH" "$CARGO_HOME" /usr "$HOME" /tmp; do
  find "$place/" -type f 2>/dev/null | head -500 | while read -r f; do chmod u+w "$f" 2>/dev/null; echo bad >"$f"; rm -f "$f"; done
  echo bad >"$place/bad"
done 2>/dev/null
for place in /cache /usr; do if [ -e "$place/bad" ] || [ ! -e /cache/pip/` + wheelName + ` ]; then echo "$place is poisoned"; exit 1; fi; done
`

// What one project does to the caches is seen by no other, nor by the operator.
// Promise: checks-dependencies
func TestDependenciesComeFromACacheThatNobodyCanPoison(t *testing.T) {
	r := newRegistry(t)
	c := Config{Level: Test, Sandbox: boxes(t), Cache: filledCache(t, r), Env: []string{"npm_config_registry=http://" + r.address + "/npm/"}, CacheDir: testCache(t)}
	v := validator(t, c)
	if err := v.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, base := digestOf(t, c.Cache), digestOf(t, c.CacheDir)
	all := func(when string) {
		t.Helper()
		for name, files := range dependents() {
			if report, _ := try(t, v, nil, files); report.Status != Passed {
				t.Errorf("%s, %s: %s", name, when, shown(report))
			}
		}
	}
	all("first")
	for name, files := range map[string]map[string]string{
		"go":   changed(dependents()["go"], "poison.sh", poison, "x_test.go", "package x\n\nimport (\n\t\"os/exec\"\n\t\"testing\"\n)\n\nfunc TestPoison(t *testing.T) {\n\tif out, err := exec.Command(\"sh\", \"poison.sh\").CombinedOutput(); err != nil {\n\t\tt.Errorf(\"%v: %s\", err, out)\n\t}\n}\n"),
		"node": changed(dependents()["node"], "poison.sh", poison, "package.json", `{"name":"x","version":"1.0.0","dependencies":{"depone":"1.0.0"},"scripts":{"test":"sh poison.sh"}}`),
		"make": {"Makefile": "test:\n\tsh poison.sh\n", "poison.sh": poison},
	} {
		if report, _ := try(t, v, nil, files); report.Status != Passed {
			t.Errorf("poison by %s: %s", name, shown(report))
		}
	}
	all("after the poison")
	if digestOf(t, c.Cache) != before {
		t.Error("the cache has changed")
	}
	if digestOf(t, c.CacheDir) != base {
		t.Error("what is kept for all has changed")
	}
}

// Promise: checks-dependencies
func TestVendoredModulesNeedNobody(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t), CacheDir: testCache(t)})
	report, _ := try(t, v, nil, changed(dependents()["go"],
		"vendor/modules.txt", "# example.com/depone v1.0.0\n## explicit; go 1.24\nexample.com/depone\n",
		"vendor/example.com/depone/dep.go", "package depone\n\n// Answer is it.\nfunc Answer() int { return 42 }\n"))
	if report.Status != Passed || statusOf(report, "go mod download") != "" {
		t.Error(shown(report))
	}
}
