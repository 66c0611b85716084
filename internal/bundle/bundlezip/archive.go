package bundlezip

import (
	"bytes"
	"io"
	"io/fs"
)

// Archive is a ZIP whose directory and manifest agree. It reads from the source
// that it was made from, which must stay open and unchanged. The zero Archive holds
// no files.
type Archive struct {
	source   io.ReaderAt
	manifest Manifest
	files    map[fileKey]*archived
}

type fileKey struct {
	base Base
	path string
}

type archived struct {
	file    File
	entry   zipEntry
	content []byte // verified by Check, or nil if it was not kept
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
	return newArchive(r, entries)
}

// newArchive reads the manifest and finds each of its files among the entries,
// whose content places are known.
func newArchive(r io.ReaderAt, entries []zipEntry) (*Archive, error) {
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
	text, err := newInflater(r).readAll(described)
	if err != nil {
		return nil, err
	}
	manifest, err := ParseManifest(text)
	if err != nil {
		return nil, err
	}
	delete(byName, ManifestName)
	a := &Archive{source: r, manifest: manifest, files: make(map[fileKey]*archived, len(manifest.Files))}
	for _, f := range manifest.Files {
		e, found := byName[f.EntryName()]
		if !found {
			return nil, badEntry(f.EntryName(), "is listed in the manifest and missing")
		}
		if e.size != f.Size {
			return nil, badEntry(e.name, "has %d bytes where the manifest says %d", e.size, f.Size)
		}
		delete(byName, e.name)
		a.files[fileKey{f.Base, f.Path}] = &archived{file: f, entry: e}
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
	if !ok {
		return File{}, false
	}
	return found.file, true
}

// Open gives the content of the file at a path. Reading it fails where size or
// CRC do not come out. A file that is not there is fs.ErrNotExist.
func (a *Archive) Open(base Base, path string) (io.ReadCloser, error) {
	found, ok := a.files[fileKey{base, path}]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	if found.content != nil {
		return io.NopCloser(bytes.NewReader(found.content)), nil
	}
	in := newInflater(a.source)
	in.start(found.entry)
	return io.NopCloser(in), nil
}

// Verified gives the content of the file at a path if Check has kept it. It must
// not be changed, and has the digest that the manifest says.
func (a *Archive) Verified(base Base, path string) (content []byte, ok bool) {
	found, ok := a.files[fileKey{base, path}]
	if !ok || found.content == nil {
		return nil, false
	}
	return found.content, true
}

// ReadFile gives the content of the file at a path as a whole.
func (a *Archive) ReadFile(base Base, path string) ([]byte, error) {
	found, ok := a.files[fileKey{base, path}]
	switch {
	case !ok:
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	case found.content != nil:
		return bytes.Clone(found.content), nil
	}
	return newInflater(a.source).readAll(found.entry)
}

// Content gives the content of the file at a path for another state, into which
// it is copied as it is. A file that is not there is the zero Content.
func (a *Archive) Content(base Base, path string) Content {
	found, ok := a.files[fileKey{base, path}]
	if !ok {
		return Content{}
	}
	return Content{pack: a, packed: found}
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
			Content:         a.Content(f.Base, f.Path),
		})
	}
	return s
}
