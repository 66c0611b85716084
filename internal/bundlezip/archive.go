package bundlezip

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"

	"github.com/klauspost/compress/flate"
)

// Archive is a ZIP whose directory and manifest agree. It reads from the source
// that it was made from, which must stay open and unchanged.
type Archive struct {
	source   io.ReaderAt
	manifest Manifest
	files    map[fileKey]archived
	kept     keeper // contents that Check has verified
}

type fileKey struct {
	base Base
	path string
}

type archived struct {
	file  File
	entry zipEntry
}

// Open reads a pack that Write made, from a place that can be trusted: it reads
// directory and manifest, in two or three reads, and leaves the contents alone.
// For anything that comes from elsewhere there is Check.
func Open(r io.ReaderAt, size int64) (*Archive, error) {
	entries, start, err := readDirectory(r, size)
	if err != nil {
		return nil, err
	}
	// The layout that Write makes says where each content begins without a
	// look at its local header.
	next := int64(0)
	for i := range entries {
		e := &entries[i]
		if e.header != next || e.flags&flagDescriptor != 0 {
			return nil, badEntry(e.name, "does not lie where a pack has it")
		}
		e.data = e.header + localLength + int64(len(e.name))
		next = e.data + e.packed
	}
	if next != start {
		return nil, badArchive("has data between its entries and its directory")
	}
	return newArchive(r, entries, packManifest)
}

// newArchive reads the manifest and finds each of its files among the entries,
// whose content places are known.
func newArchive(r io.ReaderAt, entries []zipEntry, parse func([]byte) (Manifest, error)) (*Archive, error) {
	byName := make(map[string]zipEntry, len(entries))
	for _, e := range entries {
		byName[e.name] = e
	}
	described, found := byName[ManifestName]
	if !found {
		return nil, badArchive("has no %s", ManifestName)
	}
	if described.size > MaxManifest {
		return nil, badManifest("", "is larger than %d bytes", MaxManifest)
	}
	var text bytes.Buffer
	text.Grow(int(described.size))
	if err := newInflater(r).copy(&text, described); err != nil {
		return nil, err
	}
	manifest, err := parse(text.Bytes())
	if err != nil {
		return nil, err
	}
	delete(byName, ManifestName)
	a := &Archive{source: r, manifest: manifest, files: make(map[fileKey]archived, len(manifest.Files))}
	for _, f := range manifest.Files {
		e, found := byName[f.EntryName()]
		if !found {
			return nil, badEntry(f.EntryName(), "is listed in the manifest and missing")
		}
		if e.size != f.Size {
			return nil, badEntry(e.name, "has %d bytes where the manifest says %d", e.size, f.Size)
		}
		delete(byName, e.name)
		a.files[fileKey{f.Base, f.Path}] = archived{f, e}
	}
	for _, e := range entries {
		if _, unlisted := byName[e.name]; unlisted {
			return nil, badEntry(e.name, "is not listed in the manifest")
		}
	}
	return a, nil
}

// Manifest is what the archive says of itself. It must not be changed.
func (a *Archive) Manifest() Manifest { return a.manifest }

// Find gives the file at a path.
func (a *Archive) Find(base Base, path string) (File, bool) {
	found, ok := a.files[fileKey{base, path}]
	return found.file, ok
}

