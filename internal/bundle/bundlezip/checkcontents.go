package bundlezip

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"sync"
	"sync/atomic"
)

// maxKept is how many bytes of verified content are kept in memory: as many as
// a project may have that is packaged anew. Such a bundle is inflated once, when
// it is checked; what does not fit is inflated again when it is read.
const maxKept = 25 << 20

// checkers is how many files are inflated at once: more than a few would only
// wait for the same disk.
const checkers = 4

// checkContents inflates everything once. Of several files that are wrong, it
// names the first.
func (a *Archive) checkContents() error {
	places := portPlaces(a.manifest.Ports)
	failures := make([]error, len(a.manifest.Files))
	var next, room atomic.Int64
	room.Store(maxKept)
	var failed atomic.Bool
	var working sync.WaitGroup
	for range min(checkers, runtime.GOMAXPROCS(0), len(a.manifest.Files)) {
		working.Go(func() {
			in := newInflater(a.source)
			for i := next.Add(1) - 1; i < int64(len(failures)) && !failed.Load(); i = next.Add(1) - 1 {
				f := a.manifest.Files[i]
				var used []portPlace
				if f.Base == ProjectRoot {
					used = places[f.Path]
				}
				if err := a.files[fileKey{f.Base, f.Path}].check(in, used, &room); err != nil {
					failures[i] = err
					failed.Store(true)
				}
			}
		})
	}
	working.Wait()
	return cmp.Or(failures...)
}

// check inflates a content and keeps it if there is room.
func (f *archived) check(in *inflater, used []portPlace, room *atomic.Int64) error {
	keep := room.Add(-f.entry.size) >= 0
	if !keep {
		room.Add(f.entry.size)
	}
	var content []byte
	var err error
	digest := sha256.New()
	if keep || len(used) > 0 {
		content, err = in.readAll(f.entry)
		_, _ = digest.Write(content) // a hash never fails
	} else {
		err = in.copy(digest, f.entry)
	}
	switch {
	case err != nil:
		return err
	case hex.EncodeToString(digest.Sum(nil)) != f.file.SHA256:
		return badEntry(f.entry.name, "does not have the SHA-256 that the manifest says")
	case keep:
		f.content = content
	}
	return checkPortPlaces(f.file.Path, content, used)
}
