//go:build unix

package deploy

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unpinned are the images whose digest is not known. docs/operate.md names them.
var unpinned = []string{"nats:2.15.2-alpine"}

var (
	pinnedAction = regexp.MustCompile(`^([\w.-]+/[\w./-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)$`)
	pinnedImage  = regexp.MustCompile(`^[\w./-]+:v?\d[\w.-]*@sha256:[0-9a-f]{64}$`)
	usesAction   = regexp.MustCompile(`(?m)^\s*(?:- )?uses:\s*(.+?)\s*$`)
	fromImage    = regexp.MustCompile(`(?mi)^FROM\s+(?:--platform=\S+\s+)?(\S+)(?:\s+AS\s+(\S+))?\s*$`)
	serviceImage = regexp.MustCompile(`(?m)^\s*image:\s*(\S+)\s*$`)
)

// A tag can be moved to other code after it was looked at; a commit cannot.
// Promise: images-pinned
func TestActionsArePinnedByCommit(t *testing.T) {
	commits := map[string]string{}
	for _, pattern := range []string{"../.github/workflows/*", "../internal/engine/template/stack/templates/*/.github/workflows/*"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			uses := usesAction.FindAllStringSubmatch(read(t, file), -1)
			if len(uses) == 0 {
				t.Errorf("%s uses no action", file)
			}
			for _, use := range uses {
				m := pinnedAction.FindStringSubmatch(use[1])
				if m == nil {
					t.Errorf("%s: %q is not name@commit # version", file, use[1])
					continue
				}
				version := m[1] + " " + m[3]
				if known, found := commits[version]; found && known != m[2] {
					t.Errorf("%s: %s is %s, and %s elsewhere", file, version, m[2], known)
				}
				commits[version] = m[2]
			}
		}
	}
}

// Promise: images-pinned
func TestBaseImagesArePinnedByDigest(t *testing.T) {
	var exempt []string
	digests := map[string]string{}
	check := func(file, image string) {
		tag, digest, _ := strings.Cut(image, "@")
		switch known, found := digests[tag]; {
		case slices.Contains(unpinned, image):
			exempt = append(exempt, image)
		case !pinnedImage.MatchString(image):
			t.Errorf("%s: %q is not name:version@digest", file, image)
		case found && known != digest:
			t.Errorf("%s: %s is %s, and %s elsewhere", file, tag, digest, known)
		default:
			digests[tag] = digest
		}
	}
	err := filepath.WalkDir(".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil || entry.IsDir():
			return err
		case strings.HasSuffix(file, "Dockerfile"):
			stages := []string{"scratch"}
			for _, from := range fromImage.FindAllStringSubmatch(read(t, file), -1) {
				if image := from[1]; !slices.Contains(stages, image) && !strings.HasPrefix(image, "localhost/") {
					check(file, image)
				}
				stages = append(stages, from[2])
			}
		case strings.HasSuffix(file, "compose.yaml"):
			for _, service := range serviceImage.FindAllStringSubmatch(read(t, file), -1) {
				if image := service[1]; image != "svcd:latest" { // built from deploy/Dockerfile
					check(file, image)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(digests) < 6 {
		t.Errorf("found only %v", digests)
	}
	if slices.Sort(exempt); !slices.Equal(slices.Compact(exempt), unpinned) {
		t.Errorf("without a digest are %q, expected %q", exempt, unpinned)
	}
	manual := read(t, "../docs/operate.md")
	for _, image := range unpinned {
		if !strings.Contains(manual, "`"+image+"`") {
			t.Errorf("docs/operate.md does not say that %s has no digest", image)
		}
	}
}
