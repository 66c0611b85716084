package generation

import (
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/engine"
)

// Every run tells each of its checks, the rules of bundles among them, and what
// they came to; what nothing looked at is unchecked.
// Promise: checks-shown
func TestARunTellsWhatItsChecksCameTo(t *testing.T) {
	for name, test := range map[string]struct{ path, content, status string }{
		"looked at":   {"a.json", "{}", "passed"},
		"by nothing":  {"main.rb", "def (", "unchecked"},
		"of no kind":  {"notes.txt", "x", "unchecked"},
		"wrong twice": {"a.json", "{", "failed"},
	} {
		inHouse(t, func(h *house) {
			t := h.t
			run, events := ended(t, h, says(engine.File{Path: test.path, Content: []byte(test.content)}))
			if run.Validation == nil || run.Validation.Status != test.status || len(run.Validation.Checks) == 0 || run.Validation.Checks[0].Check != rules || run.Validation.Checks[0].Status != "passed" {
				t.Errorf("%s: the record says %+v", name, run.Validation)
			}
			overall, told := "", false
			for _, e := range events {
				if e.Name != svc.EventToolStatus {
					continue
				}
				p := payload[svc.ToolStatusEvent](t, e)
				told = told || p.Check == rules && p.Status == "passed"
				if p.Action == engine.ActionValidate && p.Check == "" && p.Status != svc.ToolStarted {
					overall = p.Status
					if !strings.Contains(p.Detail, "1 ") && !strings.Contains(p.Detail, "2 ") {
						t.Errorf("%s: nothing is counted: %q", name, p.Detail)
					}
				}
			}
			if overall != test.status || !told {
				t.Errorf("%s: the stream says %q, and of the rules %v", name, overall, told)
			}
		})
	}
}

// Promise: checks-remembered
func TestTheMemoryKeepsWhatWasOnlySkipped(t *testing.T) {
	record := func(build, test string) *svc.Validation {
		return &svc.Validation{Checks: []svc.ValidationCheck{{Check: "go build", Status: build, Detail: "a.go:1"}, {Check: "go test", Status: test, Detail: "a_test.go:2"}}}
	}
	known := withFailures("# Notes\n", record("passed", "failed_before"))
	if want := "# Notes\n\n" + failuresHeading + "\n\n- go test: a_test.go:2\n"; known != want {
		t.Fatalf("the memory is %q", known)
	}
	if got := withFailures(known, record("failed_before", "skipped")); !strings.Contains(got, "- go build: a.go:1\n- go test: a_test.go:2\n") {
		t.Errorf("what was skipped is forgotten: %q", got)
	}
	if got := withFailures(known, record("passed", "passed")); got != "# Notes\n" {
		t.Errorf("what passes is remembered: %q", got)
	}
	if got := withFailures(known+"\n## More\n\ntext\n", record("passed", "skipped")); !strings.Contains(got, "## More\n\ntext") || !strings.Contains(got, "- go test: ") {
		t.Errorf("the rest: %q", got)
	}
	if got := withFailures("plain", record("passed", "passed")); got != "plain" {
		t.Errorf("without any: %q", got)
	}
}
