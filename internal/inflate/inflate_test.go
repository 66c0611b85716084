package inflate_test

import (
	"bytes"
	stdflate "compress/flate"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/klauspost/compress/flate"

	"github.com/bundle-delivery/svc/internal/inflate"
)

func deflated(t testing.TB, content []byte, level int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, level)
	if err == nil {
		_, err = w.Write(content)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// words is text like source code: few words are common, many are rare.
func words(size int) []byte {
	random := rand.New(rand.NewPCG(3, 4))
	var text strings.Builder
	for text.Len() < size {
		often := random.Float64()
		fmt.Fprintf(&text, "%x", 1<<int(often*often*30)*7919)
		text.WriteByte(" \n\t("[random.IntN(4)])
	}
	return []byte(text.String()[:size])
}

func noise(size int) []byte {
	random := rand.New(rand.NewPCG(5, 6))
	out := make([]byte, size)
	for i := range out {
		out[i] = byte(random.Uint32())
	}
	return out
}

var contents = map[string][]byte{
	"nothing":        {},
	"one byte":       {7},
	"one word":       []byte("hello"),
	"one byte often": bytes.Repeat([]byte{'a'}, 100_000),
	"short period":   bytes.Repeat([]byte("abcde"), 20_000),
	"period of 8":    bytes.Repeat([]byte("abcdefgh"), 20_000),
	"words":          words(300_000),
	"noise":          noise(150_000),
	"both":           append(words(70_000), noise(70_000)...),
	"few symbols":    []byte(strings.Repeat("ab", 3) + strings.Repeat("b", 300)),
}

func TestGivesBackWhatWasDeflated(t *testing.T) {
	var d inflate.Decoder // one for all: nothing may stay behind
	for name, content := range contents {
		for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
			t.Run(fmt.Sprintf("%s, level %d", name, level), func(t *testing.T) {
				got := make([]byte, len(content))
				if err := d.Decode(got, deflated(t, content, level)); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, content) {
					t.Error("other bytes came out than went in")
				}
			})
		}
	}
}

func TestSaysWhatIsWrong(t *testing.T) {
	content := words(5000)
	good := deflated(t, content, 6)
	blocks := func(parts ...byte) []byte { return parts }
	tests := []struct {
		name string
		size int
		src  []byte
		want error
	}{
		{"output too small by one", len(content) - 1, good, inflate.ErrLong},
		{"output too large by one", len(content) + 1, good, inflate.ErrShort},
		{"no output", 0, good, inflate.ErrLong},
		{"input cut", len(content), good[:len(good)-1], inflate.ErrShort},
		{"no input", len(content), nil, inflate.ErrShort},
		{"no input for no output", 0, nil, inflate.ErrShort},
		{"a byte too much", len(content), append(bytes.Clone(good), 0), inflate.ErrTrailing},
		{"reserved block type", 1, blocks(0b111), inflate.ErrCorrupt},
		{"stored, wrong check", 1, blocks(1, 1, 0, 1, 0, 'x'), inflate.ErrCorrupt},
		{"stored, cut", 5, blocks(1, 5, 0, 0xfa, 0xff, 'x'), inflate.ErrShort},
		{"stored, too long", 1, blocks(1, 2, 0, 0xfd, 0xff, 'x', 'y'), inflate.ErrLong},
		{"distance before the start", 3, blocks(0x03, 0x02, 0x00), inflate.ErrCorrupt},
		{"too many literal codes", 1, blocks(0b11111101, 0xff, 0xff, 0xff), inflate.ErrCorrupt},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var d inflate.Decoder
			if err := d.Decode(make([]byte, test.size), test.src); !errors.Is(err, test.want) {
				t.Errorf("%v, not %v", err, test.want)
			}
		})
	}
}

// Every cut and every flipped bit must end in an error or in what the standard
// library reads as well.
func TestAgreesAboutDamage(t *testing.T) {
	for _, content := range [][]byte{contents["one word"], contents["few symbols"], words(700)} {
		good := deflated(t, content, 6)
		for i := range good {
			for bit := range 8 {
				damaged := bytes.Clone(good)
				damaged[i] ^= 1 << bit
				compare(t, damaged)
			}
			compare(t, good[:i])
		}
	}
}

// compare holds a decoder against that of the standard library.
func compare(t *testing.T, src []byte) {
	t.Helper()
	const most = 1 << 20
	left := bytes.NewReader(src)
	want, err := io.ReadAll(io.LimitReader(stdflate.NewReader(left), most+1))
	if len(want) > most {
		return
	}
	good := err == nil && left.Len() == 0
	var d inflate.Decoder
	// Space behind the output shows a write that goes too far.
	space := bytes.Repeat([]byte{0xa5}, len(want)+64)
	got := space[:len(want):len(want)]
	if ours := d.Decode(got, src); (ours == nil) != good {
		t.Fatalf("%x: the standard library says %v with %d bytes left, this one says %v", src, err, left.Len(), ours)
	}
	if good && !bytes.Equal(got, want) {
		t.Fatalf("%x: other bytes than the standard library reads", src)
	}
	if !bytes.Equal(space[len(want):], bytes.Repeat([]byte{0xa5}, 64)) {
		t.Fatalf("%x: written beyond the output", src)
	}
}

func FuzzDecode(f *testing.F) {
	for _, content := range contents {
		if len(content) < 1000 {
			f.Add(deflated(f, content, 6))
			f.Add(deflated(f, content, flate.HuffmanOnly))
		}
	}
	f.Add(deflated(f, words(3000), 9))
	f.Add([]byte{1, 1, 0, 0xfe, 0xff, 'x'})
	f.Fuzz(func(t *testing.T, src []byte) { compare(t, src) })
}

func BenchmarkDecode(b *testing.B) {
	content := words(50_000)
	src, dst := deflated(b, content, 6), make([]byte, len(content))
	b.Run("ours", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		var d inflate.Decoder
		for b.Loop() {
			if err := d.Decode(dst, src); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("klauspost", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			r := flate.NewReader(bytes.NewReader(src))
			if _, err := io.ReadFull(r, dst); err != nil {
				b.Fatal(err)
			}
		}
	})
}
