package bundlezip_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
)

// childVariable makes the test binary print the digest of the sample state.
const childVariable = "BUNDLEZIP_TEST_CHILD"

func TestOtherProcessesWriteTheSameBytes(t *testing.T) {
	_, result := write(t, sample())
	if os.Getenv(childVariable) != "" {
		fmt.Println("digest", result.SHA256)
		return
	}
	for i, environment := range [][]string{{"GOMAXPROCS=1", "TZ=Asia/Tokyo"}, {"GOGC=1", "TZ=America/Lima", "LANG=tr_TR.UTF-8"}} {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		child.Env = append(append(os.Environ(), childVariable+"=1"), environment...)
		out, err := child.CombinedOutput()
		if err != nil {
			t.Fatalf("process %d: %v\n%s", i, err, out)
		}
		if !strings.Contains(string(out), "digest "+result.SHA256) {
			t.Errorf("process %d writes other bytes:\n%s", i, out)
		}
	}
}

// states draws states that keep the law, with what is hard about them: names
// that need another entry, empty files, copies, both bases.
func states() *rapid.Generator[bundlezip.State] {
	name := rapid.SampledFrom([]string{
		"a", "b", "c.json", "manifest.json", "_svc", "_svc_", "é", "日本", "x y", ".env", "Z", "long-" + strings.Repeat("n", 200),
	})
	content := rapid.OneOf(
		rapid.SliceOfN(rapid.Byte(), 0, 2000),
		rapid.Map(rapid.IntRange(0, 200_000), func(n int) []byte { return bytes.Repeat([]byte("line of text\n"), n/13) }),
	)
	return rapid.Custom(func(t *rapid.T) bundlezip.State {
		s := bundlezip.State{
			ProjectID:    "proj_" + rapid.StringMatching(`[a-z0-9]{1,20}`).Draw(t, "project"),
			Architecture: rapid.MapOfN(rapid.String(), rapid.String(), 0, 3).Draw(t, "architecture"),
		}
		for _, path := range rapid.SliceOfN(rapid.SliceOfN(name, 1, 4), 0, 12).Draw(t, "paths") {
			f := bundlezip.StateFile{
				Path:    strings.Join(path, "/"),
				Mode:    rapid.SampledFrom([]bundlezip.Mode{bundlezip.Plain, bundlezip.Executable, ""}).Draw(t, "mode"),
				Content: bundlezip.Bytes(content.Draw(t, "content")),
			}
			if rapid.Bool().Draw(t, "home") {
				f.Path += "/settings.toml"
				f.Base, f.DestinationType, f.MergeStrategy = bundlezip.Home, bundlezip.GlobalConfig, bundlezip.CreateOnly
			}
			next := s
			next.Files = append([]bundlezip.StateFile(nil), s.Files...)
			next.Put(f)
			if next.Check() == nil {
				s = next
			}
		}
		return s
	})
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := states().Draw(rt, "state")
		var first, second bytes.Buffer
		result, err := bundlezip.Write(&first, s)
		if err != nil {
			rt.Fatal(err)
		}
		a, err := bundlezip.Check(bytes.NewReader(first.Bytes()), int64(first.Len()))
		if err != nil {
			rt.Fatal(err)
		}
		if result.FileCount != len(s.Files) || len(a.Manifest().Files) != len(s.Files) {
			rt.Fatalf("%d files went in, %d were counted, %d came out", len(s.Files), result.FileCount, len(a.Manifest().Files))
		}
		if result.ContentBytes != a.Manifest().ContentBytes() {
			rt.Fatalf("%d bytes were counted, the manifest has %d", result.ContentBytes, a.Manifest().ContentBytes())
		}
		for key, value := range s.Architecture {
			if a.Manifest().Architecture[key] != value {
				rt.Fatalf("architecture %q was %q and is %q", key, value, a.Manifest().Architecture[key])
			}
		}
		for _, f := range s.Files {
			got, err := a.ReadFile(f.Base, f.Path)
			if err != nil {
				rt.Fatal(err)
			}
			if !bytes.Equal(got, contentOf(t, f)) {
				rt.Fatalf("%s has other content", f.Path)
			}
		}
		opened, err := bundlezip.Open(bytes.NewReader(first.Bytes()), int64(first.Len()))
		if err != nil {
			rt.Fatal(err)
		}
		if _, err := bundlezip.Write(&second, opened.State()); err != nil {
			rt.Fatal(err)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			rt.Fatal("a copy of the pack differs from the pack")
		}
	})
}
