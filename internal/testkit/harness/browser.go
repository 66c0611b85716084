package harness

import (
	"os"
	"testing"
)

// BrowserFolder makes a folder for what a browser keeps. Parts of a browser write
// to it when it has ended already, so that a test must neither wait for the
// folder to be empty nor fail because it is not: what is left is the system's to
// remove, as with everything in its temporary folder.
func BrowserFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc-browser-") //nolint:usetesting // it insists on removing
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) }) // see above
	return dir
}
