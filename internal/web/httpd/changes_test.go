package httpd_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/bundle/bundlezip"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
)

func changesPath(id string) string { return "/projects/" + id + "/changes" }

// archiveOf makes an archive with the standard library, as other clients would.
func archiveOf(t *testing.T, note string, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		must.Do(t, err)
		_, err = io.WriteString(w, files[i+1])
		must.Do(t, err)
	}
	if note != "" {
		w, err := z.Create("changes.json")
		must.Do(t, err)
		_, err = io.WriteString(w, note)
		must.Do(t, err)
	}
	must.Do(t, z.Close())
	return out.Bytes()
}

func noteOn(base string, deleted ...string) string {
	list := ""
	for i, path := range deleted {
		if i > 0 {
			list += ","
		}
		list += fmt.Sprintf("%q", path)
	}
	return `{"changes_version":1,"base":"` + base + `","deleted":[` + list + `]}`
}

func (s *site) push(id string, body []byte, headers ...string) answer {
	s.t.Helper()
	return s.send("POST", changesPath(id), bytes.NewReader(body), append([]string{"Content-Type", "application/zip"}, headers...)...)
}

// Promise: push-makes-state
func TestPushAnswersWithTheState(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	s.Clock.Advance(time.Minute)
	body := archiveOf(t, noteOn(p.Pack.State(), "README.md"), "src/main.go", "package main // mine\n", "new.txt", "new")
	a := s.push(p.ID, body).want(http.StatusOK)
	after, err := s.Delivery.Project(t.Context(), s.account.ID, p.ID)
	must.Do(t, err)
	want := map[string]any{
		"projectId": p.ID, "state": after.Pack.State(), "changed": 1.0, "added": 1.0, "deleted": 1.0, "pushedAt": api.Time(s.Clock.Now()).String(),
	}
	if diff := cmp.Diff(want, a.fields()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := s.push(p.ID, body).want(http.StatusOK); !bytes.Equal(a.body, again.body) {
		t.Errorf("again %s, first %s", again.body, a.body)
	}
	// The state that was returned is the base of the next push.
	s.push(p.ID, archiveOf(t, noteOn(after.Pack.State()), "new.txt", "newer")).want(http.StatusOK)
	e := s.push(p.ID, body).failure(http.StatusConflict, svc.CodeProjectMoved)
	now, err := s.Delivery.Project(t.Context(), s.account.ID, p.ID)
	must.Do(t, err)
	if e.State != now.Pack.State() || e.BundleID != "" || e.Hint == "" {
		t.Errorf("%+v", e)
	}
	made := decode[api.Repackaged](s.do("POST", repackagePath(p.ID)).want(http.StatusOK))
	if e := s.push(p.ID, body).failure(http.StatusConflict, svc.CodeProjectMoved); e.BundleID != made.BundleID || e.State != now.Pack.State() {
		t.Errorf("%+v, want bundle %s", e, made.BundleID)
	}
	archive := s.do("GET", "/bundles/"+made.BundleID+"/download").want(http.StatusOK).body
	pack, err := bundlezip.Check(bytes.NewReader(archive), int64(len(archive)))
	must.Do(t, err)
	content, err := pack.ReadFile(bundlezip.ProjectRoot, "src/main.go")
	must.Do(t, err)
	if _, err := pack.ReadFile(bundlezip.ProjectRoot, "README.md"); err == nil || string(content) != "package main // mine\n" {
		t.Errorf("%q, %v", content, err)
	}
}

// Promise: push-busy-409
func TestPushWhileARunWaitsIs409WithTheRun(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	run := svc.Run{ID: svc.NewGenerationID(), AccountID: s.account.ID, ProjectID: p.ID, Prompt: "x", Status: svc.RunQueued, CreatedAt: s.Clock.Now()}
	must.Do(t, s.Store.Runs().Insert(t.Context(), run))
	if e := s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "a", "b")).failure(http.StatusConflict, svc.CodeProjectBusy); e.GenerationID != run.ID {
		t.Errorf("%+v", e)
	}
}

// Promise: limit-pushes
func TestPushHonoursTheIdempotencyKey(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	body := archiveOf(t, noteOn(p.Pack.State()), "a", "b")
	first := s.push(p.ID, body, "Idempotency-Key", "k").want(http.StatusOK)
	for range 12 { // more than the limit admits
		again := s.push(p.ID, body, "Idempotency-Key", "k").want(http.StatusOK)
		if !bytes.Equal(again.body, first.body) || again.header.Get("Idempotency-Replayed") != "true" {
			t.Fatalf("%s, %v", again.body, again.header)
		}
	}
	s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "a", "c"), "Idempotency-Key", "k").failure(http.StatusUnprocessableEntity, svc.CodeIdempotencyMismatch)
	moved := s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "a", "c"), "Idempotency-Key", "m").want(http.StatusConflict)
	if again := s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "a", "c"), "Idempotency-Key", "m").want(http.StatusConflict); !bytes.Equal(again.body, moved.body) {
		t.Errorf("%s, first %s", again.body, moved.body)
	}
	s.push(p.ID, body, "Idempotency-Key", "").failure(http.StatusBadRequest, svc.CodeInvalidRequest)
}

