package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

func TestSecondServeOnAFolderIsRefused(t *testing.T) {
	t.Parallel()
	i := start(t)
	code, _, text := runMain(t, nil, "serve", "--data-dir", i.dir, "--listen", "127.0.0.1:0")
	if code != exitFailure || !strings.Contains(text, i.dir) {
		t.Errorf("exit %d: %s", code, text)
	}
	i.checked() // the first one still answers
	i.stop()
	startIn(t, i.dir) // and its end frees the folder
}

func TestDataFolderIsForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	i := start(t)
	info, err := os.Stat(i.dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o700 {
		t.Errorf("the data folder has mode %v", info.Mode())
	}
}

func TestThePeopleAtATerminalAreToldWhatToDoNext(t *testing.T) {
	t.Parallel()
	s := defaultSettings()
	s.dataDir = "/srv/data"
	const base, caFile, link = "https://localhost:8443", "/srv/data/tls/ca.pem", "https://localhost:8443/console/link/x"
	shown := banner(s, base, caFile, true, link, "svcd")
	for _, want := range []string{
		base, caFile, link, "svcd account create --data-dir /srv/data", "svcd key create --data-dir /srv/data", "svc generate",
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	if again := banner(s, base, caFile, false, "", "svcd"); !strings.Contains(again, base) || strings.Contains(again, "account create") {
		t.Errorf("the next steps are shown to somebody who has taken them:\n%s", again)
	}
}

func TestTheSetUpLinkIsOfferedWhileNobodyHasAnAccount(t *testing.T) {
	t.Parallel()
	i := start(t)
	i.setUpLink()
	i.account(email)
	i.stop()
	i = startIn(t, i.dir)
	i.stop()
	if strings.Contains(i.out.String(), "/console/link/") {
		t.Errorf("the link is offered though somebody has an account:\n%s", i.out)
	}
}

// What is no terminal may be the journal of a supervisor or of a container.
// Promise: setup-link-unlogged
func TestTheSetUpLinkIsInNoLog(t *testing.T) {
	t.Parallel()
	i := startOne(t, filepath.Join(t.TempDir(), "data"), "--print-setup-link=false")
	eventually(t, "the next steps are printed", func() bool { return strings.Contains(i.out.String(), "svc generate") })
	i.stop()
	if all := i.out.String() + i.log.String(); strings.Contains(all, "/console/link/") || !strings.Contains(all, "--print-setup-link") {
		t.Errorf("what is kept has the link, or does not say how to get it:\n%s", all)
	}
}

// serveProcess starts the service as a process and waits for its address.
func serveProcess(t *testing.T, flags ...string) (cmd *exec.Cmd, log *transcript) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	log = &transcript{}
	cmd = program(t, append([]string{"serve", "--data-dir", dir, "--listen", "127.0.0.1:0"}, flags...)...)
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	eventually(t, "the process serves", func() bool {
		_, err := os.Stat(filepath.Join(dir, "svcd.addr"))
		return err == nil
	})
	return cmd, log
}

// killable runs a command that serves a data folder, and gives the service when it
// serves. Its end is without a warning.
func killable(t *testing.T, cmd *exec.Cmd, data string) *instance {
	t.Helper()
	i := &instance{t: t, dir: data, out: &transcript{}, log: &transcript{}, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = i.out, i.log
	address := filepath.Join(data, "svcd.addr")
	_ = os.Remove(address) // of a process before it
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	i.end = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
		close(i.ended)
	})
	t.Cleanup(i.end)
	eventually(t, "the process serves", func() bool {
		text, err := os.ReadFile(address)
		i.address = string(text)
		if strings.Contains(i.log.String(), "Error:") {
			t.Fatal(i.log.String())
		}
		return err == nil
	})
	i.base = "https://" + i.address
	return i
}

// The time that ending may take is promised: what is waited for has to fit.
func TestEndingFitsIntoHalfAMinute(t *testing.T) {
	t.Parallel()
	if all := drainWait + settleWait; all >= 30*time.Second {
		t.Errorf("ending may take %v", all)
	}
}

func TestTerminationEndsWell(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd, log := serveProcess(t)
			if err := cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v:\n%s", err, log)
			}
			if !strings.Contains(log.String(), `"msg":"stopped"`) {
				t.Errorf("it did not end well:\n%s", log)
			}
		})
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	// Ending well would take longer than the test may.
	cmd, log := serveProcess(t, "--drain-delay", "1h")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first signal is heeded", func() bool { return strings.Contains(log.String(), "shutting down") })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	failed, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		t.Fatalf("it ended with %v:\n%s", err, log)
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); !ok || !status.Signaled() || status.Signal() != syscall.SIGTERM {
		t.Errorf("it ended with %v, not by the signal:\n%s", failed, log)
	}
}

