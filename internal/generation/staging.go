package generation

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// stagingDir holds what an engine has written and nobody has packaged yet: in
// memory while that is little, then in a folder that is removed with the run.
type stagingDir struct {
	dir     string
	memory  int
	count   int
	written int64
}

const (
	// A text goes to its file when it is this long, or when the texts of the run
	// together are.
	textMemory    = 32 << 10
	stagingMemory = 4 << 20
)

func (s *stagingDir) newText() *stagedText { return &stagedText{staging: s, sum: sha256.New()} }

// stagedText is the content of a file, written piece by piece.
type stagedText struct {
	staging *stagingDir
	size    int64
	sum     hash.Hash
	partial string // of a character
	memory  []byte
	summed  int    // bytes of memory that sum knows: it is seldom asked
	file    string // holds what precedes memory; empty: nothing does
}

func (x *stagedText) append(p string) error {
	x.size += int64(len(p))
	x.memory = append(x.memory, p...)
	x.staging.memory += len(p)
	x.staging.written += int64(len(p))
	if len(x.memory) < textMemory && x.staging.memory < stagingMemory {
		return nil
	}
	return x.spill()
}

// spill moves what is in memory to the file. It stays open no longer than that:
// an engine may write two thousand files at once.
func (x *stagedText) spill() error {
	x.digest()
	if x.file == "" {
		x.staging.count++
		x.file = filepath.Join(x.staging.dir, strconv.Itoa(x.staging.count))
	}
	f, err := os.OpenFile(x.file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("keep what a run writes: %w", err)
	}
	_, err = f.Write(x.memory)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return fmt.Errorf("keep what a run writes: %w", err)
	}
	x.staging.memory -= len(x.memory)
	x.memory, x.summed = nil, 0
	return nil
}

// digest brings the sum up to date.
func (x *stagedText) digest() {
	_, _ = x.sum.Write(x.memory[x.summed:]) // never fails
	x.summed = len(x.memory)
}

func (x *stagedText) equals(content []byte) bool {
	if len(x.partial) > 0 || x.size != int64(len(content)) {
		return false
	}
	x.digest()
	sum := sha256.Sum256(content)
	return bytes.Equal(x.sum.Sum(nil), sum[:])
}

// open reads the text. Nothing may be appended while it is read.
func (x *stagedText) open() (io.ReadCloser, error) {
	if x.file == "" {
		return io.NopCloser(bytes.NewReader(x.memory)), nil
	}
	f, err := os.Open(x.file)
	if err != nil {
		return nil, fmt.Errorf("read what a run wrote: %w", err)
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(f, bytes.NewReader(x.memory)), f}, nil
}
