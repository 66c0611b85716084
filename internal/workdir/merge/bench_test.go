package merge

import (
	"fmt"
	"strings"
	"testing"
)

// big repeats an entry until the text is a little under the limit.
func big(head, foot string, entry func(i int) string) []byte {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < MaxSize-512; i++ {
		b.WriteString(entry(i))
	}
	b.WriteString(foot)
	return []byte(b.String())
}

func bigJSON() []byte {
	return big("{\n", "  \"last\": null\n}\n", func(i int) string {
		return fmt.Sprintf("  \"service%d\": {\n    \"image\": \"registry/app:%d\", // pinned\n    \"ports\": [80, 443],\n    \"env\": { \"A\": \"hello world\", \"B\": true }\n  },\n", i, i)
	})
}

func bigYAML() []byte {
	return big("", "last: null\n", func(i int) string {
		return fmt.Sprintf("service%d:\n  image: registry/app:%d # pinned\n  ports:\n    - \"80:80\"\n    - 443\n  env: { A: hello world, B: 'x' }\n  script: |\n    set -e\n    make\n", i, i)
	})
}

func bigTOML() []byte {
	return big("", "[last]\nx = 1\n", func(i int) string {
		return fmt.Sprintf("# number %d\n[service%d]\nimage = \"registry/app:%d\" # pinned\nports = [80, 443]\nenv = { A = \"hello world\", B = true }\n\n", i, i, i)
	})
}

// small is a bundle of ordinary size for the big file.
func small(current []byte) []byte {
	text := string(current)
	cut := strings.Index(text, "service8")
	if strings.HasPrefix(text, "{") {
		return []byte(strings.TrimRight(text[:cut], " \",\n") + "\n}\n")
	}
	return []byte(text[:strings.LastIndexByte(text[:cut], '\n')+1])
}

// benchmark merges a bundle into a file of 1 MiB. In every entry of the bundle
// a value changed since the last pull, and one key is new.
func benchmark(b *testing.B, path string, current, bundle []byte) {
	b.Helper()
	incoming := []byte(strings.ReplaceAll(string(bundle), "hello world", "other words"))
	incoming = []byte(strings.Replace(string(incoming), "service3", "newcomer", 1))
	b.SetBytes(int64(len(current)))
	for b.Loop() {
		r := DeepMerge(Input{Path: path, Current: current, Incoming: incoming, Base: bundle})
		if !r.Changed || len(r.Conflicts) > 0 || len(r.Updated) < 7 {
			b.Fatalf("changed %v, %d updated, conflicts %v", r.Changed, len(r.Updated), r.Conflicts[:min(3, len(r.Conflicts))])
		}
	}
}

func BenchmarkDeepMerge(b *testing.B) {
	files := []struct {
		path string
		text []byte
	}{{"big.json", bigJSON()}, {"big.yaml", bigYAML()}, {"big.toml", bigTOML()}}
	for _, f := range files {
		b.Run("small/"+f.path, func(b *testing.B) { benchmark(b, f.path, f.text, small(f.text)) })
		b.Run("large/"+f.path, func(b *testing.B) { benchmark(b, f.path, f.text, f.text) })
	}
}

func BenchmarkThreeWay(b *testing.B) {
	base := bigTOML()
	current := []byte(strings.ReplaceAll(string(base), "service1", "mine1"))
	incoming := []byte(strings.ReplaceAll(string(base), "# number 2", "# theirs 2"))
	b.SetBytes(int64(len(current)))
	for b.Loop() {
		ThreeWay(Input{Path: "x.txt", Current: current, Incoming: incoming, Base: base})
	}
}
