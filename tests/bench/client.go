package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
)

// startsInARound is how often a program is started for one figure: a start is
// too short to time alone.
const startsInARound = 20

// benchClient compares a pull with what people do by hand: curl, then unzip. The
// pull verifies, keeps a journal and is durable when it returns; by hand it is
// not. It also compares starting the client with starting a program that does
// nothing.
func benchClient(ctx context.Context, e *env) (s section) {
	tree := e.tree("pulltree", treeFiles, treeBytes)
	d := e.server(ctx, "pull")
	client := e.build(ctx, "svc", "./cmd/svc")
	var pulls, byHand, durably, memory, work, workByHand sample
	e.inRounds(func(round int, keep func(*sample, float64)) {
		t := tenant(ctx, &d.Service, fmt.Sprint("pull", round), tree)
		began := time.Now()
		busy := d.curlAndUnzip(ctx, t, e.folder(fmt.Sprint("hand", round)))
		keep(&byHand, milliseconds(time.Since(began)))
		keep(&workByHand, milliseconds(busy))
		syscall.Sync() // what curl and unzip leave to luck
		keep(&durably, milliseconds(time.Since(began)))
		began = time.Now()
		peak, busy := d.pull(ctx, client, t, e.folder(fmt.Sprint("pulled", round)))
		keep(&pulls, milliseconds(time.Since(began)))
		keep(&work, milliseconds(busy))
		keep(&memory, peak/(1<<20))
		d.acknowledged(ctx, t)
	})
	source := filepath.Join(e.folder("hello"), "main.go")
	check(os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o600))
	hello := e.build(ctx, "hello-program", source)
	var starts, bare sample
	e.inRounds(func(_ int, keep func(*sample, float64)) {
		keep(&bare, startTime(ctx, hello))
		keep(&starts, startTime(ctx, client, "--version"))
	})
	s.add("`svc pull` of 500 files, 25 MB", pulls.show("%.0f ms"), "")
	s.add("`curl`, then `unzip`, not durable", byHand.show("%.0f ms"), "")
	s.add("`curl`, then `unzip`, then `sync`", durably.show("%.0f ms"), "")
	s.add("time over that of curl and unzip", pulls.over(byHand).show("%.2f×"), "at most 1×")
	s.add("processor time of the pull", work.show("%.0f ms"), "")
	s.add("processor time of curl and unzip", workByHand.show("%.0f ms"), "")
	s.add("peak memory of the pull", memory.show("%.0f MiB"), "under 64 MB")
	s.add("`svc --version`", starts.show("%.1f ms"), "")
	s.add("a Go program that prints one line", bare.show("%.1f ms"), "")
	s.add("start over that of the bare program", starts.over(bare).show("%.2f×"), "at most 2×")
	s.add("size of the client", fmt.Sprintf("%.1f MB", float64(must(os.Stat(client)).Size())/1e6), "under 15 MB")
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// curlAndUnzip does by hand what a pull does, and tells how long it kept a
// processor busy.
func (d daemon) curlAndUnzip(ctx context.Context, t harness.Tenant, dir string) time.Duration {
	archive := dir + ".zip"
	return busyTime(exec.CommandContext(ctx, "curl", "-sSf", "--cacert", filepath.Join(d.Data, "tls", "ca.pem"),
		"-H", "Authorization: Bearer "+t.Key, "-o", archive, d.Base+"/bundles/"+t.BundleID+"/download")) +
		busyTime(exec.CommandContext(ctx, "unzip", "-q", archive, "-d", dir))
}

// busyTime is how long a program keeps a processor busy. Other than the time on
// the clock it hardly depends on what else the machine does.
func busyTime(cmd *exec.Cmd) time.Duration {
	if out, err := cmd.CombinedOutput(); err != nil {
		check(fmt.Errorf("%s: %w: %s", cmd.Path, err, out))
	}
	return processorTimeOf(cmd)
}

// processorTimeOf is what a program that has ended used of the processor.
func processorTimeOf(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// pull runs the client and tells the most memory that it had, and how long it
// kept a processor busy.
func (d daemon) pull(ctx context.Context, client string, t harness.Tenant, dir string) (peak float64, busy time.Duration) {
	cmd := exec.CommandContext(ctx, client, "pull", t.BundleID)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "SVC_TOKEN="+t.Key, "SVC_API_URL="+d.Base,
		"SVC_CA_FILE="+filepath.Join(d.Data, "tls", "ca.pem"))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	check(cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	peak, err := peakMemory(cmd.Process.Pid, ended)
	if err != nil {
		check(fmt.Errorf("%s: %w: %s", cmd.Path, err, &out))
	}
	return peak, processorTimeOf(cmd)
}

// peakMemory looks at a program's peak until it has ended. What the system tells
// afterwards is no less than the peak of the process that started it.
func peakMemory(pid int, ended <-chan error) (peak float64, err error) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for {
		select {
		case err := <-ended:
			return peak, err
		case <-look.C:
			if now, err := memory(pid, "VmHWM"); err == nil { // else it is ending
				peak = now
			}
		}
	}
}

// acknowledged insists that a pull has ended with the acknowledgement.
func (d daemon) acknowledged(ctx context.Context, t harness.Tenant) {
	check(d.expect(ctx, t, http.MethodGet, "/bundles/"+t.BundleID, http.StatusGone, io.Discard))
}

// startTime is how many milliseconds it takes to start a program that ends.
func startTime(ctx context.Context, name string, args ...string) float64 {
	began := time.Now()
	for range startsInARound {
		check(exec.CommandContext(ctx, name, args...).Run())
	}
	return milliseconds(time.Since(began)) / startsInARound
}
