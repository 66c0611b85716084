package template_test

import (
	"testing"

	"github.com/bundle-delivery/svc/internal/merge"
)

// Someone who pulled a project, left it as it was and pulls the next state of
// it gets every file without a conflict.
func TestTheNextStateMergesIntoTheLast(t *testing.T) {
	t.Parallel()
	for _, prompt := range prompts {
		before, after := begin(t, prompt, nil), begin(t, prompt, nil)
		after.ask(t, "rename it to zebra", map[string]string{"port": "9000"})
		for path, f := range after.files {
			old := before.files[path].content
			result := merge.Merge(strategy(path), merge.Input{Path: path, Current: old, Base: old, Incoming: f.content, Owner: "proj_x"})
			if len(result.Conflicts) > 0 {
				t.Errorf("%s: %v", path, result.Conflicts)
			}
			// The settings of a machine are kept: only missing keys are added.
			if path != ".env" && string(result.Content) != string(f.content) {
				t.Errorf("%s by %s became\n%s\nand not\n%s", path, strategy(path), result.Content, f.content)
			}
		}
	}
}
