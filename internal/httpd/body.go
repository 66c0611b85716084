package httpd

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// readJSON decodes a request body that is one JSON object and nothing more.
// Fields that v does not have are refused by name, bodies that are too large
// with CodeRequestTooLarge.
func readJSON(r *http.Request, v any) error {
	dec := json.NewDecoder(r.Body)
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return bodyError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return bodyError(tooLarge)
		}
		return invalid("body", "The body has more than one JSON value.")
	}
	return nil
}

func bodyError(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return requestTooLarge()
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return invalid(wrong.Field, "%s cannot be a JSON %s.", wrong.Field, wrong.Value)
	}
	// The decoder says it in this form, and has no type for it.
	if name, found := strings.CutPrefix(err.Error(), "json: unknown field "); found {
		name = strings.Trim(name, `"`)
		return invalid(name, "There is no field %q in this request.", name)
	}
	e := invalid("body", "The body is not the JSON object that is expected here.")
	e.Err = err
	return e
}