// Open gives the content of the file at a path. Reading it fails where size or
// CRC do not come out. A file that is not there is fs.ErrNotExist.
func (a *Archive) Open(base Base, path string) (io.ReadCloser, error) {
	found, ok := a.files[fileKey{base, path}]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if content, ok := a.kept.get(found.entry.name); ok {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	in := newInflater(a.source)
	in.start(found.entry)
	return io.NopCloser(in), nil
}

// Verified gives the content of the file at a path if Check has kept it. It must
// not be changed, and has the digest that the manifest says.
func (a *Archive) Verified(base Base, path string) (content []byte, ok bool) {
	found, ok := a.files[fileKey{base, path}]
	if !ok {
		return nil, false
	}
	return a.kept.get(found.entry.name)
}

// ReadFile gives the content of the file at a path as a whole.
func (a *Archive) ReadFile(base Base, path string) ([]byte, error) {
	found, ok := a.files[fileKey{base, path}]
	if !ok {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	if content, ok := a.kept.get(found.entry.name); ok {
		return bytes.Clone(content), nil
	}
	var content bytes.Buffer
	content.Grow(int(found.entry.size))
	err := newInflater(a.source).copy(&content, found.entry)
	return content.Bytes(), err
}

// State gives the project state that the archive holds. Files added to it,
// replaced or taken out make the next state; those left alone are copied as
// they are, without being inflated.
func (a *Archive) State() State {
	s := State{
		ProjectID:    a.manifest.ProjectID,
		Architecture: make(map[string]string, len(a.manifest.Architecture)),
		Files:        make([]StateFile, 0, len(a.manifest.Files)),
	}
	for key, value := range a.manifest.Architecture {
		s.Architecture[key] = value
	}
	for _, p := range a.manifest.Ports {
		p.Uses = append([]PortUse(nil), p.Uses...)
		s.Ports = append(s.Ports, p)
	}
	for _, f := range a.manifest.Files {
		s.Files = append(s.Files, StateFile{
			Path:            f.Path,
			DestinationType: f.DestinationType,
			MergeStrategy:   f.MergeStrategy,
			Base:            f.Base,
			Mode:            f.Mode,
			Content:         Content{pack: a, packed: a.files[fileKey{f.Base, f.Path}]},
		})
	}
	return s
}

// inflater reads entries one after the other, each to its exact end. It never
// gives out more bytes than an entry declares.
type inflater struct {
	source  io.ReaderAt
	entry   zipEntry
	packed  *bufio.Reader
	content io.Reader
	flate   io.ReadCloser
	sum     hash.Hash32
	left    int64
	err     error
	buffer  []byte
}

func newInflater(source io.ReaderAt) *inflater {
	return &inflater{source: source, sum: crc32.NewIEEE(), packed: bufio.NewReaderSize(nil, 32<<10)}
}

func (in *inflater) start(e zipEntry) {
	in.entry, in.left, in.err = e, e.size, nil
	in.sum.Reset()
	in.packed.Reset(io.NewSectionReader(in.source, e.data, e.packed))
	if e.method == methodStore {
		in.content = in.packed
		return
	}
	if used, ok := in.flate.(flate.Resetter); !ok {
		in.flate = flate.NewReader(in.packed) // the first one
	} else if err := used.Reset(in.packed, nil); err != nil {
		in.err = fmt.Errorf("start to inflate %q: %w", e.name, err)
	}
	in.content = in.flate
}

// Read implements io.Reader over the entry that was started last.
func (in *inflater) Read(p []byte) (int, error) {
	if in.err != nil {
		return 0, in.err
	}
	if in.left == 0 {
		in.err = in.finish()
		return 0, in.err
	}
	if int64(len(p)) > in.left {
		p = p[:in.left]
	}
	n, err := in.content.Read(p)
	in.left -= int64(n)
	_, _ = in.sum.Write(p[:n]) // a hash never fails
	if err != nil && !(errors.Is(err, io.EOF) && in.left == 0) {
		in.err = in.explain(err)
	}
	return n, in.err
}

// finish is reached when the declared size has been read: now the compressed
// form must end as well, exactly where its declared size ends.
func (in *inflater) finish() error {
	var more [1]byte
	switch n, err := io.ReadFull(in.content, more[:]); {
	case n > 0:
		return badEntry(in.entry.name, "is longer than the %d bytes that it declares", in.entry.size)
	case !errors.Is(err, io.EOF):
		return in.explain(err)
	}
	if _, err := in.packed.ReadByte(); err == nil {
		return badEntry(in.entry.name, "has data after the end of its content")
	} else if !errors.Is(err, io.EOF) {
		return in.explain(err)
	}
	if in.sum.Sum32() != in.entry.crc {
		return badEntry(in.entry.name, "does not have the CRC that it declares")
	}
	return io.EOF
}

// explain tells bad content from a source that cannot be read.
func (in *inflater) explain(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return badEntry(in.entry.name, "is shorter than the %d bytes that it declares", in.entry.size)
	}
	_, corrupt := errors.AsType[flate.CorruptInputError](err)
	_, internal := errors.AsType[flate.InternalError](err) // despite its name, input can bring it about
	if corrupt || internal {
		return badEntry(in.entry.name, "cannot be inflated: %w", err)
	}
	return fmt.Errorf("read entry %q: %w", in.entry.name, err)
}

// copy writes the whole content of an entry to w.
func (in *inflater) copy(w io.Writer, e zipEntry) error {
	if in.buffer == nil {
		in.buffer = make([]byte, 32<<10)
	}
	in.start(e)
	// The wrapper keeps w from reading in sizes of its own.
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, in, in.buffer)
	return err
}
