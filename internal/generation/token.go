package generation

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundlezip"
	"github.com/bundle-delivery/svc/internal/engine"
)

// deltaBytes is the size to which long deltas are cut.
const deltaBytes = 4 << 10

// token adds to a file that is being built, and begins a new attempt at it when
// none is. Nothing is complete before the engine says so or is done.
func (t *tree) token(path, delta string) error {
	if !t.open[path] {
		if err := checkPath(path); err != nil {
			return err
		}
		if _, err := t.begin(path); err != nil {
			return err
		}
	}
	return t.write(path, t.builds[path], delta)
}

// begin opens the next attempt at a file. Files that are never completed count
// as well: they are kept until then.
func (t *tree) begin(path string) (*text, error) {
	if t.builds[path] == nil && len(t.builds) >= t.limit.Files {
		return nil, breach("The engine wrote more than %d files.", t.limit.Files)
	}
	t.attempts[path]++
	content := t.spool.text()
	t.builds[path], t.open[path] = content, true
	return content, nil
}

// write tells a piece of a file and keeps it. A character whose bytes have not
// all come waits for the rest: events are text.
func (t *tree) write(path string, to *text, piece string) error {
	piece = to.partial + piece
	whole := wholeText(piece)
	to.partial = strings.Clone(piece[whole:])
	piece = piece[:whole]
	if !utf8.ValidString(piece) {
		return breach("The content of %s is not UTF-8 text.", path)
	}
	if t.spool.written+int64(len(piece)) > spoolFactor*t.limit.Bytes {
		return breach("The engine wrote more than %d bytes in all.", spoolFactor*t.limit.Bytes)
	}
	if to.size+int64(len(piece)) > t.limit.Bytes {
		return breach("The project would have more than %d bytes.", t.limit.Bytes)
	}
	for len(piece) > 0 {
		n := len(piece)
		if n > deltaBytes {
			n = wholeText(piece[:deltaBytes])
		}
		if err := t.say(svc.TokenEvent{File: path, Attempt: t.attempts[path], Offset: to.size, Delta: piece[:n]}); err != nil {
			return err
		}
		if err := to.append(piece[:n]); err != nil {
			return err
		}
		piece = piece[n:]
	}
	return nil
}

// wholeText is the length of a text without the beginning of a character whose
// other bytes are missing.
func wholeText(p string) int {
	for i := 1; i < utf8.UTFMax && i <= len(p); i++ {
		if c := p[len(p)-i]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(p[len(p)-i:]) {
				return len(p) - i
			}
			break
		}
	}
	return len(p)
}

// file completes a file: with what tokens built, or with the content that the
// engine gives, told as tokens if it is another.
func (t *tree) file(o engine.File) error {
	if err := checkPath(o.Path); err != nil {
		return err
	}
	built := t.builds[o.Path]
	if built == nil || o.Content != nil && !built.equals(o.Content) {
		var err error
		if built, err = t.begin(o.Path); err != nil {
			return err
		}
		if err := t.write(o.Path, built, string(o.Content)); err != nil {
			return err
		}
	}
	at, where := t.placeOf(o.Path, o.Place)
	return t.complete(at, where, built)
}

// placeOf says where a file goes. What the engine leaves out stays as the
// project has it.
func (t *tree) placeOf(path string, asked engine.Placement) (place, engine.Placement) {
	at := place{bundlezip.Base(asked.Base), path}
	if _, ok := t.files[at]; !ok && asked.Base == "" {
		if _, atHome := t.files[place{bundlezip.Home, path}]; atHome {
			at.base = bundlezip.Home
		}
	}
	has := t.files[at].where
	return at, engine.Placement{
		DestinationType: cmp.Or(asked.DestinationType, has.DestinationType),
		MergeStrategy:   cmp.Or(asked.MergeStrategy, has.MergeStrategy),
		Base:            string(at.base),
		Mode:            cmp.Or(asked.Mode, has.Mode),
	}
}

// complete puts what was built in its place. A file without a byte is told too:
// its only delta is empty.
func (t *tree) complete(at place, where engine.Placement, built *text) error {
	if len(built.partial) > 0 {
		return breach("The content of %s is not UTF-8 text.", at.path)
	}
	if built.size == 0 && t.open[at.path] {
		if err := t.say(svc.TokenEvent{File: at.path, Attempt: t.attempts[at.path]}); err != nil {
			return err
		}
	}
	delete(t.open, at.path)
	return t.put(at, where, built)
}

// completeAll puts those files in their places that tokens built and that no
// file line has completed.
func (t *tree) completeAll() error {
	for path := range t.open {
		at, where := t.placeOf(path, engine.Placement{})
		if err := t.complete(at, where, t.builds[path]); err != nil {
			return err
		}
	}
	return nil
}

// spool keeps what a run writes: in memory while that is little, then in a
// folder that goes with the run.
type spool struct {
	dir     string
	memory  int
	count   int
	written int64
}

const (
	// A text goes to its file when it is this long, or when the texts of the run
	// together are.
	textMemory  = 32 << 10
	spoolMemory = 4 << 20
)

func (s *spool) text() *text { return &text{spool: s, sum: sha256.New()} }

// text is the content of a file, written piece by piece.
type text struct {
	spool   *spool
	size    int64
	sum     hash.Hash
	partial string // of a character
	memory  []byte
	summed  int    // bytes of memory that sum knows: it is seldom asked
	file    string // holds what precedes memory; empty: nothing does
}

func (x *text) append(p string) error {
	x.size += int64(len(p))
	x.memory = append(x.memory, p...)
	x.spool.memory += len(p)
	x.spool.written += int64(len(p))
	if len(x.memory) < textMemory && x.spool.memory < spoolMemory {
		return nil
	}
	return x.spill()
}

// spill moves what is in memory to the file. It stays open no longer than that:
// an engine may write two thousand files at once.
func (x *text) spill() error {
	x.digest()
	if x.file == "" {
		x.spool.count++
		x.file = filepath.Join(x.spool.dir, strconv.Itoa(x.spool.count))
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
	x.spool.memory -= len(x.memory)
	x.memory, x.summed = nil, 0
	return nil
}

// digest brings the sum up to date.
func (x *text) digest() {
	_, _ = x.sum.Write(x.memory[x.summed:]) // never fails
	x.summed = len(x.memory)
}

func (x *text) equals(content []byte) bool {
	if len(x.partial) > 0 || x.size != int64(len(content)) {
		return false
	}
	x.digest()
	sum := sha256.Sum256(content)
	return bytes.Equal(x.sum.Sum(nil), sum[:])
}

// open reads the text. Nothing may be appended while it is read.
func (x *text) open() (io.ReadCloser, error) {
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
