// Package wire is what the protocols of all providers have in common: a stream
// of server-sent events over HTTP, and ways to fail.
//
// Its law: an event counts when its blank line has come; what is left of a
// stream that breaks off is not looked at, so that no half character and no half
// object gets through. Comments and events of no interest are signs of life and
// nothing else. A silence longer than allowed is a failure, and so is an end
// before the protocol says that it is the end.
package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxEvent bounds an event: a provider sends words, not documents.
const maxEvent = 4 << 20

var errTooLong = fmt.Errorf("an event has more than %d bytes", maxEvent)

// Event is one server-sent event.
type Event struct {
	Name string
	Data []byte
}

type events struct {
	lines *bufio.Reader
	alive func() // called for each line, comments included
}

// next returns the next event with data. io.EOF is a clean end,
// io.ErrUnexpectedEOF one inside an event.
func (e *events) next() (Event, error) {
	var event Event
	var some, begun bool
	for {
		line, err := e.line()
		if err != nil {
			if errors.Is(err, io.EOF) && (begun || len(line) > 0) {
				err = io.ErrUnexpectedEOF
			}
			return Event{}, err
		}
		e.alive()
		if len(line) == 0 {
			if some {
				return event, nil
			}
			event, begun = Event{}, false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "event":
			event.Name, begun = string(value), true
		case "data":
			if some {
				event.Data = append(event.Data, '\n')
			}
			event.Data = append(event.Data, value...)
			some, begun = true, true
			if len(event.Data) > maxEvent {
				return Event{}, errTooLong
			}
		}
	}
}

// line returns a line without its end.
func (e *events) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := e.lines.ReadSlice('\n')
		whole = append(whole, part...)
		if len(whole) > maxEvent {
			return nil, errTooLong
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return whole, err
		}
		return bytes.TrimSuffix(whole[:len(whole)-1], []byte{'\r'}), nil
	}
}
