//go:build unix

package deploy

import (
	"debug/buildinfo"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// TestSnapshotAsACarefulStranger makes a release and looks at it as somebody does
// who trusts nothing but the public key: signature, sums, terms, parts; then
// installs the packages and removes them.
// Promise: release-licences, release-signed
func TestSnapshotAsACarefulStranger(t *testing.T) {
	needs.Long(t, "a whole release, checked, installed and removed")
	minisign := needs.Program(t, "minisign", "install the Debian package minisign")
	tree := filepath.Join(t.TempDir(), "svc")
	output(t, "..", nil, "git", "clone", "--quiet", ".", tree)
	tools, err := filepath.Abs("../bin/tools")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(tree, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tools, filepath.Join(tree, "bin", "tools")); err != nil { // built once
		t.Fatal(err)
	}
	key := filepath.Join(t.TempDir(), "secret.key")
	output(t, tree, nil, "make", "release-key", "KEY="+key)
	public := strings.Fields(output(t, tree, nil, "tail", "-n", "1", key+".pub"))[0]
	output(t, tree, nil, "git", "checkout", "--quiet", "README.md")
	output(t, tree, nil, "make", "snapshot", "KEY="+key)
	dist := filepath.Join(tree, "dist")

	output(t, dist, nil, minisign, "-V", "-P", public, "-m", "checksums.txt")
	output(t, dist, nil, "sha256sum", "--check", "--strict", "checksums.txt")
	sums := read(t, filepath.Join(dist, "checksums.txt"))
	for _, kind := range []struct {
		pattern string
		count   int
		list    []string
	}{
		{"*.tar.gz", 6, []string{"tar", "-tzf"}},
		{"*.zip", 2, []string{"unzip", "-Z1"}},
		{"*.deb", 4, []string{"dpkg", "--contents"}},
	} {
		files, err := filepath.Glob(filepath.Join(dist, kind.pattern))
		if err != nil || len(files) != kind.count {
			t.Errorf("%d files %s, want %d: %v", len(files), kind.pattern, kind.count, err)
		}
		for _, file := range files {
			if !strings.Contains(sums, "  "+filepath.Base(file)+"\n") {
				t.Errorf("%s has no sum", filepath.Base(file))
			}
			inside := output(t, dist, nil, kind.list[0], append(kind.list[1:], file)...)
			if !strings.Contains(inside, "NOTICES.txt") || !strings.Contains(inside, "LICENSE") && !strings.Contains(inside, "copyright") {
				t.Errorf("%s does not carry its terms:\n%s", filepath.Base(file), inside)
			}
		}
	}
	checkParts(t, dist)
	installAndRemove(t, dist)
}

// checkParts holds each list of parts against what the linker noted in its program.
func checkParts(t *testing.T, dist string) {
	t.Helper()
	for pattern, program := range map[string]string{"svc_*_linux_amd64.spdx.json": "svc_linux_amd64*/svc", "svcd_*_linux_amd64.spdx.json": "svcd_linux_amd64*/svcd"} {
		documents, _ := filepath.Glob(filepath.Join(dist, pattern))
		binaries, _ := filepath.Glob(filepath.Join(dist, program))
		if len(documents) != 1 || len(binaries) != 1 {
			t.Fatalf("%s: %v; %s: %v", pattern, documents, program, binaries)
		}
		var d struct {
			Packages []struct{ Name, VersionInfo, Comment string }
		}
		if err := json.Unmarshal([]byte(read(t, documents[0])), &d); err != nil {
			t.Fatal(err)
		}
		named := map[string]string{}
		for _, p := range d.Packages {
			named[p.Name] = p.VersionInfo
		}
		info, err := buildinfo.ReadFile(binaries[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range info.Deps {
			if named[m.Path] != m.Version {
				t.Errorf("%s: %s is %q, want %s", pattern, m.Path, named[m.Path], m.Version)
			}
		}
		if strings.HasPrefix(pattern, "svcd") && named["htmx.org"] == "" {
			t.Errorf("%s does not name the console's scripts", pattern)
		}
	}
}

// installAndRemove does so in a copy of this system that is gone afterwards: a
// layer in memory over what is there, in a mount namespace of its own.
func installAndRemove(t *testing.T, dist string) {
	t.Helper()
	if os.Getuid() != 0 {
		needs.Missing(t, "only root can install packages into a layer over this system")
	}
	debs, err := filepath.Glob(filepath.Join(dist, "*_linux_"+output(t, ".", nil, "go", "env", "GOARCH")[:5]+"*.deb"))
	if err != nil || len(debs) != 2 {
		t.Fatalf("packages for this machine: %v, %v", debs, err)
	}
	script := `set -eu
top=$(mktemp -d)
mount -t tmpfs none "$top"
mkdir "$top/upper" "$top/work" "$top/root" "$top/debs"
cp "$@" "$top/debs"
mount -t overlay none -o lowerdir=/,upperdir="$top/upper",workdir="$top/work" "$top/root"
mkdir -p "$top/root/tmp/debs"
cp "$top"/debs/* "$top/root/tmp/debs/"
mount --bind /proc "$top/root/proc"
mount --bind /dev "$top/root/dev"
chroot "$top/root" sh -eu -c '
	export DEBIAN_FRONTEND=noninteractive
	dpkg --force-depends -i /tmp/debs/*.deb
	svc --version; svc-mcp --version; svcd --version
	svc licenses | head -n 1; svcd licenses | head -n 1
	test -s /usr/share/doc/svcd/NOTICES.txt
	test -s /usr/share/man/man1/svcd.1
	getent passwd svcd
	dpkg --purge svc svcd
	! test -e /usr/bin/svcd && ! test -e /usr/bin/svc && ! test -e /usr/bin/svc-mcp && ! test -e /etc/svcd/svcd.toml
'
`
	cmd := exec.CommandContext(t.Context(), "unshare", append([]string{"--mount", "sh", "-c", script, "sh"}, debs...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}
