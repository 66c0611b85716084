// Command sbom writes which modules a built program consists of, as SPDX 2.3.
//
// It reads what the linker has noted in the program itself, so that the
// list cannot differ from what was built; and the same program at the same
// SOURCE_DATE_EPOCH gives the same bytes. The scripts and icons that the console
// shows are linked as data, which the linker does not note: they are named from
// the repository's own list, each with its version and the sums of its files.
//
//	go run ./deploy/release/sbom PROGRAM FILE FOLDER-OF-LISTS
package main

import (
	"cmp"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return errors.New("name the program, the file to write and the folder of console-assets.txt")
	}
	content, err := os.ReadFile(filepath.Clean(args[0])) //nolint:gosec // the caller names it
	if err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(args[0])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	at, err := sourceTime(os.Getenv("SOURCE_DATE_EPOCH"))
	if err != nil {
		return err
	}
	d := describe(info, filepath.Base(args[0]), sha256.Sum256(content), at)
	if strings.HasSuffix(info.Path, "/cmd/svcd") {
		vendored, err := vendoredPackages(args[2])
		if err != nil {
			return err
		}
		d.contain(vendored...)
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Clean(args[1]), append(text, '\n'), 0o644) //nolint:gosec // it is for everybody
}

// sourceTime is when the source was last changed, in seconds; empty: now.
func sourceTime(seconds string) (time.Time, error) {
	if seconds == "" {
		return time.Now(), nil
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(n, 0), nil
}

type document struct {
	SPDXVersion       string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	SPDXID            string         `json:"SPDXID"`
	Name              string         `json:"name"`
	DocumentNamespace string         `json:"documentNamespace"`
	CreationInfo      creation       `json:"creationInfo"`
	Packages          []pack         `json:"packages"`
	Relationships     []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type pack struct {
	SPDXID           string     `json:"SPDXID"`
	Name             string     `json:"name"`
	VersionInfo      string     `json:"versionInfo"`
	DownloadLocation string     `json:"downloadLocation"`
	FilesAnalyzed    bool       `json:"filesAnalyzed"`
	LicenseConcluded string     `json:"licenseConcluded"`
	LicenseDeclared  string     `json:"licenseDeclared"`
	CopyrightText    string     `json:"copyrightText"`
	Comment          string     `json:"comment,omitempty"`
	Checksums        []checksum `json:"checksums,omitempty"`
	ExternalRefs     []external `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type external struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Type string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	unknown    = "NOASSERTION"
	programID  = "SPDXRef-Program"
	documentID = "SPDXRef-DOCUMENT"
)

// describe turns what the linker noted into a document.
func describe(info *debug.BuildInfo, name string, digest [sha256.Size]byte, at time.Time) document {
	sum := hex.EncodeToString(digest[:])
	d := document{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: documentID, Name: name,
		DocumentNamespace: "https://" + info.Main.Path + "/sbom/" + name + "/" + sum,
		CreationInfo:      creation{Created: at.UTC().Format(time.RFC3339), Creators: []string{"Tool: svc-sbom"}},
		Relationships:     []relationship{{documentID, "DESCRIBES", programID}},
	}
	program := module(programID, &info.Main)
	program.Name, program.LicenseDeclared = name, "Apache-2.0"
	program.Checksums = []checksum{{"SHA256", sum}}
	d.Packages = append(d.Packages, program)
	parts := append([]*debug.Module{{Path: "std", Version: info.GoVersion}}, info.Deps...)
	for _, m := range parts {
		if m.Replace != nil {
			m = m.Replace
		}
		d.contain(module(idOf("Module", m.Path), m))
	}
	return d
}

// contain notes what the program consists of.
func (d *document) contain(parts ...pack) {
	for _, p := range parts {
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, relationship{programID, "CONTAINS", p.SPDXID})
	}
}

var notInIDs = regexp.MustCompile(`[^A-Za-z0-9.-]+`)

func idOf(kind, path string) string {
	return "SPDXRef-" + kind + "-" + notInIDs.ReplaceAllString(path, "-")
}

func module(id string, m *debug.Module) pack {
	p := pack{
		SPDXID: id, Name: m.Path, VersionInfo: cmp.Or(m.Version, "(devel)"), DownloadLocation: unknown,
		LicenseConcluded: unknown, LicenseDeclared: unknown, CopyrightText: unknown,
		ExternalRefs: []external{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}},
	}
	if m.Sum != "" {
		p.Comment = "go.sum: " + m.Sum
	}
	return p
}
