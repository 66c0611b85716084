package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Promise: release-sbom
func TestDocumentListsWhatTheProgramConsistsOf(t *testing.T) {
	// This test is a program itself, and links what it is made of.
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	file := filepath.Join(t.TempDir(), "sbom.json")
	read := func() string {
		if err := run([]string{self, file, "."}); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Clean(file))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	first := read()
	if read() != first {
		t.Error("the same program gives two documents")
	}
	var d document
	if err := json.Unmarshal([]byte(first), &d); err != nil {
		t.Fatal(err)
	}
	if d.CreationInfo.Created != "2023-11-14T22:13:20Z" {
		t.Errorf("made at %s", d.CreationInfo.Created)
	}
	ids := map[string]bool{documentID: true}
	for _, p := range d.Packages {
		if ids[p.SPDXID] || strings.ContainsAny(p.SPDXID, "/_@ ") {
			t.Errorf("the id %s is no id, or there twice", p.SPDXID)
		}
		ids[p.SPDXID] = true
	}
	if !ids["SPDXRef-Module-std"] || !ids[programID] {
		t.Errorf("parts are missing: %v", ids)
	}
	for _, r := range d.Relationships {
		if !ids[r.From] || !ids[r.To] {
			t.Errorf("%+v leads nowhere", r)
		}
	}
}

func TestWhatIsNoProgramIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{file, file + ".json", "."}, {file}, {"missing", file + ".json", "."}} {
		if run(args) == nil {
			t.Errorf("%v is accepted", args)
		}
	}
}