// Promise: key-rotation
func TestOperatorCommandsWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	i := start(t)
	var account struct{ AccountID, Email, Plan string }
	if err := json.Unmarshal([]byte(i.operate("account", "create", "--email", "Ada@Example.com", "--plan", "hobby")), &account); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(account.AccountID, "acct_") || account.Email != email {
		t.Errorf("made %+v", account)
	}
	if list := i.operate("account", "list"); strings.Count(list, "\n") != 1 || !strings.Contains(list, account.AccountID) {
		t.Errorf("the list is %q", list)
	}
	if changed := i.operate("account", "set-plan", "--account", email, "--plan", "architect_pro"); !strings.Contains(changed, `"plan":"architect_pro"`) {
		t.Errorf("set-plan printed %q", changed)
	}
	if list := i.operate("account", "list"); !strings.Contains(list, `"plan":"architect_pro"`) {
		t.Errorf("the plan did not change: %q", list)
	}
	key := strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "laptop"))
	keys := i.operate("key", "list", "--account", email)
	if !strings.Contains(keys, key[4:12]) || strings.Contains(keys, key[13:]) {
		t.Errorf("the keys are %q", keys)
	}
	i.want(200, "", "GET", "/bundles", key)
	if out := i.operate("key", "revoke", key[4:12]); out != "" {
		t.Errorf("key revoke printed %q", out)
	}
	if keys := i.operate("key", "list", "--account", email); !strings.Contains(keys, "revokedAt") {
		t.Errorf("the keys are %q", keys)
	}
	i.want(401, "INVALID_API_KEY", "GET", "/bundles", key)

	second := strings.TrimSpace(i.operate("key", "create", "--account", email, "--name", "second"))
	i.want(200, "", "GET", "/bundles", second)
	i.operate("account", "delete", "--email", email)
	i.want(401, "INVALID_API_KEY", "GET", "/bundles", second)
}

func TestOperatorCommandsRefuse(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	run := func(args ...string) (int, string, string) { return runMain(t, nil, append(args, "--data-dir", dir)...) }
	if code, _, text := run("account", "list"); code != exitFailure || !strings.Contains(text, dir) {
		t.Errorf("without a folder: exit %d: %s", code, text)
	}
	if code, _, text := run("account", "create", "--email", email, "--plan", "developer"); code != exitOK || !strings.Contains(text, "new data folder") {
		t.Fatalf("exit %d: %s", code, text)
	}
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"a taken address", []string{"account", "create", "--email", email, "--plan", "hobby"}, exitFailure, email},
		{"no address", []string{"account", "create", "--email", "nobody", "--plan", "hobby"}, exitFailure, "nobody"},
		{"an unknown plan", []string{"account", "create", "--email", "b@example.com", "--plan", "gold"}, exitFailure, "gold"},
		{"a missing flag", []string{"account", "create", "--email", "b@example.com"}, exitUsage, "--plan"},
		{"an empty password", []string{"account", "create", "--email", "b@example.com", "--plan", "hobby", "--password-stdin"}, exitUsage, "--password-stdin"},
		{"an unknown account", []string{"key", "create", "--account", "b@example.com", "--name", "x"}, exitFailure, "b@example.com"},
		{"an unknown key", []string{"key", "revoke", "zzzzzzzz"}, exitFailure, "zzzzzzzz"},
		{"no key at all", []string{"key", "revoke"}, exitUsage, "--help"},
		{"a folder that is not there", []string{"project", "import", filepath.Join(dir, "missing"), "--account", email}, exitFailure, "missing"},
		{"a backup in the place of a file", []string{"backup", os.Args[0]}, exitFailure, "it exists"},
		{"an unknown flag", []string{"key", "list", "--all"}, exitUsage, "--all"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, out, text := run(tc.args...)
			if code != tc.code || !strings.Contains(text, tc.want) || out != "" {
				t.Errorf("exit %d, stdout %q, stderr %q; want exit %d and %q", code, out, text, tc.code, tc.want)
			}
		})
	}
}

func TestUnknownCommandsAreRefusedByName(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"rename"}, {"account", "rename"}, {"serve", "rename"}} {
		code, out, text := runMain(t, nil, args...)
		if code != exitUsage || out != "" || !strings.Contains(text, "rename") {
			t.Errorf("%v: exit %d, stdout %q, stderr %q", args, code, out, text)
		}
	}
}

func TestOperatorCommandsRefuseAnotherUsersFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		needs.Missing(t, "only root can give a folder away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	code, _, text := runMain(t, nil, "account", "create", "--email", email, "--plan", "hobby", "--data-dir", dir)
	if code != exitFailure || !strings.Contains(text, "65534") || !strings.Contains(text, dir) {
		t.Errorf("exit %d: %s", code, text)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 0 {
		t.Errorf("something was written: %v %v", left, err)
	}
}

func TestPasswordIsReadFromStdin(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	var out, errText bytes.Buffer
	code := Main(t.Context(), []string{"account", "create", "--email", email, "--plan", "hobby", "--password-stdin", "--data-dir", dir},
		Streams{In: strings.NewReader("correct horse battery\n"), Out: &out, Err: &errText}, nil)
	if code != exitOK || !strings.Contains(out.String(), "accountId") {
		t.Errorf("exit %d: %s", code, errText.String())
	}
	if strings.Contains(out.String()+errText.String(), "horse") {
		t.Error("the password is shown")
	}
}
