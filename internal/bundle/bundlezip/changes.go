package bundlezip

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
)

// ChangesName is the entry of an archive of changes that says what they are about.
const ChangesName = "changes.json"

// How much an archive of changes may hold, unpacked: files and bytes beside its
// ChangesName, and how large that may be.
const (
	MaxChangedFiles = 500
	MaxChangedBytes = 25 << 20
	maxChangesNote  = 1 << 20
)

// Changes is an archive of changed and new files of a project. It reads from the
// source that it was made from, which must stay open and unchanged.
type Changes struct {
	// Note is the content of ChangesName.
	Note []byte
	// Files are the others, by path. They have digests only where there are not too
	// many of them.
	Files []ChangedFile
	// Bytes is their size in all.
	Bytes int64

	source io.ReaderAt
}

// ChangedFile is a file in an archive of changes.
type ChangedFile struct {
	Path   string
	Mode   Mode
	Size   int64
	SHA256 string
	entry  zipEntry
}

// CheckChanges reads an archive of changes that nobody vouches for, to its last byte,
// by the law that Check has for bundles, and gives it back only if all of it is well.
// One with more files or bytes than are allowed is given back without having been
// inflated: TooLarge tells. An error that matches ErrInvalid speaks of the archive,
// any other of reading it.
func CheckChanges(r io.ReaderAt, size int64) (*Changes, error) {
	entries, start, err := readDirectory(r, size)
	if err != nil {
		return nil, err
	}
	if err := locate(r, entries, start); err != nil {
		return nil, err
	}
	c := &Changes{source: r}
	noted := false
	var paths []string
	for _, e := range entries {
		if e.name == ChangesName {
			if e.size > maxChangesNote {
				return nil, badEntry(e.name, "is larger than %d bytes", maxChangesNote)
			}
			noted = true
			if c.Note, err = newInflater(r).readAll(e); err != nil {
				return nil, err
			}
			continue
		}
		paths = append(paths, e.name)
		c.Bytes += e.size
		c.Files = append(c.Files, ChangedFile{Path: e.name, Mode: ModeOf(e.perm), Size: e.size, entry: e})
	}
	if !noted {
		return nil, badEntry(ChangesName, "is missing")
	}
	if err := CheckPaths(paths); err != nil {
		return nil, err
	}
	slices.SortFunc(c.Files, func(a, b ChangedFile) int { return cmp.Compare(a.Path, b.Path) })
	if c.TooLarge() {
		return c, nil
	}
	return c, c.digest()
}

// TooLarge says whether there are more files or bytes than are allowed.
func (c *Changes) TooLarge() bool { return len(c.Files) > MaxChangedFiles || c.Bytes > MaxChangedBytes }

// digest inflates everything once.
func (c *Changes) digest() error {
	in := newInflater(c.source)
	sum := sha256.New()
	for i := range c.Files {
		sum.Reset()
		if err := in.copy(sum, c.Files[i].entry); err != nil {
			return err
		}
		c.Files[i].SHA256 = hex.EncodeToString(sum.Sum(nil))
	}
	return nil
}

// Content is the content of a file, for a state. It is deflated anew, so that the
// same state has the same bytes whoever brought it.
func (c *Changes) Content(f ChangedFile) Content {
	return Reader(func() (io.ReadCloser, error) {
		in := newInflater(c.source)
		in.start(f.entry)
		return io.NopCloser(in), nil
	})
}

// ReadFile gives the content of a file as a whole.
func (c *Changes) ReadFile(f ChangedFile) ([]byte, error) {
	return newInflater(c.source).readAll(f.entry)
}

// WriteChanges writes an archive of changes.
func WriteChanges(w io.Writer, note []byte, files []StateFile) error {
	out := newArchiveWriter(w)
	defer out.packed.close()
	for _, f := range append([]StateFile{{Path: ChangesName, Content: Bytes(note)}}, files...) {
		entry := File{Path: f.Path, Mode: cmp.Or(f.Mode, Plain)}
		if err := out.add(&entry, f.Content, nil); err != nil {
			return err
		}
	}
	return out.zip.Close()
}
