//go:build linux

package deploy

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// container runs podman. Where the limits of the tests cannot be raised, neither
// can those of a container: it has lower ones.
func container(t *testing.T, args ...string) (said string, err error) {
	t.Helper()
	if args[0] == "run" {
		args = append([]string{"run", "--ulimit", "nofile=4096:4096", "--ulimit", "nproc=8192:8192"}, args[1:]...)
	}
	if _, err := exec.LookPath("runc"); err == nil { // crun knows fewer kinds of cgroups
		args = append([]string{"--runtime", "runc"}, args...)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "podman", args...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("podman %s: %w\n%s", strings.Join(args, " "), err, complaints.String())
	}
	return strings.TrimSpace(string(out)), err
}

func mustContain(t *testing.T, args ...string) string {
	t.Helper()
	said, err := container(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// workerFile returns the Dockerfile of the worker whose base image is there. Where no
// registry can be reached, the base is made of what it consists of, Debian and Go in
// /usr/local, and the Dockerfile is a copy that names it: nothing made here has the
// pinned digest.
func workerFile(t *testing.T) string {
	t.Helper()
	text := read(t, "worker.Dockerfile")
	_, rest, _ := strings.Cut(text, "\nFROM ")
	pinned := strings.Fields(rest)[0]
	said, err := exec.CommandContext(t.Context(), "timeout", "120", "podman", "pull", "--quiet", "docker.io/library/"+pinned).CombinedOutput()
	if err == nil {
		return "worker.Dockerfile"
	}
	t.Logf("%s cannot be had and is made here: %s", pinned, said)
	tag, _, _ := strings.Cut(pinned, "@")
	made := "localhost/made-" + tag
	makeBase(t, made)
	name := filepath.Join(t.TempDir(), "worker.Dockerfile")
	if err := os.WriteFile(name, []byte(strings.ReplaceAll(text, "\nFROM "+pinned, "\nFROM "+made)), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// makeBase makes the image with this name unless it is there.
func makeBase(t *testing.T, name string) {
	t.Helper()
	if _, err := container(t, "image", "exists", name); err == nil {
		return
	}
	debootstrap := needs.Program(t, "debootstrap", "install the Debian package debootstrap")
	dir := t.TempDir()
	goRoot := strings.TrimSpace(run(t, "go", "env", "GOROOT"))
	run(t, debootstrap, "--variant=minbase", "--include=ca-certificates", "bookworm", dir)
	run(t, "cp", "-a", goRoot, filepath.Join(dir, "usr", "local", "go"))
	packed := filepath.Join(t.TempDir(), "base.tar")
	run(t, "tar", "-C", dir, "-cf", packed, ".")
	mustContain(t, "import", "--change", "ENV PATH=/go/bin:/usr/local/go/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"--change", "ENV GOPATH=/go", "--change", "ENV GOTOOLCHAIN=local", packed, name)
}

// workerOptions are those with which the file of the image says to run it, but for
// what a container is called and what it keeps.
func workerOptions(t *testing.T) (options []string) {
	t.Helper()
	_, command, found := strings.Cut(read(t, "worker.Dockerfile"), "#   docker run ")
	command, _, ends := strings.Cut(command, " svcd-worker\n")
	if !found || !ends {
		t.Fatal("the file of the image does not say how to run it")
	}
	words := strings.Fields(strings.NewReplacer("\\\n#", " ").Replace(command))
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-d":
		case "--name", "--stop-timeout", "-v", "-e":
			i++
		default:
			options = append(options, words[i])
		}
	}
	if !slices.Contains(options, "--cap-drop") || !slices.Contains(options, "no-new-privileges") || !slices.Contains(options, "--read-only") {
		t.Fatalf("the image is run with %q", options)
	}
	return options
}

const workerImage = "localhost/svcd-worker-test"

// buildImage builds an image by a Dockerfile.
func buildImage(t *testing.T, file, name string) {
	t.Helper()
	build := []string{"build", "--network", "host", "--format", "docker", "-f", file, "-t", name}
	if certificates := "/etc/ssl/certs/ca-certificates.crt"; fileExists(certificates) { // those of a proxy among them
		copied := filepath.Join(t.TempDir(), "ca.crt")
		if err := os.WriteFile(copied, []byte(read(t, certificates)), 0o600); err != nil {
			t.Fatal(err)
		}
		build = append(build, "-v", copied+":"+certificates+":ro")
	}
	mustContain(t, append(build, "..")...)
}

func buildWorker(t *testing.T) {
	t.Helper()
	needs.Program(t, "podman", "install the Debian packages podman, runc, catatonit and debootstrap")
	if os.Geteuid() != 0 {
		needs.Missing(t, "only root makes the image")
	}
	buildImage(t, workerFile(t), workerImage)
}

// startContainer runs a container until the test ends.
func startContainer(t *testing.T, args ...string) (id string) {
	t.Helper()
	id = mustContain(t, append([]string{"run", "-d", "--no-healthcheck", "--network", "host"}, args...)...)
	t.Cleanup(func() {
		if t.Failed() {
			said, err := exec.CommandContext(context.WithoutCancel(t.Context()), "podman", "logs", "--tail", "50", id).CombinedOutput()
			t.Logf("%v\n%s", err, said)
		}
		_, _ = container(t, "rm", "-f", "-v", "-t", "5", id)
	})
	return id
}

// awaitIn runs a command in a container until it succeeds.
func awaitIn(t *testing.T, id string, command ...string) string {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; time.Sleep(time.Second) {
		said, err := container(t, append([]string{"exec", id}, command...)...)
		if err == nil {
			return said
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// triesProjects has a service in a container generate, and looks whether what it
// made was built and tested. operator is how commands are run there.
func triesProjects(t *testing.T, id, address string, operator ...string) {
	t.Helper()
	awaitIn(t, id, append(operator, "svcd", "health", "--data-dir", "/var/lib/svcd")...)
	operate := func(args ...string) string {
		return mustContain(t, slices.Concat([]string{"exec", id}, operator, []string{"svcd"}, args, []string{"--data-dir", "/var/lib/svcd"})...)
	}
	operate("account", "create", "--email", "ada@example.com", "--plan", "developer")
	key := operate("key", "create", "--account", "ada@example.com", "--name", "test")
	for prompt, want := range map[string]string{"a Python HTTP API for a todo list": `"check":"python3 -m unittest`, "a Go HTTP API for a todo list": `"check":"go test`} {
		said := told(t, "https://"+address, key, prompt)
		passed := slices.ContainsFunc(strings.Split(said, "\n"), func(line string) bool {
			return strings.Contains(line, want) && strings.Contains(line, `"status":"passed"`)
		})
		if !passed || !strings.Contains(said, "event: bundle_ready") {
			t.Errorf("%s:\n%s", prompt, said)
		}
	}
}

// The image of the worker, built by its file: under exactly the restrictions with
// which it is to be run the sandbox works, with fewer options it does not, and
// projects are built and tested before they are delivered.
// Promise: sandbox-worker-image
func TestWorkerImageTriesProjectsUnderItsRestrictions(t *testing.T) {
	needs.Long(t, "the image of the worker, built and run")
	buildWorker(t)
	options := workerOptions(t)
	check := func(options []string) string {
		said, _ := container(t, slices.Concat([]string{"run", "--rm", "--network", "none"}, options, []string{workerImage, "engine", "check"})...)
		return said
	}
	said := check(options)
	for _, want := range []string{"sandbox            works", "go                 go1.26", "node               v", "python             Python 3", "make               GNU Make"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in\n%s", want, said)
		}
	}
	for _, option := range []string{"seccomp=unconfined", "systempaths=unconfined"} {
		i := slices.Index(options, option)
		if i < 0 {
			t.Fatalf("the image is run without %s", option)
		}
		if said := check(slices.Delete(slices.Clone(options), i-1, i+1)); !strings.Contains(said, "FAILED  sandbox") {
			t.Errorf("without %s:\n%s", option, said)
		}
	}
	address := freeAddresses(t, 1)[0]
	triesProjects(t, startContainer(t, slices.Concat(options, []string{"-e", "SVCD_LISTEN=" + address, workerImage})...), address)
}

// The unit under a systemd that runs, as it is shipped: with its drop-in projects
// are built and tested, without it the start is refused.
// Promise: sandbox-unit
func TestUnitTriesProjectsUnderSystemd(t *testing.T) {
	needs.Long(t, "the unit and its drop-in under systemd")
	buildWorker(t)
	const image = "localhost/svcd-systemd-test"
	buildImage(t, "testdata/systemd.Dockerfile", image)
	id := startContainer(t, "--privileged", "--systemd=always", image)
	awaitIn(t, id, "systemctl", "is-system-running")
	address := freeAddresses(t, 1)[0]
	settings := filepath.Join(t.TempDir(), "svcd.toml")
	if err := os.WriteFile(settings, []byte("data-dir = \"/var/lib/svcd\"\nlisten = \""+address+"\"\nvalidate = \"test\"\nsandbox = \"bwrap\"\nsandbox-toolchains = \"/usr/local/go\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	mustContain(t, "exec", id, "mkdir", "-p", "/etc/svcd")
	mustContain(t, "cp", settings, id+":/etc/svcd/svcd.toml")
	mustContain(t, "exec", id, "chown", "root:svcd", "/etc/svcd/svcd.toml")
	mustContain(t, "exec", id, "chmod", "0640", "/etc/svcd/svcd.toml")
	mustContain(t, "exec", id, "systemctl", "start", "svcd.service")
	triesProjects(t, id, address, "runuser", "-u", "svcd", "--")

	mustContain(t, "exec", id, "rm", "/etc/systemd/system/svcd.service.d/sandbox.conf")
	mustContain(t, "exec", id, "systemctl", "daemon-reload")
	_, _ = container(t, "exec", id, "systemctl", "restart", "svcd.service") // it fails now or a moment later
	awaitIn(t, id, "sh", "-c", "journalctl -u svcd.service | grep -e '--sandbox bwrap: start a sandbox'")
}

func fileExists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// told starts a generation and gives all that it says. A stream may end before its
// run does: it is read again then, as clients do.
func told(t *testing.T, base, key, prompt string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Minute)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // a container of this test's
	defer client.CloseIdleConnections()
	ask := func(method, url, body string) []byte {
		req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+key)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }() // it is read to its end
		said, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode >= 300 {
			t.Fatalf("%s: %s, %v\n%s", url, resp.Status, err, said)
		}
		return said
	}
	var queued struct {
		StreamURL string `json:"streamUrl"`
	}
	if err := json.Unmarshal(ask(http.MethodPost, base+"/generations", `{"prompt":"`+prompt+`"}`), &queued); err != nil {
		t.Fatal(err)
	}
	for {
		said := string(ask(http.MethodGet, queued.StreamURL, ""))
		if strings.Contains(said, "event: bundle_ready") || strings.Contains(said, "event: error") {
			return said
		}
	}
}
