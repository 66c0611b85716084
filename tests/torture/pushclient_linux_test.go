package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/harness"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// pusher is somebody who has pulled a project and pushes their edits.
type pusher struct {
	harness.Tenant
	client, folder string
	environment    []string
}

// pushesOfOne is how many pushes one account makes: well below its limit in a minute,
// so that none of them waits.
const pushesOfOne = 4

// TestClientKilledAtASystemCallOfAPush kills the real client at chosen system calls of
// a push, from its start to its end. Whatever was sent or noted by then, no file of
// the user's is changed, the next push settles it, and the project has every edit.
// Promise: push-client-killed
func TestClientKilledAtASystemCallOfAPush(t *testing.T) {
	strace := needs.Program(t, "strace", "install the Debian package strace")
	client, err := harness.BuildClient(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	server, err := harness.Start(t.Context(), binary, filepath.Join(t.TempDir(), "data"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	tree := sampleTree(t)
	var p *pusher
	newPusher := func(n int) {
		if p != nil {
			p.projectIsTheFolder(t)
		}
		p = startPusher(t, server, client, fmt.Sprintf("pusher%d@example.com", n), tree)
	}
	newPusher(-1)
	p.edit(t, 0)
	points := p.callsOfAPush(t, strace)
	wanted := min(max(*kills, 5), len(points))
	died := 0
	for i := range wanted {
		if i%pushesOfOne == 0 {
			newPusher(i)
		}
		point := points[i*len(points)/wanted]
		p.edit(t, i%pushesOfOne)
		before := filesIn(t, p.folder)
		cmd := p.command(t, strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace="+point.call, "-e", fmt.Sprintf("inject=%s:signal=SIGKILL:when=%d", point.call, point.nth), client, "push")
		out, err := cmd.CombinedOutput()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && !exit.Exited() {
			died++
		} else if err != nil {
			t.Fatalf("killed at %v: %v\n%s", point, err, out)
		}
		if after := filesIn(t, p.folder); !maps.Equal(before, after) {
			t.Fatalf("killed at %v, the push has changed files of the user's", point)
		}
		said := p.run(t, client, "push")
		if again := p.run(t, client, "push"); !strings.Contains(again, "Nothing to push") {
			t.Fatalf("killed at %v, the next push said\n%s\nand the one after it\n%s", point, said, again)
		}
		if after := filesIn(t, p.folder); !maps.Equal(before, after) {
			t.Fatalf("killed at %v, the next push has changed files of the user's", point)
		}
	}
	p.projectIsTheFolder(t)
	// Which thread makes how many of the calls is not the same each time.
	if died < wanted*2/3 {
		t.Errorf("%d of %d clients were killed: little was proved", died, wanted)
	}
	t.Logf("%d of %d clients were killed at one of %d calls", died, wanted, len(points))
}

func startPusher(t *testing.T, server *harness.Server, client, email, tree string) *pusher {
	t.Helper()
	tenant, err := server.Tenant(t.Context(), email, tree)
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	p := &pusher{Tenant: tenant, client: client, folder: t.TempDir(), environment: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + t.TempDir(),
		"SVC_API_URL=" + server.Base, "SVC_TOKEN=" + tenant.Key, "SVC_CA_FILE=" + filepath.Join(server.Data, "tls", "ca.pem"),
	}}
	p.run(t, client, "pull", tenant.BundleID)
	return p
}

func (p *pusher) command(t *testing.T, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Env = p.folder, p.environment
	return cmd
}

// run runs a program that has to succeed, and gives what it said.
func (p *pusher) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, err := p.command(t, program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return string(out)
}

// edit changes a file and deletes another: which, no other edit of this folder does.
func (p *pusher) edit(t *testing.T, n int) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(p.folder, fmt.Sprintf("file%d.txt", 2*n)), fmt.Appendf(nil, "edit %d\n", n), 0o600))
	must.Do(t, os.Remove(filepath.Join(p.folder, fmt.Sprintf("file%d.txt", 2*n+1))))
}

// point is a system call of a process: the nth of its kind in one thread.
type point struct {
	call string
	nth  int
}

// callsOfAPush pushes, and gives the calls by which that changes a file, speaks with
// the service or lets go of something, in their order.
func (p *pusher) callsOfAPush(t *testing.T, strace string) (points []point) {
	t.Helper()
	calls := "openat,write,pwrite64,fsync,fdatasync,renameat,renameat2,linkat,unlinkat,mkdirat,fchmod,fchmodat,ftruncate,flock,connect,close,syncfs"
	record := filepath.Join(t.TempDir(), "calls")
	p.run(t, strace, "-f", "-qq", "-o", record, "-e", "trace="+calls, p.client, "push")
	text, err := os.ReadFile(record)
	must.Do(t, err)
	made := regexp.MustCompile(`(?m)^(\d+) +([a-z0-9]+)\(`)
	count := map[string]int{}
	for _, m := range made.FindAllSubmatch(text, -1) {
		call := string(m[2])
		count[string(m[1])+call]++
		if at := (point{call, count[string(m[1])+call]}); !slices.Contains(points, at) {
			points = append(points, at)
		}
	}
	if len(points) < 30 {
		t.Fatalf("a push makes only these calls: %v", points)
	}
	return points
}

// projectIsTheFolder fetches the project anew and compares.
func (p *pusher) projectIsTheFolder(t *testing.T) {
	t.Helper()
	mine := *p
	mine.folder = t.TempDir()
	mine.run(t, p.client, "export", p.ProjectID)
	mine.run(t, p.client, "pull", "--latest", "--project", p.ProjectID)
	if has, want := filesIn(t, mine.folder), filesIn(t, p.folder); !maps.Equal(has, want) {
		t.Fatalf("the project has %v, the folder %v", slices.Sorted(maps.Keys(has)), slices.Sorted(maps.Keys(want)))
	}
}

// filesIn reads the files of a folder that are the user's.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	must.Do(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".svc":
			return fs.SkipDir
		case d.IsDir() || d.Name() == "resolution_log.json":
			return nil
		}
		content, err := os.ReadFile(name)
		files[d.Name()] = string(bytes.TrimSpace(content))
		return err
	}))
	return files
}
