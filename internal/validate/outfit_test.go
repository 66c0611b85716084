//go:build linux && (amd64 || arm64)

package validate

import (
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/sandbox"
)

// Somebody who works on projects of any kind has every toolchain in one box, and
// the project with it.
// Promise: agent-toolchains
func TestAnOutfitHasEveryToolchain(t *testing.T) {
	v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
	tools, err := v.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, proxied := range []bool{false, true} {
		spec, err := v.Outfit(t.Context(), proxied)
		if err != nil {
			t.Fatal(err)
		}
		b, err := v.config.Sandbox.Open(t.Context(), spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		tree := treeOf(map[string]string{"main.py": "print('here')\n"})
		if err := v.Equip(t.Context(), b, tree); err != nil {
			t.Fatal(err)
		}
		for _, tool := range tools {
			if tool.Version == "" {
				continue
			}
			name := map[string]string{"node": "node --version", "python": "python3 main.py", "go": "go version", "rust": "cargo --version", "make": "make --version"}[tool.Name]
			r, err := b.Run(t.Context(), sandbox.Command{Args: []string{"sh", "-c", name}, Time: time.Minute})
			if err != nil || !r.OK() {
				t.Errorf("%s: %v %q", name, err, r.Output)
			}
		}
		r, err := b.Run(t.Context(), sandbox.Command{Args: []string{"env"}, Time: time.Minute})
		if err != nil || strings.Contains(string(r.Output), "HTTPS_PROXY=http://"+WayOut()) != proxied {
			t.Errorf("proxied %v: %v %s", proxied, err, r.Output)
		}
	}
}
