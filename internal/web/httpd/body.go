package httpd

import (
	"errors"
	"io"
	"net/http"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// readJSON decodes a request body, strictly. Bodies that are too large are refused
// with CodeRequestTooLarge.
func readJSON(r *http.Request, v any) error {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return bodyError(err)
	}
	return api.DecodeStrict(text, v)
}

// bodyError says why a body cannot be read.
func bodyError(err error) error {
	if e, ok := errors.AsType[*svc.Error](err); ok {
		return e
	}
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return requestTooLarge(tooLarge.Limit)
	}
	e := svc.Invalid("body", "The body did not arrive.")
	e.Err = err
	return e
}
