package httpd_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Promise: bundle-fields
func TestGetBundleShowsItsFiveFields(t *testing.T) {
	s := newSite(t)
	p, b := s.Project(s.account, deliverytest.Files(demo))
	a := s.do("GET", bundlePath(b)).want(http.StatusOK)
	want := map[string]any{
		"bundleId": b.ID, "projectId": p.ID, "status": "pending_download",
		"fileCount": 2.0, "createdAt": "2026-11-03T09:30:00.007Z",
	}
	if diff := cmp.Diff(want, a.fields()); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
}

// Promise: metadata-unlimited
func TestGetBundleIsNotLimited(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for range 50 {
		s.do("GET", bundlePath(b)).want(http.StatusOK)
	}
}

// Promise: bundle-gone-410, record-outlives-archive, error-410-record
func TestABundleThatIsGoneIsAnsweredWithItsWholeRecord(t *testing.T) {
	s := newSite(t)
	p, acked := s.Project(s.account, deliverytest.Files(demo))
	s.do("POST", ackPath(acked)).want(http.StatusOK)
	downloadedAt := api.Time(s.Clock.Now()).String()
	_, expired := s.Project(s.account, deliverytest.Files(demo))
	s.ExpireNow()
	for _, tt := range []struct {
		bundle svc.Bundle
		code   svc.Code
		field  string
		value  string
	}{
		{acked, svc.CodeBundleDownloaded, "downloadedAt", downloadedAt},
		{expired, svc.CodeBundleExpired, "expiredAt", api.Time(s.Clock.Now()).String()},
	} {
		for _, path := range []string{bundlePath(tt.bundle), downloadPath(tt.bundle)} {
			a := s.do("GET", path)
			a.failure(http.StatusGone, tt.code)
			got := a.fields()
			for name, want := range map[string]any{
				"bundleId": tt.bundle.ID, "projectId": tt.bundle.ProjectID, "fileCount": 2.0,
				"createdAt": api.Time(tt.bundle.CreatedAt).String(), tt.field: tt.value,
			} {
				if got[name] != want {
					t.Errorf("%s: %s is %v, want %v", path, name, got[name], want)
				}
			}
		}
	}
	if acked.ProjectID != p.ID {
		t.Fatal("mixed up")
	}
}

// Promise: not-found-uniform
func TestNotFoundIsTheSameForMissingForeignAndMalformedIds(t *testing.T) {
	s := newSite(t)
	other := s.Account("bob@example.com")
	project, foreign := s.Project(other, deliverytest.Files(demo))
	ids := []string{foreign.ID, svc.NewBundleID(s.Clock.Now()), "not-an-id", strings.ToUpper(foreign.ID), "%2e%2e%2f"}
	for _, route := range []struct{ method, before, after string }{
		{"GET", "/bundles/", ""},
		{"GET", "/bundles/", "/download"},
		{"POST", "/bundles/", "/ack"},
	} {
		bodies := map[string]bool{}
		for _, id := range ids {
			a := s.do(route.method, route.before+id+route.after)
			a.failure(http.StatusNotFound, svc.CodeBundleNotFound)
			bodies[a.anonymous()] = true
		}
		if len(bodies) != 1 {
			t.Errorf("%s %s%s: %d bodies", route.method, route.before, route.after, len(bodies))
		}
	}
	bodies := map[string]bool{}
	for i, id := range []string{project.ID, svc.NewProjectID(), "no-project"} {
		if i > 0 {
			s.Clock.Advance(time.Minute)
		}
		a := s.do("POST", repackagePath(id))
		a.failure(http.StatusNotFound, svc.CodeProjectNotFound)
		bodies[a.anonymous()] = true
		a = s.do("GET", "/bundles/latest?projectId="+id)
		a.failure(http.StatusNotFound, svc.CodeBundleNotFound)
		bodies["latest "+a.anonymous()] = true
	}
	if len(bodies) != 2 {
		t.Errorf("projects: %d bodies", len(bodies))
	}
}

