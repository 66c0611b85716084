// Package harness runs the real server as a process of its own, for benchmarks
// and for the tests that kill it. It knows the server only from outside: its
// command line, its data folder and its HTTPS address. A Service may also be
// several processes behind one address; the tests that take one do not care.
package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/toolbox"
)

// readyWithin is how long a server may take to answer after it was started.
const readyWithin = 3 * time.Minute

// Build makes the server's binary in a folder, as the repository's go.mod has it,
// whichever module asks.
func Build(ctx context.Context, dir string) (string, error) {
	root, err := toolbox.Root(ctx)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "svcd")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, "./cmd/svcd")
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the server: %w: %s", err, out)
	}
	return path, nil
}

// Daemon is a running server.
type Daemon struct {
	Service
	cmd    *exec.Cmd
	log    *os.File
	exited chan struct{}
	err    error // of the process; set when exited is closed
}

// Start runs the server on a data folder, with more flags if wanted, and waits
// until it is ready. Its log is appended to the folder's name with ".log".
func Start(ctx context.Context, binary, data string, flags ...string) (*Daemon, error) {
	d := &Daemon{Service: Service{Data: data, Program: binary}, exited: make(chan struct{})}
	addr := filepath.Join(data, "svcd.addr")
	if err := os.Remove(addr); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var err error
	if d.log, err = os.OpenFile(filepath.Clean(data+".log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600); err != nil {
		return nil, err
	}
	args := append([]string{"serve", "--data-dir", data, "--listen", "127.0.0.1:0"}, flags...)
	d.cmd = exec.CommandContext(ctx, binary, args...)
	d.cmd.Stdout, d.cmd.Stderr = d.log, d.log
	d.cmd.Cancel = func() error { return d.cmd.Process.Signal(syscall.SIGTERM) }
	d.cmd.WaitDelay = readyWithin
	if err := d.cmd.Start(); err != nil {
		return nil, errors.Join(err, d.log.Close())
	}
	go func() {
		d.err = d.cmd.Wait()
		close(d.exited)
	}()
	if err := d.awaitReady(ctx, addr); err != nil {
		return nil, errors.Join(fmt.Errorf("%w; its log is %s", err, d.log.Name()), d.Kill())
	}
	return d, nil
}

func (d *Daemon) awaitReady(ctx context.Context, addrFile string) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if addr, err := os.ReadFile(filepath.Clean(addrFile)); err == nil && len(addr) > 0 {
			d.Base = "https://" + strings.TrimSpace(string(addr))
			if d.Client, err = Trusting(filepath.Join(d.Data, "tls", "ca.pem")); err == nil && d.Ready(ctx) {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the server is not ready: %w", ctx.Err())
		case <-d.exited:
			return fmt.Errorf("the server ended: %w", d.err)
		case <-tick.C:
		}
	}
}

// PID is the id of the process.
func (d *Daemon) PID() int { return d.cmd.Process.Pid }

// Stop asks the server to end, and waits for it.
func (d *Daemon) Stop() error {
	_ = d.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	return d.wait()
}

// Kill ends the server as a crash would, and waits for it.
func (d *Daemon) Kill() error {
	_ = d.cmd.Process.Kill()
	if err := d.wait(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != -1 {
			return err
		}
	}
	return nil
}

func (d *Daemon) wait() error {
	<-d.exited
	if d.Client != nil {
		d.Client.CloseIdleConnections()
	}
	return errors.Join(d.err, d.log.Close())
}
