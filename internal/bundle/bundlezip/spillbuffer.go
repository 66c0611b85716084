package bundlezip

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// spillSize is how much of a deflated file is held in memory. Beyond it the
// buffer is a temporary file.
const spillSize = 1 << 20

// spillBuffer holds the deflated form of one file until its size is known. It is used
// for one file after the other.
type spillBuffer struct {
	memory []byte
	file   *os.File // made when first needed, then kept
	named  bool     // file still has a name: the system keeps those of open files
	onDisk bool     // the present content is in file
	size   int64
}

func (s *spillBuffer) reset() {
	s.memory, s.onDisk, s.size = s.memory[:0], false, 0
}

func (s *spillBuffer) Write(b []byte) (int, error) {
	if !s.onDisk && len(s.memory)+len(b) <= spillSize {
		s.memory = append(s.memory, b...)
		s.size += int64(len(b))
		return len(b), nil
	}
	if !s.onDisk {
		if err := s.toDisk(); err != nil {
			return 0, err
		}
	}
	n, err := s.file.Write(b)
	s.size += int64(n)
	return n, err
}

func (s *spillBuffer) toDisk() error {
	if s.file == nil {
		file, err := os.CreateTemp("", "svc-spill-*")
		if err != nil {
			return fmt.Errorf("make a temporary file: %w", err)
		}
		// Without a name it goes with the process, however that ends.
		s.file, s.named = file, os.Remove(file.Name()) != nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("rewind the temporary file: %w", err)
	}
	if _, err := s.file.Write(s.memory); err != nil {
		return fmt.Errorf("write the temporary file: %w", err)
	}
	s.onDisk = true
	return nil
}

func (s *spillBuffer) copyTo(w io.Writer, buffer []byte) error {
	var source io.Reader = bytes.NewReader(s.memory)
	if s.onDisk {
		source = io.NewSectionReader(s.file, 0, s.size)
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, struct{ io.Reader }{source}, buffer)
	if err == nil && n != s.size {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// close removes the temporary file. What it held has been copied or given up,
// so a failure here harms nobody.
func (s *spillBuffer) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
	if s.named {
		_ = os.Remove(s.file.Name())
	}
}
