//go:build unix

package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// sign runs the script in a copy of what it touches.
func sign(t *testing.T, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "scripts", "sign-release.sh"), args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Promise: release-signed
func TestSumsAreSigned(t *testing.T) {
	minisign := needs.Program(t, "minisign", "install the Debian package minisign")
	dir := t.TempDir()
	for _, folder := range []string{"scripts", "dist"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write("scripts/sign-release.sh", read(t, "../scripts/sign-release.sh"))
	write("README.md", read(t, "../README.md"))
	write("dist/checksums.txt", "0123  svc.tar.gz\n")

	if out, err := sign(t, dir, "sign", "missing.key", "dist"); err == nil || !strings.Contains(out, "missing.key cannot be read") {
		t.Errorf("without a key: %v\n%s", err, out)
	}
	if out, err := sign(t, dir, "make", "secret.key"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if out, err := sign(t, dir, "make", "secret.key"); err == nil {
		t.Errorf("a key is written over:\n%s", out)
	}
	info, err := os.Stat(filepath.Join(dir, "secret.key"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the secret key has mode %v, %v", info.Mode(), err)
	}
	public := regexp.MustCompile("<!-- release key --> `(RW[^`]+)`").FindStringSubmatch(read(t, filepath.Join(dir, "README.md")))
	if public == nil {
		t.Fatalf("the public key is not in the README:\n%s", read(t, filepath.Join(dir, "README.md")))
	}
	if out, err := sign(t, dir, "sign", "secret.key", "dist"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	verify := func() error {
		return exec.CommandContext(t.Context(), minisign, "-V", "-P", public[1], "-m", filepath.Join(dir, "dist/checksums.txt")).Run()
	}
	if err := verify(); err != nil {
		t.Errorf("the signature is not accepted: %v", err)
	}
	write("dist/checksums.txt", "4567  svc.tar.gz\n")
	if verify() == nil {
		t.Error("sums that were changed are accepted")
	}
}
