package bundlezip

import (
	"fmt"
	"iter"
)

// maxPortUses bounds what has to be searched for in files.
const maxPortUses = 256

// validate applies the rules that a schema cannot express. Write applies them
// too, so nothing here may depend on sizes and digests being known.
func (m Manifest) validate() error {
	for _, base := range []Base{ProjectRoot, Home} {
		if err := checkSet(m.pathsFrom(base), MaxPath); err != nil {
			return &ManifestError{Field: "/files", Err: err}
		}
	}
	if err := checkSet(m.entryNames(), maxEntryName); err != nil {
		return &ManifestError{Field: "/files", Err: fmt.Errorf("entry names: %w", err)}
	}
	for _, f := range m.Files {
		if f.Base != Home {
			continue
		}
		if err := checkHomeFile(f); err != nil {
			return &ManifestError{Field: "/files", Err: err}
		}
	}
	if total := m.ContentBytes(); total > MaxUnpacked {
		return badManifest("/files", "the files have %d bytes together, more than %d", total, MaxUnpacked)
	}
	return m.validatePorts()
}

func (m Manifest) pathsFrom(base Base) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, f := range m.Files {
			if f.Base == base && !yield(f.Path) {
				return
			}
		}
	}
}

// entryNames gives all entries of the archive, the manifest first: a file that
// claims its name in any spelling is found out.
func (m Manifest) entryNames() iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(ManifestName) {
			return
		}
		for _, f := range m.Files {
			if !yield(f.EntryName()) {
				return
			}
		}
	}
}

func (m Manifest) validatePorts() error {
	sizes := map[string]int64{}
	for _, f := range m.Files {
		if f.Base == ProjectRoot {
			sizes[f.Path] = f.Size
		}
	}
	names := map[string]bool{}
	uses := 0
	for _, p := range m.Ports {
		if names[p.Name] {
			return badManifest("/ports", "port %q is declared twice", p.Name)
		}
		names[p.Name] = true
		for _, u := range p.Uses {
			size, listed := sizes[u.Path]
			if !listed {
				return badManifest("/ports", "port %q is used in %q, which is not a file of the project", p.Name, u.Path)
			}
			if size > MaxPortFile {
				return badManifest("/ports", "port %q is used in %q, which is larger than %d bytes", p.Name, u.Path, MaxPortFile)
			}
			if err := CheckTemplate(u.Template); err != nil {
				return badManifest("/ports", "port %q in %q: %w", p.Name, u.Path, err)
			}
		}
		uses += len(p.Uses)
	}
	if uses > maxPortUses {
		return badManifest("/ports", "ports are used in %d places, more than %d", uses, maxPortUses)
	}
	return nil
}
