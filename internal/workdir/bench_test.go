package workdir

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/must"
)

// BenchmarkPull checks, plans and applies a bundle of 500 files and 25 MB, with
// everything on the disk at the end of each round.
func BenchmarkPull(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	state := bundlezip.State{ProjectID: project}
	for i := range 500 {
		content := make([]byte, 52_000)
		for j := range content {
			content[j] = "abcdefghijklmnop {}();\n"[random.IntN(23)]
		}
		state.Put(sf{Path: fmt.Sprintf("d%d/f%d.txt", i%20, i), Content: bundlezip.Bytes(content)})
	}
	var zip bytes.Buffer
	if _, err := bundlezip.Write(&zip, state); err != nil {
		b.Fatal(err)
	}
	top := b.TempDir()
	b.SetBytes(500 * 52_000)
	for n := 0; b.Loop(); n++ {
		dir := filepath.Join(top, fmt.Sprint(n))
		must.Do(b, os.Mkdir(dir, 0o750))
		a, err := bundlezip.Check(bytes.NewReader(zip.Bytes()), int64(zip.Len()))
		must.Do(b, err)
		f, err := Open(dir, Env{Home: top})
		must.Do(b, err)
		_, err = pullInto(f, bundle1, a, "")
		must.Do(b, err)
		must.Do(b, f.Close())
	}
}
