package bundlezip

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io/fs"
	"slices"
)

// ManifestName is the entry that holds the manifest.
const ManifestName = "manifest.json"

// ManifestVersion is the only version of the manifest there is.
const ManifestVersion = 1

// DestinationType says what a file is to its surroundings.
type DestinationType string

// The destination types.
const (
	// Project is a file of the bundle, under the project root.
	Project DestinationType = "project"
	// GlobalConfig is a configuration file shared with others.
	GlobalConfig DestinationType = "global_config"
)

// MergeStrategy says how a file meets one that is already there.
type MergeStrategy string

// The merge strategies.
const (
	Overwrite    MergeStrategy = "overwrite"
	CreateOnly   MergeStrategy = "create_only"
	DeepMerge    MergeStrategy = "deep_merge"
	EnvMerge     MergeStrategy = "env_merge"
	AppendUnique MergeStrategy = "append_unique"
	ManagedBlock MergeStrategy = "managed_block"
	ThreeWay     MergeStrategy = "three_way"
)

// strategies are all of them.
var strategies = []MergeStrategy{Overwrite, CreateOnly, DeepMerge, EnvMerge, AppendUnique, ManagedBlock, ThreeWay}

// Base is the folder that a path starts from.
type Base string

// The bases.
const (
	// ProjectRoot is the folder that a bundle is pulled into.
	ProjectRoot Base = ""
	// Home is the user's home folder.
	Home Base = "home"
)

// Mode is a file's permission bits. A bundle knows two.
type Mode string

// The modes.
const (
	Plain      Mode = "0644"
	Executable Mode = "0755"
)

// Perm gives the mode as the file system wants it.
func (m Mode) Perm() fs.FileMode {
	if m == Executable {
		return 0o755
	}
	return 0o644
}

// ModeOf gives the mode that stands for these permission bits: a file that its
// owner may execute is Executable.
func ModeOf(perm fs.FileMode) Mode {
	if perm&0o100 != 0 {
		return Executable
	}
	return Plain
}

// Limits of an archive. Writer and checker keep the same ones.
const (
	// MaxEntries counts the files of an archive and its manifest.
	MaxEntries = 10_000
	// MaxUnpacked is the sum of all uncompressed sizes, in bytes.
	MaxUnpacked = 256 << 20
	// MaxArchive is the size of the archive itself, in bytes. Nothing within
	// the other limits comes near it.
	MaxArchive = 320 << 20
	// MaxManifest is the size of manifest.json, in bytes.
	MaxManifest = 8 << 20
	// MaxPortFile is the size of a file in which a port may be declared:
	// such files are rewritten in memory when a port is taken.
	MaxPortFile = 1 << 20
	// MaxPath and MaxName are the lengths of a path and of one component of
	// it, in bytes: what the file systems in use can hold.
	MaxPath = 1024
	MaxName = 255
)

// Manifest describes an archive. Files are sorted by path, then base; ports by
// name. The order of the fields, here and in its parts, is that of the JSON text,
// and so a part of the archive's bytes.
type Manifest struct {
	ProjectID    string            `json:"project_id"`
	Architecture map[string]string `json:"architecture"`
	Files        []File            `json:"files"`
	Ports        []Port            `json:"ports"`
}

// File is one file of a manifest.
type File struct {
	// Path is the slash-separated place at the destination, from Base.
	Path string `json:"path"`
	// Entry is the name of the file's entry in the ZIP; empty if it is Path.
	Entry           string          `json:"entry,omitempty"`
	DestinationType DestinationType `json:"destination_type"`
	MergeStrategy   MergeStrategy   `json:"merge_strategy"`
	Base            Base            `json:"base,omitempty"`
	// SHA256 is the digest of the content, in lower-case hexadecimal.
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
	Mode   Mode   `json:"mode"`
}

// EntryName is the name of the file's entry in the ZIP.
func (f File) EntryName() string {
	if f.Entry != "" {
		return f.Entry
	}
	return f.Path
}

// Port is a logical port of the project and the places that mention it.
type Port struct {
	Name string    `json:"name"`
	Port int       `json:"port"`
	Uses []PortUse `json:"uses"`
}

// PortUse is one place in a file of the project: Template, with the number in
// the place of "{port}", stands there exactly once.
type PortUse struct {
	Path     string `json:"path"`
	Template string `json:"template"`
}

// ContentBytes is the sum of the files' sizes.
func (m Manifest) ContentBytes() int64 {
	var sum int64
	for _, f := range m.Files {
		sum += f.Size
	}
	return sum
}

func (m *Manifest) sort() {
	slices.SortFunc(m.Files, func(a, b File) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Base, b.Base))
	})
	slices.SortFunc(m.Ports, func(a, b Port) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range m.Ports {
		slices.SortFunc(p.Uses, func(a, b PortUse) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Template, b.Template))
		})
	}
}

// Encode gives the one JSON text of the manifest. The receiver must be sorted,
// as ParseManifest leaves it.
func (m Manifest) Encode() ([]byte, error) {
	if m.Architecture == nil {
		m.Architecture = map[string]string{}
	}
	if m.Files == nil {
		m.Files = []File{}
	}
	m.Ports = append([]Port{}, m.Ports...)
	for i, p := range m.Ports {
		m.Ports[i].Uses = append([]PortUse{}, p.Uses...)
	}
	wire := struct {
		Version int `json:"manifest_version"`
		Manifest
	}{ManifestVersion, m}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(wire); err != nil {
		return nil, &ManifestError{Err: err}
	}
	return text.Bytes(), nil
}
