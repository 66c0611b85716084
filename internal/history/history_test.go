package history

import (
	"strings"
	"testing"
)

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
