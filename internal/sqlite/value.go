package sqlite

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"
)

// stamp reads a time from a column of milliseconds; NULL is the zero time.
type stamp time.Time

// Scan implements sql.Scanner.
func (s *stamp) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s = stamp{}
	case int64:
		*s = stamp(time.UnixMilli(v).UTC())
	default:
		return fmt.Errorf("a time is stored as %T, not as an integer", src)
	}
	return nil
}

// millis is the column value of a time; the zero time is NULL.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// digest reads a SHA-256; an empty value is the zero digest.
type digest [sha256.Size]byte

// Scan implements sql.Scanner.
func (d *digest) Scan(src any) error {
	v, ok := src.([]byte)
	if !ok || (len(v) != 0 && len(v) != len(d)) {
		return fmt.Errorf("a SHA-256 is stored as %T of %d bytes", src, len(v))
	}
	*d = digest{}
	copy(d[:], v)
	return nil
}

// textMap is a column that holds a map as a JSON object. A map that is read is
// never nil.
type textMap map[string]string

// Scan implements sql.Scanner.
func (m *textMap) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a map is stored as %T, not as text", src)
	}
	*m = textMap{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return fmt.Errorf("read a stored map: %w", err)
	}
	return nil
}

// jsonText is the column value of a map or a list; nil becomes the empty one of
// its kind.
func jsonText[T map[string]string | []string | []int64](v T, empty string) (string, error) {
	if v == nil {
		return empty, nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("write a value as JSON: %w", err)
	}
	return string(text), nil
}
