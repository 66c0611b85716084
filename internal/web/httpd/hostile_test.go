package httpd_test

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/testkit/deliverytest"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// The whole interface answers alike on both databases.
// Promise: malformed-id
func TestEverythingOnPostgreSQL(t *testing.T) { deliverytest.AgainOnPostgres(t) }

// hostileIDs are texts that no store should ever be asked for: some databases
// refuse them, others look.
var hostileIDs = []string{
	"%00", "%ff", "%c3%28", "%ed%a0%80", "a%00b", "%20", "%0a", "'%20OR%201=1", "%25", "..%2f..", strings.Repeat("a", 4000),
	"proj_%00", "proj_%ff", "proj_" + strings.Repeat("a", 300), "gen_%00", "gen_a%ff", "%F0%9F%98%80",
	"0195f3a0-0000-7000-8000-00000000000%00", "0195f3a0-0000-7000-8000-00000000000%ff",
}

// Promise: malformed-id
func TestHostileIDsAreIDsOfNothing(t *testing.T) {
	w := newWorks(t, nil)
	changes := string(archiveOf(t, noteOn(strings.Repeat("0", 64)), "a", "b"))
	for _, route := range []struct {
		method, before, after string
		body                  string
		code                  svc.Code
	}{
		{http.MethodGet, "/bundles/", "", "", svc.CodeBundleNotFound},
		{http.MethodPost, "/bundles/", "/ack", "", svc.CodeBundleNotFound},
		{http.MethodHead, "/bundles/", "/download", "", ""},
		{http.MethodGet, "/bundles/", "/download", "", svc.CodeBundleNotFound},
		{http.MethodPost, "/projects/", "/bundles/repackage", "", svc.CodeProjectNotFound},
		{http.MethodPost, "/projects/", "/generations", `{"prompt":"x"}`, svc.CodeProjectNotFound},
		{http.MethodPost, "/projects/", "/changes", changes, svc.CodeProjectNotFound},
		{http.MethodGet, "/generations/", "", "", svc.CodeGenerationNotFound},
		{http.MethodGet, "/generations/", "/stream", "", svc.CodeGenerationNotFound},
		{http.MethodPost, "/generations/", "/cancel", "", svc.CodeGenerationNotFound},
	} {
		for _, id := range hostileIDs {
			w.Clock.Advance(w.Limits.Window) // a request that ends in 404 uses a slot
			for _, header := range [][]string{nil, {"Idempotency-Key", "once"}} {
				if route.body == changes {
					header = append(header, "Content-Type", api.MediaTypeZIP)
				}
				got := w.send(route.method, route.before+id+route.after, strings.NewReader(route.body), header...)
				if route.code == "" {
					got.want(http.StatusNotFound)
					continue
				}
				got.failure(http.StatusNotFound, route.code)
			}
		}
	}
	for _, id := range hostileIDs {
		if list := decode[api.BundleList](w.do(http.MethodGet, "/bundles?projectId="+id).want(http.StatusOK)); len(list.Bundles) != 0 {
			t.Errorf("project %s has %v", id, list.Bundles)
		}
		w.do(http.MethodGet, "/bundles/latest?projectId="+id).failure(http.StatusNotFound, svc.CodeBundleNotFound)
	}
}

// Promise: json-strict
func TestHostileTextsAreRefusedByTheirField(t *testing.T) {
	w := newWorks(t, nil)
	cursor := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for _, ms := range []string{"0", "253402300800000", "9223372036854775807"} {
		w.do(http.MethodGet, "/bundles?cursor="+cursor(ms+" "+svc.NewBundleID(w.Clock.Now()))).want(http.StatusOK)
		w.do(http.MethodGet, "/projects?cursor="+cursor(ms+" proj_a")).want(http.StatusOK)
	}
	for _, tc := range []struct{ name, method, path, body, field string }{
		{"a cursor with NUL", http.MethodGet, "/bundles?cursor=" + cursor("1 \x00"), "", "cursor"},
		{"a cursor that is no UTF-8", http.MethodGet, "/projects?cursor=" + cursor("1 a\xff"), "", "cursor"},
		{"a cursor that is no id", http.MethodGet, "/bundles?cursor=" + cursor("1 ' OR 1=1"), "", "cursor"},
		{"a limit with NUL", http.MethodGet, "/bundles?limit=1%00", "", "limit"},
		{"a state with NUL", http.MethodGet, "/bundles?status=%00", "", "status"},
		{"a query that cannot be read", http.MethodGet, "/bundles?status=%zz", "", "query"},
		{"a name in capitals", http.MethodPost, "/generations", `{"PROMPT":"x"}`, "PROMPT"},
		{"a name in other letters", http.MethodPost, "/generations", `{"prompt":"x","conſtraints":{}}`, "conſtraints"},
		{"a name twice", http.MethodPost, "/generations", `{"prompt":"x","prompt":"y"}`, "prompt"},
		{"a name twice, written otherwise", http.MethodPost, "/generations", `{"prompt":"x","pr\u006fmpt":"y"}`, "prompt"},
		{"a constraint twice", http.MethodPost, "/generations", `{"prompt":"x","constraints":{"a":"b","a":"c"}}`, "constraints"},
		{"NUL in the prompt", http.MethodPost, "/generations", `{"prompt":"a\u0000b"}`, "prompt"},
		{"NUL in a constraint", http.MethodPost, "/generations", `{"prompt":"x","constraints":{"a":"\u0000"}}`, "constraints"},
		{"NUL in the name of a constraint", http.MethodPost, "/generations", `{"prompt":"x","constraints":{"\u0000":"a"}}`, "constraints"},
		{"bytes that are no UTF-8", http.MethodPost, "/generations", "{\"prompt\":\"\xff\xfe\"}", "body"},
		{"half a character", http.MethodPost, "/generations", `{"prompt":"\ud800"}`, "body"},
		{"its other half", http.MethodPost, "/generations", `{"prompt":"\udc00"}`, "body"},
		{"two halves that are none together", http.MethodPost, "/generations", `{"prompt":"\uDBFF\uDBFF\uDFFF"}`, "body"},
		{"halves apart", http.MethodPost, "/generations", `{"prompt":"\ud83d\\\ude00"}`, "body"},
		{"half a character in a name", http.MethodPost, "/generations", `{"prompt":"x","constraints":{"\ud800":"a"}}`, "body"},
		{"no name", http.MethodPost, "/generations", `{"prompt":"x","":1}`, "body"},
		{"a long name", http.MethodPost, "/generations", `{"` + strings.Repeat("ü", 1000) + `":1}`, strings.Repeat("ü", 100) + "…"},
		{"no object", http.MethodPost, "/generations", `null`, "body"},
		{"a list", http.MethodPost, "/generations", `[{"prompt":"x"}]`, "body"},
		{"no text", http.MethodPost, "/generations", `{"prompt":["x"]}`, "prompt"},
		{"deep nesting", http.MethodPost, "/generations", `{"prompt":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, "body"},
		{"no known name, deep", http.MethodPost, "/generations", `{"prompt":"x","constraints":{"a":{"b":"c"}}}`, "constraints"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := w.send(tc.method, tc.path, strings.NewReader(tc.body))
			a.t = t
			if e := a.failure(http.StatusBadRequest, svc.CodeInvalidRequest); e.Field != tc.field {
				t.Errorf("the field is %q, want %q: %s", e.Field, tc.field, e.Error)
			}
		})
	}
}
