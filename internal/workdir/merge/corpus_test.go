package merge

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

var update = flag.Bool("update", false, "rewrite the expected results of the corpus")

// corpusCase is one file of testdata/corpus. Its comment holds "name: value"
// lines: path, strategy, policy, owner, and crlf, bom, nofinal, each with the
// files (current, incoming, base) that it applies to; want is written like
// current.
type corpusCase struct {
	file     string
	archive  *txtar.Archive
	settings map[string]string
}

func readCase(t testing.TB, file string) *corpusCase {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	c := &corpusCase{file: file, archive: a, settings: map[string]string{"strategy": string(bundlezip.DeepMerge)}}
	for line := range strings.Lines(string(a.Comment)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		known := []string{"path", "strategy", "policy", "owner", "crlf", "bom", "nofinal"}
		if !ok || !slices.Contains(known, name) {
			t.Fatalf("%s: unknown setting %q", file, line)
		}
		c.settings[name] = value
	}
	return c
}

func (c *corpusCase) strategy() bundlezip.MergeStrategy {
	return bundlezip.MergeStrategy(c.settings["strategy"])
}

func (c *corpusCase) has(setting, name string) bool {
	return slices.Contains(strings.Fields(c.settings[setting]), name)
}

// file returns the bytes that a section stands for, nil if there is none.
func (c *corpusCase) bytes(name, like string) []byte {
	for _, f := range c.archive.Files {
		if f.Name != name {
			continue
		}
		s := string(f.Data)
		if c.has("nofinal", like) {
			s = strings.TrimSuffix(s, "\n")
		}
		if c.has("crlf", like) {
			s = strings.ReplaceAll(s, "\n", "\r\n")
		}
		if c.has("bom", like) {
			s = byteOrderMark + s
		}
		return []byte(s)
	}
	return nil
}

// set stores a section, or removes it if data is nil.
func (c *corpusCase) set(name string, data []byte) {
	c.archive.Files = slices.DeleteFunc(c.archive.Files, func(f txtar.File) bool { return f.Name == name })
	if data != nil {
		c.archive.Files = append(c.archive.Files, txtar.File{Name: name, Data: data})
	}
}

func (c *corpusCase) input() Input {
	return Input{
		Path: c.settings["path"], Owner: c.settings["owner"], Policy: Policy(c.settings["policy"]),
		Current: c.bytes("current", "current"), Incoming: c.bytes("incoming", "incoming"), Base: c.bytes("base", "base"),
	}
}

func report(r Result) string {
	var out strings.Builder
	for _, c := range r.Conflicts {
		mark := ""
		if c.Whole {
			mark = "whole "
		}
		fmt.Fprintf(&out, "%s%s\n", mark, c)
	}
	return out.String()
}

// TestCorpus merges every case and compares with what a careful person would
// have written by hand.
// Promise: merge-yaml, merge-json-comments
func TestCorpus(t *testing.T) {
	files, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 120 && !*update {
		t.Errorf("the corpus has %d cases, and should have at least 120", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := readCase(t, file)
			in := c.input()
			r := Merge(c.strategy(), in)
			if *update {
				c.rewrite(t, in, r)
			}
			want := c.bytes("want", "current")
			if want == nil {
				want = in.Current
			}
			if diff := cmp.Diff(string(want), string(r.Content)); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(c.bytes("conflicts", "")), report(r)); diff != "" {
				t.Errorf("conflicts (-want +got):\n%s", diff)
			}
			checkInvariants(t, c.strategy(), in, r)
		})
	}
}

func (c *corpusCase) rewrite(t *testing.T, in Input, r Result) {
	t.Helper()
	c.set("want", nil)
	c.set("conflicts", nil)
	if in.Current == nil || !bytes.Equal(r.Content, in.Current) {
		s := strings.TrimPrefix(string(r.Content), byteOrderMark)
		s = strings.ReplaceAll(s, "\r\n", "\n")
		if c.has("nofinal", "current") && !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
		c.set("want", []byte(s))
	}
	if text := report(r); text != "" {
		c.set("conflicts", []byte(text))
	}
	if err := os.WriteFile(c.file, txtar.Format(c.archive), 0o600); err != nil {
		t.Fatal(err)
	}
}
