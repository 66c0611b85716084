package bundlezip

import (
	"bytes"
	"os"
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
