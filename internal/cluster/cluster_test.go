//go:build unix

package cluster

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// speaker accepts connections, says its name and what it hears, and closes.
func speaker(t *testing.T, name string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer func() { _ = conn.Close() }()
				heard, _ := io.ReadAll(conn)
				_, _ = io.WriteString(conn, name+" heard "+string(heard))
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); serving.Wait() })
	return l
}

// say sends something to an address, closes its side, and reads the answer.
func say(t *testing.T, address, text string) (string, error) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	half, ok := conn.(*net.TCPConn)
	if !ok {
		t.Fatal("no TCP")
	}
	if _, err := io.WriteString(conn, text); err != nil {
		return "", err
	}
	if err := half.CloseWrite(); err != nil {
		return "", err
	}
	answer, err := io.ReadAll(conn)
	return string(answer), err
}

func TestTheBalancerTakesTurnsAndPassesOverWhoIsNotReady(t *testing.T) {
	one, two, three := speaker(t, "one"), speaker(t, "two"), speaker(t, "three")
	var ready [3]atomic.Bool
	looked := make(chan int, 100)
	target := func(i int, l net.Listener) Target {
		return Target{Address: l.Addr().String(), Ready: func(context.Context) error {
			defer func() {
				select {
				case looked <- i:
				default:
				}
			}()
			if ready[i].Load() {
				return nil
			}
			return errors.New("not ready")
		}}
	}
	ready[0].Store(true)
	ready[2].Store(true)
	b, err := Balance([]Target{target(0, one), target(1, two), target(2, three)})
	if err != nil {
		t.Fatal(err)
	}
	// Whoever is looked at for the second time was noted the first time.
	for seen := [3]int{}; min(seen[0], seen[1], seen[2]) < 2; {
		seen[<-looked]++
	}
	heard := map[string]int{}
	for range 6 {
		answer, err := say(t, b.Address, "hello")
		if err != nil || !strings.HasSuffix(answer, " heard hello") {
			t.Fatalf("the answer is %q (%v)", answer, err)
		}
		heard[answer]++
	}
	if heard["one heard hello"] == 0 || heard["three heard hello"] == 0 || heard["two heard hello"] > 0 {
		t.Errorf("heard %v", heard)
	}
	// When nobody is ready somebody is asked all the same; who is gone is passed over.
	for i := range ready {
		ready[i].Store(false)
	}
	_ = one.Close()
	_ = three.Close()
	for range 3 {
		if answer, err := say(t, b.Address, "still"); err != nil || answer != "two heard still" {
			t.Errorf("the answer is %q (%v)", answer, err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := say(t, b.Address, "late"); err == nil {
		t.Error("a closed balancer takes connections")
	}
}

func sleeper(t *testing.T) *Process {
	t.Helper()
	program, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	return &Process{
		Name: "sleeper", LogFile: filepath.Join(t.TempDir(), "log"), program: program, args: []string{"1000"},
		stop: syscall.SIGTERM, kill: syscall.SIGKILL, ready: func(context.Context) error { return nil },
	}
}

func TestAProcessCanBeEndedAndStartedAgain(t *testing.T) {
	p := sleeper(t)
	for _, end := range []func() error{p.Stop, p.Kill} {
		if err := p.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if !p.Running() || p.PID() == 0 {
			t.Error("it does not run")
		}
		if err := p.Launch(); err == nil {
			t.Error("it runs twice")
		}
		if err := end(); err != nil {
			t.Fatal(err)
		}
		if p.Running() || p.Err() == nil {
			t.Errorf("it runs, or ended well: %v", p.Err())
		}
	}
	if err := p.Stop(); err != nil {
		t.Errorf("ending what does not run: %v", err)
	}
}

func TestAProcessThatEndsBeforeItIsReadySaysWhy(t *testing.T) {
	p := sleeper(t)
	p.args = []string{"no number"}
	p.ready = func(context.Context) error { return errors.New("not yet") }
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
