package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"

	svc "github.com/bundle-delivery/svc"
)

// batch is the events of one message. On the wire it is text: a line with
// version, epoch, first number and count, then a line for each event with its
// name, a space and its data, which has no line breaks of its own.
type batch struct {
	epoch  int64
	events []svc.Event
}

func (b batch) first() int64 { return b.events[0].Seq }
func (b batch) last() int64  { return b.events[len(b.events)-1].Seq }

// equals says whether both are the same message. Numbers and epoch are not enough:
// a worker may have two writers, one after the other.
func (b batch) equals(other batch) bool {
	return b.epoch == other.epoch && slices.EqualFunc(b.events, other.events, func(x, y svc.Event) bool {
		return x.Seq == y.Seq && x.Name == y.Name && bytes.Equal(x.Data, y.Data)
	})
}

var errBadBatch = errors.New("jetstream: a message of the event log cannot be read")

func (b batch) encode() ([]byte, error) {
	size := 64
	for _, e := range b.events {
		size += len(e.Name) + len(e.Data) + 2
	}
	if size > maxPayload {
		return nil, fmt.Errorf("jetstream: %d events of %d bytes do not fit in one message of %d", len(b.events), size, maxPayload)
	}
	out := make([]byte, 0, size)
	out = append(out, "1 "...)
	out = strconv.AppendInt(out, b.epoch, 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, b.first(), 10)
	out = append(out, ' ')
	out = strconv.AppendInt(out, int64(len(b.events)), 10)
	out = append(out, '\n')
	for _, e := range b.events {
		if bytes.IndexByte(e.Data, '\n') >= 0 {
			return nil, fmt.Errorf("jetstream: the data of event %d has a line break", e.Seq)
		}
		out = append(out, e.Name...)
		out = append(out, ' ')
		out = append(out, e.Data...)
		out = append(out, '\n')
	}
	return out, nil
}

// decodeBatch reads a message; the events' data are parts of it.
func decodeBatch(data []byte) (batch, error) {
	head, rest, ok := bytes.Cut(data, []byte{'\n'})
	if !ok || len(head) < 2 || head[0] != '1' || head[1] != ' ' {
		return batch{}, errBadBatch
	}
	var numbers [3]int64
	fields := head[2:]
	for i := range numbers {
		var field []byte
		field, fields, _ = bytes.Cut(fields, []byte{' '})
		n, err := strconv.ParseInt(string(field), 10, 64)
		if err != nil || n < 0 {
			return batch{}, errBadBatch
		}
		numbers[i] = n
	}
	epoch, first, count := numbers[0], numbers[1], numbers[2]
	if count < 1 || count > int64(len(rest)) {
		return batch{}, errBadBatch
	}
	b := batch{epoch: epoch, events: make([]svc.Event, 0, count)}
	for i := range count {
		var line []byte
		line, rest, ok = bytes.Cut(rest, []byte{'\n'})
		space := bytes.IndexByte(line, ' ')
		if !ok || space < 1 {
			return batch{}, errBadBatch
		}
		b.events = append(b.events, svc.Event{
			Seq:  first + i,
			Name: svc.EventName(line[:space]),
			Data: line[space+1 : len(line) : len(line)],
		})
	}
	return b, nil
}
