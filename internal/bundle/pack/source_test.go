package pack

import (
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// plainBlob hides what else a reader of strings can do.
type plainBlob struct {
	io.ReadSeeker
	size int64
}

func (b plainBlob) Size() int64 { return b.size }
func (plainBlob) Close() error  { return nil }

func TestACopyOfAPackLeavesNoNameBehind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files keep their names there")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	const content = "all of a pack"
	at, size, closeAll, err := randomAccess(t.Context(), plainBlob{strings.NewReader(content), int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("a process that is killed now leaves %v", left)
	}
	part := make([]byte, 4)
	if _, err := at.ReadAt(part, size-4); err != nil || string(part) != "pack" {
		t.Errorf("read %q, %v", part, err)
	}
	if err := closeAll(); err != nil {
		t.Error(err)
	}
}
