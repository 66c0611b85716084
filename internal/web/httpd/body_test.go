package httpd

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// Promise: json-strict
func TestARequestBodyIsOneJSONObjectWithKnownFields(t *testing.T) {
	for name, tt := range map[string]struct {
		body  string
		code  svc.Code
		field string
	}{
		"good":           {`{"name":"x"}`, "", ""},
		"white space":    {" {\"name\":\"x\"}\n", "", ""},
		"unknown field":  {`{"name":"x","colour":1}`, svc.CodeInvalidRequest, "colour"},
		"wrong type":     {`{"name":7}`, svc.CodeInvalidRequest, "name"},
		"nested type":    {`{"inner":{"n":"x"}}`, svc.CodeInvalidRequest, "inner.n"},
		"no JSON":        {`name=x`, svc.CodeInvalidRequest, "body"},
		"nothing":        {``, svc.CodeInvalidRequest, "body"},
		"cut off":        {`{"name":`, svc.CodeInvalidRequest, "body"},
		"two values":     {`{"name":"x"}{"name":"y"}`, svc.CodeInvalidRequest, "body"},
		"trailing text":  {`{"name":"x"} and more`, svc.CodeInvalidRequest, "body"},
		"too large":      {`{"name":"` + strings.Repeat("x", api.MaxRequestBody) + `"}`, svc.CodeRequestTooLarge, ""},
		"too large tail": {`{"name":"x"}` + strings.Repeat(" ", api.MaxRequestBody), svc.CodeRequestTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(tt.body))
			r.Body = http.MaxBytesReader(httptest.NewRecorder(), r.Body, api.MaxRequestBody)
			var v struct {
				Name  string `json:"name"`
				Inner struct {
					N int `json:"n"`
				} `json:"inner"`
			}
			err := readJSON(r, &v)
			if svc.CodeOf(err) != tt.code {
				t.Fatalf("got %v, want %q", err, tt.code)
			}
			if e, ok := errors.AsType[*svc.Error](err); ok && e.Field != tt.field {
				t.Errorf("field %q, want %q", e.Field, tt.field)
			}
			if err == nil && v.Name != "x" {
				t.Errorf("read %+v", v)
			}
		})
	}
}
