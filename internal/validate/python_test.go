package validate

import (
	"slices"
	"testing"
)

func TestRequirementsAreFetchedOnceAndByName(t *testing.T) {
	var f pythonFacts
	for _, requirement := range []string{"requests>=2", "PyYAML", "requests>=2", "-e .", "", "./wheels/x.whl", "requests>=2"} {
		f.require(requirement)
	}
	if want := []string{"requests>=2", "PyYAML"}; !slices.Equal(f.requires, want) {
		t.Errorf("pip is asked for %q, want %q", f.requires, want)
	}
}
