package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const root = "../../.."

// A module that is new, gone or of another version changes the text.
// Promise: release-licences
func TestProgramsCarryTheNoticesOfWhatTheyLink(t *testing.T) {
	for _, p := range programs() {
		want, err := notices(root, p)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(fileOf(root, p))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
			t.Errorf("cmd/%s/NOTICES.txt is not what is linked: make notices (-linked +written):\n%s", p.name, diff)
		}
	}
}

// Everything that the console serves and did not write itself has its terms.
// Promise: release-licences
func TestEveryVendoredFileIsNamed(t *testing.T) {
	named := map[string]bool{}
	for _, w := range programs()[1].vendored {
		for _, file := range w.files {
			named[w.dir+"/"+file] = true
		}
	}
	list, err := os.ReadFile(root + "/scripts/console-assets.sha256")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		_, file, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if strings.HasSuffix(file, "LICENSE") && !strings.Contains(file, "testdata") && !named[file] {
			t.Errorf("%s is in no notices", file)
		}
	}
}

func TestWorkWithoutALicenceIsRefused(t *testing.T) {
	p := programs()[0]
	p.platforms = p.platforms[:1]
	p.vendored = []work{{name: "something found somewhere", dir: "cmd"}}
	if _, err := notices(root, p); err == nil || !strings.Contains(err.Error(), "something found somewhere") {
		t.Errorf("%v", err)
	}
}
