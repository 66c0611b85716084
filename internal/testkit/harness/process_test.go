//go:build unix

package harness

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func sleeper(t *testing.T, long string) *Process {
	t.Helper()
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	return &Process{
		Name: "sleeper", LogFile: filepath.Join(t.TempDir(), "log"),
		Command: func() *exec.Cmd { return exec.Command(program, long) },
		Ready:   func(context.Context) error { return nil },
	}
}

func TestAProcessCanBeEndedAndStartedAgain(t *testing.T) {
	p := sleeper(t, "1000")
	for _, end := range []func() error{p.Stop, p.Kill} {
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !p.Running() || p.PID() == 0 || p.Err() != nil {
			t.Errorf("it does not run: %v", p.Err())
		}
		if err := p.Launch(); err == nil {
			t.Error("it runs twice")
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if p.Running() {
			t.Error("it runs")
		}
	}
	if err := p.Stop(); err != nil {
		t.Errorf("ending what does not run: %v", err)
	}
}

func TestAServerThatDoesNotEndWellIsToldOf(t *testing.T) {
	s := &Server{Process: sleeper(t, "1000")}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err == nil {
		t.Error("it was ended by a signal, and that is not well")
	}
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Kill(); err != nil {
		t.Error(err)
	}
	if err := s.Stop(); err != nil {
		t.Errorf("it was killed on purpose: %v", err)
	}
}

func TestAProcessThatEndsBeforeItIsReadySaysWhy(t *testing.T) {
	p := sleeper(t, "no number")
	p.Ready = func(context.Context) error { return errors.New("not yet") }
	if err := p.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "no number") {
		t.Errorf("it ended with %v", err)
	}
}

func TestRolesAreReadFromFlags(t *testing.T) {
	for flags, want := range map[string]bool{
		"": true, "--workers 3": true, "--roles api,worker": true, "--roles worker": false, "--roles api --roles assembler": false,
	} {
		if got := servesAPI(strings.Fields(flags)); got != want {
			t.Errorf("%q: %v", flags, got)
		}
	}
}
