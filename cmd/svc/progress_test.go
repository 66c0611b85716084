package main

import (
	"strings"
	"testing"
	"time"
)

// TestProgressOfLargeDownloads: a bar with speed and time left from 5 MB on, and nothing
// below.
// Promise: download-bar
func TestProgressOfLargeDownloads(t *testing.T) {
	var out strings.Builder
	a := newApp(Streams{Err: &out, Getenv: func(string) string { return "" }})
	if a.progress(time.Now) != nil {
		t.Error("there is progress without a terminal")
	}
	a.term.errTTY, a.term.width = true, func() int { return 120 }
	clock := time.Unix(0, 0)
	download := func(total int64, pieces ...int64) string {
		out.Reset()
		show := a.progress(func() time.Time { clock = clock.Add(time.Second); return clock })
		have := int64(0)
		for _, n := range pieces {
			have += n
			show(have, total)
		}
		line := out.String()
		return line[strings.LastIndex(line, "\r")+1:]
	}
	const mib = 1 << 20
	for _, tt := range []struct {
		name   string
		total  int64
		pieces []int64
		want   string
	}{
		{"small", 5 * mib, []int64{mib, mib}, ""},
		{"just begun", 20 * mib, []int64{mib}, "\x1b[KDownloading [#...................]   5% of 20.0 MiB"},
		{"under way", 20 * mib, []int64{2 * mib, 2 * mib, 2 * mib}, "\x1b[KDownloading [######..............]  30% of 20.0 MiB, 2.0 MiB/s, 7s left"},
		{"done", 6 * mib, []int64{3 * mib, 3 * mib}, "\x1b[KDownloading [####################] 100% of 6.0 MiB, 3.0 MiB/s"},
		{"nobody knows how large", -1, []int64{4 * mib, 4 * mib}, "\x1b[KDownloading 8.0 MiB, 4.0 MiB/s"},
		{"it stalls", 20 * mib, []int64{10 * mib, 0, 0, 0, 0, 0, 0, 0}, "\x1b[KDownloading [##########..........]  50% of 20.0 MiB"},
	} {
		if got := download(tt.total, tt.pieces...); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	// After a break it may begin anew.
	out.Reset()
	show := a.progress(func() time.Time { clock = clock.Add(time.Second); return clock })
	for _, have := range []int64{10 * mib, 12 * mib, 0, mib} {
		show(have, 20*mib)
	}
	if got := out.String(); !strings.HasSuffix(got, "  5% of 20.0 MiB, 1.0 MiB/s, 19s left") {
		t.Errorf("after a break: %q", got)
	}
	a.quiet = true
	if a.progress(time.Now) != nil {
		t.Error("there is progress with --quiet")
	}
}
