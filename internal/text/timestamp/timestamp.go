// Package timestamp writes points in time as the service publishes them: UTC with
// exactly three decimals.
package timestamp

import (
	"encoding/json"
	"fmt"
	"time"
)

// format has exactly three decimals, whatever they are.
const format = "2006-01-02T15:04:05.000Z"

// Time is a point in time in JSON.
type Time time.Time

// String returns the time as JSON has it.
func (t Time) String() string { return time.Time(t).UTC().Format(format) }

// MarshalJSON writes the time in UTC with three decimals.
func (t Time) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, len(format)+2)
	b = append(b, '"')
	b = time.Time(t).UTC().AppendFormat(b, format)
	return append(b, '"'), nil
}

// UnmarshalJSON reads a time as MarshalJSON writes it, or any other RFC 3339 text.
func (t *Time) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return fmt.Errorf("a time is a JSON string: %w", err)
	}
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return fmt.Errorf("%q is no time: %w", text, err)
	}
	*t = Time(parsed.UTC())
	return nil
}

// Optional returns nil for the zero time.
func Optional(t time.Time) *Time {
	if t.IsZero() {
		return nil
	}
	wire := Time(t)
	return &wire
}

// Given returns the zero time for nil.
func (t *Time) Given() time.Time {
	if t == nil {
		return time.Time{}
	}
	return time.Time(*t)
}
