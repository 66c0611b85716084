// Package openapitest holds real answers against the OpenAPI document, so that
// the document cannot drift from the server: a status, a header or a field that
// is not written down is a failure, and so is a written one that is missing.
package openapitest

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

// Validator knows one document.
type Validator struct {
	doc    *openapi3.T
	paths  *http.ServeMux // only to find the path of a request
	prefix string
}

// known are the Validators of all documents that were read: with the race detector
// reading one takes a good part of a second.
var (
	known   = map[string]*Validator{}
	knownMu sync.Mutex
)

// New reads a document and checks that it is a valid one.
func New(document []byte) (*Validator, error) {
	knownMu.Lock()
	defer knownMu.Unlock()
	if v := known[string(document)]; v != nil {
		return v, nil
	}
	v, err := read(document)
	if err == nil {
		known[string(document)] = v
	}
	return v, err
}

func read(document []byte) (*Validator, error) {
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		return nil, fmt.Errorf("the OpenAPI document is invalid: %w", err)
	}
	v := &Validator{doc: doc, paths: http.NewServeMux()}
	for _, listed := range doc.Paths.InMatchingOrder() {
		pattern := listed
		if strings.HasSuffix(listed, "/") {
			pattern += "{$}"
		}
		v.paths.Handle(pattern, http.NotFoundHandler())
	}
	if len(doc.Servers) > 0 {
		base, err := url.Parse(doc.Servers[0].URL)
		if err != nil {
			return nil, fmt.Errorf("the server of the OpenAPI document: %w", err)
		}
		v.prefix = strings.TrimRight(base.Path, "/")
	}
	return v, nil
}

// Check holds one answer against the document. The body is nil where it cannot
// be had as a whole (a stream, an archive) and is not looked at then. Request
// is the request as it was sent; its body is not looked at.
func (v *Validator) Check(request *http.Request, response *http.Response, body []byte) error {
	listed, item := v.find(request)
	if item == nil && response.StatusCode == http.StatusFound {
		return nil // the way to the console is no part of the interface
	}
	if item == nil {
		return v.checkUnlisted(response, body, http.StatusUnauthorized, http.StatusNotFound)
	}
	operation := item.GetOperation(request.Method)
	if operation == nil {
		return v.checkUnlisted(response, body, http.StatusUnauthorized, http.StatusMethodNotAllowed)
	}
	where := fmt.Sprintf("%s %s answered %d", request.Method, listed, response.StatusCode)
	documented := operation.Responses.Status(response.StatusCode)
	if documented == nil {
		return fmt.Errorf("%s, which the document does not have", where)
	}
	if err := undocumentedHeaders(response.Header, documented.Value.Headers); err != nil {
		return fmt.Errorf("%s: %w", where, err)
	}
	// The library passes over HEAD, whose headers matter as much.
	asked := request.Clone(request.Context())
	if asked.Method == http.MethodHead {
		asked.Method = http.MethodGet
	}
	input := &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: asked,
			Route:   &routers.Route{Spec: v.doc, Path: listed, PathItem: item, Method: request.Method, Operation: operation},
		},
		Status: response.StatusCode,
		Header: response.Header,
		Options: &openapi3filter.Options{
			IncludeResponseStatus: true,
			ExcludeResponseBody:   body == nil,
		},
	}
	input.SetBodyBytes(body)
	if err := openapi3filter.ValidateResponse(request.Context(), input); err != nil {
		return fmt.Errorf("%s: %w\n%s", where, err, body)
	}
	return nil
}

// find gives the path of the document that a request is for.
func (v *Validator) find(request *http.Request) (string, *openapi3.PathItem) {
	sent := request.URL.EscapedPath()
	rest, found := strings.CutPrefix(sent, v.prefix)
	if !found || path.Clean(sent) != strings.TrimSuffix(sent, "/") && sent != "/" {
		return "", nil
	}
	inside, err := url.Parse(cmp.Or(rest, "/"))
	if err != nil {
		return "", nil
	}
	_, pattern := v.paths.Handler(&http.Request{Method: http.MethodGet, URL: inside})
	listed := strings.TrimSuffix(pattern, "{$}")
	return listed, v.doc.Paths.Value(listed)
}

// checkUnlisted judges an answer from an address or a method that the document
// does not have: a failure of the general shape.
func (v *Validator) checkUnlisted(response *http.Response, body []byte, allowed ...int) error {
	if !slices.Contains(allowed, response.StatusCode) {
		return fmt.Errorf("%s %s is not in the document and was answered %d", response.Request.Method, response.Request.URL.Path, response.StatusCode)
	}
	if response.Request.Method == http.MethodHead {
		return nil
	}
	general, ok := v.doc.Components.Schemas["Failure"]
	if !ok {
		return errors.New("the document has no schema Failure")
	}
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return fmt.Errorf("the failure is no JSON: %w: %s", err, body)
	}
	if err := general.Value.VisitJSON(value, openapi3.EnableJSONSchema2020()); err != nil {
		return fmt.Errorf("the failure has not the general shape: %w", err)
	}
	return nil
}

// everywhere are headers that HTTP itself brings.
var everywhere = []string{"Content-Type", "Content-Length", "Date", "Connection", "Transfer-Encoding", "Trailer", "Vary"}

func undocumentedHeaders(answered http.Header, documented openapi3.Headers) error {
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(answered)) {
		if slices.Contains(everywhere, name) {
			continue
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(documented)), func(d string) bool { return strings.EqualFold(d, name) }) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) > 0 {
		return fmt.Errorf("headers that the document does not have: %s", strings.Join(unknown, ", "))
	}
	return nil
}

// Transport is an http.RoundTripper that holds every answer against the
// document and fails the test where they differ.
type Transport struct {
	TB        testing.TB
	Base      http.RoundTripper
	Validator *Validator
}

// RoundTrip sends the request and checks the answer. Streams and archives are
// passed on unread; all else is read here and given on whole.
func (t *Transport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.Base.RoundTrip(request)
	if err != nil {
		return response, err
	}
	var body []byte
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" && kind != "application/zip" {
		if body, err = readWhole(response); err != nil {
			return response, err
		}
	}
	if err := t.Validator.Check(request, response, body); err != nil {
		t.TB.Errorf("OpenAPI: %v", err)
	}
	return response, nil
}

// readWhole reads a body and puts a copy in its place.
func readWhole(response *http.Response) ([]byte, error) {
	body, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	if body == nil {
		body = []byte{}
	}
	return body, nil
}
