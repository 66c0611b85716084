package postgres

import (
	"math"

	svc "github.com/bundle-delivery/svc"
)

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
