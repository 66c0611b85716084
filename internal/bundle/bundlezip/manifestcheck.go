package bundlezip

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a manifest.
const (
	maxArchitecture = 1000
	maxFiles        = MaxEntries - 1
	maxPorts        = 64
	maxUsesOfPort   = 64
	maxTemplate     = 1024 // characters
	// maxPortUses bounds what has to be searched for in files.
	maxPortUses = 256
)

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

// consistsOf says whether a text has no other characters than these.
func consistsOf(text, characters string) bool { return strings.Trim(text, characters) == "" }

// Check applies every rule of a manifest that does not need the files: what the
// fields may hold, the paths alone and together, the home rules, the limits, the
// form of port templates. Server and client both live by it. Nothing here
// depends on sizes and digests being the right ones, for a state is checked
// before they are known. The error is a *ManifestError.
func (m Manifest) Check() error {
	id, isProject := strings.CutPrefix(m.ProjectID, "proj_")
	switch {
	case !isProject || id == "" || len(id) > 64 || !consistsOf(id, letters+digits+"_-"):
		return badManifest("/project_id", "must be proj_ and up to 64 letters, digits, _ or -")
	case len(m.Architecture) > maxArchitecture:
		return badManifest("/architecture", "has more than %d entries", maxArchitecture)
	case len(m.Files) > maxFiles:
		return badManifest("/files", "has more than %d items", maxFiles)
	case len(m.Ports) > maxPorts:
		return badManifest("/ports", "has more than %d items", maxPorts)
	}
	for key, value := range m.Architecture {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			return badManifest("/architecture", "%q: %q is not valid UTF-8", key, value)
		}
	}
	for i, f := range m.Files {
		if err := f.check(fmt.Sprintf("/files/%d", i)); err != nil {
			return err
		}
	}
	if total := m.ContentBytes(); total > MaxUnpacked {
		return badManifest("/files", "the files have %d bytes together, more than %d", total, MaxUnpacked)
	}
	if err := m.checkPaths(); err != nil {
		return err
	}
	return m.checkPorts()
}

func (f File) check(at string) error {
	switch {
	case f.DestinationType != Project && f.DestinationType != GlobalConfig:
		return badManifest(at+"/destination_type", "is %q, which is unknown", f.DestinationType)
	case !slices.Contains(strategies, f.MergeStrategy):
		return badManifest(at+"/merge_strategy", "is %q, which is none of %q", f.MergeStrategy, strategies)
	case f.Base != ProjectRoot && f.Base != Home:
		return badManifest(at+"/base", "is %q, which is unknown", f.Base)
	case f.Mode != Plain && f.Mode != Executable:
		return badManifest(at+"/mode", "is %q, which is neither %s nor %s", f.Mode, Plain, Executable)
	case len(f.SHA256) != 64 || !consistsOf(f.SHA256, digits+"abcdef"):
		return badManifest(at+"/sha256", "must be 64 lower-case hexadecimal digits")
	case f.Size < 0 || f.Size > MaxUnpacked:
		return badManifest(at+"/size", "must be 0 to %d, not %d", MaxUnpacked, f.Size)
	}
	err := CheckPath(f.Path)
	if err == nil && f.Base == Home {
		err = checkHomeFile(f)
	}
	if err != nil {
		return &ManifestError{Field: at + "/path", Err: err}
	}
	return nil
}

// checkPaths holds the paths against each other, and the names of the entries:
// that of the manifest comes first, so that a file that claims it in any
// spelling is found out.
func (m Manifest) checkPaths() error {
	for _, base := range []Base{ProjectRoot, Home} {
		if err := checkSet(m.pathsFrom(base), MaxPath); err != nil {
			return &ManifestError{Field: "/files", Err: err}
		}
	}
	names := []string{ManifestName}
	for _, f := range m.Files {
		names = append(names, f.EntryName())
	}
	if err := checkSet(slices.Values(names), maxEntryName); err != nil {
		return &ManifestError{Field: "/files", Err: fmt.Errorf("entry names: %w", err)}
	}
	return nil
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

func (m Manifest) checkPorts() error {
	sizes := map[string]int64{}
	for _, f := range m.Files {
		if f.Base == ProjectRoot {
			sizes[f.Path] = f.Size
		}
	}
	names := map[string]bool{}
	uses := 0
	for i, p := range m.Ports {
		at := fmt.Sprintf("/ports/%d", i)
		switch {
		case p.Name == "" || len(p.Name) > 64 || !consistsOf(p.Name, letters+digits+"._-") || !consistsOf(p.Name[:1], letters+digits):
			return badManifest(at+"/name", "must be up to 64 letters, digits, dots, _ or -, beginning with a letter or digit")
		case names[p.Name]:
			return badManifest("/ports", "port %q is declared twice", p.Name)
		case p.Port < 1 || p.Port > 65535:
			return badManifest(at+"/port", "must be 1 to 65535, not %d", p.Port)
		case len(p.Uses) > maxUsesOfPort:
			return badManifest(at+"/uses", "has more than %d items", maxUsesOfPort)
		}
		names[p.Name] = true
		uses += len(p.Uses)
		for _, u := range p.Uses {
			size, listed := sizes[u.Path]
			switch {
			case !listed:
				return badManifest("/ports", "port %q is used in %q, which is not a file of the project", p.Name, u.Path)
			case size > MaxPortFile:
				return badManifest("/ports", "port %q is used in %q, which is larger than %d bytes", p.Name, u.Path, MaxPortFile)
			}
			if err := CheckTemplate(u.Template); err != nil {
				return badManifest("/ports", "port %q in %q: %w", p.Name, u.Path, err)
			}
		}
	}
	if uses > maxPortUses {
		return badManifest("/ports", "ports are used in %d places, more than %d", uses, maxPortUses)
	}
	return nil
}
