package console

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

const (
	// previewReads is how many files of previews of one account are read at a time; who
	// comes then waits for a turn, for as long as previewWait.
	previewReads = 16
	previewWait  = 20 * time.Second
	// shelfRest is how long a pack stays open that nobody reads, and shelfRoom how many.
	shelfRest = 10 * time.Second
	shelfRoom = 8
)

var errPreviewBusy = errors.New("too many files of previews are read at a time")

// pack is what the files of one state of a project are read from.
type pack interface {
	Manifest() bundlezip.Manifest
	OpenFile(base bundlezip.Base, path string) (io.ReadCloser, error)
	Close() error
}

// shelf keeps the packs of previews open while somebody reads them and a little longer:
// a page asks for many files, and where packs lie on another machine each opening
// copies one. The zero value is empty.
type shelf struct {
	mu    sync.Mutex
	packs map[string]*shelved
	turns map[string]*turns
}

// shelved is a pack on the shelf.
type shelved struct {
	pack    pack
	err     error
	opened  chan struct{} // closed once one of the two above is there
	readers int
}

// turns are those of one account.
type turns struct {
	taken   chan struct{}
	waiting int // or reading
}

// turn waits until few enough files of an account are read. The caller ends its turn.
// errPreviewBusy when that takes too long.
func (s *shelf) turn(ctx context.Context, accountID string) (end func(), err error) {
	s.mu.Lock()
	if s.turns == nil {
		s.turns = map[string]*turns{}
	}
	t := s.turns[accountID]
	if t == nil {
		t = &turns{taken: make(chan struct{}, previewReads)}
		s.turns[accountID] = t
	}
	t.waiting++
	s.mu.Unlock()
	leave := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.waiting--; t.waiting == 0 {
			delete(s.turns, accountID)
		}
	}
	late := time.NewTimer(previewWait)
	defer late.Stop()
	select {
	case t.taken <- struct{}{}:
		return func() { <-t.taken; leave() }, nil
	case <-late.C:
		err = errPreviewBusy
	case <-ctx.Done():
		err = ctx.Err()
	}
	leave()
	return nil, err
}

// take gives a pack, which is opened where it does not lie on the shelf yet: once for all
// who want it then. The caller puts it back.
func (s *shelf) take(name string, open func() (pack, error)) (p pack, put func(), err error) {
	s.mu.Lock()
	if s.packs == nil {
		s.packs = map[string]*shelved{}
	}
	one, there := s.packs[name]
	if !there {
		one = &shelved{opened: make(chan struct{})}
		s.packs[name] = one
	}
	one.readers++
	s.mu.Unlock()
	if !there {
		one.pack, one.err = open()
		close(one.opened)
	}
	<-one.opened
	if one.err != nil {
		s.put(name, one)
		return nil, nil, one.err
	}
	return one.pack, func() { s.put(name, one) }, nil
}

func (s *shelf) put(name string, one *shelved) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one.readers--; one.readers > 0 {
		return
	}
	resting := 0
	for _, other := range s.packs {
		if other.readers == 0 {
			resting++
		}
	}
	if one.err != nil || resting > shelfRoom {
		s.clear(name, one)
		return
	}
	time.AfterFunc(shelfRest, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if one.readers == 0 {
			s.clear(name, one)
		}
	})
}

// clear takes a pack that nobody reads from the shelf.
func (s *shelf) clear(name string, one *shelved) {
	if s.packs[name] != one {
		return // it is gone already
	}
	delete(s.packs, name)
	if one.err == nil {
		_ = one.pack.Close() // it was only read
	}
}

// packedFile is a file of a pack that is unpacked while it is read, from wherever that
// begins: no more of it is held than what is on its way.
type packedFile struct {
	open func() (io.ReadCloser, error)
	size int64

	at      int64         // where the next Read begins
	content io.ReadCloser // nil: not opened yet
	passed  int64         // how much of the content is behind
	failure error         // that a Read ended with
}

// Seek implements io.Seeker.
func (f *packedFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.at
	case io.SeekEnd:
		offset += f.size
	}
	if offset < 0 {
		return 0, errors.New("a file does not begin before its beginning")
	}
	f.at = offset
	return offset, nil
}

// Read implements io.Reader.
func (f *packedFile) Read(to []byte) (n int, err error) {
	if f.content == nil || f.passed > f.at {
		f.Close()
		if f.content, err = f.open(); err != nil {
			f.content, f.failure = nil, err
			return 0, err
		}
	}
	if f.passed < f.at {
		skipped, err := io.CopyN(io.Discard, f.content, f.at-f.passed)
		if f.passed += skipped; err != nil {
			f.failure = err
			return 0, err
		}
	}
	n, err = f.content.Read(to)
	f.passed += int64(n)
	f.at = f.passed
	if err != nil && !errors.Is(err, io.EOF) {
		f.failure = err
	}
	return n, err
}

// Close ends the reading.
func (f *packedFile) Close() {
	if f.content != nil {
		_ = f.content.Close() // it was only read
	}
	f.content, f.passed = nil, 0
}
