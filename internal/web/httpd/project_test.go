package httpd_test

import (
	"bytes"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/httpd"
)

// Promise: repackage-response
func TestRepackageAnswersWithTheNewBundle(t *testing.T) {
	s := newSite(t)
	p, first := s.Project(s.account, deliverytest.Files(demo))
	a := s.do("POST", repackagePath(p.ID)).want(http.StatusOK)
	got := decode[api.Repackaged](a)
	if got.BundleID == first.ID || got.FileCount != 2 || got.TotalSizeBytes != first.Size {
		t.Errorf("%+v", got)
	}
	if a.header.Get("Idempotency-Replayed") != "" {
		t.Error("a first answer is no replay")
	}
	archive := s.do("GET", "/bundles/"+got.BundleID+"/download").want(http.StatusOK)
	if int64(len(archive.body)) != got.TotalSizeBytes {
		t.Errorf("%d bytes, told %d", len(archive.body), got.TotalSizeBytes)
	}
}

func TestRepackageIgnoresABody(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	s.send("POST", repackagePath(p.ID), strings.NewReader("no json")).want(http.StatusOK)
}

// Promise: project-empty-409
func TestRepackageOfAnEmptyProjectIs409(t *testing.T) {
	s := newSite(t)
	s.do("POST", repackagePath(s.EmptyProject(s.account).ID)).failure(http.StatusConflict, svc.CodeProjectEmpty)
}

// Promise: project-too-large-413, error-413-sizes
func TestRepackageOfATooLargeProjectIs413WithLimitAndActual(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.ManyFiles(501, 42))
	a := s.do("POST", repackagePath(p.ID))
	a.failure(http.StatusRequestEntityTooLarge, svc.CodeProjectTooLarge)
	got := a.fields()
	want := map[string]any{
		"limit":  map[string]any{"files": 500.0, "bytes": 26214400.0},
		"actual": map[string]any{"files": 501.0, "bytes": 42.0},
	}
	if diff := cmp.Diff(want, map[string]any{"limit": got["limit"], "actual": got["actual"]}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Promise: error-429-wait, limit-repackages
func TestTheFourthRepackageInAMinuteIs429(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	for range 3 {
		s.do("POST", repackagePath(p.ID)).want(http.StatusOK)
	}
	a := s.do("POST", repackagePath(p.ID))
	a.failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	if a.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After %q", a.header.Get("Retry-After"))
	}
	s.Clock.Advance(time.Minute)
	s.do("POST", repackagePath(p.ID)).want(http.StatusOK)
}

// Promise: storage-cap
func TestRepackageBeyondTheStorageCapIs429(t *testing.T) {
	s := newSite(t, func(l *delivery.Limits) { l.PendingBytes = 1200 })
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	a := s.do("POST", repackagePath(p.ID))
	a.failure(http.StatusTooManyRequests, svc.CodeStorageLimitReached)
	if a.header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
}

// Promise: repackage-502
func TestRepackageWithoutAnAssemblerIs502WithRetryAfterAndUsesASlot(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	s.Assembler.Before(func(svc.Assembly) error { return svc.ErrNoAssembler })
	for range 3 {
		a := s.do("POST", repackagePath(p.ID))
		a.failure(http.StatusBadGateway, svc.CodeAssemblyUnavailable)
		if a.header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
		if bytes.Contains(a.body, []byte("no assembler can be reached")) {
			t.Errorf("the cause leaks: %s", a.body)
		}
	}
	s.do("POST", repackagePath(p.ID)).want(http.StatusTooManyRequests)
}

// Promise: replay-60s
func TestAReplayIsByteIdenticalAndSaysSo(t *testing.T) {
	s := newSite(t)
	full, _ := s.Project(s.account, deliverytest.Files(demo))
	empty := s.EmptyProject(s.account)
	for _, p := range []svc.Project{full, empty} {
		first := s.do("POST", repackagePath(p.ID), "Idempotency-Key", "0b7c")
		again := s.do("POST", repackagePath(p.ID), "Idempotency-Key", "0b7c")
		if again.status != first.status || !bytes.Equal(again.body, first.body) {
			t.Errorf("%d %s, then %d %s", first.status, first.body, again.status, again.body)
		}
		if first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("Idempotency-Replayed %q, then %q", first.header.Get("Idempotency-Replayed"), again.header.Get("Idempotency-Replayed"))
		}
		if first.header.Get("X-Request-Id") == again.header.Get("X-Request-Id") {
			t.Error("two requests have one id")
		}
	}
}

