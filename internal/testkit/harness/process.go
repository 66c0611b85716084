// Package harness runs the real server, and the servers that it depends on, as
// processes of their own: for end-to-end tests, benchmarks, and the tests that
// kill them. It knows svcd only from outside: its command line, its data folder
// and its HTTPS address. A Service may also be several processes behind one
// address; the tests that take one do not care.
package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// readyWithin is how long a process may take until it serves.
	readyWithin = 3 * time.Minute
	// endWithin is how long it may take to end by itself. A svcd takes half a
	// minute at most, and a busy machine may be slow to let it.
	endWithin = 2 * time.Minute
)

// Process is a program that can be ended and started again, and keeps its address
// and what it has stored.
type Process struct {
	Name    string
	Address string // host:port that it serves on, where it serves on one
	LogFile string // what it says, appended at every start
	Command func() *exec.Cmd
	// Ready says whether it serves.
	Ready func(ctx context.Context) error
	// Quit ends it in an orderly way, Crash at once: SIGTERM and SIGKILL unless
	// given.
	Quit, Crash os.Signal

	mu     sync.Mutex
	cmd    *exec.Cmd // nil when it was never started
	exited chan struct{}
	killed bool
	err    error // how it ended; set before exited is closed
}

// Listening says whether somebody listens at an address.
func Listening(network, address string) func(context.Context) error {
	return func(ctx context.Context) error {
		conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// ForTest starts the process; it is killed when the test ends.
func (p *Process) ForTest(t testing.TB) {
	t.Helper()
	t.Cleanup(func() {
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(p.Name, p.Tail())
		}
	})
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// Start starts the process and waits until it is ready.
func (p *Process) Start(ctx context.Context) error {
	if err := p.Launch(); err != nil {
		return err
	}
	return p.AwaitReady(ctx)
}

// Launch starts the process and waits for nothing: a server of NATS that has
// lost the others is never ready alone.
func (p *Process) Launch() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running() {
		return fmt.Errorf("%s runs already", p.Name)
	}
	log, err := os.OpenFile(p.LogFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	defer func() { _ = log.Close() }() // the process has its own
	cmd := p.Command()
	cmd.Stdout, cmd.Stderr = log, log
	ownGroup(cmd)
	started, exited := make(chan error, 1), make(chan struct{})
	go func() {
		// The process dies with the thread that started it: that is kept until
		// then, since others may end theirs.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		err = cmd.Wait()
		p.mu.Lock()
		p.err = err
		p.mu.Unlock()
		close(exited)
	}()
	if err := <-started; err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.cmd, p.exited, p.killed, p.err = cmd, exited, false, nil
	return nil
}

// AwaitReady waits until the process serves.
func (p *Process) AwaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	p.mu.Lock()
	exited := p.exited
	p.mu.Unlock()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		err := p.Ready(ctx)
		if err == nil {
			return nil
		}
		select {
		case <-again.C:
		case <-exited:
			return fmt.Errorf("%s ended: %s", p.Name, p.Tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w: %s", p.Name, err, p.Tail())
		}
	}
}

// running is asked with the lock held.
func (p *Process) running() bool {
	if p.cmd == nil {
		return false
	}
	select {
	case <-p.exited:
		return false
	default:
		return true
	}
}

// Running says whether the process is there.
func (p *Process) Running() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.running()
}

// Stop asks the process to end and waits for it. One that does not end in time
// is killed, and that is an error. Stopping what does not run does nothing.
func (p *Process) Stop() error { return p.end(p.Quit, syscall.SIGTERM) }

// Kill ends the process as a crash would, and waits for it.
func (p *Process) Kill() error {
	p.mu.Lock()
	p.killed = true
	p.mu.Unlock()
	return p.end(p.Crash, syscall.SIGKILL)
}

func (p *Process) end(signal, usual os.Signal) error {
	if signal == nil {
		signal = usual
	}
	p.mu.Lock()
	running, cmd, exited := p.running(), p.cmd, p.exited
	p.mu.Unlock()
	if !running {
		return nil
	}
	if err := cmd.Process.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("end %s: %w", p.Name, err)
	}
	late := time.NewTimer(endWithin)
	defer late.Stop()
	select {
	case <-exited:
		return nil
	case <-late.C:
		_ = cmd.Process.Kill() // it is over either way
		<-exited
		return fmt.Errorf("%s did not end within %s: %s", p.Name, endWithin, p.Tail())
	}
}

// Signal sends a signal, such as SIGSTOP and SIGCONT.
func (p *Process) Signal(signal os.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.running() {
		return fmt.Errorf("%s does not run", p.Name)
	}
	return p.cmd.Process.Signal(signal)
}

// PID is the id of the process that was started last, 0 when none was.
func (p *Process) PID() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd == nil {
		return 0
	}
	return p.cmd.Process.Pid
}

// Err is how the process ended: nil when it runs, ended well, or was killed here.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err == nil || p.running() || p.killed {
		return nil
	}
	return fmt.Errorf("%s ended: %w", p.Name, p.err)
}

// Tail is the end of what the process said, for a failed test.
func (p *Process) Tail() string {
	const enough = 4000
	text, err := os.ReadFile(p.LogFile)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the end of %s:\n%s", p.LogFile, text[max(0, len(text)-enough):])
}
