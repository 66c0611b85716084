package api_test

import (
	"errors"
	"strings"
	"testing"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// refusal is what an error says to whoever asked.
func refusal(err error) *svc.Error {
	e, ok := errors.AsType[*svc.Error](err)
	if !ok {
		return &svc.Error{Err: err}
	}
	return e
}

// Promise: json-strict
func TestJSONIsReadStrictlyInListsAndBehindPointersAsWell(t *testing.T) {
	type inner struct {
		Name string `json:"name"`
	}
	type outer struct {
		List    []inner  `json:"list"`
		Pointer *inner   `json:"pointer"`
		Deep    []*inner `json:"deep"`
	}
	for text, want := range map[string]string{
		`{"list":[{"name":"a"},{"name":"b"}],"pointer":{"name":"c"},"deep":[{"name":"d"},null]}`: "",
		`{"pointer":null,"list":null}`:                "",
		`{"list":[{"name":"\ud83d\ude00\\ud800"}]}`:   "",
		`{"list":[{"name":"a"},{"NAME":"b"}]}`:        "list.NAME",
		`{"list":[{"name":"a","name":"b"}]}`:          "list.name",
		`{"list":[{"name":"a"},{"name":"\u0000"}]}`:   "list.name",
		`{"pointer":{"NAME":"b"}}`:                    "pointer.NAME",
		`{"deep":[{"name":"a"},{"":"b"}]}`:            "deep.",
		`{"deep":[{"name":"a"},{"name":"\uD83D x"}]}`: "body",
		`{"":1}`: "body",
	} {
		var v outer
		err := api.DecodeStrict([]byte(text), &v)
		if want == "" {
			if err != nil {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if e := refusal(err); e.Code != svc.CodeInvalidRequest || e.Field != want {
			t.Errorf("%s: %+v, want the field %q", text, e, want)
		}
	}
}

// Promise: json-strict
func TestAFailureSaysNoMoreThanItTakesToFindTheFault(t *testing.T) {
	var v struct{}
	err := api.DecodeStrict([]byte(`{"`+strings.Repeat("\x7f", 1<<20-10)+`":1}`), &v)
	body, err := api.Encode(api.NewError(refusal(err), "req"))
	if err != nil || len(body) > 8<<10 {
		t.Errorf("a name of 1 MiB is answered with %d bytes, %v", len(body), err)
	}
}
