package console_test

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
)

// Promise: push-in-console
func TestAProjectShowsThatItsStateWasPushedAndWhatChanged(t *testing.T) {
	d := newSite(t)
	p, _ := d.Project(d.account, deliverytest.Files(map[string]string{"a.txt": "one", "gone.txt": "gone", "same.txt": "same"}))
	page := func() string { return d.want(http.StatusOK, "/console/projects/"+p.ID, nil) }
	if strings.Contains(page(), "svc push") {
		t.Error("the state of an import is taken for a pushed one")
	}
	var archive bytes.Buffer
	if err := bundlezip.WriteChanges(&archive, nil, []bundlezip.StateFile{
		{Path: "a.txt", Content: bundlezip.Bytes([]byte("three"))}, {Path: "<b>.md", Content: bundlezip.Bytes(nil)},
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := bundlezip.CheckChanges(bytes.NewReader(archive.Bytes()), int64(archive.Len())); err == nil {
		t.Error("a name that is markup is allowed")
	}
	archive.Reset()
	if err := bundlezip.WriteChanges(&archive, nil, []bundlezip.StateFile{
		{Path: "a.txt", Content: bundlezip.Bytes([]byte("three"))}, {Path: "b&amp;.md", Content: bundlezip.Bytes(nil)},
	}); err != nil {
		t.Fatal(err)
	}
	changes, err := bundlezip.CheckChanges(bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Delivery.Push(t.Context(), delivery.Push{
		AccountID: d.account.ID, ProjectID: p.ID, Base: p.Pack.State(), Changes: changes, Deleted: []string{"gone.txt"},
		Encode: func(svc.Push, error) (svc.Answer, error) { return svc.Answer{Status: 200}, nil },
	}); err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile(`(?s)<h2 id="push">.*?</section>`).FindString(page())
	for _, want := range []string{
		"1 changed, 1 added, 1 deleted", `path=a.txt">a.txt</a><span class="badge">changed</span><span class="faint num">3 B → 5 B</span>`,
		`>b&amp;amp;.md</a><span class="badge">added</span><span class="faint num">0 B</span>`,
		`<span>gone.txt</span><span class="badge">deleted</span><span class="faint num">4 B</span>`,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("no %q in\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "same.txt") {
		t.Error("a file that was not pushed is shown as pushed")
	}
}
