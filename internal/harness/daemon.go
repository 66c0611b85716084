// Package harness runs the real server as a process of its own, for benchmarks
// and for the tests that kill it. It knows the server only from outside: its
// command line, its data folder and its HTTPS address.
package harness

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// readyWithin is how long a server may take to answer after it was started.
const readyWithin = 30 * time.Second

// Build makes the server's binary in a folder. It is called with the module's
// root or a folder below it as the working directory.
func Build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "svcd")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", path, "github.com/bundle-delivery/svc/cmd/svcd").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the server: %w: %s", err, out)
	}
	return path, nil
}

// Daemon is a running server.
type Daemon struct {
	Base   string // its address, https://host:port
	Data   string // its data folder
	Client *http.Client
	binary string
	cmd    *exec.Cmd
	log    *os.File
	exited chan struct{}
	err    error // of the process; set when exited is closed
}

// Start runs the server on a data folder, with more flags if wanted, and waits
// until it is ready. Its log is appended to the folder's name with ".log".
func Start(ctx context.Context, binary, data string, flags ...string) (*Daemon, error) {
	d := &Daemon{Data: data, binary: binary, exited: make(chan struct{})}
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
			if d.Client, err = Trusting(filepath.Join(d.Data, "tls", "ca.pem")); err == nil && d.ready(ctx) {
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

func (d *Daemon) ready(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.Base+"/readyz", nil)
	if err != nil {
		return false
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// Trusting gives a client that speaks HTTP/1.1 and trusts one authority.
func Trusting(caFile string) (*http.Client, error) {
	pem, err := os.ReadFile(filepath.Clean(caFile))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	http1 := new(http.Protocols)
	http1.SetHTTP1(true)
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13},
		Protocols:       http1, MaxIdleConnsPerHost: 64,
	}}, nil
}

// PID is the id of the process.
func (d *Daemon) PID() int { return d.cmd.Process.Pid }

// Binary is what is running.
func (d *Daemon) Binary() string { return d.binary }

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

// Admin runs an operator command on the server's data folder.
func (d *Daemon) Admin(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, d.binary, append(args, "--data-dir", d.Data)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("svcd %s: %w: %s", strings.Join(args, " "), err, &stderr)
	}
	return strings.TrimSpace(string(out)), nil
}

// Tenant is an account with a key and a project whose first bundle waits.
type Tenant struct {
	Key       string
	ProjectID string `json:"projectId"`
	BundleID  string `json:"bundleId"`
}

// Tenant makes an account and imports a folder into it.
func (d *Daemon) Tenant(ctx context.Context, email, tree string) (Tenant, error) {
	var t Tenant
	if _, err := d.Admin(ctx, "account", "create", "--email", email, "--plan", "developer"); err != nil {
		return t, err
	}
	key, err := d.Admin(ctx, "key", "create", "--account", email, "--name", "harness")
	if err != nil {
		return t, err
	}
	t.Key = key
	out, err := d.Admin(ctx, "project", "import", tree, "--account", email)
	if err != nil {
		return t, err
	}
	return t, json.Unmarshal([]byte(out), &t)
}

// Do sends a request with a key, copies the answer's body to sink and returns
// its status. Header fields come in pairs.
func (d *Daemon) Do(ctx context.Context, key, method, path string, sink io.Writer, header ...string) (int, error) {
	req, err := http.NewRequestWithContext(ctx, method, d.Base+path, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := d.Client.Do(req)
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(sink, resp.Body); err != nil {
		return resp.StatusCode, err
	}
	return resp.StatusCode, nil
}
