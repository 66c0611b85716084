package bundlezip_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/hostile"
)

// Promise: pull-no-repository
func TestCheckRefusesHostileArchives(t *testing.T) {
	cases := hostile.Cases()
	if len(cases) < 60 {
		t.Fatalf("only %d hostile archives", len(cases))
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.Name] {
			t.Errorf("two cases have the name %s", c.Name)
		}
		seen[c.Name] = true
		t.Run(c.Name, func(t *testing.T) {
			a, err := bundlezip.Check(bytes.NewReader(c.Bytes), int64(len(c.Bytes)))
			if err == nil {
				t.Fatal("accepted")
			}
			if a != nil {
				t.Error("an archive was given out together with the error")
			}
			if !errors.Is(err, bundlezip.ErrInvalid) {
				t.Errorf("%v does not match ErrInvalid", err)
			}
			if !strings.Contains(err.Error(), c.Want) {
				t.Errorf("refused for %q, want %q", err, c.Want)
			}
			if text := err.Error(); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("control characters reach the terminal: %q", text)
			}
		})
	}
}

func TestCheckAcceptsWhatTheHostileCasesStartFrom(t *testing.T) {
	for name, archive := range map[string][]byte{"plain": hostile.Good(), "streamed": hostile.GoodStreamed()} {
		t.Run(name, func(t *testing.T) {
			content, err := check(t, archive).ReadFile("", "src/hello.txt")
			if err != nil || string(content) != "hello, world\n" {
				t.Errorf("got %q, error %v", content, err)
			}
		})
	}
}

