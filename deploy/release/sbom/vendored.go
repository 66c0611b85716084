package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const vendorFolder = "internal/web/console/static/vendor/"

// vendoredPackages reads what the console shows and did not write itself, from
// the lists in scripts: packages with their versions, files with their sums.
func vendoredPackages(scripts string) ([]pack, error) {
	sums, err := os.ReadFile(filepath.Join(scripts, "console-assets.sha256")) //nolint:gosec // the caller names the folder
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(scripts, "console-assets.txt")) //nolint:gosec // the caller names the folder
	if err != nil {
		return nil, err
	}
	var packs []pack
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 4 {
			return nil, fmt.Errorf("console-assets.txt: %q has not the four fields", strings.TrimSpace(line))
		}
		name, version, licence, prefix := fields[0], fields[1], fields[2], fields[3]
		files := filesOf(string(sums), prefix)
		if len(files) == 0 {
			return nil, fmt.Errorf("console-assets.txt: no file of %s begins with %s", name, prefix)
		}
		packs = append(packs, pack{
			SPDXID: idOf("Vendored", name), Name: name, VersionInfo: version, DownloadLocation: unknown,
			LicenseConcluded: licence, LicenseDeclared: licence, CopyrightText: unknown,
			Comment:      "sha256 of its files: " + strings.Join(files, ", "),
			ExternalRefs: []external{{"PACKAGE-MANAGER", "purl", "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + version}},
		})
	}
	return packs, nil
}

// filesOf gives "name sum" for the vendored files whose names begin with prefix.
func filesOf(sums, prefix string) []string {
	var files []string
	for line := range strings.Lines(sums) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if name, ok := strings.CutPrefix(path, vendorFolder); ok && strings.HasPrefix(name, prefix) {
			files = append(files, name+" "+sum)
		}
	}
	return files
}
