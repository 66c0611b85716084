package bundlezip

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestTheSpillBufferLeavesNoNameBehind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("open files keep their names there")
	}
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := &spillBuffer{}
	defer s.close()
	content := bytes.Repeat([]byte("0123456789abcdef"), spillSize/8)
	if _, err := s.Write(content); err != nil {
		t.Fatal(err)
	}
	if !s.onDisk {
		t.Fatal("the content is still in memory")
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(left) != 0 {
		t.Errorf("a process that is killed now leaves %v", left)
	}
	var out bytes.Buffer
	if err := s.copyTo(&out, make([]byte, 4096)); err != nil || !bytes.Equal(out.Bytes(), content) {
		t.Errorf("%d bytes came back, %v", out.Len(), err)
	}
}

// A file whose last bytes find no room is not taken for whole.
func TestAFullDiskUnderTheLastBytesIsNoticed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("temporary files are elsewhere there")
	}
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	noise := make([]byte, spillSize+100)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	for _, size := range []int{spillSize / 2, spillSize - 40, len(noise)} {
		// What cannot be deflated grows a little, and the end of it comes last.
		_, err := Write(io.Discard, State{ProjectID: "proj_0123456789abcdefghij", Files: []StateFile{
			{Path: "noise", MergeStrategy: Overwrite, Content: Bytes(noise[:size])},
		}})
		if (err != nil) != (size > spillSize/2) {
			t.Errorf("%d bytes: %v", size, err)
		}
	}
}
