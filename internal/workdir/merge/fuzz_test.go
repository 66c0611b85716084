package merge

import (
	"path/filepath"
	"testing"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// seed gives a fuzzer the corpus files of a strategy whose path has one of
// the extensions; none means all.
func seed(f *testing.F, strategy bundlezip.MergeStrategy, exts ...string) {
	f.Helper()
	files, err := filepath.Glob("testdata/corpus/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		c := readCase(f, file)
		if c.strategy() != strategy {
			continue
		}
		fits := len(exts) == 0
		for _, ext := range exts {
			fits = fits || filepath.Ext(c.settings["path"]) == ext
		}
		if in := c.input(); fits {
			f.Add(in.Current, in.Incoming, in.Base)
		}
	}
}

// fuzz merges under every policy and checks what holds for all merges.
func fuzz(f *testing.F, strategy bundlezip.MergeStrategy, path string, more func(t *testing.T, current, result []byte)) {
	f.Helper()
	f.Fuzz(func(t *testing.T, current, incoming, base []byte) {
		if max(len(current), len(incoming), len(base)) > 1<<14 {
			t.Skip("large inputs only slow the search down")
		}
		if len(base) == 0 {
			base = nil
		}
		for _, policy := range []Policy{Keep, Theirs, Markers} {
			in := Input{Path: path, Current: current, Incoming: incoming, Base: base, Owner: "proj_a", Policy: policy}
			r := Merge(strategy, in)
			checkInvariants(t, strategy, in, r)
			if more != nil {
				more(t, current, r.Content)
			}
		}
	})
}

func fuzzFormat(f *testing.F, fm format, path string, oracle func(src string, n *node, err error) string) {
	f.Helper()
	fuzz(f, bundlezip.DeepMerge, path, func(t *testing.T, current, result []byte) {
		for _, b := range [][]byte{current, result} {
			if !isText(b) {
				return
			}
			_, src := splitBOM(b)
			n, err := fm.parse(src)
			if diff := oracle(src, n, err); diff != "" {
				t.Fatalf("%q: %s", src, diff)
			}
		}
	})
}

func FuzzJSON(f *testing.F) {
	seed(f, bundlezip.DeepMerge, ".json", ".jsonc")
	fuzzFormat(f, jsonFormat, "tsconfig.json", jsonOracle) // in which comments are carried over
}

func FuzzYAML(f *testing.F) {
	seed(f, bundlezip.DeepMerge, ".yaml", ".yml")
	fuzzFormat(f, yamlFormat, "x.yaml", yamlOracle)
}

func FuzzTOML(f *testing.F) {
	seed(f, bundlezip.DeepMerge, ".toml")
	fuzzFormat(f, tomlFormat, "x.toml", tomlOracle)
}

func FuzzEnv(f *testing.F) {
	seed(f, bundlezip.EnvMerge)
	fuzz(f, bundlezip.EnvMerge, ".env", nil)
}

func FuzzLines(f *testing.F) {
	seed(f, bundlezip.AppendUnique)
	fuzz(f, bundlezip.AppendUnique, ".gitignore", nil)
}

func FuzzBlock(f *testing.F) {
	seed(f, bundlezip.ManagedBlock)
	fuzz(f, bundlezip.ManagedBlock, "Makefile", nil)
}

func FuzzThreeWay(f *testing.F) {
	seed(f, bundlezip.ThreeWay)
	fuzz(f, bundlezip.ThreeWay, "x.txt", nil)
}
