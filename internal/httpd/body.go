package httpd

import (
	"errors"
	"io"
	"net/http"

	"github.com/bundle-delivery/svc/internal/api"
)

// readJSON decodes a request body, strictly. Bodies that are too large are refused
// with CodeRequestTooLarge.
func readJSON(r *http.Request, v any) error {
	text, err := io.ReadAll(r.Body)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return requestTooLarge()
	}
	if err != nil {
		e := invalid("body", "The body did not arrive.")
		e.Err = err
		return e
	}
	return api.DecodeStrict(text, v)
}
