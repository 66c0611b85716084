// Package column holds how records are written into columns and read from them,
// the same in every database: times as milliseconds, digests as bytes, maps and
// objects as JSON. What has no value is NULL, or the empty one of its kind.
package column

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// Stamp reads a time from a column of milliseconds; NULL is the zero time.
type Stamp time.Time

// Scan implements sql.Scanner.
func (s *Stamp) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*s = Stamp{}
	case int64:
		*s = Stamp(FromMillis(v))
	default:
		return fmt.Errorf("a time is stored as %T, not as an integer", src)
	}
	return nil
}

// FromMillis is the time that a column says.
func FromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// Millis is the column value of a time; the zero time is NULL.
func Millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// Digest reads a SHA-256; an empty value is the zero digest.
type Digest [sha256.Size]byte

// Scan implements sql.Scanner.
func (d *Digest) Scan(src any) error {
	v, ok := src.([]byte)
	if !ok || (len(v) != 0 && len(v) != len(d)) {
		return fmt.Errorf("a SHA-256 is stored as %T of %d bytes", src, len(v))
	}
	*d = Digest{}
	copy(d[:], v)
	return nil
}

// Map reads a column that holds a map as a JSON object. A map that is read is
// never nil.
type Map map[string]string

// Scan implements sql.Scanner.
func (m *Map) Scan(src any) error {
	text, ok := src.(string)
	if !ok {
		return fmt.Errorf("a map is stored as %T, not as text", src)
	}
	*m = Map{}
	if err := json.Unmarshal([]byte(text), m); err != nil {
		return fmt.Errorf("read a stored map: %w", err)
	}
	return nil
}

// MapText is the column value of a map.
func MapText(m map[string]string) (string, error) {
	if m == nil {
		return "{}", nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("write a map as JSON: %w", err)
	}
	return string(text), nil
}

// Object reads a column that holds a JSON object or NULL.
type Object[T any] struct{ To **T }

// Scan implements sql.Scanner.
func (o *Object[T]) Scan(src any) error {
	var text sql.NullString
	if err := text.Scan(src); err != nil {
		return err
	}
	*o.To = nil
	if !text.Valid {
		return nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(text.String), v); err != nil {
		return fmt.Errorf("read a stored object: %w", err)
	}
	*o.To = v
	return nil
}

// ObjectText is the column value of an object; nil is NULL.
func ObjectText[T any](v *T) (any, error) {
	if v == nil {
		return nil, nil //nolint:nilnil // NULL is what nothing is stored as
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write an object as JSON: %w", err)
	}
	return string(text), nil
}
