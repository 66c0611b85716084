package bundlezip_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// project is 500 files with 25 MB of text that compresses like source code.
func project() bundlezip.State {
	random := rand.New(rand.NewPCG(500, 25))
	words := make([]string, 2000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", random.Uint64()>>(random.IntN(8)*8))
	}
	s := bundlezip.State{ProjectID: "proj_benchmark"}
	for i := range 500 {
		var text strings.Builder
		for text.Len() < 50_000 {
			text.WriteString(words[random.IntN(len(words))])
			text.WriteByte(" \n\t("[random.IntN(4)])
		}
		s.Put(bundlezip.StateFile{Path: fmt.Sprintf("src/pkg%d/file%d.go", i%25, i), Content: bundlezip.Bytes([]byte(text.String()[:50_000]))})
	}
	return s
}

// BenchmarkRawCopy makes a new pack of which no file has changed.
func BenchmarkRawCopy(b *testing.B) {
	pack, result := write(b, project())
	b.SetBytes(result.ContentBytes)
	b.ReportAllocs()
	for b.Loop() {
		a := open(b, pack)
		if _, err := bundlezip.Write(io.Discard, a.State()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen reads directory and manifest.
func BenchmarkOpen(b *testing.B) {
	pack, _ := write(b, project())
	b.ReportAllocs()
	for b.Loop() {
		open(b, pack)
	}
}

// BenchmarkWrite deflates everything.
func BenchmarkWrite(b *testing.B) {
	s := project()
	_, result := write(b, s)
	b.SetBytes(result.ContentBytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bundlezip.Write(io.Discard, s); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCheck is what a client does before it writes the first byte.
func BenchmarkCheck(b *testing.B) {
	pack, result := write(b, project())
	b.SetBytes(result.ContentBytes)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := bundlezip.Check(bytes.NewReader(pack), int64(len(pack))); err != nil {
			b.Fatal(err)
		}
	}
}
