package column_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/bundle-delivery/svc/internal/store/column"
)

func TestTheZeroTimeIsNull(t *testing.T) {
	if got := column.Millis(time.Time{}); got != nil {
		t.Errorf("no time is stored as %v", got)
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)
	ms, ok := column.Millis(at).(int64)
	if !ok || !column.FromMillis(ms).Equal(at) {
		t.Errorf("%s is stored as %v", at, column.Millis(at))
	}
}

// A database that another program has written to is not believed blindly.
func TestDigestsHaveTheirLength(t *testing.T) {
	whole := bytes.Repeat([]byte{7}, 32)
	for _, stored := range []any{whole[:31], append(whole[:32:32], 7), "text", nil, int64(7)} {
		d := column.Digest{1}
		if err := d.Scan(stored); err == nil {
			t.Errorf("%v is read as %x", stored, d)
		}
	}
	d := column.Digest{1}
	if err := d.Scan(whole); err != nil || !bytes.Equal(d[:], whole) {
		t.Errorf("%x, %v", d, err)
	}
	if err := d.Scan([]byte{}); err != nil || d != (column.Digest{}) {
		t.Errorf("an empty value is %x, %v", d, err)
	}
}

func TestMapsAreObjects(t *testing.T) {
	for want, m := range map[string]map[string]string{"{}": nil, `{"a":"b"}`: {"a": "b"}} {
		text, err := column.MapText(m)
		if err != nil || text != want {
			t.Errorf("%v is stored as %s, %v", m, text, err)
		}
		var read column.Map
		if err := read.Scan(text); err != nil || read == nil || len(read) != len(m) || read["a"] != m["a"] {
			t.Errorf("%s is read as %v, %v", text, read, err)
		}
	}
	for _, stored := range []any{nil, int64(7), "[]", "{"} {
		var read column.Map
		if err := read.Scan(stored); err == nil {
			t.Errorf("%v is read as %v", stored, read)
		}
	}
}
