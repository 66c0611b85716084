package template

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
)

// Licenses are understood as people call them.
func TestLicensesAreRead(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"MIT license": "mit", "ISC licence": "isc", "released under the Apache license": "apache-2.0", "under GPL version 3": "gpl-3.0-only", "license: GPL-3.0-or-later": "gpl-3.0-or-later",
		"license AGPL-3.0": "agpl-3.0-only", "BSD-2-Clause license": "bsd-2-clause", "Mozilla Public License 2.0": "mpl-2.0", "public domain license": "unlicense", "LGPL license": "none",
	} {
		for _, prompt := range []string{"a Go API for books with title and year, " + words, "go api for books: title, year. " + words + ", sqlite"} {
			p, err := planOf(nil, prompt, constraints{})
			if err != nil {
				t.Errorf("%q: %v", prompt, err)
				continue
			}
			if got := p.Decided("resources").Text(); p.License != want || got != "books/book(title:string,year:integer)" {
				t.Errorf("%q: license %s and %s, want %s", prompt, p.License, got, want)
			}
			if named := strings.Contains(strings.Join(p.Left, ";"), "license"); named != (words == "LGPL license") {
				t.Errorf("%q leaves out %q", prompt, p.Left)
			}
		}
	}
}

func TestASecondLicenseIsLeftOutByName(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"go api for books, MIT/Apache-2.0 license", "go api for books, MIT license and Apache 2.0 license"} {
		p, err := planOf(nil, prompt, constraints{})
		if err != nil || p.License != "mit" || !strings.Contains(strings.Join(p.Left, ";"), "apache 2.0 (a project has one license)") && !strings.Contains(strings.Join(p.Left, ";"), "apache 2.0 license (a project has one license)") {
			t.Errorf("%q: %v, license %s, left out %q", prompt, err, p.License, p.Left)
		}
	}
}

// What is known under a license is no wish for it.
func TestThingsOfThePublicDomainAreThings(t *testing.T) {
	t.Parallel()
	for _, prompt := range []string{"a Go API for public domain books", "a Go API for books with title and public domain (bool)", "a Go API for books, license: public domain", "a website for a BSD user group"} {
		if p, err := planOf(nil, prompt, constraints{}); err == nil && p.License != none {
			t.Errorf("%q: license %s for %s", prompt, p.License, p.Decided("resources").Text())
		}
	}
}

// Every license that can be had has its text, and the name that SPDX gives it.
func TestLicensesAreWrittenWhole(t *testing.T) {
	t.Parallel()
	official := map[string]string{ // the texts in which nobody is named, as their authors publish them
		"apache-2.0":   "c71d239df91726fc519c6eb72d318ec65820627232b2f796219e87dcf35d0ab4",
		"mpl-2.0":      "1f256ecad192880510e84ad60474eab7589218784b9a50bc7ceee34c2b91f1d5",
		"gpl-3.0-only": "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986", "gpl-3.0-or-later": "3972dc9744f6499f0f9b2dbf76696f2ae7ad8af9b23dde66d6af86c9dfb36986",
		"agpl-3.0-only": "0d96a4ff68ad6d4b6f1f30f713b18d5184912ba8dd389f86aa7710db079abcb0", "agpl-3.0-or-later": "0d96a4ff68ad6d4b6f1f30f713b18d5184912ba8dd389f86aa7710db079abcb0",
		"unlicense": "7e12e5df4bae12cb21581ba157ced20e1986a0508dd10d0e8a4ab9a4cf94e85c",
	}
	library := New().(templates).library //nolint:forcetypeassert // a test may know
	for prompt, manifest := range map[string]string{
		"a Go API for books": "", "a TypeScript API for books": "package.json", "a Python API for books": "pyproject.toml",
		"a website for a bakery": "package.json", "a command-line tool in Python to track books": "pyproject.toml",
	} {
		values := (&spec{}).ValuesOf("license")
		if len(values) < 10 {
			t.Fatalf("licenses are %q", values)
		}
		for _, license := range values {
			p, err := planOf(nil, prompt, constraints{"license": license})
			if err != nil {
				t.Fatal(err)
			}
			made, err := treeOf(library, p.spec)
			if err != nil {
				t.Fatal(err)
			}
			content := func(path string) string {
				for _, f := range made.files {
					if f.Path == path {
						return string(f.Content)
					}
				}
				return ""
			}
			spdx, text := tables["spdx"][license], content("LICENSE")
			sum := sha256.Sum256([]byte(text))
			switch {
			case license == none:
				if text != "" || strings.Contains(content("README.md"), "## License") {
					t.Errorf("%q has a license", prompt)
				}
				continue
			case official[license] != "" && hex.EncodeToString(sum[:]) != official[license]:
				t.Errorf("%s is not as published:\n%s", license, text)
			case official[license] == "" && !strings.Contains(text, "Copyright (c) the "+p.Title+" authors\n"):
				t.Errorf("%s names nobody:\n%s", license, text)
			}
			if strings.ToLower(spdx) != license || !strings.Contains(content("README.md"), "\n"+spdx+", see `LICENSE`.") || manifest != "" && !strings.Contains(content(manifest), `"`+spdx+`"`) {
				t.Errorf("%q is not said to be under %s (%q)", prompt, license, spdx)
			}
		}
	}
}
