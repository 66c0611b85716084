package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func readAll(r io.Reader) (events []string, err error) {
	in := newReader(r)
	for {
		m, err := in.next()
		if err != nil {
			return events, err
		}
		events = append(events, m.id+"|"+m.event+"|"+string(m.data))
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
		"cut in the middle":       {in: "data: a\n\ndata: b\n", want: []string{"||a"}},
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
	endless := io.MultiReader(strings.NewReader("data: "), io.LimitReader(filler{}, maxEvent+10))
	if _, err := readAll(endless); !errors.Is(err, errEventTooLarge) {
		t.Errorf("error %v", err)
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

// broadcast serves a stream of numbered events, a few on each connection.
func broadcast(total int64, each int64, seen *[]string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		last := r.Header.Get("Last-Event-Id")
		*seen = append(*seen, last)
		var from int64
		_, _ = fmt.Sscan(last, &from)
		if from >= total {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 1000\n\n")
		// One that was delivered before comes again: it must not be told twice.
		for seq := max(from, 1); seq <= min(from+each, total); seq++ {
			name := "token"
			if seq == total {
				name = "bundle_ready"
			}
			_, _ = fmt.Fprintf(w, "id: %d\nevent: %s\ndata: {\"n\":%d}\n\n:\n\n", seq, name, seq)
		}
	}
}

func TestWatchReconnects(t *testing.T) {
	var seen []string
	r := newRig(t, broadcast(10, 4, &seen))
	var got []int64
	for e, err := range r.Watch(t.Context(), "gen_x", 0) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Seq)
	}
	if diff := cmp.Diff([]int64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "4", "8"}, seen); diff != "" {
		t.Errorf("Last-Event-ID (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]time.Duration{time.Second, time.Second}, r.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestWatchWaitsTwiceAsLongEachTime(t *testing.T) {
	n := 0
	r := newRig(t, func(w http.ResponseWriter, _ *http.Request) {
		if n++; n < 9 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "id: 1\nevent: error\ndata: {}\n\n")
	})
	for _, err := range r.Watch(t.Context(), "gen_x", 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	var want []time.Duration
	for _, seconds := range []float64{1, 2, 4, 8, 16, 30, 30, 30} {
		want = append(want, time.Duration(seconds*float64(time.Second)))
	}
	if diff := cmp.Diff(want, r.waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
}

func TestWatchEnds(t *testing.T) {
	last := func(ctx context.Context, r *rig, after int64) (err error) {
		for _, err = range r.Watch(ctx, "gen_x", after) {
			if err != nil {
				break
			}
		}
		return err
	}
	var seen []string
	t.Run("when all was told before", func(t *testing.T) {
		if err := last(t.Context(), newRig(t, broadcast(3, 9, &seen)), 3); !errors.Is(err, ErrStreamOver) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("when the run is not there", func(t *testing.T) {
		r := newRig(t, http.NotFound)
		if err := last(t.Context(), r, 0); statusOf(err) != http.StatusNotFound || r.waits != nil {
			t.Errorf("error %v, waits %v", err, r.waits)
		}
	})
	t.Run("when the server stays away too long", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
		if err := last(t.Context(), r, 0); statusOf(err) != http.StatusBadGateway || len(r.waits) < 20 {
			t.Errorf("error %v, waits %v", err, r.waits)
		}
	})
	t.Run("when the user has had enough", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r := newRig(t, func(http.ResponseWriter, *http.Request) { cancel() })
		if err := last(ctx, r, 0); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("when the consumer breaks off", func(t *testing.T) {
		r := newRig(t, broadcast(10, 20, &seen))
		for range r.Watch(t.Context(), "gen_x", 0) {
			break
		}
	})
	t.Run("at an event without a number", func(t *testing.T) {
		r := newRig(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "data: x\n\n") })
		if err := last(t.Context(), r, 0); err == nil || len(r.waits) != 0 {
			t.Errorf("error %v", err)
		}
	})
}
