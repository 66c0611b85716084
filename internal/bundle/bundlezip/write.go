package bundlezip

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"io/fs"
	"slices"

	"github.com/klauspost/compress/flate"
)

// Result tells what Write has written.
type Result struct {
	// FileCount counts the files; the manifest is not one of them.
	FileCount int
	// ContentBytes is the sum of the files' uncompressed sizes.
	ContentBytes int64
	// Size and SHA256 (lower-case hexadecimal) are those of the archive.
	Size   int64
	SHA256 string
}

// compressionLevel is the best that klauspost's fast encoders reach.
const compressionLevel = 6

// Write writes the one archive of a state to w. New contents are opened one at
// a time and deflated through a buffer that spills to a temporary file; what
// lies in a pack already is copied. An error that matches ErrInvalid speaks of
// the state, any other of reading or writing; w then holds a part of an archive
// that nobody must use.
func Write(w io.Writer, s State) (Result, error) {
	result, _, err := writeArchive(w, s)
	return result, err
}

// Describe gives the manifest that Write would write.
func Describe(s State) (Manifest, error) {
	_, m, err := writeArchive(io.Discard, s)
	return m, err
}

func writeArchive(w io.Writer, s State) (Result, Manifest, error) {
	m, err := s.outline()
	if err != nil {
		return Result{}, m, err
	}
	contents := make(map[fileKey]Content, len(s.Files))
	for _, f := range s.Files {
		contents[fileKey{f.Base, f.Path}] = f.Content
	}
	out := newArchiveWriter(w)
	defer out.packed.close()
	places := portPlaces(m.Ports)
	byEntry := make([]*File, len(m.Files))
	for i := range m.Files {
		byEntry[i] = &m.Files[i]
	}
	slices.SortFunc(byEntry, func(a, b *File) int { return cmp.Compare(a.EntryName(), b.EntryName()) })
	for _, f := range byEntry {
		var used []portPlace
		if f.Base == ProjectRoot {
			used = places[f.Path]
		}
		if err := out.add(f, contents[fileKey{f.Base, f.Path}], used); err != nil {
			return Result{}, m, err
		}
	}
	result, err := out.finish(m)
	return result, m, err
}

// archiveWriter is one archive in the making.
type archiveWriter struct {
	zip    *zip.Writer
	target *digestWriter
	packed *spillBuffer
	flate  *flate.Writer
	buffer []byte
	total  int64
}

func newArchiveWriter(w io.Writer) *archiveWriter {
	target := &digestWriter{w: w, sum: sha256.New()}
	return &archiveWriter{
		zip:    zip.NewWriter(bufio.NewWriterSize(target, 64<<10)),
		target: target,
		packed: &spillBuffer{},
		buffer: make([]byte, 64<<10),
	}
}

// add writes one file and completes its line of the manifest.
func (p *archiveWriter) add(f *File, c Content, used []portPlace) error {
	if c.pack != nil {
		return p.addPacked(f, c, used)
	}
	return p.addNew(f, c, used)
}

func (p *archiveWriter) addPacked(f *File, c Content, used []portPlace) error {
	f.SHA256, f.Size = c.packed.file.SHA256, c.packed.file.Size
	if err := p.account(f, used); err != nil {
		return err
	}
	e := c.packed.entry
	if len(used) > 0 {
		content, err := newInflater(c.pack.source).readAll(e)
		if err != nil {
			return err
		}
		if err := checkPortPlaces(f.Path, content, used); err != nil {
			return err
		}
	}
	w, err := p.create(f.EntryName(), f.Mode, e.method, e.crc, e.packed, e.size)
	if err != nil {
		return err
	}
	n, err := io.CopyBuffer(struct{ io.Writer }{w}, io.NewSectionReader(c.pack.source, e.data, e.packed), p.buffer)
	if err == nil && n != e.packed {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("copy %q from its pack: %w", f.Path, err)
	}
	return nil
}

func (p *archiveWriter) addNew(f *File, c Content, used []portPlace) error {
	source, err := c.open()
	if err != nil {
		return fmt.Errorf("open %q: %w", f.Path, err)
	}
	err = p.deflate(f, source, used)
	if closeErr := source.Close(); err == nil && closeErr != nil {
		err = fmt.Errorf("close %q: %w", f.Path, closeErr)
	}
	return err
}

