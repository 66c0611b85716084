package jetstream

import (
	"bytes"
	"testing"
)

// FuzzBatch looks for messages that are read as something else than they say.
func FuzzBatch(f *testing.F) {
	good, err := batch{epoch: 3, events: batchOf(9, 3)}.encode()
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range [][]byte{good, nil, []byte("1 1 1 1\n"), []byte("1 1 1 9223372036854775807\nx {}\n"), []byte("2 1 1 1\ntoken {}\n"), []byte("1 -1 1 1\ntoken {}\n")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		b, err := decodeBatch(data)
		if err != nil {
			return
		}
		again, err := b.encode()
		if err != nil {
			t.Fatalf("%q was read but cannot be written: %v", data, err)
		}
		second, err := decodeBatch(again)
		if err != nil || second.epoch != b.epoch || len(second.events) != len(b.events) {
			t.Fatalf("%q comes back as %q (%v)", data, again, err)
		}
		for i, e := range b.events {
			if s := second.events[i]; s.Seq != e.Seq || s.Name != e.Name || !bytes.Equal(s.Data, e.Data) {
				t.Fatalf("event %d of %q comes back as %+v", i, data, s)
			}
		}
	})
}
