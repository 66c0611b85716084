package main

import (
	"bytes"
	"io"
	"math/rand/v2"
	"net/http/httputil"
	"testing"
)

// TestChunksAreUndoneHoweverTheyAreCut holds the reader of the audience to the
// writer of the standard library.
func TestChunksAreUndoneHoweverTheyAreCut(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var sent, wire bytes.Buffer
		w := httputil.NewChunkedWriter(&wire)
		for range 1 + random.IntN(5) {
			part := bytes.Repeat([]byte("a\r\n1f0b\n"), 1+random.IntN(40))
			if _, err := io.MultiWriter(&sent, w).Write(part); err != nil {
				t.Fatal(err)
			}
		}
		var got []byte
		var c chunks
		for came := wire.Bytes(); len(came) > 0; {
			piece := came[:1+random.IntN(len(came))]
			came = came[len(piece):]
			for len(piece) > 0 {
				var text []byte
				text, piece = c.next(piece)
				got = append(got, text...)
			}
		}
		if !bytes.Equal(got, sent.Bytes()) {
			t.Fatalf("%q is read as %q", sent.String(), got)
		}
	}
}
