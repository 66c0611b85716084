package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/bundle-delivery/svc/internal/harness"
)

// lab is where benchmarks run: a temporary folder and the built server.
type lab struct {
	dir     string
	rounds  int
	streams int // runs that are live at once
	binary  string
}

// start runs the server, which is built once, on a folder of the lab.
func (l *lab) start(ctx context.Context, name string, flags ...string) (daemon, error) {
	if l.binary == "" {
		binary, err := harness.Build(ctx, l.dir)
		if err != nil {
			return daemon{}, err
		}
		l.binary = binary
	}
	d, err := harness.Start(ctx, l.binary, filepath.Join(l.dir, name), flags...)
	return daemon{d}, err
}

// daemon adds to a running server what measuring needs.
type daemon struct{ *harness.Server }

// expect sends a request as a tenant and insists on a status.
func (d daemon) expect(ctx context.Context, t harness.Tenant, method, path string, want int, sink io.Writer) error {
	got, err := d.Do(ctx, t.Key, method, path, sink)
	if err == nil && got != want {
		err = fmt.Errorf("%s %s answered %d", method, path, got)
	}
	return err
}

// memory reads a line of /proc/PID/status in bytes: VmRSS now, VmHWM at its peak.
func (d daemon) memory(line string) (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.PID()))
	if err != nil {
		return 0, err
	}
	for text := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(text, line+":"); ok {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("no %s in the process status", line)
}

// resetPeak makes VmHWM count from now.
func (d daemon) resetPeak() error {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", d.PID()), []byte("5"), 0o200)
}

// writeTree fills a folder with text in files of equal size. The words come from
// a fixed seed, so that every run compresses the same bytes.
func writeTree(dir string, files, bytesInAll int) error {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 2000)
	for i := range words {
		word := make([]byte, 3+random.IntN(9))
		for j := range word {
			word[j] = byte('a' + random.IntN(26))
		}
		words[i] = string(word)
	}
	each := bytesInAll / files
	for i := range files {
		var text bytes.Buffer
		for text.Len() < each {
			// Few words are common and many are rare, as in real text.
			often := random.Float64()
			text.WriteString(words[int(often*often*often*float64(len(words)))])
			if random.IntN(12) == 0 {
				text.WriteByte('\n')
			} else {
				text.WriteByte(' ')
			}
		}
		text.Truncate(each)
		path := filepath.Join(dir, fmt.Sprintf("pkg%02d", i%25), fmt.Sprintf("file%03d.txt", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return err
		}
		if err := os.WriteFile(path, text.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}
