package postgres

import (
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"time"

	svc "github.com/bundle-delivery/svc"
)

// stamp reads a time from a column of milliseconds; NULL is the zero time.
type stamp time.Time

// Scan implements sql.Scanner.
func (s *stamp) Scan(src any) error {
	var ms sql.NullInt64
	if err := ms.Scan(src); err != nil {
		return fmt.Errorf("read a stored time: %w", err)
	}
	*s = stamp{}
	if ms.Valid {
		*s = stamp(fromMillis(ms.Int64))
	}
	return nil
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// millis is the column value of a time; the zero time is NULL.
func millis(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
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

// mapText is the column value of a map.
func mapText(m map[string]string) (string, error) {
	if m == nil {
		return "{}", nil
	}
	text, err := json.Marshal(m)
	if err != nil {
		return "", fmt.Errorf("write a map as JSON: %w", err)
	}
	return string(text), nil
}

// object reads a column that holds a JSON object or NULL.
type object[T any] struct{ to **T }

// Scan implements sql.Scanner.
func (o *object[T]) Scan(src any) error {
	var text sql.NullString
	if err := text.Scan(src); err != nil {
		return err
	}
	*o.to = nil
	if !text.Valid {
		return nil
	}
	v := new(T)
	if err := json.Unmarshal([]byte(text.String), v); err != nil {
		return fmt.Errorf("read a stored object: %w", err)
	}
	*o.to = v
	return nil
}

// objectText is the column value of an object; nil is NULL.
func objectText[T any](v *T) (*string, error) {
	if v == nil {
		return nil, nil //nolint:nilnil // NULL is what nothing is stored as
	}
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("write a value as JSON: %w", err)
	}
	s := string(text)
	return &s, nil
}

// place is a cursor as two values to compare with; that of no cursor lies
// before the newest record.
func place(after *svc.Cursor) (createdAt int64, id string) {
	if after == nil {
		return math.MaxInt64, ""
	}
	return after.CreatedAt.UnixMilli(), after.ID
}

// itself is the field of a record that is one value.
func itself[T any](v *T) []any { return []any{v} }
