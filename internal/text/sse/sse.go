// Package sse reads streams of Server-Sent Events.
//
// An event counts when its empty line has come: of a stream that breaks off, no
// half character and no half object gets through. Lines end in CR, LF or both,
// comments are passed over, and what is kept of one event is bounded.
package sse

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// ErrTooLarge says that an event is larger than the reader allows.
var ErrTooLarge = errors.New("an event of the stream is too large")

// Event is one event as it came.
type Event struct {
	// ID is the event's own, or the last one before it.
	ID   string
	Name string
	Data []byte
}

// Reader reads events from a stream.
type Reader struct {
	in      *bufio.Reader
	limit   int
	begun   bool // the first line has been read
	afterCR bool
	lastID  string
	retry   time.Duration
}

// NewReader makes a reader of events with at most limit bytes.
func NewReader(r io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 32<<10), limit: limit}
}

// Retry is the wait before reconnecting that the server asked for, or 0.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next gives the next event with data. The error is io.EOF at the end of the
// stream, and io.ErrUnexpectedEOF at an end inside an event.
func (r *Reader) Next() (Event, error) {
	var e Event
	var hasData, hasName bool
	size := 0
	for {
		line, err := r.line(r.limit - size)
		if err != nil {
			if errors.Is(err, io.EOF) && (hasData || hasName) {
				err = io.ErrUnexpectedEOF
			}
			return Event{}, err
		}
		size += len(line)
		if len(line) == 0 {
			if !hasData {
				e, hasName, size = Event{}, false, 0
				continue
			}
			e.ID = r.lastID
			return e, nil
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			e.Name, hasName = string(value), true
		case "data":
			if hasData {
				e.Data = append(e.Data, '\n')
			}
			e.Data, hasData = append(e.Data, value...), true
		case "id":
			if bytes.IndexByte(value, 0) < 0 {
				r.lastID = string(value)
			}
		case "retry":
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				r.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

// line gives the next line without its end.
func (r *Reader) line(limit int) ([]byte, error) {
	var line []byte
	for {
		c, err := r.in.ReadByte()
		if err != nil {
			if errors.Is(err, io.EOF) && len(line) > 0 {
				return nil, io.ErrUnexpectedEOF
			}
			return nil, err
		}
		// The LF of a CRLF is passed over when it comes, so that a CR ends its
		// line at once.
		if skip := r.afterCR && c == '\n'; skip {
			r.afterCR = false
			continue
		}
		if r.afterCR = c == '\r'; r.afterCR || c == '\n' {
			break
		}
		if len(line) >= limit {
			return nil, ErrTooLarge
		}
		line = append(line, c)
		// The rest of what is buffered, in one go.
		if rest, err := r.in.Peek(r.in.Buffered()); err == nil && len(rest) > 0 {
			n := bytes.IndexAny(rest, "\r\n")
			if n < 0 {
				n = len(rest)
			}
			n = min(n, limit-len(line))
			line = append(line, rest[:n]...)
			if _, err := r.in.Discard(n); err != nil {
				return nil, err
			}
		}
	}
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line, nil
}