// Promise: limit-push-before-body
func TestTheLimitOfPushesIsAskedBeforeTheBody(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	body := archiveOf(t, noteOn(p.Pack.State()), "a", "b")
	first := s.push(p.ID, body, "Idempotency-Key", "k").want(http.StatusOK)
	s.push(p.ID, []byte("no archive")).failure(http.StatusBadRequest, svc.CodeInvalidRequest)
	for range 9 {
		s.push("proj_nothing0000000000000", body).failure(http.StatusNotFound, svc.CodeProjectNotFound)
	}
	refused := s.push(p.ID, []byte("no archive"))
	refused.failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	if refused.header.Get("Retry-After") != "60" {
		t.Errorf("Retry-After %q", refused.header.Get("Retry-After"))
	}
	s.push(p.ID, []byte("no archive"), "Idempotency-Key", "new").failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	s.push("nothing", []byte("no archive"), "Idempotency-Key", "k").failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	if again := s.push(p.ID, body, "Idempotency-Key", "k").want(http.StatusOK); !bytes.Equal(again.body, first.body) {
		t.Errorf("%s, first %s", again.body, first.body)
	}
	s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "a", "c"), "Idempotency-Key", "k").failure(http.StatusUnprocessableEntity, svc.CodeIdempotencyMismatch)
}

// Promise: push-size-413
func TestPushOfExactlyTheLimitsPassesAndOneMoreIs413(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	big := strings.Repeat("0123456789abcdef", 26214400/16)
	e := s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "big", big, "one", "1")).failure(http.StatusRequestEntityTooLarge, svc.CodeProjectTooLarge)
	if *e.Limit != (api.Extent{Files: 500, Bytes: 26214400}) || *e.Actual != (api.Extent{Files: 2, Bytes: 26214401}) {
		t.Errorf("%+v of %+v", e.Actual, e.Limit)
	}
	done := decode[api.Pushed](s.push(p.ID, archiveOf(t, noteOn(p.Pack.State()), "big", big)).want(http.StatusOK))
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("f%03d", i), "")
	}
	e = s.push(p.ID, archiveOf(t, noteOn(done.State, "big"), append(many, "f500", "")...)).failure(http.StatusRequestEntityTooLarge, svc.CodeProjectTooLarge)
	if e.Actual.Files != 501 {
		t.Errorf("%+v", e.Actual)
	}
	if got := decode[api.Pushed](s.push(p.ID, archiveOf(t, noteOn(done.State, "big"), many...)).want(http.StatusOK)); got.Added != 500 || got.Deleted != 1 {
		t.Errorf("%+v", got)
	}
}

// TestPushCompletesNoRepository sends the half of a Git repository whose other half the
// project has.
// Promise: push-no-repository
func TestPushCompletesNoRepository(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(map[string]string{"a": "a", "x/objects/x": "x", "x/refs/x": "x"}))
	base := p.Pack.State()
	for _, head := range []string{"x/HEAD", "x/head"} {
		e := s.push(p.ID, archiveOf(t, noteOn(base), head, "b", "x/config", "b")).failure(http.StatusBadRequest, svc.CodeInvalidRequest)
		if !strings.Contains(e.Error, `the folder "x" a Git repository without .git`) {
			t.Errorf("%+v", e)
		}
	}
	s.push(p.ID, archiveOf(t, noteOn(base, "x/refs/x"), "x/HEAD", "b", "x/config", "b")).want(http.StatusOK) // that is none
}

// Promise: push-size-413
func TestPushOfALargerBodyThanAllowedIs413(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	exact := make([]byte, api.MaxChanges)
	more := make([]byte, api.MaxChanges+1)
	e := s.push(p.ID, exact).failure(http.StatusBadRequest, svc.CodeInvalidRequest) // it was read to its end
	if e.Field != "body" {
		t.Errorf("%+v", e)
	}
	s.push(p.ID, more).failure(http.StatusRequestEntityTooLarge, svc.CodeRequestTooLarge)
	chunked := struct{ io.Reader }{bytes.NewReader(more)}
	s.send("POST", changesPath(p.ID), chunked, "Content-Type", "application/zip").failure(http.StatusRequestEntityTooLarge, svc.CodeRequestTooLarge)
}