// Promise: download-zip
func TestDownloadGivesTheArchiveWithItsHeaders(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	a := s.do("GET", downloadPath(b)).want(http.StatusOK)
	sum := sha256.Sum256(a.body)
	if sum != b.SHA256 || int64(len(a.body)) != b.Size {
		t.Fatalf("%d bytes with digest %x, want %d with %x", len(a.body), sum, b.Size, b.SHA256)
	}
	for name, want := range map[string]string{
		"Content-Type":        "application/zip",
		"Content-Disposition": `attachment; filename="bundle-` + b.ID + `.zip"`,
		"Content-Length":      strconv.FormatInt(b.Size, 10),
		"Etag":                fmt.Sprintf(`"%x"`, b.SHA256),
		"Repr-Digest":         "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":",
		"Accept-Ranges":       "bytes",
		"Cache-Control":       "private, no-store",
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	s.do("GET", bundlePath(b)).want(http.StatusOK) // the state is what it was
}

// Promise: download-ranges
func TestDownloadHonoursRangeAndIfRange(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	whole := s.do("GET", downloadPath(b)).want(http.StatusOK)
	etag := whole.header.Get("ETag")

	part := s.do("GET", downloadPath(b), "Range", "bytes=10-19").want(http.StatusPartialContent)
	if !bytes.Equal(part.body, whole.body[10:20]) {
		t.Errorf("got %x", part.body)
	}
	if got, want := part.header.Get("Content-Range"), fmt.Sprintf("bytes 10-19/%d", b.Size); got != want {
		t.Errorf("Content-Range %q, want %q", got, want)
	}
	if part.header.Get("Repr-Digest") != whole.header.Get("Repr-Digest") || part.header.Get("ETag") != etag {
		t.Error("a part has other digests than the whole")
	}
	rest := s.do("GET", downloadPath(b), "Range", "bytes=100-", "If-Range", etag).want(http.StatusPartialContent)
	if !bytes.Equal(rest.body, whole.body[100:]) {
		t.Error("the rest differs")
	}
	again := s.do("GET", downloadPath(b), "Range", "bytes=100-", "If-Range", `"another"`).want(http.StatusOK)
	if !bytes.Equal(again.body, whole.body) {
		t.Error("an If-Range of another archive must give the whole")
	}
	outside := s.do("GET", downloadPath(b), "Range", fmt.Sprintf("bytes=%d-", b.Size+1))
	if e := outside.failure(http.StatusRequestedRangeNotSatisfiable, svc.CodeInvalidRequest); e.Field != "Range" {
		t.Errorf("field %q", e.Field)
	}
	if got, want := outside.header.Get("Content-Range"), fmt.Sprintf("bytes */%d", b.Size); got != want {
		t.Errorf("Content-Range %q, want %q", got, want)
	}
	s.do("GET", downloadPath(b), "If-None-Match", etag).want(http.StatusNotModified)
	other := s.do("GET", downloadPath(b), "If-Match", `"another"`)
	if e := other.failure(http.StatusPreconditionFailed, svc.CodeInvalidRequest); e.Field != "If-Match" {
		t.Errorf("field %q", e.Field)
	}
	s.do("GET", downloadPath(b), "If-Match", etag).want(http.StatusOK)
	s.do("GET", downloadPath(b), "Range", "lines=1-2").want(http.StatusOK)
	wrong := s.do("GET", downloadPath(b), "Range", "bytes=b-a").want(http.StatusRequestedRangeNotSatisfiable)
	if got, want := wrong.header.Get("Content-Range"), fmt.Sprintf("bytes */%d", b.Size); got != want {
		t.Errorf("Content-Range %q, want %q", got, want)
	}
}

// Promise: limit-slots
func TestPartsUseASlotAndHeadUsesNone(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for range 30 {
		a := s.do("HEAD", downloadPath(b)).want(http.StatusOK)
		if a.header.Get("Content-Length") != strconv.FormatInt(b.Size, 10) || len(a.body) != 0 {
			t.Fatalf("Content-Length %q, body %d", a.header.Get("Content-Length"), len(a.body))
		}
	}
	s.do("HEAD", downloadPath(b), "Range", "bytes=0-9").want(http.StatusOK)
	s.do("HEAD", downloadPath(b), "Range", "bytes=99999999-").want(http.StatusOK)
	for range 10 {
		s.do("GET", downloadPath(b), "Range", "bytes=0-0").want(http.StatusPartialContent)
	}
	s.do("GET", downloadPath(b), "Range", "bytes=0-0").failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	s.do("HEAD", downloadPath(b)).want(http.StatusOK)
}

// Promise: error-429-wait, limit-downloads
func TestTheEleventhDownloadInAMinuteIsRefusedWithItsExactWait(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for range 10 {
		s.do("GET", downloadPath(b)).want(http.StatusOK)
		s.Clock.Advance(1100 * time.Millisecond)
	}
	a := s.do("GET", downloadPath(b))
	if e := a.failure(http.StatusTooManyRequests, svc.CodeTooManyRequests); e.Error == "" {
		t.Error("no error text")
	}
	if got := a.header.Get("Retry-After"); got != "49" { // the first was 11 s ago
		t.Errorf("Retry-After %q", got)
	}
	s.Clock.Advance(48 * time.Second)
	a = s.do("GET", downloadPath(b)).want(http.StatusTooManyRequests)
	if got := a.header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After %q", got)
	}
	s.Clock.Advance(time.Second)
	s.do("GET", downloadPath(b)).want(http.StatusOK)
}

