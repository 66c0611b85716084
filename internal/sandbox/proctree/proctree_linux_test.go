package proctree

import (
	"os"
	"slices"
	"testing"
)

func TestParentage(t *testing.T) {
	for stat, want := range map[string][2]int{
		"12 (sh) S 7 12 12":               {12, 7},
		"12 (a b) Z 9 9) R 8 12":          {12, 8},
		"12 (tricky) name) S 3 4) S 5 12": {12, 5},
	} {
		if pid, parent, ok := parentage(stat); !ok || pid != want[0] || parent != want[1] {
			t.Errorf("%q: %d, %d, %v", stat, pid, parent, ok)
		}
	}
	for _, stat := range []string{"", "12", "x (sh) S 7", "12 (sh) S"} {
		if _, _, ok := parentage(stat); ok {
			t.Errorf("%q is read", stat)
		}
	}
	self, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	if pid, parent, ok := parentage(string(self)); !ok || pid != os.Getpid() || parent != os.Getppid() {
		t.Errorf("this process is read as %d, a child of %d", pid, parent)
	}
	if !slices.Contains(children(os.Getppid()), os.Getpid()) || !slices.Contains(childrenByParent(os.Getppid()), os.Getpid()) {
		t.Error("this process is not found among its parent's children")
	}
}
