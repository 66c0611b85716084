package client

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc"
)

func TestPush(t *testing.T) {
	state := strings.Repeat("ab", 32)
	const project = "proj_7h2k9q4w1x8c5v3b6n0m"
	var asked *http.Request
	var body []byte
	answers := []func(http.ResponseWriter){
		func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusTooManyRequests)
		},
		func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"projectId":"`+project+`","state":"`+state+`","changed":1,"added":2,"deleted":3,"pushedAt":"2026-01-01T00:00:00.007Z"}`)
		},
		func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":"PROJECT_MOVED","error":"No.","state":"`+state+`","bundleId":"`+testBundle+`","requestId":"req_1"}`)
		},
		func(w http.ResponseWriter) {
			w.WriteHeader(http.StatusConflict)
			_, _ = io.WriteString(w, `{"code":"PROJECT_BUSY","error":"No.","generationId":"gen_7h2k9q4w1x8c5v3b6n0m","requestId":"req_1"}`)
		},
		func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"projectId":"`+project+`","state":"../x"}`) },
	}
	r := newRig(t, func(w http.ResponseWriter, req *http.Request) {
		asked = req
		body, _ = io.ReadAll(req.Body)
		answers[0](w)
		answers = answers[1:]
	})
	note, err := Changes{Base: state}.Note()
	if err != nil || string(note) != `{"changes_version":1,"base":"`+state+`","deleted":[]}` {
		t.Errorf("%s, %v", note, err)
	}
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("changes.json")
	if err == nil {
		_, err = w.Write(note)
	}
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	push := func() (Pushed, *svc.Error) {
		t.Helper()
		got, err := r.Push(t.Context(), project, archive.Bytes(), "k")
		e, _ := errors.AsType[*svc.Error](err)
		if err != nil && e == nil {
			e = svc.Errorf("", "%v", err)
		}
		return got, e
	}
	got, e := push()
	want := Pushed{ProjectID: project, State: state, Changed: 1, Added: 2, Deleted: 3, At: time.Date(2026, 1, 1, 0, 0, 0, 7e6, time.UTC)}
	if diff := cmp.Diff(want, got); diff != "" || e != nil || !cmp.Equal(r.waits, []time.Duration{7 * time.Second}) {
		t.Errorf("%s, %v, waits %v", diff, e, r.waits)
	}
	if asked.Method != http.MethodPost || asked.URL.Path != "/projects/"+project+"/changes" || asked.Header.Get("Content-Type") != "application/zip" ||
		asked.Header.Get("Idempotency-Key") != "k" || asked.ContentLength != int64(archive.Len()) || !bytes.Equal(body, archive.Bytes()) {
		t.Errorf("%s %s %v, %d bytes", asked.Method, asked.URL, asked.Header, len(body))
	}
	if _, e := push(); e == nil || e.Code != svc.CodeProjectMoved || e.State != state || e.BundleID != testBundle {
		t.Errorf("%+v", e)
	}
	if _, e := push(); e == nil || e.Code != svc.CodeProjectBusy || e.GenerationID != "gen_7h2k9q4w1x8c5v3b6n0m" {
		t.Errorf("%+v", e)
	}
	if _, e := push(); e == nil || !strings.Contains(e.Message, "state is no id") {
		t.Errorf("%+v", e)
	}
}
