package bundlezip

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/bundle-delivery/svc/internal/inflate"
)

// checkers is how many files are inflated at once: more than a few would only
// wait for the same disk.
const checkers = 4

// checkContents inflates everything once. Of several files that are wrong, it
// names the first.
func (a *Archive) checkContents() error {
	places := portPlaces(a.manifest.Ports)
	failures := make([]error, len(a.manifest.Files))
	var next atomic.Int64
	var failed atomic.Bool
	var working sync.WaitGroup
	for range min(checkers, runtime.GOMAXPROCS(0), len(a.manifest.Files)) {
		working.Go(func() {
			c := checker{archive: a}
			for i := next.Add(1) - 1; i < int64(len(failures)) && !failed.Load(); i = next.Add(1) - 1 {
				f := a.manifest.Files[i]
				var used []portPlace
				if f.Base == ProjectRoot {
					used = places[f.Path]
				}
				if err := c.check(f, used); err != nil {
					failures[i] = err
					failed.Store(true)
				}
			}
		})
	}
	working.Wait()
	return cmp.Or(failures...)
}

// checker checks one content after the other. What can be kept is inflated at a
// stroke where that is possible, which is faster; the rest passes through memory
// that does not grow with it.
type checker struct {
	archive *Archive
	decoder inflate.Decoder
	packed  []byte
	stream  *inflater
}

func (c *checker) check(f File, used []portPlace) error {
	e := c.archive.files[fileKey{f.Base, f.Path}].entry
	var content []byte
	var sum [sha256.Size]byte
	var err error
	keep := c.archive.kept.room(e.size)
	if keep && inOnePiece(e) {
		content, err = c.whole(e)
		sum = sha256.Sum256(content)
	} else {
		content, sum, err = c.streamed(e, keep || len(used) > 0)
	}
	if err != nil {
		return err
	}
	if hex.EncodeToString(sum[:]) != f.SHA256 {
		return badEntry(e.name, "does not have the SHA-256 that the manifest says")
	}
	if keep {
		c.archive.kept.put(e.name, content)
	}
	return checkPorts(f.Path, content, used)
}

// maxPacked is the most that is held of a compressed form.
const maxPacked = 1 << 20

// inOnePiece says whether an entry may be inflated at a stroke.
func inOnePiece(e zipEntry) bool {
	if e.method == methodStore {
		return e.packed == e.size
	}
	return e.packed <= maxPacked
}

// whole reads an entry into memory.
func (c *checker) whole(e zipEntry) ([]byte, error) {
	content := make([]byte, e.size)
	if e.method == methodStore {
		if err := readFull(c.archive.source, content, e.data); err != nil {
			return nil, err
		}
	} else {
		if int64(cap(c.packed)) < e.packed {
			c.packed = make([]byte, max(e.packed, 64<<10))
		}
		packed := c.packed[:e.packed]
		if err := readFull(c.archive.source, packed, e.data); err != nil {
			return nil, err
		}
		if err := c.decoder.Decode(content, packed); err != nil {
			return nil, explainInflate(e, err)
		}
	}
	if crc32.ChecksumIEEE(content) != e.crc {
		return nil, badEntry(e.name, "does not have the CRC that it declares")
	}
	return content, nil
}

func explainInflate(e zipEntry, err error) error {
	switch {
	case errors.Is(err, inflate.ErrShort):
		return badEntry(e.name, "is shorter than the %d bytes that it declares", e.size)
	case errors.Is(err, inflate.ErrLong):
		return badEntry(e.name, "is longer than the %d bytes that it declares", e.size)
	case errors.Is(err, inflate.ErrTrailing):
		return badEntry(e.name, "has data after the end of its content")
	}
	return badEntry(e.name, "cannot be inflated: %w", err)
}

// streamed reads an entry through, and gives its content only if that is wanted.
func (c *checker) streamed(e zipEntry, wanted bool) (content []byte, sum [sha256.Size]byte, err error) {
	if c.stream == nil {
		c.stream = newInflater(c.archive.source)
	}
	digest := sha256.New()
	w, text := io.Writer(digest), new(bytes.Buffer)
	if wanted {
		text = bytes.NewBuffer(make([]byte, 0, e.size))
		w = io.MultiWriter(digest, text)
	}
	if err := c.stream.copy(w, e); err != nil {
		return nil, sum, err
	}
	return text.Bytes(), [sha256.Size]byte(digest.Sum(nil)), nil
}
