package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/bundle-delivery/svc/internal/harness"
)

// startsInARound is how often a program is started for one figure: a start is
// too short to time alone.
const startsInARound = 20

// benchClient compares a pull with what people do by hand: curl, then unzip. The
// pull verifies, keeps a journal and is durable when it returns; by hand it is
// not. It also compares starting the client with starting a program that does
// nothing.
func benchClient(ctx context.Context, l *lab) (s section, err error) {
	tree := filepath.Join(l.dir, "pulltree")
	if err := writeTree(tree, treeFiles, treeBytes); err != nil {
		return s, err
	}
	d, err := l.start(ctx, "pull")
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, d.Stop()) }()
	client, err := l.buildProgram(ctx, "svc", "github.com/bundle-delivery/svc/cmd/svc")
	if err != nil {
		return s, err
	}
	var pulls, byHand, durably, memory, work, workByHand sample
	for round := range l.rounds + 1 {
		t, err := d.Tenant(ctx, fmt.Sprintf("pull%d@example.com", round), tree)
		if err != nil {
			return s, err
		}
		var busyByHand time.Duration
		h, err := timed(func() error {
			busyByHand, err = d.curlAndUnzip(ctx, t, filepath.Join(l.dir, fmt.Sprintf("hand%d", round)))
			return err
		})
		if err != nil {
			return s, err
		}
		y, err := timed(func() error {
			syscall.Sync() // what curl and unzip leave to luck
			return nil
		})
		if err != nil {
			return s, err
		}
		var peak int64
		var busy time.Duration
		p, err := timed(func() error {
			peak, busy, err = d.pull(ctx, client, t, filepath.Join(l.dir, fmt.Sprintf("pulled%d", round)))
			return err
		})
		if err != nil {
			return s, err
		}
		if round > 0 {
			pulls, byHand, durably = append(pulls, p), append(byHand, h), append(durably, h+y)
			memory = append(memory, float64(peak)/(1<<20))
			work, workByHand = append(work, float64(busy.Milliseconds())), append(workByHand, float64(busyByHand.Milliseconds()))
		}
	}
	starts, bare, err := l.compareStarts(ctx, client)
	if err != nil {
		return s, err
	}
	info, err := os.Stat(client)
	if err != nil {
		return s, err
	}
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
	s.add("size of the client", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "under 15 MB")
	return s, nil
}

// buildProgram builds a program as it is shipped: static and stripped.
func (l *lab) buildProgram(ctx context.Context, name, source string) (string, error) {
	path := filepath.Join(l.dir, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, source)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w: %s", name, err, out)
	}
	return path, nil
}

// curlAndUnzip does by hand what a pull does, and tells how long it kept a
// processor busy.
func (d daemon) curlAndUnzip(ctx context.Context, t harness.Tenant, dir string) (time.Duration, error) {
	if err := os.Mkdir(dir, 0o750); err != nil {
		return 0, err
	}
	archive := dir + ".zip"
	fetch := exec.CommandContext(ctx, "curl", "-sSf", "--cacert", filepath.Join(d.Data, "tls", "ca.pem"),
		"-H", "Authorization: Bearer "+t.Key, "-o", archive, d.Base+"/bundles/"+t.BundleID+"/download")
	if out, err := fetch.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("curl: %w: %s", err, out)
	}
	unpack := exec.CommandContext(ctx, "unzip", "-q", archive, "-d", dir)
	if out, err := unpack.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("unzip: %w: %s", err, out)
	}
	return busyTime(fetch) + busyTime(unpack), nil
}

// busyTime is how long a program that has ended kept a processor busy. Other
// than the time on the clock it hardly depends on what else the machine does.
func busyTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// pull runs the client and tells the most memory that it had, and how long it
// kept a processor busy.
func (d daemon) pull(ctx context.Context, client string, t harness.Tenant, dir string) (peak int64, busy time.Duration, err error) {
	if err := os.Mkdir(dir, 0o750); err != nil {
		return 0, 0, err
	}
	cmd := exec.CommandContext(ctx, client, "pull", t.BundleID)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "SVC_TOKEN="+t.Key, "SVC_API_URL="+d.Base,
		"SVC_CA_FILE="+filepath.Join(d.Data, "tls", "ca.pem"))
	if out, err := cmd.CombinedOutput(); err != nil {
		return 0, 0, fmt.Errorf("svc pull: %w: %s", err, out)
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, 0, errors.New("no resource usage")
	}
	status, err := d.Do(ctx, t.Key, http.MethodGet, "/bundles/"+t.BundleID, nothing{})
	if err == nil && status != http.StatusGone {
		err = fmt.Errorf("after the pull the bundle answers %d, so it was not acknowledged", status)
	}
	return usage.Maxrss << 10, busyTime(cmd), err
}

// nothing takes what nobody reads.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }

// compareStarts times starting the client and a program that prints one line.
func (l *lab) compareStarts(ctx context.Context, client string) (ours, bare sample, err error) {
	dir := filepath.Join(l.dir, "hello")
	if err := os.Mkdir(dir, 0o750); err != nil {
		return nil, nil, err
	}
	source := filepath.Join(dir, "main.go")
	text := "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"
	if err := os.WriteFile(source, []byte(text), 0o600); err != nil {
		return nil, nil, err
	}
	hello, err := l.buildProgram(ctx, "hello-program", source)
	if err != nil {
		return nil, nil, err
	}
	start := func(name string, args ...string) (float64, error) {
		took, err := timed(func() error {
			for range startsInARound {
				if err := exec.CommandContext(ctx, name, args...).Run(); err != nil {
					return err
				}
			}
			return nil
		})
		return took / startsInARound, err
	}
	for round := range l.rounds + 1 {
		b, err := start(hello)
		if err != nil {
			return nil, nil, err
		}
		o, err := start(client, "--version")
		if err != nil {
			return nil, nil, err
		}
		if round > 0 {
			ours, bare = append(ours, o), append(bare, b)
		}
	}
	return ours, bare, nil
}
