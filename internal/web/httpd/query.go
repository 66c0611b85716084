package httpd

import (
	"net/http"
	"net/url"
	"strconv"

	svc "github.com/bundle-delivery/svc"
	"github.com/bundle-delivery/svc/internal/delivery"
	"github.com/bundle-delivery/svc/internal/web/api"
)

// query reads parameters and remembers the first that was wrong.
type query struct {
	values url.Values
	err    error
}

func readQuery(r *http.Request) *query {
	values, err := url.ParseQuery(r.URL.RawQuery)
	q := &query{values: values}
	if err != nil {
		q.err = svc.Invalid("query", "The query of the address cannot be read.")
	}
	return q
}

// text gives a parameter; one that is not there is empty, one that is there
// twice is wrong.
func (q *query) text(name string) string {
	values := q.values[name]
	if len(values) == 0 {
		return ""
	}
	if len(values) > 1 {
		q.fail(name, "%s is given more than once.", name)
	}
	return values[0]
}

func (q *query) limit() int {
	text := q.text("limit")
	if text == "" {
		return delivery.DefaultPage
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > delivery.MaxPage {
		q.fail("limit", "limit is a whole number from 1 to %d.", delivery.MaxPage)
	}
	return n
}

func (q *query) cursor() *svc.Cursor {
	cursor, err := api.DecodeCursor(q.text("cursor"))
	if err != nil {
		q.fail("cursor", "cursor is not the nextCursor of an earlier page.")
	}
	return cursor
}

func (q *query) status() svc.BundleStatus {
	status := svc.BundleStatus(q.text("status"))
	if status != "" && !status.Valid() {
		q.fail("status", "status is one of %s, %s and %s.", svc.BundlePending, svc.BundleDownloaded, svc.BundleExpired)
	}
	return status
}

func (q *query) fail(field, format string, args ...any) {
	if q.err == nil {
		q.err = svc.Invalid(field, format, args...)
	}
}

// idempotencyKey gives the client's key, or nothing: 1 to 255 visible ASCII
// characters in one header.
func idempotencyKey(h http.Header) (string, error) {
	values, present := h[api.HeaderIdempotencyKey]
	if !present {
		return "", nil
	}
	wrong := svc.Invalid(api.HeaderIdempotencyKey, "An Idempotency-Key is one header of 1 to 255 visible ASCII characters.")
	if len(values) != 1 || values[0] == "" || len(values[0]) > 255 {
		return "", wrong
	}
	for _, c := range []byte(values[0]) {
		if c < '!' || c > '~' {
			return "", wrong
		}
	}
	return values[0], nil
}
