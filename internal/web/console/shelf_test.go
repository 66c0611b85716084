package console

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// book is a pack that tells when it is closed.
type book struct{ closed *atomic.Int64 }

func (book) Manifest() bundlezip.Manifest { return bundlezip.Manifest{} }

func (book) OpenFile(bundlezip.Base, string) (io.ReadCloser, error) { return nil, io.EOF }

func (b book) Close() error {
	b.closed.Add(1)
	return nil
}

// Promise: preview-bounded
func TestAPackIsOpenedOnceForAllWhoReadItThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shelf
		var opened int // by one at a time
		var closed atomic.Int64
		count := func() int {
			s.mu.Lock()
			defer s.mu.Unlock()
			return len(s.packs)
		}
		open := func() (pack, error) {
			time.Sleep(time.Second) // it is fetched from elsewhere
			opened++
			return book{&closed}, nil
		}
		read := func() {
			_, put, err := s.take("a", open)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Minute)
			put()
		}
		var all sync.WaitGroup
		for range 20 {
			all.Go(read)
		}
		all.Wait()
		time.Sleep(shelfRest - time.Second)
		read() // a page that is opened from the first one
		if opened != 1 || closed.Load() != 0 {
			t.Errorf("opened %d times, closed %d times", opened, closed.Load())
		}
		time.Sleep(shelfRest + time.Second)
		synctest.Wait()
		if closed.Load() != 1 || count() != 0 {
			t.Errorf("closed %d times, %d are on the shelf", closed.Load(), count())
		}
		// What cannot be opened is tried anew.
		broken := errors.New("the store does not answer")
		if _, _, err := s.take("a", func() (pack, error) { return nil, broken }); !errors.Is(err, broken) {
			t.Error(err)
		}
		read()
		// Few stay open that nobody reads.
		closed.Store(0)
		for n := range 20 {
			_, put, err := s.take(strconv.Itoa(n), open)
			if err != nil {
				t.Fatal(err)
			}
			put()
			if count() > shelfRoom+1 {
				t.Fatalf("%d packs are open", count())
			}
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if count() != 0 || closed.Load() < 20 {
			t.Errorf("%d are open, %d were closed", count(), closed.Load())
		}
	})
}

// Promise: preview-bounded
func TestFewFilesOfAnAccountAreReadAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s shelf
		var ends []func()
		for range previewReads {
			end, err := s.turn(t.Context(), "ada")
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
		}
		began := time.Now()
		if _, err := s.turn(t.Context(), "ada"); !errors.Is(err, errPreviewBusy) || time.Since(began) != previewWait {
			t.Errorf("one more: %v after %s", err, time.Since(began))
		}
		gone, leave := context.WithCancel(t.Context())
		leave()
		if _, err := s.turn(gone, "ada"); !errors.Is(err, context.Canceled) {
			t.Errorf("who leaves: %v", err)
		}
		// Another account does not wait, and who waits has the next turn.
		end, err := s.turn(t.Context(), "eve")
		if err != nil {
			t.Fatal(err)
		}
		end()
		time.AfterFunc(time.Second, ends[0])
		began = time.Now()
		if ends[0], err = s.turn(t.Context(), "ada"); err != nil || time.Since(began) != time.Second {
			t.Errorf("the next: %v after %s", err, time.Since(began))
		}
		for _, end := range ends {
			end()
		}
		if len(s.turns) != 0 {
			t.Errorf("%d accounts are remembered", len(s.turns))
		}
	})
}

// Promise: preview-bounded
func TestAPackedFileIsReadFromAnywhere(t *testing.T) {
	const text = "0123456789"
	opened := 0
	f := &packedFile{size: int64(len(text)), open: func() (io.ReadCloser, error) {
		opened++
		return io.NopCloser(strings.NewReader(text)), nil
	}}
	defer f.Close()
	for _, test := range []struct {
		offset int64
		whence int
		want   string
	}{{0, io.SeekStart, text}, {4, io.SeekStart, "456789"}, {-3, io.SeekEnd, "789"}, {-1, io.SeekCurrent, "9"}, {0, io.SeekEnd, ""}, {2, io.SeekStart, "23456789"}} {
		if _, err := f.Seek(test.offset, test.whence); err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(f); err != nil || string(got) != test.want {
			t.Errorf("from %d of %d: %q, %v", test.offset, test.whence, got, err)
		}
	}
	if _, err := f.Seek(-1, io.SeekStart); err == nil {
		t.Error("it begins before its beginning")
	}
	if opened != 5 {
		t.Errorf("opened %d times", opened)
	}
}