func TestTheLimitComesBeforeOwnershipAndState(t *testing.T) {
	s := newSite(t)
	missing := "/bundles/" + svc.NewBundleID(s.Clock.Now()) + "/download"
	for range 10 {
		s.do("GET", missing).want(http.StatusNotFound)
	}
	s.do("GET", missing).failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	s.do("GET", missing, "Authorization", "Bearer nobody").failure(http.StatusUnauthorized, svc.CodeInvalidAPIKey)
}

// Promise: limit-slots
func TestUnauthorizedDownloadsUseNoSlot(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	for range 20 {
		s.do("GET", downloadPath(b), "Authorization", "-").want(http.StatusUnauthorized)
	}
	for range 10 {
		s.do("GET", downloadPath(b)).want(http.StatusOK)
	}
}

// Promise: key-shares-account
func TestTheLimitIsSharedByAllKeysOfAnAccount(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	second := "Bearer " + s.Key(s.account)
	for range 5 {
		s.do("GET", downloadPath(b)).want(http.StatusOK)
		s.do("GET", downloadPath(b), "Authorization", second).want(http.StatusOK)
	}
	s.do("GET", downloadPath(b)).want(http.StatusTooManyRequests)
	s.do("GET", downloadPath(b), "Authorization", second).want(http.StatusTooManyRequests)
}

// Promise: ack-deletes, ack-response
func TestAcknowledgeAnswersWithTheTimeAndIsIdempotent(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	s.Clock.Advance(1234 * time.Millisecond)
	first := s.do("POST", ackPath(b)).want(http.StatusOK)
	want := map[string]any{"bundleId": b.ID, "status": "downloaded", "downloadedAt": "2026-11-03T09:30:01.241Z"}
	if diff := cmp.Diff(want, first.fields()); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	s.Clock.Advance(time.Hour)
	again := s.do("POST", ackPath(b)).want(http.StatusOK)
	if !bytes.Equal(first.body, again.body) {
		t.Errorf("got %s, want %s", again.body, first.body)
	}
	s.do("GET", downloadPath(b)).failure(http.StatusGone, svc.CodeBundleDownloaded)
}

// Promise: ack-response
func TestAcknowledgeIgnoresABody(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	s.send("POST", ackPath(b), strings.NewReader(`{"unknown": [`)).want(http.StatusOK)
}

// Promise: ack-expired-410
func TestAcknowledgeOfAnExpiredBundleIsGone(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(demo))
	s.ExpireNow()
	s.do("POST", ackPath(b)).failure(http.StatusGone, svc.CodeBundleExpired)
	s.do("GET", bundlePath(b)).failure(http.StatusGone, svc.CodeBundleExpired)
}

// Promise: latest-bundle
func TestLatestHasTheShapeOfGetBundle(t *testing.T) {
	s := newSite(t)
	s.do("GET", "/bundles/latest").failure(http.StatusNotFound, svc.CodeBundleNotFound)
	p, b := s.Project(s.account, deliverytest.Files(demo))
	one, two := s.do("GET", bundlePath(b)).want(http.StatusOK), s.do("GET", "/bundles/latest").want(http.StatusOK)
	if !bytes.Equal(one.body, two.body) {
		t.Errorf("%s and %s", one.body, two.body)
	}
	s.do("GET", "/bundles/latest?projectId="+p.ID).want(http.StatusOK)
	s.do("GET", "/bundles/latest?projectId="+svc.NewProjectID()).failure(http.StatusNotFound, svc.CodeBundleNotFound)
	s.do("POST", ackPath(b)).want(http.StatusOK)
	s.do("GET", "/bundles/latest").failure(http.StatusNotFound, svc.CodeBundleNotFound)
}

