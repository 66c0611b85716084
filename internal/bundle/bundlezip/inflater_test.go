package bundlezip_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// TestAgreesWithTheStandardLibraryAboutDamage: of an archive with one bit of its
// deflated data turned, Check accepts what another inflater reads as before, to
// the last byte, and nothing else.
// Promise: pull-inflate
func TestAgreesWithTheStandardLibraryAboutDamage(t *testing.T) {
	content := append(bytes.Repeat([]byte("some words and some more words\n"), 10), []byte("one line that is its own")...)
	pack, _ := write(t, bundlezip.State{ProjectID: "proj_damage", Files: []bundlezip.StateFile{{Path: "a", Content: bundlezip.Bytes(content)}}})
	r, err := zip.NewReader(bytes.NewReader(pack), int64(len(pack)))
	if err != nil {
		t.Fatal(err)
	}
	start, err := r.File[0].DataOffset()
	if err != nil {
		t.Fatal(err)
	}
	size := int64(r.File[0].CompressedSize64)
	accepted := 0
	for bit := range size * 8 {
		damaged := bytes.Clone(pack)
		damaged[start+bit/8] ^= 1 << (bit % 8)
		packed := bytes.NewReader(damaged[start : start+size])
		got, err := io.ReadAll(flate.NewReader(packed))
		fine := err == nil && bytes.Equal(got, content) && packed.Len() == 0
		_, err = bundlezip.Check(bytes.NewReader(damaged), int64(len(damaged)))
		if err != nil && !errors.Is(err, bundlezip.ErrInvalid) {
			t.Fatalf("bit %d: %v is no verdict on the archive", bit, err)
		}
		if fine != (err == nil) {
			t.Errorf("bit %d: another inflater reads it: %v; Check says: %v", bit, fine, err)
		}
		if fine {
			accepted++
		}
	}
	if accepted == 0 || accepted > 16 {
		t.Errorf("%d of %d bits mean nothing, which is not what deflate does", accepted, size*8)
	}
}
