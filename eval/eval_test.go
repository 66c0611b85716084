package main

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/bundle-delivery/svc/internal/engine/llm/wiretest"
)

// The whole path from a provider's wire to a project that builds, on recorded
// streams: see the command's comment for what they are.
func TestRecordedStreamsBecomeProjectsThatBuild(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{wiretest.Anthropic, wiretest.OpenAI} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), []string{"-recorded", "-recordings", "recordings", "-json", "-least", "100", "--", "--engine", protocol}, &out); err != nil {
				t.Errorf("%v\n%s", err, &out)
			}
			scored := 0
			for decoder := json.NewDecoder(&out); decoder.More(); scored++ {
				var s score
				if err := decoder.Decode(&s); err != nil {
					t.Fatal(err)
				}
				if s.Tokens == 0 || s.USD == 0 {
					t.Errorf("%s cost nothing: %+v", s.Trial, s)
				}
			}
			if scored != len(recordedTrials) {
				t.Errorf("%d trials were scored, want %d", scored, len(recordedTrials))
			}
		})
	}
}

func TestThereAreTenTrials(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, c := range trials() {
		if seen[c.name] || len(c.kept) == 0 {
			t.Errorf("%s is there twice or checks nothing", c.name)
		}
		seen[c.name] = true
	}
	if len(seen) != 10 {
		t.Errorf("there are %d trials", len(seen))
	}
}

func TestWhatIsScored(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		files map[string]string
		want  int
	}{
		"all well":       {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n", "README.md": "todo"}, 4},
		"a failing test": {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "x_test.go": "package x\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) { t.Fail() }\n", "README.md": "todo"}, 3},
		"no tests":       {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package x\n", "README.md": "todo"}, 3},
		"does not build": {map[string]string{"go.mod": "module x\n\ngo 1.22\n", "x.go": "package", "README.md": "todo"}, 2},
		"another thing":  {map[string]string{"notes.txt": "nothing"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := result{files: tc.files}
			if err := r.unpack(dir); err != nil {
				t.Fatal(err)
			}
			s := score{Made: true}
			s.judge(t.Context(), dir, r, trials()[0])
			if s.points() != tc.want {
				t.Errorf("%d points, want %d: %+v", s.points(), tc.want, s)
			}
		})
	}
}