func (p *archiveWriter) deflate(f *File, source io.Reader, used []portPlace) error {
	p.packed.reset()
	if p.flate == nil {
		compressor, err := flate.NewWriter(p.packed, compressionLevel)
		if err != nil {
			return fmt.Errorf("start deflate: %w", err)
		}
		p.flate = compressor
	} else {
		p.flate.Reset(p.packed)
	}
	digest, sum := sha256.New(), crc32.NewIEEE()
	sinks := []io.Writer{p.flate, digest, sum}
	var content bytes.Buffer
	if len(used) > 0 {
		sinks = append(sinks, &limitedBuffer{buffer: &content, limit: MaxPortFile})
	}
	// One byte more than may come is enough to know that too much does.
	limited := io.LimitReader(source, MaxUnpacked-p.total+1)
	size, err := io.CopyBuffer(io.MultiWriter(sinks...), limited, p.buffer)
	if err != nil {
		return fmt.Errorf("deflate %q: %w", f.Path, err)
	}
	if err := p.flate.Close(); err != nil {
		return fmt.Errorf("deflate %q: %w", f.Path, err)
	}
	f.Size, f.SHA256 = size, hex.EncodeToString(digest.Sum(nil))
	if err := p.account(f, used); err != nil {
		return err
	}
	if err := checkPortPlaces(f.Path, content.Bytes(), used); err != nil {
		return err
	}
	if size == 0 {
		_, err := p.create(f.EntryName(), f.Mode, methodStore, 0, 0, 0)
		return err
	}
	w, err := p.create(f.EntryName(), f.Mode, methodDeflate, sum.Sum32(), p.packed.size, size)
	if err != nil {
		return err
	}
	if err := p.packed.copyTo(w, p.buffer); err != nil {
		return fmt.Errorf("write %q: %w", f.Path, err)
	}
	return nil
}

// account keeps the limits that depend on sizes.
func (p *archiveWriter) account(f *File, used []portPlace) error {
	p.total += f.Size
	if p.total > MaxUnpacked {
		return badManifest("/files", "the files have more than %d bytes together", MaxUnpacked)
	}
	if len(used) > 0 && f.Size > MaxPortFile {
		return badManifest("/ports", "port %q is used in %q, which is larger than %d bytes", used[0].name, f.Path, MaxPortFile)
	}
	return nil
}

// dosEpoch is 1 January 1980, the earliest date that a ZIP can tell.
const dosEpoch = 1<<5 | 1

func (p *archiveWriter) create(name string, mode Mode, method uint16, crc uint32, packed, size int64) (io.Writer, error) {
	header := &zip.FileHeader{
		Name:               name,
		ReaderVersion:      versionAllowed,
		Method:             method,
		CRC32:              crc,
		CompressedSize64:   uint64(packed),
		UncompressedSize64: uint64(size),
	}
	if !isASCII(name) {
		header.Flags = flagUTF8
	}
	// CreateRaw looks at no other field for the time.
	header.ModifiedDate = dosEpoch //nolint:staticcheck // deprecated for CreateHeader, the only way for CreateRaw
	header.SetMode(fs.FileMode(0) | mode.Perm())
	w, err := p.zip.CreateRaw(header)
	if err != nil {
		return nil, fmt.Errorf("write header of %q: %w", name, err)
	}
	return w, nil
}

// finish writes the manifest, stored: its bytes shall depend on no compressor.
func (p *archiveWriter) finish(m Manifest) (Result, error) {
	text, err := m.Encode()
	if err != nil {
		return Result{}, err
	}
	size := int64(len(text))
	if size > MaxManifest {
		return Result{}, badManifest("", "would be larger than %d bytes: the project has too many files or too long paths", MaxManifest)
	}
	if p.total+size > MaxUnpacked {
		return Result{}, badManifest("/files", "the files and the manifest have more than %d bytes together", MaxUnpacked)
	}
	w, err := p.create(ManifestName, Plain, methodStore, crc32.ChecksumIEEE(text), size, size)
	if err != nil {
		return Result{}, err
	}
	if _, err := w.Write(text); err != nil {
		return Result{}, fmt.Errorf("write %s: %w", ManifestName, err)
	}
	if err := p.zip.Close(); err != nil {
		return Result{}, fmt.Errorf("write directory: %w", err)
	}
	return Result{
		FileCount:    len(m.Files),
		ContentBytes: p.total,
		Size:         p.target.size,
		SHA256:       hex.EncodeToString(p.target.sum.Sum(nil)),
	}, nil
}

// digestWriter counts and digests what passes.
type digestWriter struct {
	w    io.Writer
	sum  hash.Hash
	size int64
}

func (d *digestWriter) Write(b []byte) (int, error) {
	n, err := d.w.Write(b)
	d.size += int64(n)
	_, _ = d.sum.Write(b[:n]) // a hash never fails
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return n, err
}

var errPortFileTooLarge = errors.New("a file in which a port is declared is too large")

// limitedBuffer keeps a file in which ports are looked for, up to a limit.
type limitedBuffer struct {
	buffer *bytes.Buffer
	limit  int
}

func (l *limitedBuffer) Write(b []byte) (int, error) {
	if l.buffer.Len()+len(b) > l.limit {
		return 0, &ManifestError{Field: "/ports", Err: errPortFileTooLarge}
	}
	return l.buffer.Write(b)
}
