package wire

import (
	"errors"
	"net/http"
	"strings"

	"github.com/bundle-delivery/svc/internal/engine/llm"
)

// Client is a client that follows no redirect: the key is for the provider's own
// address, and HTTP clients take most headers along wherever they are sent.
func Client(base *http.Client) *http.Client {
	c := http.Client{}
	if base != nil {
		c = *base
	}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &c
}

// maxDetail is how much of a provider's words goes to the log.
const maxDetail = 400

// Hide strikes a key out of what went wrong: some servers repeat the key that
// they do not like, wherever they put their complaint. What is left is shortened,
// after that and not before: half a key is no longer recognised.
func Hide(err error, key string) error {
	f, ok := errors.AsType[*llm.Failure](err)
	if !ok {
		return err
	}
	hidden := *f
	hidden.Detail = shorten(strike(f.Detail, key))
	if f.Err != nil {
		if text := f.Err.Error(); strike(text, key) != text {
			hidden.Err = errors.New(shorten(strike(text, key)))
		}
	}
	return &hidden
}

func strike(text, key string) string {
	if key == "" {
		return text
	}
	return strings.ReplaceAll(text, key, "***")
}

func shorten(detail string) string {
	if len(detail) > maxDetail {
		return strings.ToValidUTF8(detail[:maxDetail], "") + "…"
	}
	return detail
}
