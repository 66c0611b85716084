package client

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"time"
)

// maxEvent is the size of the largest event that is read.
const maxEvent = 32 << 20

// errEventTooLarge says that a server sent more than a client keeps.
var errEventTooLarge = errors.New("an event of the stream is too large")

// message is one Server-Sent Event as it came.
type message struct {
	id    string
	event string
	data  []byte
}

// reader reads the format of Server-Sent Events: lines that end in CR, LF or
// both, and an empty line after each event. What the stream ends in the middle
// of is not an event.
type reader struct {
	in      *bufio.Reader
	begun   bool
	afterCR bool
	// lastID is the last id that was seen, which events without one inherit.
	lastID string
	// retry is the wait that the server asked for, or 0.
	retry time.Duration
}

func newReader(r io.Reader) *reader { return &reader{in: bufio.NewReaderSize(r, 32<<10)} }

// next gives the next event. At the end of the stream the error is io.EOF.
func (r *reader) next() (message, error) {
	var m message
	hasData := false
	size := 0
	for {
		line, err := r.line(maxEvent - size)
		if err != nil {
			return message{}, err
		}
		size += len(line)
		if len(line) == 0 {
			if !hasData {
				m, size = message{}, 0
				continue
			}
			m.id = r.lastID
			return m, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(name) {
		case "event":
			m.event = string(value)
		case "data":
			if hasData {
				m.data = append(m.data, '\n')
			}
			m.data = append(m.data, value...)
			hasData = true
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
func (r *reader) line(limit int) ([]byte, error) {
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
			return nil, errEventTooLarge
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