// Promise: push-malformed-400, push-no-repository
func TestPushRefusesWhatIsNoArchiveOfChanges(t *testing.T) {
	s := newSite(t)
	p, _ := s.Project(s.account, deliverytest.Files(demo))
	base := p.Pack.State()
	good := archiveOf(t, noteOn(base), "a", "b")
	for name, test := range map[string]struct {
		body  []byte
		field string
	}{
		"nothing":               {nil, "body"},
		"no ZIP":                {[]byte("hello"), "body"},
		"cut off":               {good[:len(good)-5], "body"},
		"something after it":    {append(bytes.Clone(good), "more"...), "body"},
		"a damaged file":        {bytes.Replace(good, []byte("PK\x03\x04"), []byte("PK\x03\x05"), 1), "a"},
		"no changes.json":       {archiveOf(t, "", "a", "b"), "changes.json"},
		"changes.json no JSON":  {archiveOf(t, "hello", "a", "b"), "changes.json"},
		"no UTF-8":              {archiveOf(t, "{\"base\":\"\xff\"}", "a", "b"), "changes.json"},
		"no name":               {archiveOf(t, `{"changes_version":1,"":1}`), "changes.json"},
		"half a character":      {archiveOf(t, `{"changes_version":1,"base":"\ud800"}`), "changes.json"},
		"a long path":           {archiveOf(t, noteOn(base), "../"+strings.Repeat("x", 60_000), "b"), "../" + strings.Repeat("x", 97) + "…"},
		"unknown field":         {archiveOf(t, `{"changes_version":1,"base":"`+base+`","more":1}`), "more"},
		"a name in other case":  {archiveOf(t, `{"changes_version":1,"Base":"`+base+`"}`), "Base"},
		"a name twice":          {archiveOf(t, `{"changes_version":1,"base":"`+base+`","base":"`+base+`"}`), "base"},
		"another version":       {archiveOf(t, `{"changes_version":2,"base":"`+base+`"}`), "changes_version"},
		"no version":            {archiveOf(t, `{"base":"`+base+`"}`), "changes_version"},
		"no base":               {archiveOf(t, `{"changes_version":1}`), "base"},
		"a base that is none":   {archiveOf(t, noteOn(strings.ToUpper(base))), "base"},
		"NUL":                   {archiveOf(t, `{"changes_version":1,"base":"`+base+`","deleted":["a\u0000b"]}`), "deleted"},
		"deleted wrongly typed": {archiveOf(t, `{"changes_version":1,"base":"`+base+`","deleted":"a"}`), "deleted"},
		"deleted twice":         {archiveOf(t, noteOn(base, "x", "x")), "deleted"},
		"deleted and changed":   {archiveOf(t, noteOn(base, "a"), "a", "b"), "deleted"},
		"an unsafe deletion":    {archiveOf(t, noteOn(base, "../x")), "deleted"},
		"an unsafe path":        {archiveOf(t, noteOn(base), "../x", "b"), "../x"},
		"version control":       {archiveOf(t, noteOn(base), ".git/config", "b"), ".git/config"},
		"the client's own":      {archiveOf(t, noteOn(base), ".svc/journal.json", "b"), ".svc/journal.json"},
		"a folder":              {archiveOf(t, noteOn(base), "x/", ""), "x/"},
		"only in case":          {archiveOf(t, noteOn(base), "a", "b", "A", "b"), "A"},
		"in case of a file":     {archiveOf(t, noteOn(base), "readme.md", "b"), "readme.md"},
		"a Git repository":      {archiveOf(t, noteOn(base), "v/HEAD", "b", "v/objects/x", "b", "v/refs/x", "b"), "v/refs/x"},
		"linked to one":         {archiveOf(t, noteOn(base), "commondir", "b", "HEAD", "b"), "HEAD"},
		"a file for a folder":   {archiveOf(t, noteOn(base), "src", "b"), "src/main.go"},
	} {
		t.Run(name, func(t *testing.T) {
			e := s.push(p.ID, test.body).failure(http.StatusBadRequest, svc.CodeInvalidRequest)
			if e.Field != test.field {
				t.Errorf("field %q, want %q: %s", e.Field, test.field, e.Error)
			}
		})
	}
	for _, kind := range []string{"application/json", "-", "application/zip;;", "text/plain"} {
		a := s.send("POST", changesPath(p.ID), bytes.NewReader(good), "Content-Type", kind)
		if e := a.failure(http.StatusBadRequest, svc.CodeInvalidRequest); e.Field != "Content-Type" {
			t.Errorf("%s: %+v", kind, e)
		}
	}
	s.push("proj_nothing0000000000000", good).failure(http.StatusNotFound, svc.CodeProjectNotFound)
	s.push("nothing", good).failure(http.StatusNotFound, svc.CodeProjectNotFound)
	s.push(p.ID, good, "Authorization", "Bearer no").want(http.StatusUnauthorized)
	s.do("GET", changesPath(p.ID)).failure(http.StatusMethodNotAllowed, svc.CodeMethodNotAllowed)
	s.push(p.ID, good).want(http.StatusOK) // none of the refusals used a slot but for the two 404
}