func TestTheReplayComesBeforeTheLimit(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	s.do("POST", repackagePath(p.ID), "Idempotency-Key", "k").want(http.StatusOK)
	s.do("POST", repackagePath(p.ID)).want(http.StatusOK)
	s.do("POST", repackagePath(p.ID)).want(http.StatusOK)
	s.do("POST", repackagePath(p.ID)).want(http.StatusTooManyRequests)
	s.do("POST", repackagePath(p.ID), "Idempotency-Key", "k").want(http.StatusOK)
	s.do("POST", repackagePath(p.ID), "Idempotency-Key", "k", "Authorization", "-").want(http.StatusUnauthorized)
	s.Clock.Advance(time.Minute)
	a := s.do("POST", repackagePath(p.ID), "Idempotency-Key", "k").want(http.StatusOK)
	if a.header.Get("Idempotency-Replayed") != "" {
		t.Error("the key should have expired")
	}
}

// Promise: replay-simultaneous
func TestSimultaneousRequestsWithOneKeyMakeOneBundleOverHTTP(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	bodies := make([]string, 10)
	var all sync.WaitGroup
	for i := range bodies {
		all.Go(func() {
			bodies[i] = string(s.do("POST", repackagePath(p.ID), "Idempotency-Key", "k").body)
		})
	}
	all.Wait()
	for _, body := range bodies {
		if body != bodies[0] {
			t.Fatalf("%s and %s", body, bodies[0])
		}
	}
	if got := decode[api.BundleList](s.do("GET", "/bundles").want(http.StatusOK)); len(got.Bundles) != 2 {
		t.Errorf("%d bundles, want the first and one more", len(got.Bundles))
	}
}

// Promise: idempotency-key-form
func TestAnIdempotencyKeyHasOneTo255VisibleCharacters(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	for name, headers := range map[string][]string{
		"empty":     {"Idempotency-Key", ""},
		"too long":  {"Idempotency-Key", strings.Repeat("k", 256)},
		"a space":   {"Idempotency-Key", "a b"},
		"not ASCII": {"Idempotency-Key", "schlüssel"},
		"two":       {"Idempotency-Key", "a", "Idempotency-Key", "b"},
	} {
		e := s.do("POST", repackagePath(p.ID), headers...).failure(http.StatusBadRequest, svc.CodeInvalidRequest)
		if e.Field != "Idempotency-Key" {
			t.Errorf("%s: field %q", name, e.Field)
		}
	}
	// None of the refused ones has used a slot.
	for _, key := range []string{"k", strings.Repeat("k", 255), "!~"} {
		s.do("POST", repackagePath(p.ID), "Idempotency-Key", key).want(http.StatusOK)
	}
}

// Promise: listings
func TestListProjectsShowsEachNewestFirst(t *testing.T) {
	s := newSite(t)
	old, _ := s.Project(s.account, deliverytest.Files(demo))
	s.Clock.Advance(time.Second)
	young := s.EmptyProject(s.account)
	s.Project(s.Account("bob@example.com"), deliverytest.Files(demo))
	page := decode[api.ProjectList](s.do("GET", "/projects?limit=1").want(http.StatusOK))
	if len(page.Projects) != 1 || page.Projects[0].ProjectID != young.ID || page.NextCursor == "" {
		t.Fatalf("%+v", page)
	}
	page = decode[api.ProjectList](s.do("GET", "/projects?limit=1&cursor="+page.NextCursor).want(http.StatusOK))
	want := api.ProjectList{Projects: []api.Project{{
		ProjectID: old.ID, Name: "demo", FileCount: 2, TotalSizeBytes: old.Pack.Extent.Bytes,
		CreatedAt: api.Time(old.CreatedAt), UpdatedAt: api.Time(old.UpdatedAt),
	}}}
	if diff := cmp.Diff(want, page, cmp.Transformer("time", api.Time.String)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Promise: generate-spec
func TestTheRecordOfAProjectHasItsSpec(t *testing.T) {
	s := newSiteWith(t, deliverytest.New(t), "", func(c *httpd.Config) {
		c.SpecOf = func(state map[string]string) string { return state["spec"] }
	})
	content := deliverytest.Files(demo)
	content.State.Architecture = map[string]string{"spec": "api\nbook: title\n"}
	p, _ := s.Project(s.account, content)
	other, _ := s.Project(s.account, deliverytest.Files(demo))
	path := func(p svc.Project) string { return "/projects/" + p.ID }
	want := api.ProjectRecord{Project: api.NewProject(p), Spec: "api\nbook: title\n"}
	got := decode[api.ProjectRecord](s.do("GET", path(p)).want(http.StatusOK))
	if diff := cmp.Diff(want, got, cmp.Transformer("time", api.Time.String)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if a := s.do("GET", path(other)).want(http.StatusOK); strings.Contains(string(a.body), `"spec"`) {
		t.Errorf("a project without a spec has one: %s", a.body)
	}
	s.do("HEAD", path(p)).want(http.StatusOK)
	foreign, _ := s.Project(s.Account("bob@example.com"), content)
	for _, hidden := range []string{path(foreign), "/projects/proj_nothing0000000000000", "/projects/x"} {
		s.do("GET", hidden).failure(http.StatusNotFound, svc.CodeProjectNotFound)
	}
}