// Promise: listings
func TestListBundlesPagesAndFilters(t *testing.T) {
	s := newSite(t)
	p, acked := s.Project(s.account, deliverytest.Files(demo))
	s.do("POST", ackPath(acked)).want(http.StatusOK)
	for range 4 {
		s.Clock.Advance(time.Second)
		s.Project(s.account, deliverytest.Files(demo))
	}
	list := func(query string) api.BundleList {
		return decode[api.BundleList](s.do("GET", "/bundles"+query).want(http.StatusOK))
	}
	var ids []string
	cursor := ""
	for {
		page := list("?limit=2&cursor=" + cursor)
		for _, b := range page.Bundles {
			ids = append(ids, b.BundleID)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	var whole []string
	for _, b := range list("").Bundles {
		whole = append(whole, b.BundleID)
	}
	if diff := cmp.Diff(whole, ids); diff != "" || len(whole) != 5 || whole[4] != acked.ID {
		t.Errorf("pages and whole differ, or are not newest first (-whole +pages):\n%s", diff)
	}
	if got := list("?status=downloaded"); len(got.Bundles) != 1 || got.Bundles[0].DownloadedAt == nil {
		t.Errorf("downloaded: %+v", got)
	}
	if got := list("?projectId=" + p.ID); len(got.Bundles) != 1 || got.Bundles[0].BundleID != acked.ID {
		t.Errorf("of the project: %+v", got)
	}
	if got := list("?projectId=&status=pending_download"); len(got.Bundles) != 4 || got.Bundles[0].ExpiresAt == nil {
		t.Errorf("waiting: %+v", got)
	}
	if got := list("?projectId=" + svc.NewProjectID()); got.Bundles == nil || len(got.Bundles) != 0 {
		t.Errorf("of another project: %+v", got)
	}
}

// Promise: listings
func TestListingsRefuseBadParametersByName(t *testing.T) {
	s := newSite(t)
	for query, field := range map[string]string{
		"limit=0": "limit", "limit=201": "limit", "limit=ten": "limit", "limit=1&limit=2": "limit",
		"cursor=%21": "cursor", "cursor=AAAA": "cursor", "status=lost": "status", "projectId=a&projectId=b": "projectId",
		"limit=%zz": "query",
	} {
		e := s.do("GET", "/bundles?"+query).failure(http.StatusBadRequest, svc.CodeInvalidRequest)
		if e.Field != field {
			t.Errorf("%s: field %q, want %q", query, e.Field, field)
		}
	}
	s.do("GET", "/projects?limit=-1").failure(http.StatusBadRequest, svc.CodeInvalidRequest)
	s.do("GET", "/bundles/latest?projectId=a&projectId=b").failure(http.StatusBadRequest, svc.CodeInvalidRequest)
}

// Promise: download-survives-ack
func TestDownloadInFlightOverHTTPSurvivesTheAcknowledgement(t *testing.T) {
	s := newSite(t)
	_, b := s.Project(s.account, deliverytest.Files(map[string]string{"noise.bin": noise(4 << 20)}))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+downloadPath(b), nil)
	must.Do(t, err)
	request.Header.Set("Authorization", "Bearer "+s.key)
	response, err := s.client.Do(request)
	must.Do(t, err)
	head := make([]byte, 100)
	_, err = io.ReadFull(response.Body, head)
	must.Do(t, err)
	s.do("POST", ackPath(b)).want(http.StatusOK)
	digest := sha256.New()
	digest.Write(head)
	_, err = io.Copy(digest, response.Body)
	must.Do(t, err)
	must.Do(t, response.Body.Close())
	if [sha256.Size]byte(digest.Sum(nil)) != b.SHA256 {
		t.Error("the archive arrived damaged")
	}
}

// noise is text that does not compress, the same every time.
func noise(size int) string {
	var out bytes.Buffer
	block := sha256.Sum256(nil)
	for out.Len() < size {
		out.Write(block[:])
		block = sha256.Sum256(block[:])
	}
	return out.String()[:size]
}
