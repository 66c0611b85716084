package main

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Each file below the folder of vendored files belongs to one package of the list,
// with the sum that it has.
// Promise: release-sbom
func TestEveryVendoredFileIsListedWithItsSum(t *testing.T) {
	const root = "../../../"
	packs, err := vendoredPackages(root + "scripts")
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root+vendorFolder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			return err
		}
		sum := sha256.Sum256(content)
		entry := strings.TrimPrefix(filepath.ToSlash(path), root+vendorFolder) + " " + hex.EncodeToString(sum[:])
		listed := 0
		for _, p := range packs {
			listed += strings.Count(p.Comment, entry)
		}
		if listed != 1 {
			t.Errorf("%s is listed %d times", entry, listed)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packs {
		if p.VersionInfo == "" || !strings.HasPrefix(p.ExternalRefs[0].Locator, "pkg:npm/") {
			t.Errorf("%+v", p)
		}
	}
}

func TestAListThatSaysTooLittleIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, list := range []string{"htmx.org 2.0.11\n", "htmx.org 2.0.11 0BSD htmx.\n"} {
		for name, text := range map[string]string{"console-assets.sha256": "", "console-assets.txt": list} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if packs, err := vendoredPackages(dir); err == nil {
			t.Errorf("%q gives %v", list, packs)
		}
	}
}
