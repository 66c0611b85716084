package console_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// push changes files of a project as a client would.
func (d *site) push(p svc.Project, files map[string]string, deleted ...string) svc.Project {
	d.t.Helper()
	var state []bundlezip.StateFile
	for path, content := range files {
		state = append(state, bundlezip.StateFile{Path: path, Content: bundlezip.Bytes([]byte(content))})
	}
	var archive bytes.Buffer
	err := bundlezip.WriteChanges(&archive, nil, state)
	if err != nil {
		d.t.Fatal(err)
	}
	changes, err := bundlezip.CheckChanges(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		d.t.Fatal(err)
	}
	if _, err := d.Delivery.Push(d.t.Context(), delivery.Push{
		AccountID: d.account.ID, ProjectID: p.ID, Base: p.Pack.State(), Changes: changes, Deleted: deleted,
		Encode: func(_ svc.Push, failure error) (svc.Answer, error) { return svc.Answer{Status: 200}, failure },
	}); err != nil {
		d.t.Fatal(err)
	}
	p, err = d.Store.Projects().Get(d.t.Context(), d.account.ID, p.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return p
}

func differenceOf(p svc.Project) string {
	return fmt.Sprintf("/console/projects/%s/revisions/%d/difference", p.ID, p.Revision)
}

// openBlobs counts the readers that nobody has closed.
type openBlobs struct {
	svc.Blobs
	open atomic.Int64
}

type openReader struct {
	svc.BlobReader
	io.ReaderAt
	of *openBlobs
}

func (b *openBlobs) Open(ctx context.Context, key string) (svc.BlobReader, error) {
	r, err := b.Blobs.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	at, ok := r.(io.ReaderAt)
	if !ok {
		return nil, fmt.Errorf("%s cannot be read at random", key)
	}
	b.open.Add(1)
	return &openReader{r, at, b}, nil
}

func (r *openReader) Close() error {
	r.of.open.Add(-1)
	return r.BlobReader.Close()
}

// An archive that stays open is a connection to a store, or a file that keeps its room.
func TestNothingOfADifferenceStaysOpen(t *testing.T) {
	d := newSite(t)
	first, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "old\n"}))
	p := d.push(first, map[string]string{"a.txt": "new\n"})
	blobs := &openBlobs{Blobs: d.Blobs.Blobs}
	d.Blobs.Blobs = blobs
	for _, want := range []struct {
		status int
		p      svc.Project
	}{{http.StatusOK, p}, {http.StatusNotFound, first}} {
		d.want(want.status, differenceOf(want.p), nil)
		if n := blobs.open.Load(); n != 0 {
			t.Errorf("%d archives are open after a page with %d", n, want.status)
		}
	}
}

// Promise: console-diff
func TestADifferenceShowsFilesAndMarksWords(t *testing.T) {
	d := newSite(t)
	first, _ := d.Project(d.account, deliverytest.Files(map[string]string{
		"a.txt": "one\nthe old house\nthree\n", "gone.txt": "gone\n", "same.txt": "same\n", "image.png": "\x89PNG\x00old", "big.txt": "small\n",
	}))
	lacks(t, d.want(http.StatusOK, "/console/projects/"+first.ID, nil), "What changed", "what changed is not kept")
	p := d.push(first, map[string]string{
		"a.txt": "one\nthe <new> house\nthree\n", "new.txt": "brand new\n", "image.png": "\x89PNG\x00new", "big.txt": strings.Repeat("large\n", 100_000),
	}, "gone.txt")
	contains(t, d.want(http.StatusOK, "/console/projects/"+p.ID, nil), `href="`+differenceOf(p)+`">What changed</a>`)
	page := d.want(http.StatusOK, differenceOf(p), nil)
	contains(
		t, page, "What changed with revision 2", "by svc push: 3 changed, 1 added, 1 removed.",
		`<del>-the <mark>old</mark> house</del><ins>+the <mark>&lt;new&gt;</mark> house</ins>`, `<span> one</span>`,
		`<ins>+brand new</ins>`, `<del>-gone</del>`, "This file is not text.", "This file is too large to be compared here. 6 B → 585.9 KiB",
		`<span class="badge added">added</span>`, `<span class="badge removed">removed</span>`, "@@ -1,3 &#43;1,3 @@",
	)
	lacks(t, page, "same.txt")

	// What is another account's, another revision's or gone is said so.
	other := d.Account("eve@example.com")
	foreign, _ := d.Project(other, deliverytest.Files(map[string]string{"a.txt": "a"}))
	d.want(http.StatusNotFound, differenceOf(foreign), nil)
	contains(t, d.want(http.StatusNotFound, differenceOf(first), nil), "not kept any more", ">See the project</a>")
	d.want(http.StatusNotFound, "/console/projects/"+p.ID+"/revisions/x/difference", nil)
	d.Clock.Advance(8 * 24 * time.Hour)
	if _, err := d.Cleaner.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.cookie = "__Host-svc_console=" + d.signIn("Firefox on Linux") // the session ended meanwhile
	contains(t, d.want(http.StatusNotFound, differenceOf(p), nil), "for a week as they were before the last change")
	page = d.want(http.StatusOK, "/console/projects/"+p.ID, nil)
	contains(t, page, "what changed is not kept any more")
	lacks(t, page, ">What changed</a>")
}

// TestADifferenceStaysSmall: whatever has changed, a page is under 200 KB, and all of
// the files are on one of the pages.
// Promise: console-diff
func TestADifferenceStaysSmall(t *testing.T) {
	d := newSite(t)
	noise := make([]byte, 60<<10)
	_, _ = rand.Read(noise)
	before, after := map[string]string{"line.txt": "short\n"}, map[string]string{"line.txt": strings.Repeat("<+&\"'>", 30_000)}
	var many strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&many, "<%d> + %x\n", i, noise[i%len(noise)])
	}
	after["many.txt"] = many.String()
	for i := range 400 {
		name := fmt.Sprintf("folder/with/a/long/name/file-%03d.txt", i)
		before[name], after[name] = fmt.Sprintf("one %d\ntwo\nthree\n", i), fmt.Sprintf("one %d\ntwo <+> %x\nthree\n", i, noise[i:i+300])
	}
	p, _ := d.Project(d.account, deliverytest.Files(before))
	p, _ = d.Advance(p, deliverytest.Files(after))
	seen, next := map[string]bool{}, ""
	for pages := 0; ; pages++ {
		page := d.want(http.StatusOK, differenceOf(p)+next, nil)
		if len(page) > 200_000 || pages > 50 {
			t.Fatalf("page %d has %d bytes", pages, len(page))
		}
		for _, m := range regexp.MustCompile(`<summary><span><code>([^<]+)<`).FindAllStringSubmatch(page, -1) {
			if seen[m[1]] {
				t.Errorf("%s is shown twice", m[1])
			}
			seen[m[1]] = true
		}
		m := regexp.MustCompile(`href="(\?from=\d+)">Next`).FindStringSubmatch(page)
		if m == nil {
			break
		}
		next = m[1]
	}
	if len(seen) != 402 {
		t.Errorf("%d of 402 files are shown", len(seen))
	}
	contains(t, d.want(http.StatusOK, differenceOf(p)+"?from=400", nil), "Only the first of the changes are shown")
}
