package history

import (
	"fmt"
	"strings"
	"testing"
)

// Promise: template-untrusted-text
func TestAHistoryGrowsByWhatIsNew(t *testing.T) {
	t.Parallel()
	document := Add("", "Began.")
	document = "# A project\n\n1. no entry\n\n" + Add(document, "Changed\nthe port.")
	document = Add(document, "Changed the port.") // another attempt of the same run
	if want := Heading + "\n\n1. Began.\n2. Changed the port.\n"; document != want {
		t.Errorf("%q, want %q", document, want)
	}
	if got := Add(document+"\n## Notes\n\n3. none\n", "Renamed."); !strings.HasSuffix(got, "\n2. Changed the port.\n3. Renamed.\n") {
		t.Errorf("what follows the history is taken for it: %q", got)
	}
}

// Promise: template-untrusted-text
func TestAHistoryKeepsItsBeginningAndWhatIsNewest(t *testing.T) {
	t.Parallel()
	const bytes = MaxBytes/33 - len("200. \n") + 1 // so that 33 do not fit, by a few bytes
	for _, test := range []struct{ added, size, kept int }{{MaxEntries + 2, 10, MaxEntries}, {40, bytes, 32}} {
		document, entry := "", func(i int) string { return fmt.Sprintf("%0*d", test.size, i) }
		for i := range test.added {
			document = Add(document, entry(i))
		}
		want := []string{Heading, "", "1. " + entry(0)}
		for n := 2; n <= test.kept; n++ {
			want = append(want, fmt.Sprintf("%d. %s", n, entry(test.added-test.kept+n-1)))
		}
		if want := strings.Join(want, "\n") + "\n"; document != want {
			t.Errorf("of %d entries with %d bytes %d lines are kept: %.300s", test.added, test.size, strings.Count(document, "\n"), document)
		}
	}
}
