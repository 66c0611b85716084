package sse_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/bundle-delivery/svc/internal/text/sse"
)

// limit is the size of the largest event in these tests.
const limit = 1 << 20

func readAll(r io.Reader) (events []string, err error) {
	in := sse.NewReader(r, limit)
	for {
		e, err := in.Next()
		if err != nil {
			return events, err
		}
		events = append(events, e.ID+"|"+e.Name+"|"+string(e.Data))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	tests := map[string]struct {
		in   string
		want []string
		err  error
	}{
		"one":                     {in: "id: 1\nevent: token\ndata: {}\n\n", want: []string{"1|token|{}"}},
		"CRLF":                    {in: "id: 1\r\ndata: a\r\n\r\nid: 2\r\ndata: b\r\n\r\n", want: []string{"1||a", "2||b"}},
		"CR":                      {in: "data: a\r\rdata: b\r\r", want: []string{"||a", "||b"}},
		"mixed ends":              {in: "data: a\rid: 1\ndata: b\r\n\n", want: []string{"1||a\nb"}},
		"byte order mark":         {in: "\xef\xbb\xbfdata: a\n\n", want: []string{"||a"}},
		"comments":                {in: ":\n\n: hello\ndata: a\n:\n\n", want: []string{"||a"}},
		"no space":                {in: "data:a\n\n", want: []string{"||a"}},
		"one space only":          {in: "data:  a\n\n", want: []string{"|| a"}},
		"several lines":           {in: "data: a\ndata:\ndata: b\n\n", want: []string{"||a\n\nb"}},
		"empty data":              {in: "data\n\n", want: []string{"||"}},
		"no data":                 {in: "event: x\nid: 7\n\ndata: a\n\n", want: []string{"7||a"}},
		"id is inherited":         {in: "id: 3\ndata: a\n\ndata: b\n\n", want: []string{"3||a", "3||b"}},
		"id with NUL":             {in: "id: 1\x002\ndata: a\n\n", want: []string{"||a"}},
		"unknown field":           {in: "colour: red\ndata: a\n\n", want: []string{"||a"}},
		"colon in data":           {in: "data: a: b\n\n", want: []string{"||a: b"}},
		"longer than any buffer":  {in: "data: " + long + "\n\n", want: []string{"||" + long}},
		"cut in the middle":       {in: "data: a\n\ndata: b\n", want: []string{"||a"}, err: io.ErrUnexpectedEOF},
		"cut after the name":      {in: "data: a\n\nevent: b\n", want: []string{"||a"}, err: io.ErrUnexpectedEOF},
		"cut after a comment":     {in: "data: a\n\n: b\n", want: []string{"||a"}},
		"cut in the middle of it": {in: "data: a\n\ndata: b", want: []string{"||a"}, err: io.ErrUnexpectedEOF},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.err == nil {
				test.err = io.EOF
			}
			for how, r := range map[string]io.Reader{
				"at once": strings.NewReader(test.in), "byte by byte": iotest.OneByteReader(strings.NewReader(test.in)),
			} {
				got, err := readAll(r)
				if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, test.err) {
					t.Errorf("%s: error %v (-want +got):\n%s", how, err, diff)
				}
			}
		})
	}
}

func TestReaderBoundsEvents(t *testing.T) {
	line := "data: " + strings.Repeat("x", limit/4) + "\n"
	for name, stream := range map[string]io.Reader{
		"one line":      io.MultiReader(strings.NewReader("data: "), io.LimitReader(filler{}, limit+10)),
		"several lines": strings.NewReader(strings.Repeat(line, 4) + "\n"),
	} {
		if _, err := readAll(stream); !errors.Is(err, sse.ErrTooLarge) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if events, err := readAll(strings.NewReader(strings.Repeat(line+"\n", 9))); len(events) != 9 || !errors.Is(err, io.EOF) {
		t.Errorf("%d events of a bearable size, error %v", len(events), err)
	}
}

type filler struct{}

func (filler) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzReader: however the bytes are cut into pieces, the same events come out,
// and they agree with a reader that is too simple to be wrong.
// Promise: watch-in-order
func FuzzReader(f *testing.F) {
	f.Add([]byte("id: 1\nevent: token\ndata: {}\n\n"))
	f.Add([]byte("data: a\r\rdata: b\r\n\r\n:\n\nretry: 10\n\n"))
	f.Add([]byte("\xef\xbb\xbfdata\n\nid\ndata:x"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, _ := readAll(bytes.NewReader(in))
		pieces, _ := readAll(iotest.OneByteReader(bytes.NewReader(in)))
		halves, _ := readAll(iotest.HalfReader(bytes.NewReader(in)))
		if !cmp.Equal(whole, pieces) || !cmp.Equal(whole, halves) {
			t.Fatalf("%q: %q, %q, %q", in, whole, pieces, halves)
		}
		if simple := simpleRead(string(in)); !cmp.Equal(whole, simple) {
			t.Fatalf("%q: %q, want %q", in, whole, simple)
		}
	})
}

// simpleRead reads a whole stream from a string.
func simpleRead(in string) []string {
	in = strings.ReplaceAll(strings.ReplaceAll(in, "\r\n", "\n"), "\r", "\n")
	in = strings.TrimPrefix(in, "\xef\xbb\xbf")
	lines := strings.Split(in, "\n")
	var out []string
	id, event := "", ""
	var data []string
	for _, line := range lines[:len(lines)-1] {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			if data != nil {
				out = append(out, id+"|"+event+"|"+strings.Join(data, "\n"))
			}
			event, data = "", nil
		case name == "event":
			event = value
		case name == "data":
			data = append(data, value)
		case name == "id" && !strings.Contains(value, "\x00"):
			id = value
		}
	}
	return out
}

func TestTheWaitThatAServerAsksFor(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"": 0, "retry: 1500\n": 1500 * time.Millisecond, "retry: soon\n": 0, "retry: -1\n": 0,
		"retry: 2147483647\n": 2147483647 * time.Millisecond, "retry: 2147483648\n": 0, "retry: 7\nretry: x\n": 7 * time.Millisecond,
	} {
		r := sse.NewReader(strings.NewReader(text+"data: a\n\n"), limit)
		if _, err := r.Next(); err != nil || r.Retry() != want {
			t.Errorf("%q: %v, %v", text, r.Retry(), err)
		}
	}
}
