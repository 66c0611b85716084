package api

import (
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// ErrCursor says that a text is no cursor that this server has given out.
var ErrCursor = errors.New("not a cursor of this listing")

// EncodeCursor writes a place in a listing as a text that clients hand back
// unread; nil is the empty text.
func EncodeCursor(c *svc.Cursor) string {
	if c == nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(c.CreatedAt.UnixMilli(), 10) + " " + c.ID))
}

// cursorID says whether a text can be the id of anything that is listed.
func cursorID(id string) bool {
	return svc.ValidBundleID(id) || svc.ValidProjectID(id) || svc.ValidGenerationID(id)
}

// maxCursor bounds what is decoded at all.
const maxCursor = 256

// DecodeCursor reads what EncodeCursor wrote; the empty text is nil. ErrCursor.
func DecodeCursor(text string) (*svc.Cursor, error) {
	if text == "" {
		return nil, nil
	}
	if len(text) > maxCursor {
		return nil, ErrCursor
	}
	plain, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrCursor
	}
	ms, id, found := strings.Cut(string(plain), " ")
	at, err := strconv.ParseInt(ms, 10, 64)
	if err != nil || !found || !cursorID(id) || at < 0 || strconv.FormatInt(at, 10) != ms {
		return nil, ErrCursor
	}
	return &svc.Cursor{CreatedAt: time.UnixMilli(at).UTC(), ID: id}, nil
}
