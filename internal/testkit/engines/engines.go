// Package engines has commands for the exec engine, for tests of pages that show runs.
package engines

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// Gated returns the command of an engine that writes half a file, waits until the
// file gate exists, and then writes the rest.
func Gated(t *testing.T) (command, gate string) {
	t.Helper()
	dir := t.TempDir()
	gate = filepath.Join(dir, "gate")
	script := `printf '%s\n' '{"type":"state_update","key":"language","value":"go","reason":"asked for"}'
printf '%s\n' '{"type":"token","file":"main.go","delta":"package main\n"}'
while [ ! -e '` + gate + `' ]; do sleep 0.05; done
printf '%s\n' '{"type":"token","file":"main.go","delta":"\nfunc main() {}\n"}'
printf '%s\n' '{"type":"memory_update","content":"It is a program that does nothing."}'
`
	path := filepath.Join(dir, "engine.sh")
	must.Do(t, os.WriteFile(path, []byte(script), 0o600))
	return "sh " + path, gate
}

// Hostile returns the command of an engine whose every text would be a script if a
// page took it for markup.
func Hostile(t *testing.T) string {
	t.Helper()
	lines := `{"type":"tool_status","action":"generate_file","file":"a&'); mark();'.js"}
{"type":"state_update","key":"<script>mark()","value":"<img src=x onerror=mark()>","reason":"</dd><script>mark()</script>"}
{"type":"memory_update","content":"</pre><script>mark()</script><img src=x onerror=mark()>"}
{"type":"file","path":"a&'); mark();'x.txt","content":"</code></pre><script>mark()</script><img src=x onerror=mark()>"}
{"type":"file","path":"page.html","content":"<script>mark()</script>\n<img src=x onerror=mark()>\n"}
{"type":"usage","model":"<script>mark()</script>","input_tokens":1200,"output_tokens":3400,"cost_usd":0.0123}
`
	path := filepath.Join(t.TempDir(), "lines")
	must.Do(t, os.WriteFile(path, []byte(lines), 0o600))
	return "cat " + path
}
