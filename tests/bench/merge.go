package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/bundle-delivery/svc/internal/workdir/merge"
)

// clientGarbagePercent is the setting of the client, in which these merges run.
const clientGarbagePercent = 200

// benchMerge merges a bundle's file into one of a mebibyte. Its peer is the
// least that anybody could do with such a file: read it through once, line by
// line, and copy it.
func benchMerge(ctx context.Context, e *env) (s section) {
	defer debug.SetGCPercent(debug.SetGCPercent(clientGarbagePercent))
	for _, format := range []struct {
		name, path string
		entry      func(i int) string
		open, end  string
	}{
		{"JSON", "settings.json", func(i int) string {
			return fmt.Sprintf("  \"service%d\": {\n    \"image\": \"registry/app:%d\", // pinned\n    \"ports\": [80, 443]\n  },\n", i, i)
		}, "{\n", "  \"last\": null\n}\n"},
		{"YAML", "compose.yaml", func(i int) string {
			return fmt.Sprintf("service%d:\n  image: registry/app:%d # pinned\n  ports:\n    - 80\n    - 443\n", i, i)
		}, "", "last: null\n"},
		{"TOML", "config.toml", func(i int) string {
			return fmt.Sprintf("[service%d]\nimage = \"registry/app:%d\" # pinned\nports = [80, 443]\n\n", i, i)
		}, "", "[last]\nx = 1\n"},
	} {
		current := format.open + repeated(merge.MaxSize-512, format.entry) + format.end
		base := format.open + repeated(4096, format.entry) + format.end
		incoming := strings.ReplaceAll(strings.ReplaceAll(base, "registry/app", "registry/next"), "443", "8443")
		var ours, reading sample
		e.inRounds(func(_ int, keep func(*sample, float64)) {
			check(ctx.Err())
			runtime.GC() // each merge begins as it does in a client that has just started
			keep(&ours, must(timed(func() error {
				result := merge.DeepMerge(merge.Input{
					Path: format.path, Current: []byte(current), Incoming: []byte(incoming), Base: []byte(base),
				})
				if !result.Changed {
					return fmt.Errorf("%s: nothing was merged: %v", format.name, result.Conflicts)
				}
				return nil
			})))
			keep(&reading, must(timed(func() error { return readThrough(current) })))
		})
		s.add("merge into 1 MiB of "+format.name, ours.show("%.0f ms"), "under 500 ms")
		s.add("over reading the file once, line by line", ours.over(reading).show("%.0f×"), "")
	}
	s.note("Every result is read once more before it counts, by a parser that shares no code with the one that made it, and what the two found is compared: that is why a merge takes about three times as long as before it was done (55, 82 and 88 ms).")
	return s
}

func repeated(size int, entry func(i int) string) string {
	var b strings.Builder
	for i := 0; b.Len() < size; i++ {
		b.WriteString(entry(i))
	}
	return b.String()
}

func readThrough(text string) error {
	var out bytes.Buffer
	for line := range strings.Lines(text) {
		out.WriteString(line)
	}
	if out.Len() != len(text) {
		return fmt.Errorf("%d bytes of %d", out.Len(), len(text))
	}
	return nil
}
