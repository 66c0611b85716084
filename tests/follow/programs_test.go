package follow

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/tests/npm"
	"github.com/bundle-delivery/svc/tests/viewer"
)

// installPackage gives the folder with the npm package, or nothing where npm fails:
// the follower that needs it says so.
func installPackage(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		return ""
	}
	dir, err := npm.Install(t.Context(), "testdata")
	if err != nil {
		t.Log(err)
	}
	return dir
}

// followWithEventSource runs a program in Node that uses the npm package.
func followWithEventSource(t *testing.T, s *stage, stream string) (got followed, err error) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"package.json", "story.js", "eventsource.js"} {
		if err := npm.Copy(filepath.Join("testdata", name), dir); err != nil {
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
