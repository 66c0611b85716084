package sandbox

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// probeTime is how long a box may take to show that it works.
const probeTime = 20 * time.Second

// seen is what has to be true inside a box of bubblewrap.
const seen = `
for tool in tar head env prlimit; do command -v $tool >/dev/null || { echo "the program $tool is missing"; exit 1; }; done
[ "$(cat probe)" = probe ] || { echo "files do not arrive"; exit 1; }
[ "$(id -u)" != 0 ] || { echo "it would run as root"; exit 1; }
for place in / /usr /dev /etc; do if ( : >"$place/probe" ) 2>/dev/null; then echo "$place can be written to"; exit 1; fi; done
[ "$(grep -c : /proc/net/dev)" = 1 ] || { echo "the network is not its own"; exit 1; }
[ "$(ls -d /proc/[0-9]* | wc -l)" -lt 10 ] || { echo "the processes are not its own"; exit 1; }
grep -q '^Seccomp:.*2' /proc/self/status || { echo "system calls are not filtered"; exit 1; }
`

// seenElsewhere is what has to be true in a sandbox of the operator's.
const seenElsewhere = `
for tool in tar head env timeout; do command -v $tool >/dev/null || { echo "the program $tool is missing"; exit 1; }; done
[ "$(cat probe)" = probe ] || { echo "files do not arrive"; exit 1; }`

// Probe says whether boxes that are shown these paths work here. If not, the error
// says in one line what is missing.
func (s *Sandbox) Probe(ctx context.Context, show ...Mount) error {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	box, err := s.Open(ctx, Spec{Limits: DefaultLimits(), Show: show})
	if err != nil {
		return err
	}
	defer box.Close()
	var archive bytes.Buffer
	files := tar.NewWriter(&archive)
	err = files.WriteHeader(&tar.Header{Name: "probe", Mode: 0o644, Size: 5})
	if err == nil {
		_, err = files.Write([]byte("probe"))
	}
	if err = errors.Join(err, files.Close()); err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	if err := box.Unpack(ctx, Source, &archive, int64(archive.Len())); err != nil {
		return err
	}
	script := seen
	if len(s.command) > 0 {
		script = seenElsewhere
	}
	result, err := box.Run(ctx, Command{Args: []string{"sh", "-c", script}, Time: probeTime})
	if err != nil {
		return fmt.Errorf("probe the sandbox: %w", err)
	}
	if !result.OK() {
		said := strings.TrimSpace(string(result.Output))
		if said == "" {
			said = fmt.Sprintf("%s (%d)", result.Ending, result.Exit)
		}
		return fmt.Errorf("the sandbox does not hold: %s", strings.Join(strings.Fields(said), " "))
	}
	return nil
}
