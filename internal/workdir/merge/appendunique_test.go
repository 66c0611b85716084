package merge

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/testkit/needs"
)

// In an ignore file the last line that fits decides.
// Promise: merge-ignore
func TestLinesThatTakeBack(t *testing.T) {
	for _, tt := range []struct {
		name, path        string
		current, incoming string
		policy            Policy
		want              string
		conflicts         []string
	}{
		{
			name: "a pattern goes above the user's exception", path: ".gitignore",
			current: "node_modules/\n\n# ours\nbuild/*\n!build/keep\n", incoming: "*.log\nbuild/\n",
			want: "node_modules/\n\n*.log\nbuild/\n\n# ours\nbuild/*\n!build/keep\n",
		},
		{
			name: "an exception of the bundle goes below its pattern", path: ".gitignore",
			current: "*.log\ndist/\n", incoming: "*.log\n!keep.log\n",
			want: "*.log\ndist/\n!keep.log\n",
		},
		{
			name: "an exception that the user has already still follows the pattern", path: "web/.dockerignore",
			current: "!keep.log\n", incoming: "*.log\n!keep.log\n",
			want: "*.log\n\n!keep.log\n",
		},
		{
			name: "a pattern that takes an exception of the bundle back stays below it", path: ".gitignore",
			current: "*.log\n!keep.log\n", incoming: "*.log\n!keep.log\nold/keep.log\n",
			want: "*.log\n!keep.log\nold/keep.log\n",
		},
		{
			name: "both at once", path: ".gitignore",
			current: "a\n\n!b\n", incoming: "# made\nx\n!x/y\nz\n",
			want: "a\n\n# made\nx\n\n!b\n!x/y\nz\n",
		},
		{
			name: "the opposite of a line of the user's", path: ".gitignore",
			current: ".env.example\n", incoming: ".env\n!.env.example\n",
			want: ".env.example\n.env\n", conflicts: []string{"!.env.example: your file says the opposite (kept)"},
		},
		{
			name: "the opposite the other way round", path: ".gitignore",
			current: "a\n!.env\n", incoming: ".env\n",
			want: "a\n!.env\n", conflicts: []string{".env: your file says the opposite (kept)"},
		},
		{
			name: "the opposite by the user's leave", path: ".gitignore", policy: Theirs,
			current: "a\n!.env\n", incoming: ".env\n",
			want: "a\n!.env\n.env\n", conflicts: []string{".env: your file says the opposite (theirs)"},
		},
		{
			name: "the order of lines matters to nobody else", path: "words.txt",
			current: "!a\n", incoming: "a\n!b\n",
			want: "!a\na\n!b\n",
		},
		{
			name: "line endings and a missing last one", path: ".gitignore",
			current: "a\r\n\r\n!b", incoming: "c\n!d\n",
			want: "a\r\n\r\nc\r\n\r\n!b\r\n!d",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := Input{Path: tt.path, Current: []byte(tt.current), Incoming: []byte(tt.incoming), Policy: tt.policy}
			r := AppendUnique(in)
			if diff := cmp.Diff(tt.want, string(r.Content)); diff != "" {
				t.Error(diff)
			}
			var conflicts []string
			for _, c := range r.Conflicts {
				conflicts = append(conflicts, c.String())
			}
			if diff := cmp.Diff(tt.conflicts, conflicts); diff != "" {
				t.Error(diff)
			}
			in.Current = r.Content
			if again := AppendUnique(in); again.Changed {
				t.Errorf("a second time changes it to %q", again.Content)
			}
		})
	}
}

// What git itself makes of a merged file.
// Promise: merge-ignore
func TestGitObeysTheMergedFile(t *testing.T) {
	git := needs.Program(t, "git", "install git")
	r := AppendUnique(Input{
		Path:    ".gitignore",
		Current: []byte("secret*\n\n# mine\nbuild/*\n!build/keep.log\n"), Incoming: []byte("*.log\n!important.log\nbuild/*\n"),
	})
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), r.Content, 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) error {
		cmd := exec.CommandContext(t.Context(), git, args...)
		cmd.Dir = dir
		return cmd.Run()
	}
	if err := run("init", "-q"); err != nil {
		t.Fatal(err)
	}
	for name, ignored := range map[string]bool{
		"a.log": true, "important.log": false, "build/x.o": true, "build/keep.log": false, "secret.txt": true, "main.go": false,
	} {
		if got := run("check-ignore", "-q", "--no-index", name) == nil; got != ignored {
			t.Errorf("%s is ignored: %v, in\n%s", name, got, r.Content)
		}
	}
}
