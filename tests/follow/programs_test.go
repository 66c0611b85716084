package follow

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/tests/viewer"
)

// installPackage makes sure that the npm package lies in a folder that is kept
// between test runs, and returns the folder, or nothing where npm fails. What is installed is what the lock
// file names, by its digest.
func installPackage(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		return "" // the follower that needs it says so
	}
	lock, err := os.ReadFile(filepath.Join("testdata", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(lock)
	dir := filepath.Join(cache, "svc-follow", hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "eventsource", "package.json")); err == nil {
		return dir
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	// Another test run may do the same: the folder appears with all that is in it.
	if err := os.MkdirAll(filepath.Dir(dir), 0o750); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "install-") //nolint:usetesting // it is renamed to its place beside it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(fresh) }() // gone already, if all went well
	for _, name := range []string{"package.json", "package-lock.json"} {
		if err := copyTo(fresh, name); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Logf("npm ci: %v: %s", err, out)
		return ""
	}
	if err := os.Rename(fresh, dir); err != nil && !errors.Is(err, fs.ErrExist) {
		t.Fatal(err)
	}
	return dir
}

func copyTo(dir, name string) error {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), text, 0o600)
}

// followWithEventSource runs a program in Node that uses the npm package.
func followWithEventSource(t *testing.T, s *stage, stream string) (got followed, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "story.js", "eventsource.js"} {
		if err := copyTo(dir, name); err != nil {
			return got, err
		}
	}
	if err := os.Symlink(filepath.Join(s.modules, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		return got, err
	}
	input, err := json.Marshal(map[string]string{"stream": stream, "key": s.key})
	if err != nil {
		return got, err
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", "eventsource.js")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "NODE_EXTRA_CA_CERTS="+s.caFile)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return got, fmt.Errorf("node: %w: %s", err, &stderr)
	}
	return got, json.Unmarshal(out, &got)
}

// followWithCurl runs curl as often as it is cut off, from the last event on.
func followWithCurl(t *testing.T, s *stage, stream string) (got followed, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	story := viewer.New()
	for connections := 0; !story.Over(); connections++ {
		if err := curl(ctx, s, stream, story); err != nil {
			return got, err
		}
		got.Resumed = connections
	}
	got.Files, got.Events = story.Files(), story.Last
	if story.Ready != nil {
		got.End.Name, got.End.Payload.BundleID = "bundle_ready", story.Ready.BundleID
	} else {
		got.End.Name, got.End.Payload.Code, got.End.Payload.Message = "error", story.Error.Code, story.Error.Message
	}
	return got, nil
}

// curl reads what one connection tells. The key goes in by standard input: an
// argument could be read by everybody on the machine.
func curl(ctx context.Context, s *stage, stream string, story *viewer.Viewer) error {
	cmd := exec.CommandContext(ctx, "curl", "--config", "-", "--no-buffer", "--silent", "--show-error", "--fail",
		"--cacert", s.caFile, "--header", fmt.Sprintf("Last-Event-ID: %d", story.Last), stream)
	cmd.Stdin = strings.NewReader(fmt.Sprintf("header = \"Authorization: Bearer %s\"\n", s.key))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	wrong := viewer.ReadEvents(stdout, story.Add)
	err = cmd.Wait()
	if wrong != nil {
		return wrong
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && !cutOff(exit.ExitCode()) {
		return fmt.Errorf("curl: %w: %s", err, &stderr)
	} else if err != nil && !ok {
		return err
	}
	return ctx.Err()
}

// cutOff tells curl's exit codes for broken connections from the others: a
// partial answer, an empty one, a failure while receiving.
func cutOff(code int) bool { return code == 18 || code == 52 || code == 56 }
