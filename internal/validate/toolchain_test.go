//go:build linux && (amd64 || arm64)

package validate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where a tool lies in a person's folders, no more is shown than the tool.
// Promise: sandbox-isolated
func TestNoHomeFolderIsShownForATool(t *testing.T) {
	for place, want := range map[string]string{"": "", ".local": "bin include"} {
		home, err := os.MkdirTemp("/tmp", "svc-validate-test-*") //nolint:usetesting // the test's own folder is for its owner alone
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(home) })
		prefix := filepath.Join(home, place)
		program := "#!/bin/sh\n[ \"$1\" = -p ] && echo " + prefix + " || echo v0.0.1\n"
		for _, name := range []string{"bin/node", "bin/npm", "include/node.h", "share/keyrings/login"} {
			name = filepath.Join(prefix, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(program), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chmod(home, 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("HOME", home)
		t.Setenv("PATH", filepath.Join(prefix, "bin")+":"+os.Getenv("PATH"))
		v := validator(t, Config{Level: Test, Sandbox: boxes(t)})
		tool, err := v.tools.of(t.Context(), kindNode)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range tool.mounts {
			rel, err := filepath.Rel(prefix, m.From)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, rel)
		}
		if strings.Join(got, " ") != want || (tool.Version == "v0.0.1") != (place != "") {
			t.Errorf("%q: shown is %q, want %q; %+v", place, got, want, tool)
		}
		if tool.Version == "" && !strings.Contains(tool.Missing, home) {
			t.Errorf("it is missing without a reason: %q", tool.Missing)
		}
	}
}
