package template

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/history"
)

func TestTheHistoryIsBounded(t *testing.T) {
	t.Parallel()
	p, err := planOf(nil, "a todo api in go", constraints{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		said        string
		runs        int
		least, most int // entries
	}{
		"short entries by their number": {"Changed: port.", 300, history.MaxEntries, history.MaxEntries},
		"long entries by their bytes":   {strings.Repeat("ж", 1500), 100, 15, 25},
		"endless entries":               {strings.Repeat("ж", 200_000), 30, 10, 25},
	} {
		memory := memoryOf(p.spec, "", p.said)
		for i := range test.runs {
			memory = memoryOf(p.spec, memory, fmt.Sprintf("Run %d. %s", i, test.said))
			if len(memory) > history.MaxBytes+2048 {
				t.Fatalf("%s: the memory has %d bytes after run %d", name, len(memory), i)
			}
			if !strings.Contains(memory, fmt.Sprintf(". Run %d. ", i)) {
				t.Fatalf("%s: run %d is not told", name, i)
			}
		}
		if n := strings.Count(memory, ". Run ") + 1; n < test.least || n > test.most {
			t.Errorf("%s: %d entries are kept", name, n)
		}
		if !strings.Contains(memory, "\n1. Began the project: ") {
			t.Errorf("%s: how the project began is forgotten", name)
		}
	}
}