// foreign is a bundle as somebody would make it with the standard library.
func foreign(t *testing.T, method uint16) []byte {
	t.Helper()
	content := []byte(strings.Repeat("some text\n", 100))
	digest := sha256.Sum256(content)
	manifest, err := json.Marshal(map[string]any{
		"manifest_version": 1, "project_id": "proj_foreign", "extra": "ignored",
		"files": []any{map[string]any{
			"path": "z.txt", "destination_type": "project", "merge_strategy": "overwrite",
			"sha256": hex.EncodeToString(digest[:]), "size": len(content), "note": []int{1},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, data := range map[string][]byte{"manifest.json": manifest, "z.txt": content} {
		f, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestCheckAcceptsOtherToolsArchives(t *testing.T) {
	for name, method := range map[string]uint16{"stored": zip.Store, "deflated": zip.Deflate} {
		t.Run(name, func(t *testing.T) {
			a := check(t, foreign(t, method))
			f, found := a.Find("", "z.txt")
			if !found || f.Mode != bundlezip.Plain {
				t.Errorf("got %+v", f)
			}
			// What was checked can be continued and then is a pack.
			pack, _ := write(t, a.State())
			if _, found := open(t, pack).Find("", "z.txt"); !found {
				t.Error("the file is lost")
			}
		})
	}
}

// Open believes contents, but takes nothing for a pack that is none.
func TestOpenRefusesWhatIsNoPack(t *testing.T) {
	for name, archive := range map[string][]byte{
		"streamed": hostile.GoodStreamed(), "other tool": foreign(t, zip.Deflate), "nothing": nil,
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := bundlezip.Open(bytes.NewReader(archive), int64(len(archive))); !errors.Is(err, bundlezip.ErrInvalid) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Every byte of a pack counts: whichever one is changed, the checker notices,
// or the change is one of time stamps and attributes that carry no meaning.
func TestCheckNoticesEveryChangedByte(t *testing.T) {
	pack, _ := write(t, sample())
	whole := check(t, pack)
	for i := range pack {
		for _, bit := range []byte{0x01, 0x80} {
			bent := bytes.Clone(pack)
			bent[i] ^= bit
			a, err := bundlezip.Check(bytes.NewReader(bent), int64(len(bent)))
			if err != nil {
				continue
			}
			for _, f := range whole.Manifest().Files {
				want, err := whole.ReadFile(f.Base, f.Path)
				if err != nil {
					t.Fatal(err)
				}
				got, err := a.ReadFile(f.Base, f.Path)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("byte %d: %s changed unnoticed, error %v", i, f.Path, err)
				}
			}
		}
	}
}

func TestCheckNoticesEveryCut(t *testing.T) {
	pack, _ := write(t, sample())
	for n := range pack {
		if _, err := bundlezip.Check(bytes.NewReader(pack[:n]), int64(n)); !errors.Is(err, bundlezip.ErrInvalid) {
			t.Fatalf("cut to %d bytes: got %v", n, err)
		}
	}
}

type brokenSource struct{ err error }

func (b brokenSource) ReadAt([]byte, int64) (int, error) { return 0, b.err }

// A disk that fails says nothing about the archive.
func TestCheckTellsReadingErrorsApart(t *testing.T) {
	broken := errors.New("broken disk")
	if _, err := bundlezip.Check(brokenSource{broken}, 1000); !errors.Is(err, broken) || errors.Is(err, bundlezip.ErrInvalid) {
		t.Errorf("got %v", err)
	}
	pack, _ := write(t, sample())
	if _, err := bundlezip.Check(bytes.NewReader(pack[:10]), int64(len(pack))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a source shorter than told: got %v", err)
	}
}

func TestArchiveWithoutTheFile(t *testing.T) {
	a := check(t, hostile.Good())
	if _, err := a.Open("", "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: got %v", err)
	}
	if _, err := a.ReadFile("", "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ReadFile: got %v", err)
	}
	if _, found := a.Find(bundlezip.Home, "src/hello.txt"); found {
		t.Error("a file of the project was found in the home folder")
	}
	r, err := a.Open("", "src/hello.txt")
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(r); err != nil || string(content) != "hello, world\n" {
		t.Errorf("got %q, error %v", content, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// The limits are limits of what is allowed, not of what is refused. Open and
// Check read the directory alike, so the cheaper one will do here.
func TestEntryLimitIsReachable(t *testing.T) {
	s := bundlezip.State{ProjectID: "proj_limit"}
	for i := range bundlezip.MaxEntries - 1 {
		s.Files = append(s.Files, bundlezip.StateFile{Path: fmt.Sprintf("dir%d/file%d", i%100, i), Content: bundlezip.Bytes(nil)})
	}
	archive, result := write(t, s)
	if got := len(open(t, archive).Manifest().Files); got != bundlezip.MaxEntries-1 || result.FileCount != got {
		t.Errorf("%d files were counted, %d came out", result.FileCount, got)
	}
	s.Files = append(s.Files, bundlezip.StateFile{Path: "one-more", Content: bundlezip.Bytes(nil)})
	if _, err := bundlezip.Write(io.Discard, s); !errors.Is(err, bundlezip.ErrInvalid) {
		t.Errorf("one file more: got %v", err)
	}
}

// The sum of all uncompressed sizes, the manifest's among them, may be exactly
// the limit: in what is written, in what is read, and in what a manifest says.
func TestSizeLimitIsExact(t *testing.T) {
	const parts, each = 15, bundlezip.MaxUnpacked / 16
	pack, _ := write(t, bundlezip.State{ProjectID: "proj_limit", Files: []bundlezip.StateFile{
		{Path: "zeros", Content: bundlezip.Bytes(make([]byte, each))},
	}})
	zeros := open(t, pack).State().Files[0]
	s := bundlezip.State{ProjectID: "proj_limit"}
	for i := range parts {
		zeros.Path = fmt.Sprintf("zeros%02d", i)
		s.Put(zeros)
	}
	last := func(size int) bundlezip.State {
		s := s
		s.Put(bundlezip.StateFile{Path: "last", Content: bundlezip.Bytes(make([]byte, size))})
		return s
	}
	manifestLength := func(archive []byte) int {
		text, err := open(t, archive).Manifest().Encode()
		if err != nil {
			t.Fatal(err)
		}
		return len(text)
	}
	archive, _ := write(t, last(each*3/4))
	room := each - manifestLength(archive) // sizes of as many digits make a manifest of the same length
	archive, result := write(t, last(room))
	if got := result.ContentBytes + int64(manifestLength(archive)); got != bundlezip.MaxUnpacked {
		t.Fatalf("the archive unpacks to %d bytes, which is not the limit", got)
	}
	for name, size := range map[string]int{"the manifest passes the limit": room + 1, "the files pass the limit": each + 1} {
		if _, err := bundlezip.Write(io.Discard, last(size)); !errors.Is(err, bundlezip.ErrInvalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestDeclaredSizeLimitIsExact(t *testing.T) {
	for total, refused := range map[uint64]bool{bundlezip.MaxUnpacked: false, bundlezip.MaxUnpacked + 1: true} {
		var out bytes.Buffer
		w := zip.NewWriter(&out)
		for name, size := range map[string]uint64{"a": total / 2, "b": total - total/2} {
			if _, err := w.CreateRaw(&zip.FileHeader{Name: name, Method: zip.Deflate, UncompressedSize64: size}); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		_, err := bundlezip.Check(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if got := strings.Contains(fmt.Sprint(err), "unpacks to more than"); got != refused {
			t.Errorf("%d bytes: %v", total, err)
		}
	}
	line := `{"path":"%s","destination_type":"project","merge_strategy":"overwrite","sha256":"` + zeroDigest + `","size":%d}`
	for total, refused := range map[int]bool{bundlezip.MaxUnpacked: false, bundlezip.MaxUnpacked + 1: true} {
		_, err := bundlezip.ParseManifest(fmt.Appendf(nil, `{"manifest_version":1,"project_id":"proj_a","files":[`+line+`,`+line+`]}`,
			"a", total/2, "b", total-total/2))
		if got := errors.Is(err, bundlezip.ErrInvalid); got != refused {
			t.Errorf("a manifest of %d bytes: %v", total, err)
		}
	}
}
