package bundlezip

import (
	"bytes"
	"cmp"
	"io"
	"slices"
	"strings"
)

// State is everything that a pack says: the same state gives the same bytes.
// The order of files, ports and uses means nothing.
type State struct {
	ProjectID    string
	Architecture map[string]string
	Files        []StateFile
	Ports        []Port
}

// StateFile is one file of a state.
type StateFile struct {
	// Path is the slash-separated place at the destination, from Base.
	Path string
	// DestinationType and MergeStrategy are what DefaultPlacement says if empty.
	DestinationType DestinationType
	MergeStrategy   MergeStrategy
	Base            Base
	// Mode is Plain if empty.
	Mode    Mode
	Content Content
}

// Content is where the bytes of a file come from: Bytes, Reader, or a pack, as
// Archive.State has it. The zero Content is refused, for it is always a mistake.
type Content struct {
	open   func() (io.ReadCloser, error)
	pack   *Archive
	packed *archived
}

// Bytes is content held in memory.
func Bytes(content []byte) Content {
	return Content{open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// Reader is content that is opened when its turn comes, read once, and closed
// before the next file is opened.
func Reader(open func() (io.ReadCloser, error)) Content { return Content{open: open} }

// Put adds a file, or replaces the one at the same place.
func (s *State) Put(f StateFile) {
	s.Remove(f.Base, f.Path)
	s.Files = append(s.Files, f)
}

// Remove takes the file at a path out, and says whether there was one.
func (s *State) Remove(base Base, path string) bool {
	before := len(s.Files)
	s.Files = slices.DeleteFunc(s.Files, func(f StateFile) bool { return f.Base == base && f.Path == path })
	return len(s.Files) < before
}

// Check applies every rule that does not need the contents. Write does so too.
// The error matches ErrInvalid.
func (s State) Check() error {
	_, err := s.outline()
	return err
}

// unknownDigest stands in for a digest while the rest is checked.
var unknownDigest = strings.Repeat("0", 64)

// outline gives the manifest as far as it is known before contents are read,
// with entries named, if a reader would accept it.
func (s State) outline() (Manifest, error) {
	m := Manifest{ProjectID: s.ProjectID, Architecture: s.Architecture}
	folder := s.spareFolder()
	for _, f := range s.Files {
		if f.Content.open == nil && f.Content.pack == nil {
			return Manifest{}, &ManifestError{Field: "/files", Err: &PathError{Path: f.Path, Reason: "has no content"}}
		}
		destination, strategy := f.placement()
		file := File{
			Path:            f.Path,
			DestinationType: destination,
			MergeStrategy:   strategy,
			Base:            f.Base,
			SHA256:          unknownDigest,
			Mode:            cmp.Or(f.Mode, Plain),
		}
		switch {
		case f.Base == Home:
			file.Entry = folder + "/home/" + f.Path
		case FoldName(firstComponent(f.Path)) == ManifestName:
			file.Entry = folder + "/project/" + f.Path
		}
		m.Files = append(m.Files, file)
	}
	for _, p := range s.Ports {
		p.Uses = slices.Clone(p.Uses)
		m.Ports = append(m.Ports, p)
	}
	m.sort()
	return m, m.Check()
}

// spareFolder is a root folder that no file of the project lies in: it depends
// on the set of paths and on nothing else.
func (s State) spareFolder() string {
	used := map[string]bool{}
	for _, f := range s.Files {
		used[FoldName(firstComponent(f.Path))] = true
	}
	folder := "_svc"
	for used[folder] {
		folder += "_"
	}
	return folder
}

func firstComponent(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
