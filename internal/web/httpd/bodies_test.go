package httpd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/testkit/must"
	"github.com/bundle-delivery/svc/internal/web/api"
	"github.com/bundle-delivery/svc/internal/web/api/openapi"
)

// beginPush says that it sends so many bytes, and sends a few.
func (s *site) beginPush(id string, size int64) (leave func()) {
	s.t.Helper()
	body, sending := io.Pipe()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+changesPath(id), body)
	must.Do(s.t, err)
	request.ContentLength = size
	request.Header.Set("Authorization", "Bearer "+s.key)
	request.Header.Set("Content-Type", api.MediaTypeZIP)
	over := make(chan struct{})
	go func() {
		defer close(over)
		if response, err := s.client.Do(request); err == nil {
			_ = response.Body.Close()
		}
	}()
	_, err = sending.Write(make([]byte, 8<<10))
	must.Do(s.t, err)
	return func() {
		_ = sending.CloseWithError(errors.New("left")) // it never fails
		<-over
	}
}

// until asks again and again for an answer with a status.
func (s *site) until(status int, ask func() answer) answer {
	s.t.Helper()
	again := time.NewTicker(5 * time.Millisecond) // until the server has noticed
	defer again.Stop()
	for {
		if a := ask(); a.status == status {
			return a
		}
		select {
		case <-again.C:
		case <-s.t.Context().Done():
			s.t.Fatalf("there is no answer %d", status)
		}
	}
}

// Bodies that are on their way at the same time fill neither disk nor memory.
// Promise: limit-bodies
func TestBodiesOfAnAccountOnTheirWayAreBounded(t *testing.T) {
	w := newWorks(t, nil)
	p, b := w.Project(w.account, deliverytest.Files(demo))
	small := func() answer { return w.push(p.ID, []byte("no archive")) }
	small().failure(http.StatusBadRequest, svc.CodeInvalidRequest)
	first, second := w.beginPush(p.ID, api.MaxChanges), w.beginPush(p.ID, api.MaxChanges)

	refused := w.until(http.StatusTooManyRequests, small)
	if e := refused.failure(http.StatusTooManyRequests, svc.CodeTooManyRequests); e.Hint == "" || refused.header.Get("Retry-After") != "10" {
		t.Errorf("%+v, Retry-After %q", e, refused.header.Get("Retry-After"))
	}
	prompt := func() answer { return w.send(http.MethodPost, "/generations", strings.NewReader(`{"prompt":"x"}`)) }
	prompt().failure(http.StatusTooManyRequests, svc.CodeTooManyRequests)
	// What needs no body is not refused for having one.
	w.send(http.MethodPost, ackPath(b), strings.NewReader("x")).want(http.StatusOK)
	mine := w.key
	w.key = w.Key(w.Account("eve@example.com"))
	prompt().want(http.StatusAccepted)
	w.key = mine

	first()
	w.until(http.StatusBadRequest, small)
	prompt().want(http.StatusAccepted)
	second()
}

// operation is one of the document, as far as its requests go.
type operation struct {
	Parameters []struct {
		Ref string `json:"$ref"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			} `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
	Responses map[string]any `json:"responses"`
	Security  *[]any         `json:"security"`
}

// badRequest is a request with something wrong in it.
type badRequest struct {
	query, body string
	header      []string
}

// badRequests makes requests of which each has one thing wrong that the document
// names: a parameter, a field, a kind of body.
func badRequests(t *testing.T, document []byte, op operation) []badRequest {
	t.Helper()
	var all struct {
		Components struct {
			Parameters map[string]struct{ Name, In string } `json:"parameters"`
			Schemas    map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	must.Do(t, json.Unmarshal(document, &all))
	last := func(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }
	requests := []badRequest{{query: "?%zz"}, {body: "body"}, {body: "\xff"}}
	add := func(r ...badRequest) { requests = append(requests, r...) }
	for _, parameter := range op.Parameters {
		p := all.Components.Parameters[last(parameter.Ref)]
		switch p.In {
		case "query":
			for _, value := range []string{"%00", "%ff", "-1", "1e9", "99999999999999999999", "a%20b", "a&" + p.Name + "=b"} {
				add(badRequest{query: "?" + p.Name + "=" + value})
			}
		case "header":
			for _, value := range []string{"", "a b", "ü", strings.Repeat("x", 256)} {
				add(badRequest{header: []string{p.Name, value}})
			}
			add(badRequest{header: []string{p.Name, "a", p.Name, "b"}})
		}
	}
	for kind, content := range op.RequestBody.Content {
		for _, body := range []string{"", "null", "[]", "{", "{}", "1", `{"":1}`, `{"unknown":1}`, `{"a":1}{}`, "PK\x05\x06"} {
			add(badRequest{body: body, header: []string{"Content-Type", kind}})
		}
		add(badRequest{body: "{}", header: []string{"Content-Type", "text/plain;;"}})
		for name := range all.Components.Schemas[last(content.Schema.Ref)].Properties {
			for _, value := range []string{"1", "null", "[1]", `{"a":1}`, `"\u0000"`, `"\ud800"`, "\"\xff\"", `""`, `{"a":"\u0000"}`, `{"a":"b","a":"c"}`} {
				add(badRequest{body: `{"` + name + `":` + value + `}`}, badRequest{body: `{"prompt":"x","` + name + `":` + value + `}`})
			}
			add(badRequest{body: `{"` + strings.ToUpper(name) + `":"x"}`}, badRequest{body: `{"` + name + `":"x","` + name + `":"x"}`})
		}
	}
	return requests
}

// Every operation of the document is asked in every wrong way that the document lets
// one think of: whatever is refused with 400 names its field.
// Promise: bad-request-field
func TestEveryBadRequestIsRefusedWithItsField(t *testing.T) {
	w := newWorks(t, nil)
	p, b := w.Project(w.account, deliverytest.Files(demo))
	document, err := openapi.Document(w.url)
	must.Do(t, err)
	var listed struct {
		Paths map[string]map[string]operation `json:"paths"`
	}
	must.Do(t, json.Unmarshal(document, &listed))
	asked := 0
	for path, operations := range listed.Paths {
		for method, op := range operations {
			if op.Security != nil && len(*op.Security) == 0 {
				continue // it is answered before anything of it is looked at
			}
			method = strings.ToUpper(method)
			id := b.ID
			if strings.HasPrefix(path, api.RouteGenerations) {
				id = "gen_nothing" // a stream would not end
			}
			at := strings.NewReplacer("{id}", id, "{projectId}", p.ID).Replace(path)
			var fields []string
			for _, bad := range badRequests(t, document, op) {
				asked++
				w.Clock.Advance(w.Limits.Window)
				a := w.send(method, at+bad.query, bytes.NewReader([]byte(bad.body)), bad.header...)
				if a.status != http.StatusBadRequest {
					continue
				}
				if method == http.MethodHead {
					fields = append(fields, "not told")
					continue
				}
				e := a.failure(http.StatusBadRequest, svc.CodeInvalidRequest)
				if e.Field == "" {
					t.Errorf("%s %s%s with %q %.80q: a 400 without a field: %s", method, path, bad.query, bad.header, bad.body, e.Error)
				}
				fields = append(fields, e.Field)
			}
			slices.Sort(fields)
			fields = slices.Compact(fields)
			if _, documented := op.Responses["400"]; documented != (len(fields) > 0) {
				t.Errorf("%s %s: the document has a 400: %v; what is refused: %q", method, path, documented, fields)
			}
			t.Logf("%s %s: %q", method, path, fields)
		}
	}
	if asked < 200 {
		t.Errorf("%d requests were made: the document is not read", asked)
	}
}
